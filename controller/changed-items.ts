/** Where two lists differ: both are the same before the start and from their ends on. */
export function changedRange<T>(before: readonly T[], after: readonly T[]): readonly [number, number, number] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let endBefore = before.length;
  let endAfter = after.length;
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) {
    endBefore--;
    endAfter--;
  }
  return [start, endBefore, endAfter];
}
