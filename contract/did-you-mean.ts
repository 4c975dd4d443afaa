/** Longer words are no slips of the hand, and comparing them takes the square of their length. */
const MOST_LENGTH = 100;
/** A list that is longer is not looked through to its end. */
const MOST_CANDIDATES = 5000;

/** A word in other capitals is nearer than any other slip. */
const SAME_LETTERS = 0.5;

/** The candidate that the user most likely meant, or undefined when none is close. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > MOST_LENGTH) return undefined;
  const limit = Math.max(1, Math.floor(word.length / 3));
  const lower = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates.slice(0, MOST_CANDIDATES)) {
    const isBeginning = word.length >= 2 && candidate.startsWith(word);
    if (!isBeginning && Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = isBeginning ? 1 : candidate.toLowerCase() === lower ? SAME_LETTERS : editDistance(word, candidate);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Counts insertions, deletions, replacements and swaps of neighbours, because a swap is the commonest slip. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = previous[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1);
      let least = Math.min(replaced, previous[column]! + 1, current[column - 1]! + 1);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        least = Math.min(least, beforePrevious[column - 2]! + 1);
      }
      current.push(least);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length]!;
}
