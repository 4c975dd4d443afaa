import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { needsAttention } from '../../client/route-meaning.ts';
import type { RouteState } from '../../client/route-state.ts';
import { usePoll } from '../../client/use-poll.ts';
import { routeHistory, routeStates } from '../../client/watched.ts';
import { counted, shortNumber, shortShare } from '../../parts/figures.ts';
import { Empty, Shown } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { Icon } from '../../shell/icons.tsx';
import { addressOf, setParameters } from '../../shell/place.ts';
import { useSession } from '../../shell/session.ts';
import { type Choice, choiceIn, listedRoutes, type Sort } from './listed-routes.ts';
import { mainRouterOf } from './main-router.ts';
import { RouteRow } from './route-row.tsx';

/** All routes in their order, with their state and figures. */
export function RouteList({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const known = usePoll(routeStates);
  const choice = choiceIn(query);
  return (
    <div class="page page-full">
      <PageHead title="Routes" at={known.at}>
        {known.value === null ? null : <Summary states={known.value} />}
      </PageHead>
      <Shown known={known} what="routes" retry={routeStates.refresh}>
        {(states) =>
          states.length === 0 ? (
            <Empty title="There are no routes yet">
              <HowToBegin />
              <a href={addressOf(['routes', 'new'])}>Create a route here</a>
            </Empty>
          ) : (
            <Listed states={states} choice={choice} />
          )
        }
      </Shown>
    </div>
  );
}

function HowToBegin(): JSX.Element {
  const isInCluster = useSession().kind === 'signed-in';
  return isInCluster ? (
    <p>
      Apply a Route with <code>kubectl</code> in a namespace whose Routes you may list. It appears here within seconds.
    </p>
  ) : (
    <p>
      Put a route into the directory <code>config/routes</code> of the instance. It takes effect at the next scan of the
      directory, or after <code>SIGHUP</code>.
    </p>
  );
}

function Summary({ states }: { readonly states: readonly RouteState[] }): JSX.Element {
  const rate = states.reduce((sum, { figures }) => sum + (figures?.rate ?? 0), 0);
  const recent = states.map(({ _id }) => routeHistory.recent(_id));
  const answered = recent.reduce((sum, one) => sum + (one?.answered ?? 0), 0);
  const errors = recent.reduce((sum, one) => sum + (one?.errors ?? 0), 0);
  const problems = states.filter(needsAttention).length;
  return (
    <>
      <span>{counted(states.length, 'route')}</span>
      <span>{shortNumber(rate)} requests/s</span>
      <span>{shortShare(errors, answered)} server errors</span>
      <span class={problems > 0 ? 'warn-text' : ''}>
        {problems === 0 ? 'no problems' : `${counted(problems, 'route')} with problems`}
      </span>
    </>
  );
}

const ROW_HEIGHT = 36;

function Listed({ states, choice }: { readonly states: readonly RouteState[]; readonly choice: Choice }): JSX.Element {
  const listed = listedRoutes(states, choice, routeHistory);
  const hasConditions = states.some(({ condition }) => condition !== undefined);
  const routers = new Set(states.map(({ router }) => router)).size;
  const mainRouter = mainRouterOf(states);
  const isInCluster = states.some(({ namespace }) => namespace !== undefined);
  return (
    <>
      <Tools choice={choice} shown={listed.length} all={states.length} canCreate={hasConditions} />
      {hasConditions ? null : (
        <p class="hint">
          This gateway runs in the mode <code>PRODUCTION</code>: conditions and documents are not shown. Set{' '}
          <code>"mode": "EVALUATION"</code> in <code>admin.json</code> to see them.
        </p>
      )}
      {listed.length === 0 ? (
        <Empty title="No route matches">
          <button type="button" onClick={() => setParameters({ filter: null, show: null })}>
            Show all routes
          </button>
        </Empty>
      ) : (
        <VirtualRows
          label="Routes"
          count={listed.length}
          rowHeight={ROW_HEIGHT}
          beginning={`${choice.text}\n${choice.onlyProblems}\n${choice.sort}`}
          head={<Head hasConditions={hasConditions} isInCluster={isInCluster} sort={choice.sort} />}
          row={(at) => {
            const state = listed[at]!;
            return (
              <RouteRow
                key={state._id}
                state={state}
                at={at}
                hasConditions={hasConditions}
                hasRouter={routers > 1}
                isMain={state.router === mainRouter}
                isInCluster={isInCluster}
              />
            );
          }}
        />
      )}
    </>
  );
}

interface ToolsProps {
  readonly choice: Choice;
  readonly shown: number;
  readonly all: number;
  /** False where documents are not shown. */
  readonly canCreate: boolean;
}

/** Leads from the filter to the first route that it left. */
function toFirstRoute(event: KeyboardEvent): void {
  const first = event.key === 'ArrowDown' ? document.querySelector<HTMLElement>('.row a') : null;
  if (first === null) return;
  event.preventDefault();
  first.focus();
}

function Tools({ choice, shown, all, canCreate }: ToolsProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
  return (
    <search class="tools">
      <label class="filter with-key">
        <Icon name="filter" />
        <span class="unseen">Filter routes by id, name, condition or router</span>
        <input
          ref={input}
          type="search"
          placeholder="Filter by id, name or condition"
          value={choice.text}
          onInput={(event) => setParameters({ filter: event.currentTarget.value })}
          onKeyDown={toFirstRoute}
          aria-keyshortcuts="/"
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={choice.onlyProblems}
          onChange={(event) => setParameters({ show: event.currentTarget.checked ? 'problems' : null })}
        />
        With problems
      </label>
      <p class="tools-count" role="status">
        {shown === all ? '' : `${shown.toLocaleString('en')} of ${counted(all, 'route')}`}
      </p>
      {canCreate ? (
        <a class="new-route" href={addressOf(['routes', 'new'])}>
          New route
        </a>
      ) : null}
    </search>
  );
}

interface HeadProps {
  readonly hasConditions: boolean;
  readonly isInCluster: boolean;
  readonly sort: Sort;
}

const COLUMNS: readonly (readonly [sort: Sort | null, title: string, kind: string, meaning: string])[] = [
  ['order', '#', 'number order', 'Order in which the routes of a router are tried'],
  ['route', 'Route', 'route', 'Id of the route'],
  [null, 'Namespace', 'namespace', 'Tenant that the route belongs to'],
  [null, 'Condition', 'condition', 'Requests that the route takes'],
  [null, 'State', 'state', 'What requests meet'],
  [null, 'Planes', 'number planes', 'Data planes that run this version, of those that are to'],
  [null, 'Changed', 'number figure', 'Time since the document was changed last'],
  ['rate', 'Req/s', 'number figure', 'Requests per second, over about a minute'],
  [null, 'Trend', 'trend', 'Requests since this page was opened'],
  ['errors', 'Errors', 'number figure', 'Share of answers with 5xx in the last minute'],
  ['p50', 'p50', 'number figure', 'Half of the answers took at most this long, since the route was added'],
  ['p99', 'p99', 'number figure', '99 of 100 answers took at most this long, since the route was added'],
  ['requests', 'Requests', 'number requests', 'Requests since the route was added'],
];

/** Columns that only controllers have something for. */
const OF_CLUSTERS: readonly string[] = ['Namespace', 'Planes', 'Changed'];

function Head({ hasConditions, isInCluster, sort }: HeadProps): JSX.Element {
  const columns = COLUMNS.filter(
    ([, title]) => (hasConditions || title !== 'Condition') && (isInCluster || !OF_CLUSTERS.includes(title)),
  );
  return (
    <tr aria-rowindex={1}>
      {columns.map(([by, title, kind, meaning]) => (
        <th
          key={title}
          scope="col"
          class={`row-cell row-head ${kind}`}
          title={meaning}
          aria-sort={
            by === null
              ? undefined
              : by !== sort
                ? 'none'
                : by === 'order' || by === 'route'
                  ? 'ascending'
                  : 'descending'
          }
        >
          {by === null ? (
            title
          ) : (
            <button type="button" onClick={() => setParameters({ sort: by === 'order' ? null : by })}>
              {title}
              <span class="unseen">. {meaning}. Sort</span>
            </button>
          )}
        </th>
      ))}
    </tr>
  );
}
