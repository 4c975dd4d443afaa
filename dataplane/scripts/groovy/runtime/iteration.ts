import { GMap, List } from '../values/collections.ts';
import type { Steps, Value } from '../values/java-class.ts';
import type { Core } from './core.ts';

export interface Walk {
  hasNext(): boolean;
  next(): Value;
}

/** The elements of a `for (x in …)` loop; a list that changes meanwhile fails as Java's iterators do. */
export function* iterate(core: Core, value: Value): Steps<Walk> {
  const changed = (): never => core.fail('java.util.ConcurrentModificationException');
  let at = 0;
  if (value instanceof List && !value.isFixed) {
    const { items } = value;
    const { length } = items;
    return {
      hasNext: () => at !== items.length,
      next: () => (items.length === length ? items[at++]! : changed()),
    };
  }
  const items = yield* core.elements(value);
  const size = value instanceof GMap ? value.size : 0;
  return {
    hasNext: () => at < items.length,
    next: () => (value instanceof GMap && value.size !== size ? changed() : items[at++]!),
  };
}
