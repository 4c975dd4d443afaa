import type { JSX } from 'preact';
import { writtenText } from '../../draft/draft-text.ts';
import { orderedLike } from '../../draft/member-order.ts';
import { DiffView } from './diff-view.tsx';
import type { Conflict, EditedRoute } from './edited-route.ts';

export interface ConflictNoteProps {
  readonly edited: EditedRoute;
  readonly conflict: Conflict;
}

/** Says that somebody else has changed the route, shows how, and lets people choose. */
export function ConflictNote({ edited, conflict: { theirs } }: ConflictNoteProps): JSX.Element {
  const { draft, base } = edited;
  return (
    <section class="conflict" role="alert" aria-labelledby="conflict-title">
      <h2 id="conflict-title">
        {theirs === null ? 'Somebody else deleted this route' : 'Somebody else changed this route'}
      </h2>
      <p>
        {theirs === null
          ? 'Your draft is kept. Deploying it creates the route again.'
          : 'Your draft began from an older version. These are the changes that the other person made:'}
      </p>
      {theirs === null || base === null ? null : (
        <DiffView
          before={writtenText(base.document, draft.format)}
          after={writtenText(orderedLike(theirs.document, base.document), draft.format)}
          names={['your start', 'their version']}
        />
      )}
      <p class="conflict-choice">
        {theirs === null ? null : (
          <button type="button" onClick={() => edited.take(theirs)}>
            Take their version
          </button>
        )}
        <button type="button" onClick={() => edited.replaceTheirs()}>
          {theirs === null ? 'Keep my draft' : 'Keep my draft, and replace theirs when I deploy'}
        </button>
      </p>
    </section>
  );
}
