import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { usePoll } from '../../client/use-poll.ts';
import { routeStates } from '../../client/watched.ts';
import type { Draft } from '../../draft/draft.ts';
import { writtenText } from '../../draft/draft-text.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { addressOf, goTo, type Place, setParameters } from '../../shell/place.ts';
import { useSession } from '../../shell/session.ts';
import { DesignCanvas } from './canvas/design-canvas.tsx';
import { ConflictNote } from './conflict-note.tsx';
import { DesignTools } from './design-tools.tsx';
import { DiffView } from './diff-view.tsx';
import type { EditedRoute } from './edited-route.ts';
import type { ShownProblem } from './forms/form-setting.ts';
import { pathOfPointer } from './forms/pointer.ts';
import { askBeforeLeaving, dropDraft } from './kept-drafts.ts';
import { type PlacedNote, placedNotes } from './placed-notes.ts';
import { ProblemList } from './problem-list.tsx';
import { type Choice, Segments } from './segments.tsx';
import { type Revealed, TextEditor } from './text-editor.tsx';
import { tokensOf } from './text-marks.ts';
import { useDesignPermissions } from './use-design-permissions.ts';
import { useEdited } from './use-edited.ts';
import { useUndoKeys } from './use-undo-keys.ts';
import { VersionList } from './version-list.tsx';

export interface DesignerProps {
  /** Name of the draft among those of this tab. */
  readonly address: string;
  readonly edited: EditedRoute;
  readonly place: Place;
}

const VIEWS: readonly Choice[] = [
  { id: 'canvas', title: 'Canvas' },
  { id: 'both', title: 'Both' },
  { id: 'text', title: 'Text' },
];

const SHOWN: readonly Choice[] = [
  { id: 'text', title: 'Text' },
  { id: 'changes', title: 'Changes' },
  { id: 'versions', title: 'Versions' },
];

/** Edits one route: text, problems, changes and versions, and what can be done with it. */
export function Designer({ address, edited, place }: DesignerProps): JSX.Element {
  useEdited(edited);
  useEffect(askBeforeLeaving, []);
  const { draft, base, problems } = edited;
  const { text } = draft;
  useUndoKeys(draft);
  const isCluster = useSession().kind === 'signed-in';
  const permissions = useDesignPermissions(edited, isCluster);
  const state = usePoll(routeStates).value?.find(
    ({ route, namespace }) => namespace !== undefined && route === base?.id,
  );
  const deliveredBy = state?.deliveredBy ?? null;
  const notes = useMemo(() => placedNotes(draft, problems), [draft, text, problems]);
  const [revealed, setRevealed] = useState<Revealed | null>(null);
  const problemsOfDocument = useMemo(() => (draft.faults.length > 0 ? [] : notes.map(shownProblem)), [draft, notes]);
  const selected = place.query.get('at');
  useEffect(() => {
    const path = selected === null ? null : pathOfPointer(selected, draft.document);
    const range = path === null ? undefined : draft.placeOf(path);
    if (range !== undefined) setRevealed({ from: range.from, to: range.from, isFocused: false });
  }, [draft, selected]);
  const view = VIEWS.find(({ id }) => id === place.query.get('view'))?.id ?? 'both';
  const shown = SHOWN.find(({ id }) => id === place.query.get('show'))?.id ?? 'text';
  const reveal = ({ from, to }: PlacedNote): void => {
    setParameters({ show: null, ...(view === 'canvas' ? { view: null } : {}) });
    setRevealed({ from, to, isFocused: true });
  };
  const deployed = (id: string): void => {
    dropDraft(address);
    const { template: _, deleted, ...query } = Object.fromEntries(place.query);
    const router = deleted?.slice(0, deleted.lastIndexOf('/')) ?? query['router'];
    goTo(addressOf(['routes', id, 'edit'], { ...query, router }), false);
  };
  const above =
    base === null
      ? { title: 'Routes', address: addressOf(['routes']) }
      : { title: base.id, address: addressOf(['routes', base.id], { router: place.query.get('router') }) };
  return (
    <div class="page page-full design">
      <PageHead title={base === null ? 'New route' : `Edit ${base.id}`} above={above}>
        <StateLine edited={edited} />
      </PageHead>
      <DesignTools {...{ edited, permissions, isCluster, deliveredBy, deployed }} deleted={() => gone(address)} />
      {deliveredBy === null ? null : (
        <p class="hint" role="note">
          {deliveredBy} delivers this route and may undo changes that are made here.
        </p>
      )}
      <div class="design-views">
        <Segments
          label="View"
          choices={VIEWS}
          chosen={view}
          choose={(chosen) => setParameters({ view: chosen === 'both' ? null : chosen })}
        />
        {hasComments(draft) ? (
          <span class="faint">Comments stay in this draft and in exported files. The gateway does not keep them.</span>
        ) : null}
      </div>
      {edited.conflict === null ? null : <ConflictNote edited={edited} conflict={edited.conflict} />}
      <div class="design-panes">
        {view === 'text' ? null : (
          <section class="design-canvas" aria-label="Picture of the route">
            <DesignCanvas draft={draft} problems={problemsOfDocument} />
          </section>
        )}
        {view === 'canvas' ? null : (
          <section class="design-text" aria-label="Document">
            <div class="design-bar">
              <Segments
                label="Shown"
                choices={SHOWN}
                chosen={shown}
                choose={(show) => setParameters({ show: show === 'text' ? null : show })}
              />
              <Segments
                label="Format"
                choices={FORMATS}
                chosen={draft.format}
                choose={(format) => void draft.convert(format === 'yaml' ? 'yaml' : 'json')}
                disabled={draft.faults.length > 0 ? 'The text has to be correct to be converted' : null}
              />
            </div>
            <div class="design-shown">
              {shown === 'text' ? (
                <TextEditor draft={draft} notes={notes} revealed={revealed} moved={() => {}} />
              ) : shown === 'changes' ? (
                <Changes edited={edited} />
              ) : (
                <VersionList edited={edited} />
              )}
            </div>
          </section>
        )}
      </div>
      <ProblemList notes={notes} isChecking={edited.isChecking} reveal={reveal} />
    </div>
  );
}

const FORMATS: readonly Choice[] = [
  { id: 'json', title: 'JSON' },
  { id: 'yaml', title: 'YAML' },
];

function shownProblem({ path, severity, message, hint }: PlacedNote): ShownProblem {
  return { path, severity, message, ...(hint === null ? {} : { hint }) };
}

function hasComments({ text, format }: Draft): boolean {
  return text.split('\n').some((line) => tokensOf(line, format).some(({ kind }) => kind === 'comment'));
}

function gone(address: string): void {
  dropDraft(address);
  goTo(addressOf(['routes']));
}

/** Whether the draft is what the gateway serves. */
function StateLine({ edited }: { readonly edited: EditedRoute }): JSX.Element {
  const { base, isChanged, outcome } = edited;
  return (
    <span role="status" class={outcome?.tone === 'bad' ? 'bad-text' : ''}>
      {outcome !== null
        ? outcome.text
        : base === null
          ? 'Not deployed yet. Nothing changes until you deploy it.'
          : isChanged
            ? 'Unsaved changes. The gateway serves the version before.'
            : 'This is the version that the gateway has.'}
    </span>
  );
}

/** The differences between the version of the gateway and the draft. */
function Changes({ edited: { base, draft } }: { readonly edited: EditedRoute }): JSX.Element {
  const { format, document, faults } = draft;
  if (faults.length > 0 || document === undefined) return <p class="diff-none">The text cannot be read yet.</p>;
  const before = base === null ? '' : writtenText(base.document, format);
  return <DiffView before={before} after={writtenText(document, format)} names={['gateway', 'draft']} />;
}
