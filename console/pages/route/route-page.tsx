import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { ObjectFigures } from '../../../contract/shown/object-figures.ts';
import { Poll } from '../../client/poll.ts';
import { act, query, type RestResource, read } from '../../client/rest-client.ts';
import { RestFailure } from '../../client/rest-failure.ts';
import { meaningOf } from '../../client/route-meaning.ts';
import { problemsOf, type RouteProblem } from '../../client/route-problem.ts';
import type { RouteState } from '../../client/route-state.ts';
import { usePoll } from '../../client/use-poll.ts';
import { planes, routeStates } from '../../client/watched.ts';
import { JsonText } from '../../parts/code.tsx';
import { Empty, NeedsEvaluation, Shown } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { dayAndTime, zoneName } from '../../parts/times.ts';
import { addressOf } from '../../shell/place.ts';
import { endpointsOf } from '../planes/endpoints.tsx';
import { mainRouterOf } from '../routes/main-router.ts';
import { figuresOf, objectWords } from './object-words.ts';
import { Picture } from './picture.tsx';
import { Problems } from './problems.tsx';
import { RouteFigureTiles } from './route-figures.tsx';
import { pictureOf } from './route-picture.ts';

interface RoutePageProps {
  readonly route: string;
  /** Null for the main router. */
  readonly router: string | null;
}

/** One route: its state, figures, problems, picture and document. */
export function RoutePage({ route, router }: RoutePageProps): JSX.Element {
  const known = usePoll(routeStates);
  const all = known.value ?? [];
  const own = router ?? mainRouterOf(all);
  const state = all.find((one) => one.route === route && one.router === own) ?? null;
  return (
    <div class="page">
      <PageHead title={route} at={known.at} above={{ title: 'Routes', address: addressOf(['routes']) }}>
        {state === null ? null : <Facts state={state} isMain={router === null} />}
      </PageHead>
      <Shown known={known} what="the route" retry={routeStates.refresh}>
        {() =>
          state === null ? (
            <Empty title={`There is no route ‘${route}’`}>
              <p>It may have been removed, or it has another id now.</p>
              <a href={addressOf(['routes'], { filter: route })}>Look for it</a>
            </Empty>
          ) : (
            <RouteParts state={state} />
          )
        }
      </Shown>
    </div>
  );
}

function Facts({ state, isMain }: { readonly state: RouteState; readonly isMain: boolean }): JSX.Element {
  const { name, route, router, position } = state;
  return (
    <>
      <StateBadge state={state} />
      <span>{meaningOf(state).sentence}</span>
      <span>
        position {position} in {router.replace(/^gateway\./, '')}
      </span>
      <PlanesFact state={state} />
      {name === route ? null : <span>name {name}</span>}
      {state.document === null ? null : (
        <span>
          <a href={addressOf(['routes', route, 'edit'], { router: isMain ? null : router })}>Edit</a>
        </span>
      )}
    </>
  );
}

function PlanesFact({ state }: { readonly state: RouteState }): JSX.Element | null {
  const { namespace, planes, changed = null, deliveredBy = null } = state;
  if (namespace === undefined) return null;
  return (
    <>
      <span>namespace {namespace}</span>
      {changed === null ? null : (
        <span title={`Time zone ${zoneName()}`}>
          changed {dayAndTime(new Date(changed.at))} by {changed.by}
        </span>
      )}
      {deliveredBy === null ? null : <span>delivered by {deliveredBy}</span>}
      {(planes ?? null) === null ? null : (
        <span>
          {planes!.current} of {planes!.of} data planes run it
        </span>
      )}
    </>
  );
}

function RouteParts({ state }: { readonly state: RouteState }): JSX.Element {
  return (
    <>
      <RouteFigureTiles state={state} />
      {state.document === null ? (
        <Empty title="The document is not shown">
          <NeedsEvaluation purpose="see documents" />
        </Empty>
      ) : (
        <RouteDocument key={state.document} path={state.document} state={state} />
      )}
    </>
  );
}

interface Judged {
  readonly document: JsonObject;
  /** Null for people who may not have documents judged. */
  readonly problems: readonly RouteProblem[] | null;
}

const AGAIN = 5000;

/** Reads a document, and has it judged only if its list says that there is something to find. */
async function judged(path: string, hasProblems: boolean, signal: AbortSignal): Promise<Judged> {
  const { _id, _rev, ...document } = await read(path, signal);
  if (!hasProblems) return { document, problems: [] };
  try {
    const { problems } = await act(path, 'validate', null, signal);
    return { document, problems: problemsOf(problems) };
  } catch (error) {
    // People who may read a route and not change it see its document.
    if (error instanceof RestFailure && error.kind === 'forbidden') return { document, problems: null };
    throw error;
  }
}

function RouteDocument({ path, state }: { readonly path: string; readonly state: RouteState }): JSX.Element {
  const hasProblems = state.errors + state.warnings > 0;
  const poll = useMemo(() => new Poll((signal) => judged(path, hasProblems, signal), AGAIN), [path, hasProblems]);
  const known = usePoll(poll);
  return (
    <Shown known={known} what="the document" retry={poll.refresh}>
      {({ document, problems }) => (
        <>
          {problems === null ? (
            <p class="hint">
              The problems of the document are shown to people who may change it. <code>kubectl describe</code> shows
              them in the status of the Route.
            </p>
          ) : (
            <Problems problems={problems} />
          )}
          <div class="beside">
            <section aria-labelledby="picture-title">
              <h2 id="picture-title">Way of a request</h2>
              <LivePicture document={document} state={state} />
            </section>
            <section aria-labelledby="document-title">
              <h2 id="document-title">Document</h2>
              <JsonText value={document} />
            </section>
          </div>
        </>
      )}
    </Shown>
  );
}

const FIGURES = 2000;

/** The picture with the counters of its objects, which are read again and again. */
function LivePicture({ document, state }: { readonly document: JsonObject; readonly state: RouteState }): JSX.Element {
  const { route, router } = state;
  const objects = useMemo(() => new Poll((signal) => objectsOf(route, signal), FIGURES), [route]);
  // A server without these figures still has a picture to show.
  const figures = usePoll(objects).value ?? [];
  const endpoints = (usePoll(planes).value ?? []).flatMap(endpointsOf);
  return (
    <Picture
      condition={conditionOf(document)}
      steps={pictureOf(document)}
      wordsOf={(object) => objectWords(figuresOf(figures, { route, router }, object))}
      endpointsOf={(backends) =>
        endpoints.filter((one) => one.backends === backends && (one.route === '' || one.route === route))
      }
    />
  );
}

/** Objects of a route, and those of `config.json`, to which the route may refer. */
function objectsOf(route: string, signal: AbortSignal): Promise<readonly (RestResource & ObjectFigures)[]> {
  return query('route-objects', { _queryFilter: `route eq ${JSON.stringify(route)} or route eq ""` }, signal);
}

function conditionOf({ condition }: JsonObject): string | null {
  return (condition ?? null) === null ? null : String(condition);
}
