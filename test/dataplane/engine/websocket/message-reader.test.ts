import { describe, expect, it } from 'vitest';
import { CLOSED } from '../../../../dataplane/engine/websocket/frame-check.ts';
import { MessageReader } from '../../../../dataplane/engine/websocket/message-reader.ts';
import {
  BINARY,
  CLOSE,
  CONTINUATION,
  closePayload,
  type FrameSpec,
  frame,
  PING,
  PONG,
} from '../../../support/clients/websocket-frames.ts';

const LONGEST = 300;

/** What a reader says about bytes that come in these pieces. */
function read(pieces: readonly Buffer[]): string[] {
  const seen: string[] = [];
  const reader = new MessageReader(
    {
      text: (message) => seen.push(`text ${message}`),
      unreadable: (reason) => seen.push(`unreadable: ${reason}`),
      pinged: (payload) => seen.push(`ping ${payload}`),
    },
    LONGEST,
  );
  for (const piece of pieces) {
    const own = Buffer.from(piece);
    const finding = reader.read(own, 0, own.length);
    own.fill(0); // the bytes are valid for one turn only
    if (finding === null) continue;
    seen.push(finding === CLOSED ? 'closed' : `${finding.code}: ${finding.text}`);
    break;
  }
  return seen;
}

/** All segmentations of few bytes; of more, all in two and in three pieces and all in pieces of one size. */
function* segmentations(bytes: Buffer): Generator<Buffer[]> {
  const { length } = bytes;
  if (length <= 12) {
    for (let cuts = 0; cuts < 1 << Math.max(0, length - 1); cuts++) {
      const at = [
        0,
        ...Array.from({ length: length - 1 }, (_, i) => i + 1).filter((i) => cuts & (1 << (i - 1))),
        length,
      ];
      yield at.slice(1).map((end, i) => bytes.subarray(at[i], end));
    }
    return;
  }
  for (let size = 1; size <= length; size++) {
    const pieces: Buffer[] = [];
    for (let at = 0; at < length; at += size) pieces.push(bytes.subarray(at, at + size));
    yield pieces;
  }
  for (let one = 0; one <= length; one++) {
    for (let two = one; two <= length; two += length > 100 ? 17 : 1) {
      yield [bytes.subarray(0, one), bytes.subarray(one, two), bytes.subarray(two)];
    }
  }
}

function expectRead(frames: readonly FrameSpec[], expected: readonly string[]): void {
  const bytes = Buffer.concat(frames.map((spec) => frame(spec)));
  for (const pieces of segmentations(bytes)) {
    const seen = read(pieces);
    if (seen.join('\n') === expected.join('\n')) continue;
    expect({ pieces: pieces.map(({ length }) => length), seen }).toEqual({ seen: expected });
  }
}

const euro = Buffer.from('€');
const before: FrameSpec = { payload: 'a' };

describe('messages of a server are read alike in every segmentation', () => {
  it.each<[string, FrameSpec[], string[]]>([
    ['an empty text', [{}], ['text ']],
    ['a short text', [{ payload: 'hello' }], ['text hello']],
    ['two texts', [{ payload: 'ab' }, { payload: 'cde' }], ['text ab', 'text cde']],
    ['a length in two bytes', [{ payload: 'x'.repeat(126) }, before], [`text ${'x'.repeat(126)}`, 'text a']],
    ['a byte order mark', [{ payload: '\ufeffa' }], ['text \ufeffa']],
    [
      'fragments that cut a character',
      [
        { fin: false, payload: euro.subarray(0, 1) },
        { opcode: CONTINUATION, fin: false },
        { opcode: CONTINUATION, payload: euro.subarray(1) },
      ],
      ['text €'],
    ],
    [
      'control frames between fragments',
      [
        { fin: false, payload: 'a' },
        { opcode: PING, payload: 'p1' },
        { opcode: CONTINUATION, fin: false, payload: 'b' },
        { opcode: PONG, payload: 'q' },
        { opcode: PING },
        { opcode: CONTINUATION, payload: 'c' },
        { payload: 'd' },
      ],
      ['ping p1', 'ping ', 'text abc', 'text d'],
    ],
    [
      'a Close between fragments',
      [{ fin: false, payload: 'a' }, { opcode: CLOSE }, { opcode: CONTINUATION, payload: 'b' }],
      ['closed'],
    ],
    [
      'a Close with a reason, and a text behind it',
      [before, { opcode: CLOSE, payload: closePayload(1000, 'x') }, before],
      ['text a', 'closed'],
    ],
    ['a binary message', [{ opcode: BINARY, payload: 'b' }, before], ['unreadable: a message is not text', 'text a']],
    [
      'a message that is too long',
      [{ payload: 'x'.repeat(LONGEST + 1) }, before],
      ['unreadable: a message has 301 bytes', 'text a'],
    ],
    [
      'fragments that are too long together',
      [
        { fin: false, payload: 'x'.repeat(200) },
        { opcode: PING, payload: 'p' },
        { opcode: CONTINUATION, fin: false, payload: 'x'.repeat(101) },
        { opcode: CONTINUATION, payload: 'x' },
        before,
      ],
      ['ping p', 'unreadable: a message has 302 bytes', 'text a'],
    ],
    ['the longest message', [{ payload: 'x'.repeat(LONGEST) }], [`text ${'x'.repeat(LONGEST)}`]],
    ...[
      ['a byte that never occurs', [0xff]],
      ['an overlong slash', [0xc0, 0xaf]],
      ['a surrogate', [0xed, 0xa0, 0x80]],
      ['a character beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
      ['half a character', [0xe2, 0x82]],
    ].map(([name, bytes]): [string, FrameSpec[], string[]] => [
      `invalid UTF-8: ${name}`,
      [{ payload: Buffer.from(bytes as number[]) }, before],
      ['unreadable: a message is not UTF-8', 'text a'],
    ]),
  ])('%s', (_, frames, expected) => expectRead(frames, expected));
});

describe('a violation of the protocol ends the stream, after the messages before it', () => {
  const fragment: FrameSpec = { fin: false, payload: 'f' };
  it.each<[string, FrameSpec[], string]>([
    ['a masked frame', [{ payload: 'x', masked: true }], '1002: a frame of the backend is masked'],
    ['a masked Ping', [{ opcode: PING, masked: true }], '1002: a frame of the backend is masked'],
    ...[1, 2, 4, 7].flatMap((rsv): [string, FrameSpec[], string][] => [
      [`reserved bits ${rsv} of a text`, [{ rsv }], '1002: a reserved bit is set'],
      [`reserved bits ${rsv} of a Ping`, [{ opcode: PING, rsv }], '1002: a reserved bit is set'],
      [
        `reserved bits ${rsv} of a continuation`,
        [fragment, { opcode: CONTINUATION, rsv }],
        '1002: a reserved bit is set',
      ],
    ]),
    ...[3, 7, 11, 15].map((opcode): [string, FrameSpec[], string] => [
      `the opcode ${opcode}`,
      [{ opcode }],
      '1002: the opcode is not known',
    ]),
    ['a fragmented Ping', [{ opcode: PING, fin: false }], '1002: a control frame is fragmented'],
    ['a long Ping', [{ opcode: PING, payload: 'x'.repeat(126) }], '1002: a control frame is too long'],
    ['a continuation of nothing', [{ opcode: CONTINUATION }], '1002: there is no message to continue'],
    ['a text inside another', [fragment, { payload: 'x' }], '1002: a message begins inside another'],
    [
      'a short length in two bytes',
      [{ payload: 'x', lengthBytes: 2 }],
      '1002: the length is not written in its shortest form',
    ],
    [
      'a short length in eight bytes',
      [{ payload: 'x', lengthBytes: 8 }],
      '1002: the length is not written in its shortest form',
    ],
    ['a length of 2^63', [{ length: 2n ** 63n }], '1002: the length is out of range'],
    ['a length of 2^64 - 1', [{ length: 2n ** 64n - 1n }], '1002: the length is out of range'],
    ['a length of 2^63 - 1', [{ length: 2n ** 63n - 1n }], '1009: the message is too large'],
    ['a length of 2^53', [{ length: 2n ** 53n }], '1009: the message is too large'],
    ['more than 64 MiB', [{ length: 64n * 1024n * 1024n + 1n }], '1009: the message is too large'],
    [
      'more than 64 MiB in fragments',
      [fragment, { opcode: CONTINUATION, length: 64n * 1024n * 1024n }],
      '1009: the message is too large',
    ],
    ['a Close with half a code', [{ opcode: CLOSE, payload: 'x' }], '1002: the code of the Close frame is not valid'],
    ...[0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65_535].map((code): [string, FrameSpec[], string] => [
      `a Close with the code ${code}`,
      [{ opcode: CLOSE, payload: closePayload(code) }],
      '1002: the code of the Close frame is not valid',
    ]),
  ])('%s', (_, frames, expected) => {
    expectRead([before, { opcode: PING, payload: 'p' }, ...frames], ['text a', 'ping p', expected]);
    expectRead([...frames, before], [expected]);
  });
});

it.each([1000, 1001, 1002, 1003, 1007, 1011, 1012, 1014, 3000, 4999])('a Close with the code %s is sound', (code) => {
  expectRead([before, { opcode: CLOSE, payload: closePayload(code, 'bye') }], ['text a', 'closed']);
});
