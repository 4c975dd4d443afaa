import { type CodePoints, codePoints } from './code-points.ts';

const memo = new Map<string, CodePoints>();

/** The characters of a property as the JavaScript engine knows it, such as `L` or `Script=Greek`. */
export function unicodeProperty(...names: readonly string[]): CodePoints {
  const key = names.join();
  const known = memo.get(key);
  if (known !== undefined) return known;
  const set = readProperty(new RegExp(`[${names.map((name) => `\\p{${name}}`).join('')}]+`, 'gu'));
  memo.set(key, set);
  return set;
}

/** Planes 4 to 13 hold nothing and planes 15 and 16 are private, so two of each plane's characters speak for it. */
const evenPlanes = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16];
const unevenBlocks = [
  [0x0000, 0xd7ff],
  [0xd800, 0xdfff],
  [0xe000, 0xffff],
  [0x10000, 0x1ffff],
  [0x20000, 0x2ffff],
  [0x30000, 0x3ffff],
  [0xe0000, 0xe0fff],
] as const;

function readProperty(members: RegExp): CodePoints {
  const ranges: [number, number][] = [];
  for (const [first, last] of unevenBlocks) {
    if (first === 0xd800) addIf(ranges, members, first, first, last);
    else for (const [from, to] of runs(members, first, last)) ranges.push([from, to]);
  }
  for (const plane of evenPlanes) {
    const first = plane * 0x10000;
    addIf(ranges, members, first, first, first + 0xfffd);
    addIf(ranges, members, first + 0xfffe, first + 0xfffe, first + 0xffff);
  }
  const tail = 0xe1000;
  addIf(ranges, members, tail, tail, 0xefffd);
  addIf(ranges, members, 0xefffe, 0xefffe, 0xeffff);
  return codePoints(ranges);
}

function addIf(ranges: [number, number][], members: RegExp, witness: number, first: number, last: number): void {
  if (String.fromCodePoint(witness).search(members) === 0) ranges.push([first, last]);
}

/** The runs of members between two characters that take the same number of UTF-16 units. */
function runs(members: RegExp, first: number, last: number): [number, number][] {
  const units = first > 0xffff ? 2 : 1;
  let text = '';
  for (let codePoint = first; codePoint <= last; codePoint++) text += String.fromCodePoint(codePoint);
  return Array.from(text.matchAll(members), ({ index, 0: run }) => {
    const from = first + index / units;
    return [from, from + run.length / units - 1];
  });
}
