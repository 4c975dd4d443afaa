/** Items of each list among which the place is sought where the two agree again. */
const MOST_AHEAD = 8;

/** Items by which two lists differ. */
export interface ChangedItems<T> {
  /** Items that only the list before has. */
  readonly gone: ReadonlySet<T>;
  /** Items that only the list after has, in their order. */
  readonly added: ReadonlySet<T>;
}

/** Compares two lists of the same items in nearly the same order. What is the same in both costs one comparison. */
export function changedItems<T>(before: readonly T[], after: readonly T[]): ChangedItems<T> {
  let [endBefore, endAfter] = [before.length, after.length];
  const gone = new Set<T>();
  const added = new Set<T>();
  let [b, a] = [0, 0];
  while (b < endBefore && a < endAfter) {
    if (before[b] === after[a]) {
      b++;
      a++;
    } else if (before[endBefore - 1] === after[endAfter - 1]) {
      endBefore--;
      endAfter--;
    } else {
      const [skipped, inserted] = untilSame(
        before.slice(b, Math.min(b + MOST_AHEAD, endBefore)),
        after.slice(a, Math.min(a + MOST_AHEAD, endAfter)),
      );
      for (const end = b + skipped; b < end; b++) gone.add(before[b]!);
      for (const end = a + inserted; a < end; a++) added.add(after[a]!);
    }
  }
  for (; b < endBefore; b++) gone.add(before[b]!);
  for (; a < endAfter; a++) added.add(after[a]!);
  for (const item of added) {
    if (!gone.delete(item)) continue; // it has moved
    added.delete(item);
  }
  return { gone, added };
}

/** Counts the items of each list before the place where the two agree; one of each where they do not. */
function untilSame<T>(before: readonly T[], after: readonly T[]): readonly [number, number] {
  for (let ahead = 1; ahead < MOST_AHEAD; ahead++) {
    if (ahead < before.length && ahead < after.length && before[ahead] === after[ahead]) return [ahead, ahead];
    if (ahead < after.length && before[0] === after[ahead]) return [0, ahead];
    if (ahead < before.length && before[ahead] === after[0]) return [ahead, 0];
  }
  return [1, 1];
}
