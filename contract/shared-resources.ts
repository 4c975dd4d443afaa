import { contentHash } from './document/canonical.ts';
import type { ResourceChanges, SharedResource } from './snapshot.ts';

/** Shared resources by key. */
export type SharedResources = ReadonlyMap<string, SharedResource>;

/** The hash of a shared resource, which is made of everything but itself. */
export function sharedResourceHash({ type, key, places }: Omit<SharedResource, 'hash'>): string {
  return contentHash({ type, key, places: places.map((place) => ({ ...place })) });
}

/** The resources after a change; the same map when nothing changes. */
export function changedResources(before: SharedResources, changes: ResourceChanges | undefined): SharedResources {
  if (changes === undefined || changes.set.length + changes.remove.length === 0) return before;
  const after = new Map(before);
  for (const key of changes.remove) after.delete(key);
  for (const resource of changes.set) after.set(resource.key, resource);
  return after;
}
