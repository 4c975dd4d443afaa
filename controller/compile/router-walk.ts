import { basename } from 'node:path';
import type { JsonObject } from '../../contract/document/json-value.ts';
import type { PropertySet } from '../../contract/document/property-set.ts';
import type { Path, Problem } from '../../contract/problem.ts';
import { compareRoutes, compareTexts } from '../../contract/route-order.ts';
import type { FoundRouter } from './checker.ts';
import type { InstanceState } from './instance-state.ts';
import { type RouteDraft, type RouteDrafts, type RouteVersion, refusingRoute } from './route-draft.ts';
import type { RouteIdentity } from './route-identity.ts';
import type { CompiledRoute } from './snapshot.ts';
import type { SourceFile } from './source-file.ts';
import type { ServedVersion, Verdict } from './verdict.ts';

/** How many routers may be inside each other's routes. */
const MOST_ROUTERS = 8;

/** The sound version that each file had last, by the name of the router and the path of the file. */
export type GoodRoutes = ReadonlyMap<string, ReadonlyMap<string, RouteVersion>>;

/** Options of a walk. */
export interface WalkOptions {
  readonly directories: InstanceState['directories'];
  readonly faults: InstanceState['faults'];
  readonly lastGood: GoodRoutes;
  directoryOf(router: FoundRouter): string;
  draftsOf(router: FoundRouter, properties: PropertySet): RouteDrafts;
  /** Warnings of directories of these routers that are not there. */
  absentDirectories(routers: readonly FoundRouter[]): Problem[];
}

/** What came of one file. */
interface Placement {
  readonly serves: ServedVersion;
  readonly problems: readonly Problem[];
  /** Of the version that serves, or of the file when none does. */
  readonly identity: RouteIdentity | null;
  readonly document: JsonObject | null;
  readonly route: CompiledRoute | null;
  /** Null when it refuses or is not there. */
  readonly version: RouteVersion | null;
}

const nobody = { identity: null, document: null };

/** Decides, router by router, which version of which route serves. */
export class RouterWalk {
  readonly routes: CompiledRoute[] = [];
  readonly verdicts: Verdict[] = [];
  readonly defaults: string[] = [];
  readonly lastGood = new Map<string, Map<string, RouteVersion>>();
  /** The directories that routers read and how often, in milliseconds; 0 for once. */
  readonly directories = new Map<string, number>();
  /** Directories of the routers, by their qualified names. */
  readonly routers = new Map<string, string>();
  private readonly options: WalkOptions;
  private readonly names = new Set<string>();
  /** Directories whose fault has been told. */
  private readonly told = new Set<string>();

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
      const directory = this.options.directoryOf(router);
      const fault = this.faultOf(directory);
      if (fault !== undefined && !Array.isArray(this.options.directories.get(directory))) {
        this.follow(directory, router.scanInterval); // so that it is noticed when it can be read
        return [unreadable(fault, directoryPath(router), `the directory '${router.directory ?? 'routes'}'`)];
      }
      if (trail.includes(directory)) {
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
    this.routers.set(router.name, directory);
    if (router.hasDefaultHandler) this.defaults.push(router.name);
    const found = this.options.directories.get(directory);
    const files = found ?? [];
    this.tellFault(directory);
    const drafts = this.options.draftsOf(router, properties);
    const inside = [...trail, directory];
    const places = new Places();
    this.lastGood.set(router.name, new Map());
    const served: { route: CompiledRoute; version: RouteVersion | null }[] = [];
    for (const file of files.toSorted(byPath)) {
      const placement = this.place(router, drafts, drafts.draft(file), places, inside);
      const { route, version } = placement;
      this.verdicts.push(verdictOf(file, router.name, placement));
      if (route !== null) served.push({ route, version });
    }
    if (found !== undefined) drafts.keep(new Set(files.map(({ path }) => path)));
    served.sort(({ route: a }, { route: b }) => compareRoutes(a, b));
    for (const { route } of served) this.routes.push(route);
    for (const { version } of served) {
      if (version !== null) this.enter(version.judgement.routers, version.properties, inside);
    }
  }

  /** This version, else the last good one, else a refusal in its place, else nothing. */
  private place(
    router: FoundRouter,
    drafts: RouteDrafts,
    draft: RouteDraft,
    places: Places,
    trail: readonly string[],
  ): Placement {
    const { path } = draft.file;
    const good = this.options.lastGood.get(router.name)?.get(path);
    const remember = (version: RouteVersion): void => void this.lastGood.get(router.name)?.set(path, version);
    const problems = [...draft.problems];
    const served = (serves: ServedVersion, version: RouteVersion): Placement => {
      places.take(version.identity, path);
      remember(version);
      return {
        serves,
        problems,
        identity: version.identity,
        document: version.document,
        route: version.compiled,
        version,
      };
    };
    if (draft.version !== null) {
      const clashes = this.clashes(draft.version, places, trail);
      const { routers } = draft.version.judgement;
      problems.push(...(clashes.length === 0 ? this.options.absentDirectories(routers) : clashes));
      if (clashes.length === 0) return served('this', draft.version);
    } else if (draft.identity !== null) problems.push(...places.refuse(draft.identity));
    const again = good === undefined ? null : drafts.again(path, good);
    if (again !== null && this.clashes(again, places, trail).length === 0) return served('last-good', again);
    if (good !== undefined) remember(good);
    for (const { identity, document } of [draft.conditionIsReadable ? draft : nobody, good ?? nobody]) {
      if (identity === null || document === null || places.refuse(identity).length > 0) continue;
      places.take(identity, path);
      const route = refusingRoute(router.name, identity, document);
      return { serves: 'refuses', problems, identity, document, route, version: null };
    }
    const { identity, document } = draft;
    return { serves: 'nothing', problems, identity, document, route: null, version: null };
  }

  /** What keeps a sound version from serving beside the others; its routers' names are taken when nothing does. */
  private clashes({ identity, judgement }: RouteVersion, places: Places, trail: readonly string[]): Problem[] {
    const taken = places.refuse(identity);
    return taken.length > 0 ? taken : this.refuse(judgement.routers, trail);
  }

  private faultOf(directory: string): string | undefined {
    return this.options.faults.get(directory);
  }

  /** Says once that the routes of a directory are those that it had last. */
  private tellFault(path: string): void {
    const fault = this.faultOf(path);
    if (fault === undefined || this.told.has(path)) return;
    this.told.add(path);
    const file = { path, content: new Uint8Array(), fault };
    const problems = [unreadable(fault, [], 'the directory')];
    this.verdicts.push({ file, role: 'directory', serves: 'last-good', problems, route: null });
  }

  /** A directory that two routers read is looked at as often as the more eager one asks. */
  private follow(directory: string, interval: number): void {
    const other = this.directories.get(directory) ?? 0;
    const both = [interval, other].filter((one) => one > 0);
    this.directories.set(directory, both.length === 0 ? 0 : Math.min(...both));
  }
}

/** Where a document says which directory a router reads. */
export function directoryPath({ directory, path }: FoundRouter): Path {
  return directory === null ? path : [...path, 'config', 'directory'];
}

function unreadable(fault: string, path: Path, what: string): Problem {
  const isGone = fault === 'ENOENT';
  const message = isGone ? `${what} is gone` : `${what} cannot be read: ${fault}`;
  const hint = 'restore it; to remove its routes, keep the directory and delete the files in it';
  return { code: 'missing', severity: 'error', path, message, ...(isGone ? { hint } : {}) };
}

function verdictOf(file: SourceFile, router: string, placement: Placement): Verdict {
  const { serves, problems, identity, document } = placement;
  const condition = document?.['condition'] ?? null;
  const shown = condition === null || typeof condition === 'string' ? condition : JSON.stringify(condition);
  const route = identity === null ? null : { router, ...identity, condition: shown };
  return { file, role: 'route', serves, problems, route };
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
      const message = `${what} is already used by ${basename(path)}; the first file wins`;
      return [{ code: 'route-name', severity: 'error', path: [key], message }];
    };
    if (byId !== undefined) return error('_id', `the route id '${id}'`, byId);
    return byName === undefined ? [] : error('name', `the route name '${name}'`, byName);
  }
}

/** Of files in one directory it is the order of their names. */
function byPath(a: SourceFile, b: SourceFile): number {
  return compareTexts(a.path, b.path);
}
