import { contentHash } from '../../../contract/document/canonical.ts';
import { routeHash } from '../../../contract/route-hash.ts';
import type { BaseEntry, SharedResource } from '../../../contract/snapshot.ts';
import type { PlaneSelector } from '../../../controller/compile/resources/resource-verdict.ts';
import type { CompiledRoute } from '../../../controller/compile/snapshot.ts';
import type { GroupGrants } from '../../../controller/publish/channel/group-grants.ts';
import type { PublishedState, RememberedRoute, RouteSelection } from '../../../controller/publish/published-state.ts';

/** A route of a namespace, told apart from its other versions by a text. */
export function publishedRoute(name: string, content = 'one', more: Partial<CompiledRoute> = {}): CompiledRoute {
  const route = {
    router: 'gateway._router',
    id: `shop.${name}`,
    name,
    document: { handler: content },
    tenant: 'default',
    generation: 1,
    sources: [{ uid: `uid-${name}`, resourceVersion: '10' }],
    ...more,
  };
  return { ...route, hash: routeHash(route) };
}

export interface PublishedOptions {
  readonly base?: string;
  readonly selectors?: ReadonlyMap<string, PlaneSelector>;
  readonly namespace?: string;
  readonly remembered?: readonly RememberedRoute[];
  readonly defaultGroup?: string;
  readonly grants?: GroupGrants;
  readonly seen?: string;
  readonly resources?: readonly SharedResource[];
  readonly certificateUsers?: PublishedState['certificateUsers'];
  /** Uids of Routes that are still there although they are not among the routes. */
  readonly present?: ReadonlyMap<string, string>;
}

/** What a compilation would hand to planes. */
export function publishedState(routes: readonly CompiledRoute[], options: PublishedOptions = {}): PublishedState {
  const { base = 'base', selectors, namespace = 'shop', remembered = [], resources = [], seen = '100' } = options;
  const document = { heap: [], handler: base };
  const entry: BaseEntry = { document, hash: contentHash(document) };
  const versions = new Map<string, string>(options.present);
  for (const { sources } of routes) if (sources?.[0]) versions.set(sources[0].uid, sources[0].resourceVersion);
  const revision = contentHash([entry.hash, ...[...routes, ...remembered, ...resources].map(({ hash }) => hash)]);
  return {
    snapshot: { revision, base: entry, routes, defaults: [], resources },
    selectionOf: ({ name }): RouteSelection => ({ namespace, dataPlanes: selectors?.get(name) ?? null }),
    remembered,
    defaultGroup: options.defaultGroup ?? 'default',
    ...(options.grants === undefined ? {} : { grants: options.grants }),
    ...(options.certificateUsers === undefined ? {} : { certificateUsers: options.certificateUsers }),
    seen,
    versionOf: (uid) => versions.get(uid) ?? null,
  };
}
