import type { Report } from '../../contract/channel.ts';
import { addFigures, emptyFigures, readFigures } from '../../contract/route-report.ts';
import { routeKeyText } from '../../contract/snapshot.ts';
import type { PlaneFacts } from '../publish/plane-facts.ts';

/** The figures of one route on all planes together; their places are those of `contract/route-report.ts`. */
export interface MergedRoute {
  readonly router: string;
  readonly route: string;
  readonly name: string;
  readonly figures: Float64Array;
}

interface PlaneAccount {
  report: Report;
}

/**
 * What planes report of their routes, as one. Counts never go down because a plane went: what it counted is kept as long
 * as some plane runs the route. What was counted before this controller began to lead on planes that are gone is not known.
 */
export class MergedRoutes {
  private readonly planes = new Map<string, PlaneAccount>();
  private readonly departed = new Map<string, Float64Array>();

  /** Takes the newest reports. Planes that are not named are gone. */
  follow(planes: readonly PlaneFacts[]): void {
    const gone = new Set(this.planes.keys());
    for (const { identity, lastReport } of planes) {
      gone.delete(identity.id);
      if (lastReport === null) continue;
      const { report } = lastReport;
      const known = this.planes.get(identity.id);
      if (known === undefined) this.planes.set(identity.id, { report });
      else {
        if (known.report.since !== report.since) this.retire(known.report);
        known.report = report;
      }
    }
    for (const id of gone) {
      const account = this.planes.get(id);
      if (account !== undefined) this.retire(account.report);
      this.planes.delete(id);
    }
  }

  /** Everything that some plane reports now, and what is known of it from planes that are gone. */
  series(): MergedRoute[] {
    const merged = new Map<string, MergedRoute>();
    for (const { report } of this.planes.values()) {
      for (const { router, id, name, figures } of report.routes) {
        const key = routeKeyText({ router, id });
        const known = merged.get(key) ?? this.begin(key, { router, route: id, name });
        merged.set(key, known);
        const read = readFigures(figures);
        if (read !== null) addFigures(known.figures, read);
      }
    }
    for (const key of [...this.departed.keys()]) if (!merged.has(key)) this.departed.delete(key);
    return [...merged.values()];
  }

  /** Forgets everything: this controller does not lead any more. */
  clear(): void {
    this.planes.clear();
    this.departed.clear();
  }

  private begin(key: string, route: Omit<MergedRoute, 'figures'>): MergedRoute {
    const figures = emptyFigures();
    const before = this.departed.get(key);
    if (before !== undefined) addFigures(figures, before);
    return { ...route, figures };
  }

  /** What was active on a plane that is gone has ended, in whatever way. */
  private retire(report: Report): void {
    for (const { router, id, figures } of report.routes) {
      const read = readFigures(figures);
      if (read === null) continue;
      read[0] = Math.min(read[0] ?? 0, read[1] ?? 0);
      const key = routeKeyText({ router, id });
      const before = this.departed.get(key) ?? emptyFigures();
      addFigures(before, read);
      this.departed.set(key, before);
    }
  }
}
