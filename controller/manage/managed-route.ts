import type { Resource } from '../../contract/crest/resource.ts';
import { isJsonObject, type JsonObject } from '../../contract/document/json-value.ts';
import { compareRoutes } from '../../contract/route-order.ts';
import { documentOf } from '../compile/document-of.ts';
import type { SourceFile } from '../compile/source-file.ts';
import type { Verdict } from '../compile/verdict.ts';
import type { RouteSecrets } from './route-secrets.ts';

/** A route of a router as a resource without secrets, with its file. */
export interface ManagedRoute extends Resource {
  readonly id: string;
  readonly name: string;
  /** The document with its secrets. */
  readonly document: JsonObject;
  readonly file: SourceFile;
}

/** Returns the routes of a router in the order in which they are tried. Files that hold no object are left out. */
export function managedRoutes(verdicts: readonly Verdict[], router: string, secrets: RouteSecrets): ManagedRoute[] {
  return verdicts
    .flatMap(({ role, route, file, within }): ManagedRoute[] => {
      if (role !== 'route' || within !== undefined || route?.router !== router) return [];
      const { value } = documentOf(file);
      if (!isJsonObject(value)) return [];
      const { id, name } = route;
      const { content: shown, hasSecrets } = secrets.shown(id, value);
      const { _id, ...content } = shown;
      return [{ id, name, revision: secrets.revision(file.content, hasSecrets), content, document: value, file }];
    })
    .sort(compareRoutes);
}

/** Returns a route by its id, of several the one that serves. Only its own file is read. */
export function managedRoute(
  verdicts: readonly Verdict[],
  router: string,
  id: string,
  secrets: RouteSecrets,
): ManagedRoute | undefined {
  const same = verdicts.filter(({ route }) => route?.id === id);
  const serving = same.filter(({ serves }) => serves !== 'nothing');
  return managedRoutes(serving, router, secrets)[0] ?? managedRoutes(same, router, secrets)[0];
}
