import type { Resource } from '../contract/resources/resource.ts';
import { LayeredMap } from '../platform/layered-map.ts';
import type { ResourceState } from './compile/resources/resource-state.ts';

/** Whether two states differ in nothing but the statuses of resources, which are written by controllers. */
export function isSameButStatus(before: ResourceState, after: ResourceState): boolean {
  return (
    areSame(before.secrets, after.secrets, () => false) &&
    before.services === after.services &&
    before.trust === after.trust &&
    before.platform === after.platform &&
    areSame(before.routes, after.routes, isSameResourceButStatus) &&
    areSame(before.secretStores, after.secretStores, isSameResourceButStatus) &&
    areSame(before.auditServices, after.auditServices, isSameResourceButStatus)
  );
}

function areSame<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  areAlike: (a: T, b: T) => boolean,
): boolean {
  if (before === after) return true;
  if (before.size !== after.size) return false;
  const changed = after instanceof LayeredMap ? (after as LayeredMap<T>).changedSince(before) : null;
  for (const key of changed ?? after.keys()) {
    const [known, value] = [before.get(key), after.get(key)];
    if (known !== value && (known === undefined || value === undefined || !areAlike(known, value))) return false;
  }
  return true;
}

/** Whether two versions of a resource differ in status only. The spec is the same object while its generation is. */
export function isSameResourceButStatus(a: Resource, b: Resource): boolean {
  return a.uid === b.uid && a.generation === b.generation && a.spec === b.spec;
}
