import { expect, it } from 'vitest';
import { HpackDecoder } from '../../../../dataplane/engine/frames/hpack-decoder.ts';
import { blockRoom, HpackEncoder } from '../../../../dataplane/engine/frames/hpack-encoder.ts';
import { type Field, fieldsOf } from '../../../support/clients/hpack-blocks.ts';
import { randomNumbers } from '../../../support/clients/random.ts';

/** Encodes fields by `text` or, from bytes, by `line`. */
function encode(encoder: HpackEncoder, fields: readonly Field[], asLines: boolean): Buffer {
  const length = fields.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  const out = Buffer.alloc(blockRoom(length, fields.length));
  let at = encoder.begin(out, 0);
  for (const [name, value] of fields) {
    if (name === ':status') at = encoder.status(out, at, Number(value));
    else if (asLines) {
      const bytes = Buffer.from(`${name}: ${value}`, 'latin1');
      at = encoder.line(out, at, bytes, 0, name.length, name.length + 2, bytes.length);
    } else at = encoder.text(out, at, name, value);
  }
  return out.subarray(0, at);
}

const ANSWER: Field[] = [
  [':status', '200'],
  ['Content-Type', 'application/json'],
  ['Server', 'backend'],
  ['X-Custom', 'the same each time'],
  ['Vary', 'accept-encoding'],
];
const plain = (fields: readonly Field[]): Field[] => fields.map(([name, value]) => [name.toLowerCase(), value]);

it('encodes repeated fields with one byte each', () => {
  const encoder = new HpackEncoder();
  const decoder = new HpackDecoder(4096);
  const lengths = [1, 2, 3].map(() => {
    const block = encode(encoder, ANSWER, true);
    expect(fieldsOf(decoder, block)).toEqual(plain(ANSWER));
    return block.length;
  });
  expect(lengths[2]).toBe(ANSWER.length);
});

it('does not add fields to the table that do not repeat', () => {
  const encoder = new HpackEncoder();
  const decoder = new HpackDecoder(4096);
  for (let i = 0; i < 200; i++) {
    const fields: Field[] = [...ANSWER, ['x-request-id', `id-${i}-${i * 7919}`]];
    const block = encode(encoder, fields, true);
    expect(fieldsOf(decoder, block)).toEqual(plain(fields));
    if (i > 2) expect(block.length).toBeLessThan(ANSWER.length + 40);
  }
});

it.each(['authorization', 'cookie', 'set-cookie', 'proxy-authorization'])('never adds %s to a table', (name) => {
  const encoder = new HpackEncoder();
  for (let i = 0; i < 3; i++) expect(encode(encoder, [[name, 'secret']], true)[0]! & 0xf0).toBe(0x10);
});

it('announces a table that was shrunk and grown between two blocks', () => {
  const encoder = new HpackEncoder();
  const decoder = new HpackDecoder(4096);
  for (let i = 0; i < 3; i++) fieldsOf(decoder, encode(encoder, ANSWER, true));
  encoder.tableSize(0);
  encoder.tableSize(100_000);
  const block = encode(encoder, ANSWER, true);
  expect(block.subarray(0, 4).toString('hex')).toBe('203fe11f');
  expect(fieldsOf(decoder, block)).toEqual(plain(ANSWER));
  encoder.tableSize(64);
  for (let i = 0; i < 5; i++) expect(fieldsOf(decoder, encode(encoder, ANSWER, true))).toEqual(plain(ANSWER));
  encoder.tableSize(0);
  for (let i = 0; i < 5; i++) expect(fieldsOf(decoder, encode(encoder, ANSWER, true))).toEqual(plain(ANSWER));
});

const NAMES = ['accept', 'Content-Type', 'X-Long-Name-Of-A-Header', 'etag', 'x', 'vary', 'via', ':path', 'te', 'age'];
const STATUSES = ['200', '204', '304', '404', '418', '503', '599'];

it.each([1, 2, 3, 4, 5, 6])('a decoder reads the encoded fields unchanged, with random fields of seed %i', (seed) => {
  const random = randomNumbers(seed);
  const encoder = new HpackEncoder();
  const decoder = new HpackDecoder(4096);
  for (let i = 0; i < 400; i++) {
    if (random(40) === 0) encoder.tableSize(random(3) === 0 ? 4096 : random(5000));
    const fields: Field[] = [[':status', STATUSES[random(STATUSES.length)]!]];
    for (let count = random(12); count > 0; count--) {
      const value = String.fromCharCode(97 + random(20)).repeat(random(10) === 0 ? random(3000) : random(40));
      fields.push([NAMES[random(NAMES.length)]!, value]);
    }
    expect(fieldsOf(decoder, encode(encoder, fields, random(2) === 0))).toEqual(plain(fields));
  }
});
