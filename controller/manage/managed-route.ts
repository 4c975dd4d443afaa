import { hash } from 'node:crypto';
import type { Resource } from '../../contract/crest/resource.ts';
import { isJsonObject } from '../../contract/document/json-value.ts';
import { compareRoutes } from '../../contract/route-order.ts';
import { documentOf } from '../compile/document-of.ts';
import type { SourceFile } from '../compile/source-file.ts';
import type { Verdict } from '../compile/verdict.ts';

/** A route of a router as a resource, with its file. */
export interface ManagedRoute extends Resource {
  readonly id: string;
  readonly name: string;
  readonly file: SourceFile;
}

/** Returns the routes of a router in the order in which they are tried. Files that hold no object are left out. */
export function managedRoutes(verdicts: readonly Verdict[], router: string): ManagedRoute[] {
  return verdicts
    .flatMap(({ role, route, file, within }): ManagedRoute[] => {
      if (role !== 'route' || within !== undefined || route?.router !== router) return [];
      const { value } = documentOf(file);
      if (!isJsonObject(value)) return [];
      const { _id, ...content } = value;
      return [{ id: route.id, name: route.name, revision: revisionOf(file), content, file }];
    })
    .sort(compareRoutes);
}

/** Returns a route by its id, of several the one that serves. Only its own file is read. */
export function managedRoute(verdicts: readonly Verdict[], router: string, id: string): ManagedRoute | undefined {
  const same = verdicts.filter(({ route }) => route?.id === id);
  const serving = same.filter(({ serves }) => serves !== 'nothing');
  return managedRoutes(serving, router)[0] ?? managedRoutes(same, router)[0];
}

/** Revision of a file: a change by an editor is a new one too. */
function revisionOf({ content }: SourceFile): string {
  return hash('sha256', content, 'base64url').slice(0, 22);
}
