import { basename } from 'node:path';
import type { PropertySet } from '../../contract/document/property-set.ts';
import type { Problem } from '../../contract/problem.ts';
import type { FoundRouter } from './checker.ts';
import { type RouteDraft, type RouteDrafts, type RouteVersion, refusingRoute } from './route-draft.ts';
import type { RouteIdentity } from './route-identity.ts';
import type { CompiledRoute } from './snapshot.ts';
import type { InstanceState, SourceFile } from './source-file.ts';
import type { ServedVersion, Verdict } from './verdict.ts';

/** How many routers may be inside each other's routes. */
const MOST_ROUTERS = 8;

/** What a walk is made with. */
export interface WalkOptions {
  readonly directories: InstanceState['directories'];
  /** The sound version that every file had last, by `routeKey`. */
  readonly lastGood: ReadonlyMap<string, RouteVersion>;
  directoryOf(router: FoundRouter): string;
  draftsOf(router: FoundRouter, properties: PropertySet): RouteDrafts;
}

/** What a route file of a router is remembered by. */
export function routeKey(router: string, path: string): string {
  return `${router}\n${path}`;
}

/** Decides, router by router, which version of which route serves. */
export class RouterWalk {
  readonly routes: CompiledRoute[] = [];
  readonly verdicts: Verdict[] = [];
  readonly defaults: string[] = [];
  readonly lastGood = new Map<string, RouteVersion>();
  /** The directories that routers read and how often, in milliseconds; 0 for once. */
  readonly directories = new Map<string, number>();
  private readonly options: WalkOptions;
  private readonly names = new Set<string>();

  constructor(options: WalkOptions) {
    this.options = options;
  }

  /** Directories that are needed and not in the state. */
  get missing(): string[] {
    return [...this.directories.keys()].filter((path) => !this.options.directories.has(path));
  }

  /** What keeps the routers of a document from running; their names are taken when nothing does. */
  refuse(routers: readonly FoundRouter[], trail: readonly string[]): Problem[] {
    const own = new Set<string>();
    const problems = routers.flatMap((router): Problem[] => {
      const error = (code: Problem['code'], message: string): Problem[] => [
        { code, severity: 'error', path: router.path, message },
      ];
      if (own.has(router.name) || this.names.has(router.name)) {
        return error('duplicate-name', `there is another router '${router.name}'`);
      }
      own.add(router.name);
      if (trail.includes(this.options.directoryOf(router))) {
        return error('cycle', 'the router is declared in a route of the directory that it reads');
      }
      return trail.length < MOST_ROUTERS
        ? []
        : error('cycle', `more than ${MOST_ROUTERS} routers are inside each other`);
    });
    if (problems.length === 0) for (const name of own) this.names.add(name);
    return problems;
  }

  /** Takes the routes of these routers, and those of the routers inside them. */
  enter(routers: readonly FoundRouter[], properties: PropertySet, trail: readonly string[]): void {
    for (const router of routers) this.enterRouter(router, properties, trail);
  }

  private enterRouter(router: FoundRouter, properties: PropertySet, trail: readonly string[]): void {
    const directory = this.options.directoryOf(router);
    this.follow(directory, router.scanInterval);
    if (router.hasDefaultHandler) this.defaults.push(router.name);
    const files = this.options.directories.get(directory) ?? [];
    const drafts = this.options.draftsOf(router, properties);
    const inside = [...trail, directory];
    const places = new Places();
    const served: { route: CompiledRoute; version: RouteVersion | null }[] = [];
    for (const file of files.toSorted(byFileName)) {
      const outcome = this.decide(router, drafts, file, places, inside);
      this.verdicts.push(outcome.verdict);
      if (outcome.route !== null) served.push({ route: outcome.route, version: outcome.version });
    }
    drafts.keep(new Set(files.map(({ path }) => path)));
    served.sort(({ route: a }, { route: b }) => compare(a.name, b.name) || compare(a.id, b.id));
    for (const { route } of served) this.routes.push(route);
    for (const { version } of served) {
      if (version !== null) this.enter(version.judgement.routers, version.properties, inside);
    }
  }

  private decide(router: FoundRouter, drafts: RouteDrafts, file: SourceFile, places: Places, trail: readonly string[]) {
    const draft = drafts.draft(file);
    const { problems, placed } = this.place(router, drafts, draft, places, trail);
    const { identity, document } = placed.route === null ? { identity: draft.identity, document: null } : placed.shown;
    const condition = (document ?? draft.document)?.['condition'];
    const verdict: Verdict = {
      file,
      role: 'route',
      serves: placed.serves,
      problems,
      route:
        identity === null
          ? null
          : { router: router.name, ...identity, condition: condition === undefined ? null : String(condition) },
    };
    return { verdict, route: placed.route, version: placed.version };
  }

  /** This version, else the last good one, else a refusal in its place, else nothing. */
  private place(router: FoundRouter, drafts: RouteDrafts, draft: RouteDraft, places: Places, trail: readonly string[]) {
    const key = routeKey(router.name, draft.file.path);
    const problems = [...draft.problems];
    const good = this.options.lastGood.get(key);
    const version = (serves: ServedVersion, { identity, document, ...one }: RouteVersion) => {
      places.take(identity, draft.file.path);
      const whole = { identity, document, ...one };
      this.lastGood.set(key, whole);
      return { serves, route: one.compiled, version: whole, shown: { identity, document } };
    };
    if (draft.version !== null) {
      problems.push(...places.refuse(draft.version.identity));
      if (problems.length === draft.problems.length) {
        problems.push(...this.refuse(draft.version.judgement.routers, trail));
      }
      if (problems.length === draft.problems.length) return { problems, placed: version('this', draft.version) };
    }
    const again = good === undefined ? null : drafts.again(draft.file.path, good);
    if (again !== null && places.refuse(again.identity).length === 0) {
      if (this.refuse(again.judgement.routers, trail).length === 0) {
        return { problems, placed: version('last-good', again) };
      }
    }
    if (good !== undefined) this.lastGood.set(key, good);
    const candidates = [draft.conditionIsReadable ? draft : null, good ?? null];
    for (const one of candidates) {
      if (one === null || one.identity === null || one.document === null) continue;
      if (places.refuse(one.identity).length > 0) continue;
      places.take(one.identity, draft.file.path);
      const route = refusingRoute(router.name, one.identity, one.document);
      const shown = { identity: one.identity, document: one.document };
      return { problems, placed: { serves: 'refuses' as const, route, version: null, shown } };
    }
    return { problems, placed: { serves: 'nothing' as const, route: null, version: null } };
  }

  /** A directory that two routers read is looked at as often as the more eager one asks. */
  private follow(directory: string, interval: number): void {
    const other = this.directories.get(directory) ?? 0;
    const both = [interval, other].filter((one) => one > 0);
    this.directories.set(directory, both.length === 0 ? 0 : Math.min(...both));
  }
}

/** The ids and names of one router that are taken, and by which file. */
class Places {
  private readonly ids = new Map<string, string>();
  private readonly names = new Map<string, string>();

  take({ id, name }: RouteIdentity, path: string): void {
    this.ids.set(id, path);
    this.names.set(name, path);
  }

  refuse({ id, name }: RouteIdentity): Problem[] {
    const byId = this.ids.get(id);
    const byName = this.names.get(name);
    const error = (key: string, what: string, path: string): Problem[] => {
      const message = `${what} is already that of ${basename(path)}, and the first file wins`;
      return [{ code: 'route-name', severity: 'error', path: [key], message }];
    };
    if (byId !== undefined) return error('_id', `the route id '${id}'`, byId);
    return byName === undefined ? [] : error('name', `the route name '${name}'`, byName);
  }
}

function byFileName(a: SourceFile, b: SourceFile): number {
  return compare(basename(a.path), basename(b.path));
}

/** Characters compare by their code, as planes order routes. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
