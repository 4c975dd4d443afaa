import type { GMap } from '../../values/collections.ts';
import type { LibraryFunction, Value } from '../../values/java-class.ts';
import { comparators } from './sorting.ts';

/** Order of keys: less than zero if the first one comes before the second one. */
type Order = (left: Value, right: Value) => number;

/** True for keys in a part of a tree, by the arguments of the method that asks for it. */
export type IsInPart = (order: Order, key: Value, bounds: readonly Value[]) => boolean;

/** Comparator that a tree was made with; null for the order of its keys. */
export function comparatorOf({ order }: GMap): Value {
  return typeof order === 'function' ? (comparators.get(order) ?? null) : null;
}

/** Order of a tree or of a view of one, which a comparator may state. */
export function orderOf({ order }: GMap): Order {
  return order as Order;
}

const isBefore = (comparison: number, hasBound: Value = false): boolean => comparison < (hasBound === true ? 1 : 0);
const isAfter = (comparison: number, hasBound: Value = true): boolean => comparison > (hasBound === true ? -1 : 0);

/** Methods for parts of sorted sets and maps. @param part makes a method that returns a part */
export function partMethods(
  kind: 'Set' | 'Map',
  part: (isIn: IsInPart) => LibraryFunction,
): Readonly<Record<string, LibraryFunction>> {
  const head = part((order, key, [to, hasTo]) => isBefore(order(key, to!), hasTo));
  const tail = part((order, key, [from, hasFrom]) => isAfter(order(key, from!), hasFrom));
  return {
    [`head${kind}(Object)`]: head,
    [`head${kind}(Object, boolean)`]: head,
    [`tail${kind}(Object)`]: tail,
    [`tail${kind}(Object, boolean)`]: tail,
    [`sub${kind}(Object, Object)`]: part(
      (order, key, [from, to]) => isAfter(order(key, from!)) && isBefore(order(key, to!)),
    ),
    [`sub${kind}(Object, boolean, Object, boolean)`]: part(
      (order, key, [from, hasFrom, to, hasTo]) =>
        isAfter(order(key, from!), hasFrom) && isBefore(order(key, to!), hasTo),
    ),
  };
}
