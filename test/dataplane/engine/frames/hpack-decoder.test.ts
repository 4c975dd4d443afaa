import { describe, expect, it } from 'vitest';
import { HpackDecoder } from '../../../../dataplane/engine/frames/hpack-decoder.ts';
import { blockOf, type Field, fieldsOf } from '../../../support/clients/hpack-blocks.ts';

const AUTHORITY = 'www.example.com';
const REQUESTS: Field[][] = [
  [
    [':method', 'GET'],
    [':scheme', 'http'],
    [':path', '/'],
    [':authority', AUTHORITY],
  ],
  [
    [':method', 'GET'],
    [':scheme', 'http'],
    [':path', '/'],
    [':authority', AUTHORITY],
    ['cache-control', 'no-cache'],
  ],
  [
    [':method', 'GET'],
    [':scheme', 'https'],
    [':path', '/index.html'],
    [':authority', AUTHORITY],
    ['custom-key', 'custom-value'],
  ],
];
const COOKIE = 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1';
const ANSWERS: Field[][] = [
  [
    [':status', '302'],
    ['cache-control', 'private'],
    ['date', 'Mon, 21 Oct 2013 20:13:21 GMT'],
    ['location', 'https://www.example.com'],
  ],
  [
    [':status', '307'],
    ['cache-control', 'private'],
    ['date', 'Mon, 21 Oct 2013 20:13:21 GMT'],
    ['location', 'https://www.example.com'],
  ],
  [
    [':status', '200'],
    ['cache-control', 'private'],
    ['date', 'Mon, 21 Oct 2013 20:13:22 GMT'],
    ['location', 'https://www.example.com'],
    ['content-encoding', 'gzip'],
    ['set-cookie', COOKIE],
  ],
];

/** The examples of RFC 7541 appendix C: a table size, blocks in hexadecimal, and the fields in them. */
const EXAMPLES: [string, number, string[], Field[][]][] = [
  ['C.2.1', 4096, ['400a637573746f6d2d6b65790d637573746f6d2d686561646572'], [[['custom-key', 'custom-header']]]],
  ['C.2.2', 4096, ['040c2f73616d706c652f70617468'], [[[':path', '/sample/path']]]],
  ['C.2.3', 4096, ['100870617373776f726406736563726574'], [[['password', 'secret']]]],
  ['C.2.4', 4096, ['82'], [[[':method', 'GET']]]],
  [
    'C.3',
    4096,
    [
      '828684410f7777772e6578616d706c652e636f6d',
      '828684be58086e6f2d6361636865',
      '828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565',
    ],
    REQUESTS,
  ],
  [
    'C.4',
    4096,
    [
      '828684418cf1e3c2e5f23a6ba0ab90f4ff',
      '828684be5886a8eb10649cbf',
      '828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf',
    ],
    REQUESTS,
  ],
  [
    'C.5',
    256,
    [
      '4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a323120474d546e1768747470733a2f2f7777772e6578616d706c652e636f6d',
      '4803333037c1c0bf',
      '88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a69707738666f6f3d4153444a4b48514b425a584f5157454f50495541585157454f49553b206d61782d6167653d333630303b2076657273696f6e3d31',
    ],
    ANSWERS,
  ],
  [
    'C.6',
    256,
    [
      '488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3',
      '4883640effc1c0bf',
      '88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007',
    ],
    ANSWERS,
  ],
];

it.each(EXAMPLES)('RFC 7541 %s', (_name, tableSize, blocks, fields) => {
  const decoder = new HpackDecoder(tableSize);
  expect(blocks.map((block) => fieldsOf(decoder, Buffer.from(block, 'hex')))).toEqual(fields);
});

describe('refuses', () => {
  it.each([
    ['index 0', '80'],
    ['an index beyond the tables', 'be'],
    ['a name index beyond the tables', '7f0000'],
    ['a number that never ends', 'ffffffffffffffffff'],
    ['a number of six bytes', 'ff8080808001'],
    ['a number that is cut off', 'ff80'],
    ['a text that is cut off', '400561'],
    ['a field without a value', '400161'],
    ['a literal that is cut off after its index', '44'],
    ['Huffman padding of eight ones', '448307ffff'],
    ['Huffman padding of zeros', '448100'],
    ['the end-of-string code', '4484ffffffff'],
    ['a table size above ours', '3fe21f'],
    ['a table size after a field', '8220'],
  ])('%s', (_what, block) => {
    expect(fieldsOf(new HpackDecoder(4096), Buffer.from(block, 'hex'))).toBeNull();
  });
});

describe('the table', () => {
  it('is emptied by a size of zero and by an entry that is larger than all of it', () => {
    const decoder = new HpackDecoder(4096);
    const add = blockOf(['x', 'y']);
    expect(fieldsOf(decoder, add)).toEqual([['x', 'y']]);
    expect(fieldsOf(decoder, Buffer.from('be', 'hex'))).toEqual([['x', 'y']]);
    expect(fieldsOf(decoder, Buffer.concat([Buffer.from('203fe11f', 'hex'), add]))).toEqual([['x', 'y']]);
    expect(fieldsOf(decoder, Buffer.from('bf', 'hex'))).toBeNull();
    expect(fieldsOf(decoder, blockOf(['x', 'z'.repeat(4090)]))).toEqual([['x', 'z'.repeat(4090)]]);
    expect(fieldsOf(decoder, Buffer.from('be', 'hex'))).toBeNull();
  });

  it('keeps the right entries through many rounds of its ring buffer', () => {
    const decoder = new HpackDecoder(4096);
    const kept: Field[] = [];
    let size = 0;
    for (let i = 0; i < 5000; i++) {
      const field: Field = [`n${i}`, 'v'.repeat((i * 7919) % 900)];
      expect(fieldsOf(decoder, blockOf(field))).toEqual([field]);
      kept.unshift(field);
      size += field[0].length + field[1].length + 32;
      while (size > 4096) {
        const [name, value] = kept.pop()!;
        size -= name.length + value.length + 32;
      }
      const all = Buffer.from([...kept.map((_, age) => 0x80 | (62 + age))]);
      if (kept.length < 60) expect(fieldsOf(decoder, all)).toEqual(kept);
    }
  });
});

describe('a field is valid or not', () => {
  it.each<[Field, boolean]>([
    [['x-a', 'b'], true],
    [['x-a', ''], true],
    [['x_a', 'b c\td'], true],
    [['x-a', 'é'], true],
    [['te', 'trailers'], true],
    [['x-a', 'v'.repeat(500)], true],
    [['x-a', `${'v'.repeat(500)}\n`], false],
    [['X-a', 'b'], false],
    [['x-A', 'b'], false],
    [['', 'b'], false],
    [[':', 'b'], false],
    [['x a', 'b'], false],
    [['x:a', 'b'], false],
    [['x\r\na', 'b'], false],
    [['é', 'b'], false],
    [['x-a', ' b'], false],
    [['x-a', 'b\t'], false],
    [['x-a', 'b\r\nc: d'], false],
    [['x-a', 'b\0c'], false],
    [['x-a', 'b\nc'], false],
    [['x-a', 'b\x7f'], false],
    [['te', 'gzip'], false],
    [['connection', 'close'], false],
    [['keep-alive', '1'], false],
    [['proxy-connection', 'x'], false],
    [['transfer-encoding', 'chunked'], false],
    [['upgrade', 'x'], false],
  ])('%j: %s', (field, sound) => {
    const decoder = new HpackDecoder(4096);
    const verdicts: boolean[] = [];
    const sink = {
      field(_bytes: Buffer, _start: number, _nameLength: number, _end: number, verdict: boolean): void {
        verdicts.push(verdict);
      },
    };
    const block = Buffer.concat([blockOf(field), Buffer.from('be', 'hex')]);
    expect(decoder.decode(block, 0, block.length, sink)).toBe(true);
    expect(verdicts).toEqual([sound, sound]);
  });
});

describe('a long literal that is kept out of the table', () => {
  const credentials = (value: string): Buffer =>
    Buffer.concat([Buffer.from([0x1f, 0x08, 0x7f, value.length - 127]), Buffer.from(value, 'latin1')]);
  const [one, other] = ['a'.repeat(200), `${'a'.repeat(199)}b`] as const;

  it.each([
    ['comes again', [one, one, one]],
    ['changes in its last byte', [one, other, one]],
    ['changes in its length', [one, one.slice(1), one]],
    ['holds what no value may hold, again', ['\0'.repeat(200), '\0'.repeat(200)]],
  ])('is decoded correctly when it %s', (_case, values) => {
    const decoder = new HpackDecoder(4096);
    for (const value of values) {
      const block = Buffer.concat([Buffer.from([0x82]), credentials(value), Buffer.from([0x84])]);
      const seen: string[] = [];
      const isSound: boolean[] = [];
      const decoded = decoder.decode(block, 0, block.length, {
        field(bytes, start, nameLength, end, sound) {
          seen.push(bytes.latin1Slice(start, start + nameLength), bytes.latin1Slice(start + nameLength + 2, end - 2));
          isSound.push(sound);
        },
      });
      expect([decoded, seen]).toEqual([true, [':method', 'GET', 'authorization', value, ':path', '/']]);
      expect(isSound[1]).toBe(!value.startsWith('\0'));
    }
  });

  it('is malformed when it is cut, although it began as the last one', () => {
    const decoder = new HpackDecoder(4096);
    const block = credentials(one);
    expect(decoder.decode(block, 0, block.length, { field() {} })).toBe(true);
    expect(decoder.decode(block, 0, block.length - 1, { field() {} })).toBe(false);
  });
});
