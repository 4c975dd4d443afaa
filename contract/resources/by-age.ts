import { compareTexts } from '../route-order.ts';
import { type Resource, resourceKey } from './resource.ts';

/** Order of resources: the oldest first, equally old ones by their keys. */
export function byAge(a: Resource, b: Resource): number {
  return compareTexts(a.created, b.created) || compareTexts(resourceKey(a), resourceKey(b));
}
