import type { Ack, Held, RouteProblems } from '../../../contract/channel.ts';
import { routeKeyText } from '../../../contract/snapshot.ts';
import { BASE_PROBLEMS } from '../plane-facts.ts';
import type { PlaneView, PreparedUpdate } from './plane-view.ts';

/** Routes that a plane may hold and its controller not know of; of one that names more, everything is told anew. */
const MOST_STRANGE = 50_000;

/** Routes that one data plane runs or failed to build, from its acknowledgements. */
export class RunningRoutes {
  revision: string | null;
  baseHash: string | null;
  readonly running = new Map<string, string>();
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
    let strange = 0;
    for (const [router, id, hash] of held.routes) {
      const key = routeKeyText({ router, id });
      const entry = view?.entries.get(key);
      if (entry === undefined && ++strange > MOST_STRANGE) continue;
      this.running.set(entry?.key ?? key, entry?.route?.hash === hash ? entry.route.hash : hash);
    }
    this.isDoubtful = this.running.size !== held.routes.length;
  }

  /** The plane runs an update, apart from what it names. @returns the keys of what may run otherwise than before */
  taken(update: PreparedUpdate, { problems, newer }: Ack): readonly string[] {
    const failed = new Map(problems.map((one) => [problemsKey(one), one]));
    const kept = new Set(newer.map(routeKeyText));
    const touched = new Set([...update.changes.keys(), ...failed.keys(), ...this.nackedKeys]);
    for (const key of [BASE_PROBLEMS, ...this.nackedKeys]) this.problems.delete(key);
    this.nackedKeys = [];
    if (update.full) for (const key of this.forgetRest(update, kept)) touched.add(key);
    for (const [key, hash] of update.changes) {
      const failure = failed.get(key);
      if (failure === undefined) this.problems.delete(key);
      // What it kept, it runs as before; of what it has in a newer version, it is not known in which.
      if (failure?.keepsServing || (hash === null && kept.has(key))) continue;
      if (hash === null || failure !== undefined || kept.has(key)) this.running.delete(key);
      else this.running.set(key, hash);
    }
    for (const [key, failure] of failed) this.problems.set(key, failure);
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

  /** What a full update does not name is gone. */
  private forgetRest({ changes, keeps }: PreparedUpdate, kept: ReadonlySet<string>): string[] {
    const gone = [...this.running.keys()].filter((key) => !changes.has(key) && !keeps.has(key) && !kept.has(key));
    for (const key of gone) {
      this.running.delete(key);
      this.problems.delete(key);
    }
    return gone;
  }
}

function problemsKey({ route }: RouteProblems): string {
  return route === null ? BASE_PROBLEMS : routeKeyText(route);
}
