import { describe, expect, it } from 'vitest';
import { CLOSED, FrameCheck, type FrameTerms } from '../../../../dataplane/engine/websocket/frame-check.ts';
import {
  BINARY,
  CLOSE,
  CONTINUATION,
  clientFrame,
  closePayload,
  type FrameSpec,
  frame,
  PING,
  PONG,
  TEXT,
} from '../../../support/clients/websocket-frames.ts';

const NOTHING_AGREED = { first: 0, later: 0, control: 0, opcodes: false };
const PER_MESSAGE = { first: 0x40, later: 0, control: 0, opcodes: false };
const PER_FRAME = { first: 0x40, later: 0x40, control: 0, opcodes: false };
const UNKNOWN = { first: 0x70, later: 0x70, control: 0x70, opcodes: true };
const terms = (some: Partial<FrameTerms> = {}): FrameTerms => ({
  masked: false,
  reserved: NOTHING_AGREED,
  frameBytes: 0,
  messageBytes: 0,
  ...some,
});

/** What the check finds when the bytes come in pieces of this size. */
function found(bytes: Buffer, held: FrameTerms, size: number): string {
  const check = new FrameCheck(held);
  for (let at = 0; at < bytes.length; at += size) {
    const finding = check.scan(bytes, at, Math.min(at + size, bytes.length), null);
    if (finding === CLOSED) return `closed with ${check.closeBytes.toString('hex', check.closeStart, check.closeEnd)}`;
    if (finding !== null) return `${finding.code}: ${finding.text}`;
  }
  return check.payloadLeft === 0 ? 'sound' : `${check.payloadLeft} to come`;
}

function expectFound(frames: readonly FrameSpec[], held: FrameTerms, expected: string): void {
  const bytes = Buffer.concat(frames.map((spec) => frame({ masked: held.masked, ...spec })));
  for (const size of [1, 2, 3, 5, 7, bytes.length + 1]) expect(found(bytes, held, size)).toBe(expected);
}

const long = 'x'.repeat(200);
const longest = 'x'.repeat(70_000);

describe('frames in order', () => {
  it.each<[string, FrameSpec[]]>([
    ['a text', [{ payload: 'hello' }]],
    ['an empty text', [{}]],
    ['125 bytes', [{ payload: 'x'.repeat(125) }]],
    ['126 bytes', [{ payload: 'x'.repeat(126) }]],
    ['65535 bytes', [{ payload: 'x'.repeat(65_535) }]],
    ['65536 bytes', [{ payload: 'x'.repeat(65_536) }]],
    ['several', [{ payload: long }, { opcode: BINARY, payload: 'b' }, { payload: longest }, { opcode: PING }]],
    ['fragments', [{ fin: false, payload: 'a' }, { opcode: CONTINUATION, fin: false }, { opcode: CONTINUATION }]],
    [
      'control frames between fragments',
      [{ fin: false }, { opcode: PING, payload: 'p' }, { opcode: PONG }, { opcode: CONTINUATION }, { payload: 'next' }],
    ],
  ])('pass: %s', (_case, frames) => {
    for (const masked of [false, true]) expectFound(frames, terms({ masked }), 'sound');
  });

  it('report the number of missing bytes', () => {
    expectFound([{ payload: 'abc', length: 10 }], terms(), '7 to come');
    expectFound([{ length: 2n ** 53n }], terms(), `${2 ** 53} to come`);
  });
});

describe('violations', () => {
  const control = [CLOSE, PING, PONG];
  it.each<[string, FrameSpec[], Partial<FrameTerms>, string]>([
    ['a mask from a backend', [{ masked: true }], {}, '1002: a frame of the backend is masked'],
    ['no mask from a client', [{ masked: false }], { masked: true }, '1002: a frame of a client is not masked'],
    ...[1, 2, 4].map((rsv): [string, FrameSpec[], Partial<FrameTerms>, string] => [
      `reserved bit ${rsv}`,
      [{ rsv }],
      {},
      '1002: a reserved bit is set',
    ]),
    ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode): [string, FrameSpec[], Partial<FrameTerms>, string] => [
      `opcode ${opcode}`,
      [{ opcode }],
      {},
      '1002: the opcode is not known',
    ]),
    ...control.flatMap((opcode): [string, FrameSpec[], Partial<FrameTerms>, string][] => [
      [`a fragment of ${opcode}`, [{ opcode, fin: false }], {}, '1002: a control frame is fragmented'],
      [`126 bytes in ${opcode}`, [{ opcode, payload: 'x'.repeat(126) }], {}, '1002: a control frame is too long'],
      [`a reserved bit in ${opcode}`, [{ opcode, rsv: 4 }], { reserved: PER_FRAME }, '1002: a reserved bit is set'],
    ]),
    ['a continuation of nothing', [{ opcode: CONTINUATION }], {}, '1002: there is no message to continue'],
    [
      'a continuation behind the last one',
      [{ fin: false }, { opcode: CONTINUATION }, { opcode: CONTINUATION }],
      {},
      '1002: there is no message to continue',
    ],
    ['a message in a message', [{ fin: false }, { opcode: TEXT }], {}, '1002: a message begins inside another'],
    [
      'a short length in two bytes',
      [{ payload: 'x'.repeat(125), lengthBytes: 2 }],
      {},
      '1002: the length is not written in its shortest form',
    ],
    [
      'a short length in eight bytes',
      [{ length: 65_535, lengthBytes: 8 }],
      {},
      '1002: the length is not written in its shortest form',
    ],
    ['a length of 64 bits', [{ length: 2n ** 63n, lengthBytes: 8 }], {}, '1002: the length is out of range'],
    ['a frame over the limit', [{ payload: 'x'.repeat(11) }], { frameBytes: 10 }, '1009: the frame is too large'],
    ['a message over the limit', [{ payload: 'x'.repeat(11) }], { messageBytes: 10 }, '1009: the message is too large'],
    [
      'fragments over the limit',
      [
        { fin: false, payload: '12345' },
        { opcode: PING, payload: long.slice(0, 99) },
        { opcode: CONTINUATION, length: 6 },
      ],
      { messageBytes: 10 },
      '1009: the message is too large',
    ],
    ['a Close of one byte', [{ opcode: CLOSE, payload: 'x' }], {}, '1002: the code of the Close frame is not valid'],
    ...[0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535].map(
      (code): [string, FrameSpec[], Partial<FrameTerms>, string] => [
        `a Close with ${code}`,
        [{ opcode: CLOSE, payload: closePayload(code) }],
        {},
        '1002: the code of the Close frame is not valid',
      ],
    ),
  ])('are found: %s', (_case, frames, some, expected) => {
    expectFound(frames, terms(some), expected);
    if (some.frameBytes === undefined && some.messageBytes === undefined) {
      expectFound([{ payload: long, masked: some.masked === true }, ...frames], terms(some), expected);
    }
  });
});

describe('limits', () => {
  it('apply to data frames, not to control frames', () => {
    const held = terms({ frameBytes: 10, messageBytes: 15 });
    expectFound([{ payload: 'x'.repeat(10) }, { opcode: PING, payload: long.slice(0, 99) }], held, 'sound');
    expectFound(
      [
        { fin: false, payload: 'x'.repeat(10) },
        { opcode: CONTINUATION, payload: '12345' },
      ],
      held,
      'sound',
    );
    expectFound([{ payload: 'x'.repeat(10) }, { payload: 'x'.repeat(10) }], held, 'sound');
  });
});

describe('a Close', () => {
  it.each([1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999])(
    'with %i is found whole',
    (code) => {
      const bytes = clientFrame({ opcode: CLOSE, payload: closePayload(code, 'because') });
      const rest = clientFrame({ payload: 'too late' });
      for (const size of [1, 2, 4, 9, 100]) {
        const expected = `closed with ${bytes.toString('hex')}`;
        expect(found(Buffer.concat([clientFrame(), bytes, rest]), terms({ masked: true }), size)).toBe(expected);
      }
    },
  );

  it('without a code is found', () => {
    expectFound([{ opcode: CLOSE }, { rsv: 7 }], terms(), 'closed with 8800');
  });
});

describe('reserved bits', () => {
  it.each<[string, FrameTerms['reserved'], FrameSpec[], string]>([
    ['of a message', PER_MESSAGE, [{ rsv: 4, fin: false }, { opcode: CONTINUATION }], 'sound'],
    [
      'of a message, on a later frame',
      PER_MESSAGE,
      [
        { rsv: 4, fin: false },
        { opcode: CONTINUATION, rsv: 4 },
      ],
      '1002: a reserved bit is set',
    ],
    [
      'of each frame',
      PER_FRAME,
      [
        { rsv: 4, fin: false },
        { opcode: CONTINUATION, rsv: 4 },
      ],
      'sound',
    ],
    ['that nobody agreed on', PER_FRAME, [{ rsv: 2 }], '1002: a reserved bit is set'],
    ['of what we do not know', UNKNOWN, [{ rsv: 7 }, { opcode: 3 }, { opcode: 11, rsv: 7 }], 'sound'],
  ])('are checked: %s', (_case, reserved, frames, expected) => {
    expectFound(frames, terms({ reserved }), expected);
  });
});
