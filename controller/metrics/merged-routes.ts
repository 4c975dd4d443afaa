import type { Report, RouteReport } from '../../contract/channel.ts';
import { readCounts, routeCounts } from '../../contract/route-counts.ts';
import { emptyFigures, FIGURE, FIGURE_COUNT, readFigures } from '../../contract/route-report.ts';
import { routeKeyText } from '../../contract/snapshot.ts';
import type { PlaneFacts } from '../publish/plane-facts.ts';

/** The figures of one route on all planes together; their places are those of `contract/route-report.ts`. */
export interface MergedRoute {
  readonly router: string;
  readonly route: string;
  readonly name: string;
  readonly figures: Float64Array;
  /** What its objects counted and show; their places are those of `contract/route-counts.ts`. */
  readonly counts: Float64Array;
}

interface Total {
  readonly merged: MergedRoute;
  /** How many planes report it now. */
  planes: number;
}

/**
 * What planes report of their routes, as one. Counts never go down because a plane went: what it counted is kept as long
 * as some plane runs the route. What was counted before this controller began to lead on planes that are gone is not known.
 * A look costs as much as was reported otherwise since the last one: metrics are shown to anybody, however often.
 */
export class MergedRoutes {
  private readonly planes = new Map<string, Report>();
  private readonly totals = new Map<string, Total>();

  /** Takes the newest reports. Planes that are not named are gone. */
  follow(planes: readonly PlaneFacts[]): void {
    const gone = new Set(this.planes.keys());
    for (const { identity, lastReport } of planes) {
      gone.delete(identity.id);
      if (lastReport === null) continue;
      const { report } = lastReport;
      const known = this.planes.get(identity.id);
      if (known === report) continue;
      const goesOn = known !== undefined && known.since === report.since;
      if (known !== undefined && !goesOn) this.retire(known);
      this.change(goesOn ? known.routes : [], report.routes);
      this.planes.set(identity.id, report);
    }
    for (const id of gone) {
      const report = this.planes.get(id);
      if (report !== undefined) this.retire(report);
      this.planes.delete(id);
    }
  }

  /** Everything that some plane reports now, and what is known of it from planes that are gone. */
  series(): MergedRoute[] {
    for (const [key, { planes }] of this.totals) if (planes === 0) this.totals.delete(key);
    return [...this.totals.values()].map(({ merged }) => merged);
  }

  /** Forgets everything: this controller does not lead any more. */
  clear(): void {
    this.planes.clear();
    this.totals.clear();
  }

  /** What a plane reports took the place of what it reported before. */
  private change(before: readonly RouteReport[], after: readonly RouteReport[]): void {
    if (before.length === after.length && before.every((one, at) => isSameRoute(one, after[at]))) {
      // Most of the time it is the same routes in the same order, and few of them have done anything.
      for (const [at, route] of after.entries()) {
        const known = before[at]!;
        const isAsBefore =
          sameNumbers(known.figures, route.figures) && sameNumbers(known.counts ?? [], route.counts ?? []);
        if (!isAsBefore) replace(this.totalOf(route), known, route);
      }
      return;
    }
    const left = new Map(before.map((one) => [routeKeyText(one), one]));
    for (const route of after) {
      const key = routeKeyText(route);
      const known = left.get(key);
      const total = this.totalOf(route);
      if (known === undefined) total.planes++;
      replace(total, known ?? NOTHING, route);
      left.delete(key);
    }
    for (const route of left.values()) {
      const total = this.totalOf(route);
      total.planes--;
      replace(total, route, NOTHING);
    }
  }

  /** What was active on a plane that is gone has ended, in whatever way. */
  private retire(report: Report): void {
    for (const route of report.routes) {
      const total = this.totalOf(route);
      total.planes--;
      const { figures, counts } = total.merged;
      const [begun = 0, ended = 0] = readFigures(route.figures) ?? [];
      figures[FIGURE.begun]! -= Math.max(0, begun - ended);
      const shown = readCounts(route.counts ?? []);
      for (const [place, { isGauge }] of routeCounts.entries()) if (isGauge) counts[place]! -= shown[place]!;
    }
  }

  private totalOf(route: RouteReport): Total {
    const key = routeKeyText(route);
    const known = this.totals.get(key);
    if (known !== undefined) return known;
    const { router, id, name } = route;
    const counts = new Float64Array(routeCounts.length);
    const made = { merged: { router, route: id, name, figures: emptyFigures(), counts }, planes: 0 };
    this.totals.set(key, made);
    return made;
  }
}

function isSameRoute(a: RouteReport, b: RouteReport | undefined): boolean {
  return a.id === b?.id && a.router === b.router && a.name === b.name;
}

function sameNumbers(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((number, at) => number === b[at]);
}

type Numbers = Pick<RouteReport, 'figures' | 'counts'>;
const NOTHING: Numbers = { figures: [] };

/** Adds the numbers of a plane to a total, in place of those that it had before. */
function replace({ merged: { figures, counts } }: Total, before: Numbers, after: Numbers): void {
  replaceFigures(figures, before.figures, after.figures);
  if (before.counts === undefined && after.counts === undefined) return;
  const [old, now] = [readCounts(before.counts ?? []), readCounts(after.counts ?? [])];
  for (let i = 0; i < counts.length; i++) counts[i] = Math.max(0, counts[i]! + now[i]! - old[i]!);
}

function replaceFigures(figures: Float64Array, before: readonly number[], after: readonly number[]): void {
  const old = readFigures(before);
  const now = readFigures(after);
  const wasCounted = figures[FIGURE.ended]! > 0;
  const { longest, shortest } = FIGURE;
  const [longestBefore, shortestBefore] = [figures[longest]!, figures[shortest]!];
  for (let i = 0; i < FIGURE_COUNT; i++) figures[i] = Math.max(0, figures[i]! + (now?.[i] ?? 0) - (old?.[i] ?? 0));
  figures[longest] = Math.max(longestBefore, now?.[longest] ?? 0);
  const isCounted = now !== null && now[FIGURE.ended]! > 0;
  if (!isCounted) figures[shortest] = shortestBefore;
  else figures[shortest] = wasCounted ? Math.min(shortestBefore, now[shortest]!) : now[shortest]!;
}
