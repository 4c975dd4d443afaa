import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { deletedRoutes } from '../../client/deleted-routes.ts';
import { RestFailure } from '../../client/rest-failure.ts';
import { versionsOf } from '../../client/route-version.ts';
import { usePoll } from '../../client/use-poll.ts';
import { routeStates } from '../../client/watched.ts';
import { Empty, Failure, Loading, NeedsEvaluation } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { addressOf, type Place } from '../../shell/place.ts';
import { mainRouterOf } from '../routes/main-router.ts';
import { Designer } from './designer.tsx';
import { EditedRoute, loadRoute } from './edited-route.ts';
import { keepDraft, keptDraft } from './kept-drafts.ts';
import { TemplateChoice } from './template-choice.tsx';
import { TEMPLATES } from './templates.ts';

export interface DesignPageProps {
  readonly place: Place;
  /** Id of the route; null for a new one. */
  readonly route: string | null;
}

/** Creates a route from a template, or edits one. */
export function DesignPage({ place, route }: DesignPageProps): JSX.Element {
  if (route !== null) return <EditPage place={place} route={route} />;
  const deleted = place.query.get('deleted');
  if (deleted !== null) return <RestorePage key={deleted} place={place} deleted={deleted} />;
  const template = TEMPLATES.find(({ id }) => id === place.query.get('template'));
  return template === undefined ? (
    <TemplateChoice />
  ) : (
    <NewPage key={template.id} place={place} template={template.id} />
  );
}

function NewPage({ place, template }: { readonly place: Place; readonly template: string }): JSX.Element {
  const address = `new ${template}`;
  const { document } = TEMPLATES.find(({ id }) => id === template)!;
  const [edited] = useState(() => keptDraft(address) ?? new EditedRoute(String(document['name']), null, document));
  keepDraft(address, edited);
  return <Designer key={address} address={address} edited={edited} place={place} />;
}

interface Draft {
  readonly edited: EditedRoute | undefined;
  readonly failure: RestFailure | null;
}

/** The draft of an address: the one that was kept, or else one that is loaded as soon as it is known from where. */
function useDraft(address: string, from: string | null, load: (signal: AbortSignal) => Promise<EditedRoute>): Draft {
  const [loaded, setLoaded] = useState<{ readonly address: string; readonly edited: EditedRoute } | null>(null);
  const [failure, setFailure] = useState<RestFailure | null>(null);
  const edited = loaded?.address === address ? loaded.edited : keptDraft(address);
  useEffect(() => {
    if (edited !== undefined || from === null) return undefined;
    const under = new AbortController();
    load(under.signal).then(
      (made) => {
        keepDraft(address, made);
        setLoaded({ address, edited: made });
      },
      (error: unknown) => {
        if (error instanceof RestFailure) setFailure(error);
      },
    );
    return () => under.abort();
  }, [address, from, edited]);
  return { edited, failure };
}

/** Begins with the last version of a deleted route. @param deleted id among the deleted routes */
function RestorePage({ place, deleted }: { readonly place: Place; readonly deleted: string }): JSX.Element {
  const address = `deleted ${deleted}`;
  const known = usePoll(deletedRoutes);
  const found = known.value?.find(({ _id }) => _id === deleted);
  const path = found?.versions ?? null;
  const { edited, failure } = useDraft(address, path, async (signal) => {
    const [newest] = await versionsOf(path!, signal);
    const collection = path!.split('/').slice(0, -2).join('/');
    return new EditedRoute(found!.route, null, newest?.document ?? {}, collection);
  });
  if (edited !== undefined) return <Designer key={address} address={address} edited={edited} place={place} />;
  return (
    <div class="page">
      <PageHead title="Restore a route" above={{ title: 'Routes', address: addressOf(['routes']) }} />
      <Missing
        route={deleted}
        failure={failure ?? known.failure}
        isKnown={known.value !== null}
        isShown={true}
        hasState={found !== undefined}
      />
    </div>
  );
}

function EditPage({ place, route }: { readonly place: Place; readonly route: string }): JSX.Element {
  const known = usePoll(routeStates);
  const states = known.value ?? [];
  const router = place.query.get('router') ?? mainRouterOf(states);
  const state = states.find((one) => one.route === route && one.router === router) ?? null;
  const address = `edit ${router} ${route}`;
  const path = state?.document ?? null;
  const { edited, failure } = useDraft(address, path, async (signal) => {
    const served = await loadRoute(path!, signal);
    return new EditedRoute(served.id, served, served.document);
  });
  if (edited !== undefined) return <Designer key={address} address={address} edited={edited} place={place} />;
  return (
    <div class="page">
      <PageHead title={`Edit ${route}`} above={{ title: 'Routes', address: addressOf(['routes']) }} />
      <Missing
        route={route}
        failure={failure ?? known.failure}
        isKnown={known.value !== null}
        isShown={path !== null}
        hasState={state !== null}
      />
    </div>
  );
}

interface MissingProps {
  readonly route: string;
  readonly failure: RestFailure | null;
  readonly isKnown: boolean;
  readonly hasState: boolean;
  readonly isShown: boolean;
}

/** Reason why there is nothing to edit. */
function Missing({ route, failure, isKnown, hasState, isShown }: MissingProps): JSX.Element {
  if (failure !== null) return <Failure failure={failure} />;
  if (!isKnown) return <Loading what="the route" />;
  if (!hasState) {
    return (
      <Empty title={`There is no route ‘${route}’`}>
        <a href={addressOf(['routes', 'new'])}>Create a route</a>
      </Empty>
    );
  }
  return isShown ? (
    <Loading what="the document" />
  ) : (
    <Empty title="Routes cannot be edited here">
      <NeedsEvaluation purpose="edit routes" />
    </Empty>
  );
}
