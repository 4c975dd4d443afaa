import { contentHash } from './document/canonical.ts';
import type {
  ForbiddenAddresses,
  GroupSessionKeys,
  ResourceChanges,
  RouteEntry,
  ServerCertificate,
  ServiceEndpoints,
  SharedObjects,
  SharedResource,
} from './snapshot.ts';

/** Shared resources by key. */
export type SharedResources = ReadonlyMap<string, SharedResource>;

/** The hash of a shared resource, which is made of everything but itself and the sources. */
export function sharedResourceHash(
  resource:
    | Omit<ForbiddenAddresses, 'hash'>
    | Omit<SharedObjects, 'hash' | 'sources'>
    | Omit<GroupSessionKeys, 'hash' | 'sources'>
    | Omit<ServerCertificate, 'hash' | 'sources'>
    | Omit<ServiceEndpoints, 'hash' | 'sources'>,
): string {
  const { type, key } = resource;
  if (type === 'forbidden-addresses') {
    return contentHash({ type, key, places: resource.places.map((place) => ({ ...place })) });
  }
  if (type === 'session-keys') return contentHash({ type, key, keys: [...resource.keys] });
  if (type === 'server-certificate') {
    const { tenant, hosts, chain, privateKey } = resource;
    return contentHash({ type, key, tenant, hosts, chain, privateKey });
  }
  if (type === 'service-endpoints') {
    const targets = resource.targets.map((target) => ({ ...target }));
    const { externalName } = resource;
    const ports = resource.ports.map((port) => ({ ...port }));
    return contentHash({ type, key, ports, targets, ...(externalName !== undefined && { externalName }) });
  }
  return contentHash({ type, key, objects: resource.objects, files: resource.files });
}

/** The resources after a change; the same map when nothing changes. */
export function changedResources(before: SharedResources, changes: ResourceChanges | undefined): SharedResources {
  if (changes === undefined || changes.set.length + changes.remove.length === 0) return before;
  const after = new Map(before);
  for (const key of changes.remove) after.delete(key);
  for (const resource of changes.set) after.set(resource.key, resource);
  return after;
}

/** Adds the resources that routes still name although they were removed: such a route keeps serving an older version. */
export function withNamedResources(
  after: SharedResources,
  before: SharedResources,
  routes: Iterable<Pick<RouteEntry, 'resources'>>,
): SharedResources {
  if (after === before) return after;
  const gone = new Map([...before].filter(([key]) => !after.has(key)));
  if (gone.size === 0) return after;
  const kept = new Map(after);
  for (const { resources = {} } of routes) {
    for (const key of Object.values(resources)) {
      const resource = gone.get(key);
      if (resource !== undefined) kept.set(key, resource);
    }
  }
  return kept.size === after.size ? after : kept;
}
