/** What a frame says, with whatever a test wants to be wrong about it. */
export interface FrameSpec {
  readonly opcode?: number;
  readonly payload?: string | Buffer;
  readonly masked?: boolean;
  readonly fin?: boolean;
  /** The three reserved bits, 4 for the first of them. */
  readonly rsv?: number;
  /** How the length is written: as short as possible, or in 2 or 8 bytes. */
  readonly lengthBytes?: 0 | 2 | 8;
  /** The length that is claimed, if it is not that of the payload. */
  readonly length?: number | bigint;
}

export const CONTINUATION = 0;
export const TEXT = 1;
export const BINARY = 2;
export const CLOSE = 8;
export const PING = 9;
export const PONG = 10;

const KEY = Buffer.from([0x37, 0xfa, 0x21, 0x3d]);

/** A frame, byte for byte. */
export function frame(spec: FrameSpec = {}): Buffer {
  const payload = Buffer.from(spec.payload ?? '');
  const length = BigInt(spec.length ?? payload.length);
  const lengthBytes = spec.lengthBytes ?? (length < 126n ? 0 : length < 65_536n ? 2 : 8);
  const mask = spec.masked === true ? 0x80 : 0;
  const first = (spec.fin === false ? 0 : 0x80) | ((spec.rsv ?? 0) << 4) | (spec.opcode ?? TEXT);
  const head = Buffer.alloc(2 + lengthBytes);
  head[0] = first;
  if (lengthBytes === 0) head[1] = mask | Number(length);
  else {
    head[1] = mask | (lengthBytes === 2 ? 126 : 127);
    if (lengthBytes === 2) head.writeUInt16BE(Number(length), 2);
    else head.writeBigUInt64BE(length, 2);
  }
  return Buffer.concat(mask === 0 ? [head, payload] : [head, KEY, masked(payload)]);
}

/** The same as a client sends it. */
export function clientFrame(spec: FrameSpec = {}): Buffer {
  return frame({ masked: true, ...spec });
}

/** The payload of a Close frame. */
export function closePayload(code: number, text = ''): Buffer {
  const payload = Buffer.alloc(2 + text.length);
  payload.writeUInt16BE(code);
  payload.write(text, 2, 'latin1');
  return payload;
}

/** A frame as it arrived. */
export interface SeenFrame {
  readonly opcode: number;
  readonly fin: boolean;
  readonly masked: boolean;
  readonly payload: string;
}

/** The whole frames in what was received; half a frame at the end is left out. */
export function framesIn(text: string): SeenFrame[] {
  const frames: SeenFrame[] = [];
  let rest = Buffer.from(text, 'latin1');
  while (rest.length >= 2) {
    const short = rest[1]! & 127;
    const isMasked = (rest[1]! & 0x80) !== 0;
    const head = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0);
    const start = head + (isMasked ? 4 : 0);
    if (rest.length < start) break;
    const length = short === 126 ? rest.readUInt16BE(2) : short === 127 ? Number(rest.readBigUInt64BE(2)) : short;
    if (rest.length < start + length) break;
    const sent = rest.subarray(start, start + length);
    const payload = isMasked ? masked(sent, rest.subarray(head, start)) : sent;
    const fin = (rest[0]! & 0x80) !== 0;
    frames.push({ opcode: rest[0]! & 15, fin, masked: isMasked, payload: payload.toString('latin1') });
    rest = rest.subarray(start + length);
  }
  return frames;
}

/** The code of a Close frame, or null when it has none; undefined when the last frame is not a Close. */
export function closeCode(frames: readonly SeenFrame[]): number | null | undefined {
  const last = frames.at(-1);
  if (last?.opcode !== CLOSE) return undefined;
  return last.payload.length < 2 ? null : Buffer.from(last.payload, 'latin1').readUInt16BE();
}

/** Masks, or takes the mask away. */
function masked(payload: Buffer, key: Buffer = KEY): Buffer {
  return Buffer.from(payload.map((byte, i) => byte ^ key[i & 3]!));
}
