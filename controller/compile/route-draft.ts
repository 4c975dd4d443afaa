import { basename } from 'node:path';
import type { JsonObject } from '../../contract/document/json-value.ts';
import type { PropertySet } from '../../contract/document/property-set.ts';
import type { Problem } from '../../contract/problem.ts';
import { routeHash } from '../../contract/route-hash.ts';
import type { FoundRouter, Judgement } from './checker.ts';
import type { ResolveDocument } from './resolve-document.ts';
import { type RouteIdentity, routeIdentity } from './route-identity.ts';
import type { CompiledRoute } from './snapshot.ts';
import { type SourceFile, sameContent } from './source-file.ts';
import { hasErrors } from './verdict.ts';

/** A version of a route that could be built. */
export interface RouteVersion {
  readonly identity: RouteIdentity;
  readonly document: JsonObject;
  readonly properties: PropertySet;
  readonly judgement: Judgement;
  readonly compiled: CompiledRoute;
}

/** A route as written in one file, without its surroundings. */
export interface RouteDraft {
  readonly file: SourceFile;
  readonly identity: RouteIdentity | null;
  readonly document: JsonObject | null;
  readonly conditionIsReadable: boolean;
  readonly problems: readonly Problem[];
  /** Null when it is not sound. */
  readonly version: RouteVersion | null;
}

/** The routes of one router, each of which is judged once for the content it has. */
export class RouteDrafts {
  private readonly router: FoundRouter;
  private readonly properties: PropertySet;
  private readonly resolve: ResolveDocument;
  private readonly drafts = new Map<string, RouteDraft>();
  /** The sound version before the present one, as it was and as it is judged here. */
  private readonly earlier = new Map<string, { readonly from: RouteVersion; readonly to: RouteVersion | null }>();

  /** @param properties those of the document that declares the router */
  constructor(router: FoundRouter, properties: PropertySet, resolve: ResolveDocument) {
    this.router = router;
    this.properties = properties;
    this.resolve = resolve;
  }

  draft(file: SourceFile): RouteDraft {
    const known = this.drafts.get(file.path);
    if (known !== undefined && sameContent(known.file, file)) return known;
    const made = this.make(file);
    this.drafts.set(file.path, made);
    const before = known?.version ?? null;
    if (before !== null) this.earlier.set(file.path, { from: before, to: before });
    return made;
  }

  /** An earlier version of a route as it is judged now: what is around it may have changed. Null when it is not sound. */
  again(path: string, version: RouteVersion): RouteVersion | null {
    if (this.drafts.get(path)?.version === version) return version;
    const known = this.earlier.get(path);
    if (known !== undefined && (known.from === version || known.to === version)) return known.to;
    const judgement = this.router.route(version.document, version.identity.name);
    const to = judgement.sound ? { ...version, judgement } : null;
    this.earlier.set(path, { from: version, to });
    return to;
  }

  /** Forgets the files that are no longer there. */
  keep(paths: ReadonlySet<string>): void {
    for (const map of [this.drafts, this.earlier]) {
      if (map.size <= paths.size) continue;
      for (const path of map.keys()) if (!paths.has(path)) map.delete(path);
    }
  }

  private make(file: SourceFile): RouteDraft {
    const { document, properties, problems: found, told } = this.resolve(file, this.properties);
    const problems: Problem[] = [...found];
    const identity = routeIdentity(basename(file.path), document, (problem) => problems.push(problem));
    const name = identity?.name ?? basename(file.path);
    const judgement = document === null ? null : this.router.route(document, name);
    if (judgement !== null) problems.push(...told(judgement.problems));
    const unreadable = found.some(({ severity, path }) => severity === 'error' && path[0] === 'condition');
    const draft = {
      file,
      identity,
      document,
      conditionIsReadable: judgement?.conditionIsReadable === true && !unreadable,
      problems,
    };
    if (identity === null || document === null || judgement === null || hasErrors(problems)) {
      return { ...draft, version: null };
    }
    const compiled = compiledRoute(this.router.name, identity, document);
    return { ...draft, version: { identity, document, properties, judgement, compiled } };
  }
}

function compiledRoute(router: string, { id, name }: RouteIdentity, document: JsonObject): CompiledRoute {
  const route = { router, id, name, document };
  return { ...route, hash: routeHash(route) };
}

/** A route that takes the requests it is about and refuses them. Only its condition and what that may name are kept. */
export function refusingRoute(router: string, { id, name }: RouteIdentity, document: JsonObject): CompiledRoute {
  const kept: Record<string, JsonObject[string]> = {};
  for (const key of ['properties', 'condition']) {
    const value = document[key];
    if (value !== undefined && value !== null) kept[key] = value;
  }
  const route = { router, id, name, document: kept, refuses: true as const };
  return { ...route, hash: routeHash(route) };
}
