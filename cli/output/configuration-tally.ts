import type { RouteKey, Update } from '../../contract/snapshot.ts';
import { hasErrors, type ServedVersion, type Verdict } from '../../controller/compile/verdict.ts';
import type { ConfigurationFigures, RouteState } from '../../dataplane/metrics/configuration-exposition.ts';
import type { BuildProblem } from '../../dataplane/routes/configuration.ts';

const states: Readonly<Record<ServedVersion, RouteState>> = {
  this: 'serving',
  'last-good': 'last-good',
  refuses: 'refusing',
  nothing: 'not-loaded',
  waits: 'not-loaded',
};

/** Keeps count of what has become of a configuration, for its metrics. */
export class ConfigurationTally implements ConfigurationFigures {
  readonly reloads = { ok: 0, problems: 0 };
  lastReload = Date.now();
  private verdicts: readonly Verdict[] = [];
  /** Routes that are sound and could not be built. */
  private readonly unbuilt = new Map<string, RouteState>();
  private baseIsUnbuilt = false;

  get routes(): Record<RouteState, number> {
    const counts = { serving: 0, 'last-good': 0, refusing: 0, 'not-loaded': 0 };
    for (const { role, route, serves } of this.verdicts) {
      if (role !== 'route') continue;
      const failure = route === null || serves !== 'this' ? undefined : this.unbuilt.get(keyOf(route));
      counts[failure ?? states[serves]]++;
    }
    return counts;
  }

  /** What the files say now. */
  compiled(verdicts: readonly Verdict[]): void {
    this.verdicts = verdicts;
  }

  /** What an update could not change. */
  built({ base, set, remove }: Pick<Update, 'base' | 'set' | 'remove'>, problems: readonly BuildProblem[]): void {
    if (base !== null) this.unbuilt.clear();
    for (const key of [...set, ...remove]) this.unbuilt.delete(keyOf(key));
    this.baseIsUnbuilt = problems.some(({ route }) => route === null);
    for (const { route, keepsServing } of problems) {
      if (route !== null) this.unbuilt.set(keyOf(route), keepsServing ? 'last-good' : 'refusing');
    }
  }

  /** A change has been dealt with. @param isLive whether something else is served now */
  reloaded(isLive: boolean): void {
    const isBad = this.baseIsUnbuilt || this.unbuilt.size > 0 || this.verdicts.some((one) => hasErrors(one.problems));
    this.reloads[isBad ? 'problems' : 'ok']++;
    if (isLive) this.lastReload = Date.now();
  }
}

function keyOf({ router, id }: RouteKey): string {
  return JSON.stringify([router, id]);
}
