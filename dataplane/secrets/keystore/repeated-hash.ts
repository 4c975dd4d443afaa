import { hash } from 'node:crypto';
import { inTurns } from './bounded-work.ts';

/** How many rounds are done before others get their turn: some milliseconds. */
const ROUNDS_OF_A_TURN = { quick: 10_000, plain: 2000 } as const;

/** What fits into one block of MD5 and SHA-1 beside the padding. */
const MOST_BYTES = 55;

/**
 * Hashes `first`, then what came out followed by `suffix`, until it is done `count` times. Older keystores do this some
 * hundred thousand times for each key; for short texts MD5 and SHA-1 are computed here, because a call of the library
 * costs several times as much as such a hash.
 */
export async function repeatedHash(name: string, first: Buffer, suffix: Buffer, count: number): Promise<Buffer> {
  const start = hash(name, first, 'buffer');
  const compress = compressions.get(name);
  if (compress === undefined || start.length + suffix.length > MOST_BYTES) {
    let state = start;
    const step = (): void => {
      state = hash(name, suffix.length === 0 ? state : Buffer.concat([state, suffix]), 'buffer');
    };
    await inTurns(count - 1, step, ROUNDS_OF_A_TURN.plain);
    return state;
  }
  const block = paddedBlock(start, suffix, name === 'md5');
  await inTurns(count - 1, () => compress(block), ROUNDS_OF_A_TURN.quick);
  return bytesOf(block.subarray(0, start.length / 4), name === 'md5');
}

/** The words of a text and its padding; the first of them are replaced by the hash each time. */
function paddedBlock(start: Buffer, suffix: Buffer, isLittle: boolean): Int32Array {
  const bytes = Buffer.alloc(64);
  const size = start.copy(bytes) + suffix.copy(bytes, start.length);
  bytes[size] = 0x80;
  if (isLittle) bytes.writeUInt32LE(size * 8, 56);
  else bytes.writeUInt32BE(size * 8, 60);
  return Int32Array.from({ length: 16 }, (_, at) => (isLittle ? bytes.readInt32LE(at * 4) : bytes.readInt32BE(at * 4)));
}

function bytesOf(words: Int32Array, isLittle: boolean): Buffer {
  const bytes = Buffer.alloc(words.length * 4);
  for (const [at, word] of words.entries()) {
    if (isLittle) bytes.writeInt32LE(word, at * 4);
    else bytes.writeInt32BE(word, at * 4);
  }
  return bytes;
}

/** Each puts the hash of a block into the first words of it. */
const compressions: ReadonlyMap<string, (block: Int32Array) => void> = new Map([
  ['md5', md5],
  ['sha1', sha1],
]);

const MD5_SINES = Int32Array.from({ length: 64 }, (_, at) => Math.floor(Math.abs(Math.sin(at + 1)) * 2 ** 32));
const MD5_SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];

/** MD5 (RFC 1321) of one block. */
function md5(block: Int32Array): void {
  let a = 0x67452301;
  let b = 0xefcdab89 | 0;
  let c = 0x98badcfe | 0;
  let d = 0x10325476;
  for (let at = 0; at < 64; at++) {
    const round = at >> 4;
    let mixed: number;
    let word: number;
    if (round === 0) {
      mixed = (b & c) | (~b & d);
      word = at;
    } else if (round === 1) {
      mixed = (d & b) | (~d & c);
      word = (5 * at + 1) & 15;
    } else if (round === 2) {
      mixed = b ^ c ^ d;
      word = (3 * at + 5) & 15;
    } else {
      mixed = c ^ (b | ~d);
      word = (7 * at) & 15;
    }
    const sum = (a + mixed + MD5_SINES[at]! + block[word]!) | 0;
    const shift = MD5_SHIFTS[(round << 2) | (at & 3)]!;
    a = d;
    d = c;
    c = b;
    b = (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0;
  }
  block[0] = a + 0x67452301;
  block[1] = b + 0xefcdab89;
  block[2] = c + 0x98badcfe;
  block[3] = d + 0x10325476;
}

/** Nothing is kept in it between two calls. */
const schedule = new Int32Array(80);

/** SHA-1 (RFC 3174) of one block. */
function sha1(block: Int32Array): void {
  schedule.set(block);
  for (let at = 16; at < 80; at++) {
    const word = schedule[at - 3]! ^ schedule[at - 8]! ^ schedule[at - 14]! ^ schedule[at - 16]!;
    schedule[at] = (word << 1) | (word >>> 31);
  }
  let a = 0x67452301;
  let b = 0xefcdab89 | 0;
  let c = 0x98badcfe | 0;
  let d = 0x10325476;
  let e = 0xc3d2e1f0 | 0;
  for (let at = 0; at < 80; at++) {
    let mixed: number;
    if (at < 20) mixed = ((b & c) | (~b & d)) + 0x5a827999;
    else if (at < 40) mixed = (b ^ c ^ d) + 0x6ed9eba1;
    else if (at < 60) mixed = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
    else mixed = (b ^ c ^ d) + 0xca62c1d6;
    const sum = (((a << 5) | (a >>> 27)) + mixed + e + schedule[at]!) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = sum;
  }
  block[0] = a + 0x67452301;
  block[1] = b + 0xefcdab89;
  block[2] = c + 0x98badcfe;
  block[3] = d + 0x10325476;
  block[4] = e + 0xc3d2e1f0;
}
