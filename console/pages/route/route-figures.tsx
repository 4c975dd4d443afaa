import type { ComponentChildren, JSX } from 'preact';
import type { RouteState } from '../../client/route-state.ts';
import { routeHistory } from '../../client/watched.ts';
import { shortCount, shortNumber, shortShare, shortTime } from '../../parts/figures.ts';
import { Sparkline } from '../../parts/sparkline.tsx';

/** Figures of a route, the ones that move first. */
export function RouteFigureTiles({ state }: { readonly state: RouteState }): JSX.Element | null {
  const { _id, figures } = state;
  if (figures === null) return null;
  const recent = routeHistory.recent(_id);
  const hasAnswers = figures.answered > 0;
  return (
    <dl class="tiles">
      <Tile title="Requests/s" note="over about a minute">
        {shortNumber(figures.rate)}
        <Sparkline values={routeHistory.trend(_id)} width={120} height={26} />
      </Tile>
      <Tile title="Server errors" note="last minute">
        {recent === null || recent.answered === 0 ? '–' : shortShare(recent.errors, recent.answered)}
      </Tile>
      <Tile title="p50" note="since it was added">
        {hasAnswers ? shortTime(figures.p50) : '–'}
      </Tile>
      <Tile title="p95" note="since it was added">
        {hasAnswers ? shortTime(figures.p95) : '–'}
      </Tile>
      <Tile title="p99" note="since it was added">
        {hasAnswers ? shortTime(figures.p99) : '–'}
      </Tile>
      <Tile title="Active" note="now">
        {shortCount(figures.active)}
      </Tile>
      <Tile title="Requests" note={`4xx ${shortCount(figures.clientErrors)} · 5xx ${shortCount(figures.serverErrors)}`}>
        {shortCount(figures.requests)}
      </Tile>
    </dl>
  );
}

interface TileProps {
  readonly title: string;
  readonly note: string;
  readonly children: ComponentChildren;
}

function Tile({ title, note, children }: TileProps): JSX.Element {
  return (
    <div class="tile">
      <dt>{title}</dt>
      <dd>
        <span class="tile-value">{children}</span>
        <span class="tile-note">{note}</span>
      </dd>
    </div>
  );
}
