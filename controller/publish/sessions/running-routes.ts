import type { Ack, Held, RouteProblems } from '../../../contract/channel.ts';
import { routeKeyText } from '../../../contract/snapshot.ts';
import { LayeredMap } from '../../../platform/layered-map.ts';
import { BASE_PROBLEMS } from '../plane-facts.ts';
import type { PlaneView, PreparedUpdate } from './plane-view.ts';

/** Routes that a plane may hold and its controller not know of; of one that names more, everything is told anew. */
const MOST_STRANGE = 50_000;

/** Routes that one data plane runs or failed to build, from its acknowledgements. */
export class RunningRoutes {
  revision: string | null;
  baseHash: string | null;
  /** Hash of every route that it runs, by `routeKeyText`. Data planes that run the same share one map. */
  running: LayeredMap<string>;
  /** Hash of every shared resource that it holds, by key. */
  readonly resources = new Map<string, string>();
  /** By `routeKeyText`. */
  readonly problems = new Map<string, RouteProblems>();
  /** Whether what the plane said of itself contradicts itself. */
  readonly isDoubtful: boolean;
  private nackedKeys: readonly string[] = [];

  /** @param view whose texts are taken where they are equal, so that many planes share them */
  constructor(held: Held, view: PlaneView | null) {
    this.revision = held.revision;
    this.baseHash = held.base;
    for (const [key, hash] of (held.resources ?? []).slice(0, MOST_STRANGE)) this.resources.set(key, hash);
    const running = new Map<string, string>();
    let strange = 0;
    for (const [router, id, hash] of held.routes) {
      const key = routeKeyText({ router, id });
      const entry = view?.entries.get(key);
      if (entry === undefined && ++strange > MOST_STRANGE) continue;
      running.set(entry?.key ?? key, entry?.route?.hash === hash ? entry.route.hash : hash);
    }
    this.isDoubtful = running.size !== held.routes.length;
    const all = view?.running ?? null;
    this.running = all !== null && isSame(running, all) ? all : LayeredMap.of(running);
  }

  /** The plane runs an update, apart from what it names. @returns the keys of what may run otherwise than before */
  taken(update: PreparedUpdate, { problems, newer }: Ack): readonly string[] {
    const failed = new Map(problems.map((one) => [problemsKey(one), one]));
    const kept = new Set(newer.map(routeKeyText));
    const touched = new Set([...update.changes.keys(), ...failed.keys(), ...this.nackedKeys]);
    for (const key of [BASE_PROBLEMS, ...this.nackedKeys]) this.problems.delete(key);
    this.nackedKeys = [];
    const changes: [key: string, hash: string | null][] = [];
    for (const key of update.full ? this.unnamed(update, kept) : []) {
      touched.add(key);
      this.problems.delete(key);
      changes.push([key, null]);
    }
    for (const [key, hash] of update.changes) {
      const failure = failed.get(key);
      if (failure === undefined) this.problems.delete(key);
      // What it kept, it runs as before; of what it has in a newer version, it is not known in which.
      if (failure?.keepsServing || (hash === null && kept.has(key))) continue;
      changes.push([key, failure !== undefined || kept.has(key) ? null : hash]);
    }
    for (const [key, failure] of failed) this.problems.set(key, failure);
    const runsAll = kept.size === 0 && this.problems.size === 0;
    this.running = (runsAll ? update.running : null) ?? this.running.with(changes);
    for (const [key, hash] of update.resources) {
      if (hash === null) this.resources.delete(key);
      else this.resources.set(key, hash);
    }
    this.revision = update.revision;
    this.baseHash = update.baseHash;
    return [...touched];
  }

  /** The plane took nothing of an update: it runs what it ran. @returns the keys of what it named */
  refused(problems: readonly RouteProblems[]): readonly string[] {
    const before = this.nackedKeys;
    for (const key of before) this.problems.delete(key);
    for (const one of problems) this.problems.set(problemsKey(one), one);
    this.nackedKeys = problems.map(problemsKey);
    return [...new Set([...before, ...this.nackedKeys])];
  }

  /** Routes that a full update does not name: they are gone. */
  private unnamed({ changes, keeps }: PreparedUpdate, kept: ReadonlySet<string>): string[] {
    return [...this.running.keys()].filter((key) => !changes.has(key) && !keeps.has(key) && !kept.has(key));
  }
}

function isSame(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, hash] of a) if (b.get(key) !== hash) return false;
  return true;
}

function problemsKey({ route }: RouteProblems): string {
  return route === null ? BASE_PROBLEMS : routeKeyText(route);
}
