import type { Random } from './random.ts';

/** Pieces that have broken parsers before. */
const DANGEROUS = [
  '\r',
  '\n',
  '\r\n',
  '\n\r',
  '\0',
  '\t',
  '\x0b',
  '\x0c',
  ' ',
  ':',
  ';',
  ',',
  '"',
  '\\',
  '/',
  '%',
  '#',
  '?',
  '_',
  '-',
  '+',
  '0',
  '0x',
  '\x7f',
  '\x80',
  '\x85',
  '\xa0',
  '\xff',
  '.',
  '..',
  '%2e',
  '%2F',
  '%5c',
  '%00',
  '%c0%af',
  '\r\n\r\n',
  '\r\n ',
  '\r\n0\r\n\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Content-Length: 0\r\n',
  'Content-Length: 7\r\n',
  'Transfer_Encoding: chunked\r\n',
  'Connection: close\r\n',
  'HTTP/1.1 200 OK\r\n\r\n',
  'GET /smuggled HTTP/1.1\r\nHost: s\r\n\r\n',
];

type Mutation = (random: Random, stream: string, other: string) => string;

function splice(stream: string, at: number, removed: number, added: string): string {
  return stream.slice(0, at) + added + stream.slice(at + removed);
}

function lineSpan(random: Random, stream: string): [start: number, end: number] {
  const at = random.below(stream.length);
  const start = stream.lastIndexOf('\n', at - 1) + 1;
  const end = stream.indexOf('\n', at);
  return [start, end < 0 ? stream.length : end + 1];
}

/** Replaces one match of `pattern`, chosen at random. */
function replaceOne(random: Random, stream: string, pattern: RegExp, by: (match: string) => string): string {
  const matches = [...stream.matchAll(pattern)];
  if (matches.length === 0) return stream;
  const match = random.pick(matches);
  return splice(stream, match.index, match[0].length, by(match[0]));
}

const mutations: readonly Mutation[] = [
  function flipBit(random, stream) {
    const at = random.below(stream.length);
    return splice(stream, at, 1, String.fromCharCode(stream.charCodeAt(at) ^ (1 << random.below(8))));
  },
  function insertDangerous(random, stream) {
    return splice(stream, random.below(stream.length + 1), 0, random.pick(DANGEROUS));
  },
  function replaceByDangerous(random, stream) {
    return splice(stream, random.below(stream.length), random.between(1, 3), random.pick(DANGEROUS));
  },
  function insertByte(random, stream) {
    return splice(stream, random.below(stream.length + 1), 0, String.fromCharCode(random.below(256)));
  },
  function replaceByControl(random, stream) {
    const control = random.pick([0x00, 0x01, 0x08, 0x09, 0x0b, 0x1f, 0x1f, 0x20, 0x7f, 0x7f, 0x80]);
    return splice(stream, random.below(stream.length), 1, String.fromCharCode(control));
  },
  function remove(random, stream) {
    return splice(stream, random.below(stream.length), random.once(3) ? random.between(2, 20) : 1, '');
  },
  function insertAtLineEnd(random, stream) {
    return replaceOne(random, stream, /\r\n/g, (end) =>
      random.once(2) ? random.pick(DANGEROUS) + end : end + random.pick(DANGEROUS),
    );
  },
  function duplicateLine(random, stream) {
    const [start, end] = lineSpan(random, stream);
    const [to] = lineSpan(random, stream);
    return splice(stream, random.once(2) ? end : to, 0, stream.slice(start, end));
  },
  function removeLine(random, stream) {
    const [start, end] = lineSpan(random, stream);
    return splice(stream, start, end - start, '');
  },
  function swapLines(random, stream) {
    const lines = stream.split('\r\n');
    const a = random.below(lines.length);
    const b = random.below(lines.length);
    [lines[a], lines[b]] = [lines[b]!, lines[a]!];
    return lines.join('\r\n');
  },
  function loseCarriageReturn(random, stream) {
    return replaceOne(random, stream, /\r\n/g, () => '\n');
  },
  function loseLineFeed(random, stream) {
    return replaceOne(random, stream, /\r\n/g, () => '\r');
  },
  function truncate(random, stream) {
    return stream.slice(0, random.below(stream.length));
  },
  function editNumber(random, stream) {
    return replaceOne(random, stream, /\d+/g, (digits) => {
      const number = Number(digits);
      const edits = [
        String(number + 1),
        String(Math.max(0, number - 1)),
        `0${digits}`,
        `+${digits}`,
        `-${digits}`,
        `${digits}0`,
        `${digits},${digits}`,
        `0x${digits}`,
        '0',
        '99999999999999999999',
        '4294967296',
        `${digits} `,
      ];
      return random.pick(edits);
    });
  },
  function changeCase(random, stream) {
    return replaceOne(random, stream, /[A-Za-z][A-Za-z-]*(?=:)|chunked|close|keep-alive|100-continue|HTTP/gi, (word) =>
      random.once(2) ? word.toUpperCase() : word.toLowerCase(),
    );
  },
  function overlong(random, stream) {
    const at = random.below(stream.length);
    return splice(stream, at, 0, stream[at]!.repeat(random.pick([20, 60, 300, 1100])));
  },
  function repeatPart(random, stream) {
    const at = random.below(stream.length);
    const part = stream.slice(at, at + random.between(1, 40));
    return splice(stream, at, 0, part.repeat(random.pick([1, 1, 2, 12])));
  },
  function joinWithOther(random, stream, other) {
    return stream.slice(0, random.below(stream.length + 1)) + other.slice(random.below(other.length + 1));
  },
  function insertPartOfOther(random, stream, other) {
    const from = random.below(other.length + 1);
    return splice(stream, random.below(stream.length + 1), 0, other.slice(from, from + random.between(1, 60)));
  },
  function append(_random, stream, other) {
    return stream + other;
  },
];

const LONGEST = 20_000;

/** Breaks a stream in a few places; `other` gives the parts of splices. Streams are one character a byte. */
export function mutate(random: Random, stream: string, other: string): string {
  let mutated = stream;
  for (let i = random.pick([1, 1, 1, 2, 2, 3, 5]); i > 0 && mutated !== ''; i--) {
    mutated = random.pick(mutations)(random, mutated, other);
  }
  return mutated.slice(0, LONGEST);
}
