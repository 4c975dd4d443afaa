/** Up to so many, a place among the first is looked for; for more, sorting everything is faster. */
const FEW = 512;

/** Returns the first of some items in their order. The others are compared with the last of these only. */
export function firstSorted<T>(items: readonly T[], most: number, compare: (a: T, b: T) => number): T[] {
  if (most > FEW || items.length <= most) return items.toSorted(compare).slice(0, most);
  const first: T[] = [];
  for (const item of items) {
    if (first.length === most) {
      if (most === 0 || compare(item, first[most - 1]!) >= 0) continue;
      first.pop();
    }
    first.splice(placeOf(item, first, compare), 0, item);
  }
  return first;
}

/** Index behind all items that do not come after this one. */
function placeOf<T>(item: T, sorted: readonly T[], compare: (a: T, b: T) => number): number {
  let from = 0;
  for (let to = sorted.length; from < to; ) {
    const middle = (from + to) >>> 1;
    if (compare(item, sorted[middle]!) < 0) to = middle;
    else from = middle + 1;
  }
  return from;
}
