/** A line of a comparison of two texts. */
export interface DiffLine {
  readonly kind: 'same' | 'gone' | 'come';
  readonly text: string;
  /** Number of the line in the text before, from 1; null for a new one. */
  readonly before: number | null;
  /** Number of the line in the text after; null for one that is gone. */
  readonly after: number | null;
}

/** Comparisons of lines that are made at most; beyond that a changed part is shown as a whole. */
const MOST_WORK = 2_000_000;

/** Returns the lines of two texts in the order in which one becomes the other. */
export function diffLines(one: string, other: string): readonly DiffLine[] {
  const [before, after] = [linesOf(one), linesOf(other)];
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const [oldEnd, newEnd] = [before.length - tail, after.length - tail];
  const same = commonLines(before.slice(head, oldEnd), after.slice(head, newEnd));
  const pairs = [
    ...Array.from({ length: head }, (_, at) => [at, at] as const),
    ...same.map(([a, b]) => [a + head, b + head] as const),
    ...Array.from({ length: tail }, (_, at) => [oldEnd + at, newEnd + at] as const),
    [before.length, after.length] as const,
  ];
  let [a, b] = [0, 0];
  return pairs.flatMap(([oldAt, newAt]) => {
    const lines: DiffLine[] = [];
    for (; a < oldAt; a++) lines.push({ kind: 'gone', text: before[a]!, before: a + 1, after: null });
    for (; b < newAt; b++) lines.push({ kind: 'come', text: after[b]!, before: null, after: b + 1 });
    if (a < before.length && b < after.length) {
      lines.push({ kind: 'same', text: before[a]!, before: ++a, after: ++b });
    }
    return lines;
  });
}

/** A run of lines to show, or the number of same lines that are left out. */
export type DiffPart = { readonly lines: readonly DiffLine[] } | { readonly leftOut: number };

/** Returns a comparison without same lines that are far from every change. */
export function nearChanges(lines: readonly DiffLine[], context = 3): readonly DiffPart[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - context), at + context + 1).some(({ kind }) => kind !== 'same'),
  );
  const parts: DiffPart[] = [];
  for (let at = 0; at < lines.length; ) {
    const begin = at;
    while (at < lines.length && isNear[at] === isNear[begin]) at++;
    parts.push(isNear[begin] === true ? { lines: lines.slice(begin, at) } : { leftOut: at - begin });
  }
  return parts;
}

/** Pairs of places of a longest common sequence. */
function commonLines(before: readonly string[], after: readonly string[]): readonly (readonly [number, number])[] {
  const [rows, columns] = [before.length, after.length];
  if (rows * columns > MOST_WORK) return [];
  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  for (let a = rows - 1; a >= 0; a--) {
    for (let b = columns - 1; b >= 0; b--) {
      lengths[a * width + b] =
        before[a] === after[b]
          ? lengths[(a + 1) * width + b + 1]! + 1
          : Math.max(lengths[(a + 1) * width + b]!, lengths[a * width + b + 1]!);
    }
  }
  const pairs: [number, number][] = [];
  for (let a = 0, b = 0; a < rows && b < columns; ) {
    if (before[a] === after[b]) pairs.push([a++, b++]);
    else if (lengths[(a + 1) * width + b]! >= lengths[a * width + b + 1]!) a++;
    else b++;
  }
  return pairs;
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
