import type { JSX } from 'preact';
import type { RouteState } from '../../client/route-state.ts';
import { routeHistory } from '../../client/watched.ts';
import { Expression } from '../../parts/code.tsx';
import { shortAge, shortCount, shortNumber, shortShare, shortTime } from '../../parts/figures.ts';
import { Sparkline } from '../../parts/sparkline.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { dayAndTime, zoneName } from '../../parts/times.ts';
import { addressOf } from '../../shell/place.ts';

interface RouteRowProps {
  readonly state: RouteState;
  readonly at: number;
  readonly hasConditions: boolean;
  /** Its router is shown, because there are several. */
  readonly hasRouter: boolean;
  readonly isMain: boolean;
  /** Namespaces and data planes are shown. */
  readonly isInCluster: boolean;
}

/** One route in the list. */
export function RouteRow({ state, at, hasConditions, hasRouter, isMain, isInCluster }: RouteRowProps): JSX.Element {
  const { _id, route, name, router, position, condition, figures } = state;
  const address = addressOf(['routes', route], { router: isMain ? null : router });
  return (
    <tr class="row" aria-rowindex={at + 2}>
      <td class="row-cell number faint">{position}</td>
      <td class="row-cell cut">
        <a href={address}>{route}</a>
        {name === route ? null : <span class="faint"> {name}</span>}
        {hasRouter ? <span class="faint"> in {router.replace(/^gateway\./, '')}</span> : null}
      </td>
      {isInCluster ? <td class="row-cell cut">{state.namespace}</td> : null}
      {hasConditions ? (
        <td class="row-cell cut">
          {typeof condition === 'string' ? <Expression text={condition} /> : <span class="faint">every request</span>}
        </td>
      ) : null}
      <td class="row-cell">
        <StateBadge state={state} />
      </td>
      {isInCluster ? <PlanesCell planes={state.planes ?? null} /> : null}
      {isInCluster ? <ChangedCell changed={state.changed ?? null} /> : null}
      <td class="row-cell number">{figures === null ? '–' : shortNumber(figures.rate)}</td>
      <td class="row-cell trend">
        <Sparkline values={routeHistory.trend(_id)} />
      </td>
      <Errors id={_id} />
      <td class="row-cell number">{figures === null || figures.answered === 0 ? '–' : shortTime(figures.p50)}</td>
      <td class="row-cell number">{figures === null || figures.answered === 0 ? '–' : shortTime(figures.p99)}</td>
      <td class="row-cell number requests">{figures === null ? '–' : shortCount(figures.requests)}</td>
    </tr>
  );
}

/** Data planes that run the route, of those that are to. */
function PlanesCell({ planes }: { readonly planes: NonNullable<RouteState['planes']> | null }): JSX.Element {
  if (planes === null) return <td class="row-cell number">–</td>;
  const { current, of } = planes;
  return (
    <td class={current < of || of === 0 ? 'row-cell number warn-text' : 'row-cell number'}>
      {current} of {of}
    </td>
  );
}

/** Time since the newest change of the document. */
function ChangedCell({ changed }: { readonly changed: NonNullable<RouteState['changed']> | null }): JSX.Element {
  if (changed === null) return <td class="row-cell number">–</td>;
  const at = new Date(changed.at);
  return (
    <td class="row-cell number" title={`${dayAndTime(at)} (${zoneName()}) by ${changed.by}`}>
      {shortAge(Date.now() - at.getTime())}
    </td>
  );
}

function Errors({ id }: { readonly id: string }): JSX.Element {
  const recent = routeHistory.recent(id);
  const isBad = recent !== null && recent.errors > 0;
  return (
    <td class={isBad ? 'row-cell number bad-text' : 'row-cell number'}>
      {recent === null || recent.answered === 0 ? '–' : shortShare(recent.errors, recent.answered)}
    </td>
  );
}
