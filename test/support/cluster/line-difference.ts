/** Lines that stand in one place of a text, and what stands there in another one. */
export interface LineChange {
  /** The index of the first removed line in the old text, or of the line before which lines were added. */
  readonly at: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** The changes that make the new lines of the old ones, as few lines as possible. */
export function lineDifference(old: readonly string[], next: readonly string[]): LineChange[] {
  const common = commonLengths(old, next);
  const changes: LineChange[] = [];
  let [o, n] = [0, 0];
  while (o < old.length || n < next.length) {
    const [fromOld, fromNext] = [o, n];
    while ((o < old.length || n < next.length) && old[o] !== next[n]) {
      const dropsOld = n === next.length || (o < old.length && common[o + 1]![n]! >= common[o]![n + 1]!);
      if (dropsOld) o += 1;
      else n += 1;
    }
    if (o > fromOld || n > fromNext) {
      changes.push({ at: fromOld, removed: old.slice(fromOld, o), added: next.slice(fromNext, n) });
    }
    o += 1;
    n += 1;
  }
  return changes;
}

/** How many lines from here on both texts can have in common, by the indices of both. */
function commonLengths(old: readonly string[], next: readonly string[]): number[][] {
  const table = Array.from({ length: old.length + 2 }, () => new Array<number>(next.length + 2).fill(0));
  for (let o = old.length - 1; o >= 0; o -= 1) {
    for (let n = next.length - 1; n >= 0; n -= 1) {
      const isSame = old[o] === next[n];
      table[o]![n] = isSame ? table[o + 1]![n + 1]! + 1 : Math.max(table[o + 1]![n]!, table[o]![n + 1]!);
    }
  }
  return table;
}
