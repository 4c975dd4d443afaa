import { GMap } from '../../values/collections.ts';
import type { Runtime } from '../../values/java-class.ts';

/** Class of a copy that cannot be changed. */
export const unmodifiable = (map: GMap): string =>
  typeof map.order === 'function' ? 'UnmodifiableSortedMap' : 'UnmodifiableMap';

/** A copy that cannot be changed. */
export function fixedMap(rt: Runtime, map: GMap, kind = 'UnmodifiableMap', isFixed = true): GMap {
  const copy = new GMap(rt.class(`java.util.Collections$${kind}`), map.order);
  rt.budget.allocate(64 + map.size * 64);
  for (const entry of map.entries()) copy.put(entry.entryKey, entry.value);
  copy.isFixed = isFixed;
  return copy;
}
