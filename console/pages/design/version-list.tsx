import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Poll } from '../../client/poll.ts';
import { type RouteVersion, versionsOf } from '../../client/route-version.ts';
import { usePoll } from '../../client/use-poll.ts';
import { writtenText } from '../../draft/draft-text.ts';
import { isAlike, orderedLike } from '../../draft/member-order.ts';
import { Empty, Shown } from '../../parts/notes.tsx';
import { dayAndTime, zoneName } from '../../parts/times.ts';
import { DiffView } from './diff-view.tsx';
import type { EditedRoute } from './edited-route.ts';

const AGAIN = 5000;

/** The last versions of a route. Each can be compared with the draft and put into it. */
export function VersionList({ edited }: { readonly edited: EditedRoute }): JSX.Element {
  const { base } = edited;
  const path = base?.path ?? null;
  const poll = useMemo(
    () => new Poll((signal) => (path === null ? Promise.resolve([]) : versionsOf(`${path}/versions`, signal)), AGAIN),
    [path],
  );
  const known = usePoll(poll);
  const [compared, setCompared] = useState<string | null>(null);
  if (known.failure?.kind === 'missing') {
    return (
      <Empty title="This gateway keeps no versions">
        <p>Its operator turned them off: keep the Routes in git, and export them from here.</p>
      </Empty>
    );
  }
  return (
    <Shown known={known} what="versions" retry={poll.refresh}>
      {(versions) =>
        versions.length === 0 ? (
          <Empty title="No versions yet">
            <p>The gateway keeps the last 20 versions of a route that is changed over HTTP or in the console.</p>
          </Empty>
        ) : (
          <ol class="versions">
            {versions.map((version) => (
              <li key={version._id}>
                <VersionRow
                  version={version}
                  edited={edited}
                  isCompared={compared === version._id}
                  compare={() => setCompared(compared === version._id ? null : version._id)}
                />
              </li>
            ))}
          </ol>
        )
      }
    </Shown>
  );
}

interface VersionRowProps {
  readonly version: RouteVersion;
  readonly edited: EditedRoute;
  readonly isCompared: boolean;
  readonly compare: () => void;
}

const OPERATIONS: Readonly<Record<string, string>> = {
  file: 'edited as a file',
  create: 'created',
  update: 'deployed',
  patch: 'patched',
  delete: 'deleted',
};

function VersionRow({ version, edited, isCompared, compare }: VersionRowProps): JSX.Element {
  const { at, operation, transactionId, by, document } = version;
  const { draft, base } = edited;
  const isServed = base !== null && isAlike(base.document, document);
  return (
    <>
      <div class="version">
        <span>
          <time dateTime={at} title={`Time zone ${zoneName()}`}>
            {dayAndTime(new Date(at))}
          </time>{' '}
          {OPERATIONS[operation] ?? operation}
          {isServed ? <span class="version-now">serves now</span> : null}
          <span class="faint version-who">
            {by !== null ? `by ${by}` : transactionId === null ? '' : `transaction ${transactionId}`}
          </span>
        </span>
        <span class="version-actions">
          <button type="button" aria-expanded={isCompared} onClick={compare}>
            Compare
          </button>
          <button type="button" onClick={() => edited.restore(document)}>
            Put into the draft
          </button>
        </span>
      </div>
      {isCompared ? (
        <DiffView
          before={writtenText(orderedLike(document, draft.document), draft.format)}
          after={writtenText(draft.document ?? {}, draft.format)}
          names={['this version', 'draft']}
        />
      ) : null}
    </>
  );
}
