import { type Resource, resourceKey } from '../../../contract/resources/resource.ts';
import { compareTexts } from '../../../contract/route-order.ts';

/** Order of resources: the oldest first, equally old ones by their keys. */
export function byAge(a: Resource, b: Resource): number {
  return compareTexts(a.created, b.created) || compareTexts(resourceKey(a), resourceKey(b));
}
