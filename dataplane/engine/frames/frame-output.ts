import { keep, put, wake } from '../wire/turn.ts';
import type { Wire } from '../wire/wire.ts';
import { ERROR, FLAG, FRAME, FRAME_HEADER, write32, writeFrameHeader } from './frames.ts';

const BLOCK_SIZE = 65_536;
const MOST_BLOCKS = 64;
const blocks: Buffer[] = [];
const NOTHING = Buffer.alloc(0);

/**
 * The frames that go out on one connection. Many streams, and what they are joined to, write by turns; so frames are
 * collected here and reach the wire when the turn ends, which makes them one write however they were mixed.
 */
export class FrameOutput {
  /** Write at `at`, between `reserve` and moving `at` on. */
  bytes: Buffer = NOTHING;
  at = 0;
  /** Bytes that were handed to the wire so far. */
  total = 0;
  private readonly wire: Wire;
  private over = false;

  constructor(wire: Wire) {
    this.wire = wire;
  }

  /** Makes room for `length` contiguous bytes at `at`. */
  reserve(length: number): void {
    if (this.at + length <= this.bytes.length) return;
    if (this.bytes === NOTHING) {
      keep(this);
      wake();
    } else this.flush();
    if (this.bytes.length < length) {
      this.recycle();
      this.bytes = length > BLOCK_SIZE ? Buffer.allocUnsafeSlow(length) : (blocks.pop() ?? newBlock());
    }
  }

  /** Writes the header of a frame whose payload follows, with room for that payload too. */
  begin(length: number, type: number, flags: number, stream: number): void {
    this.reserve(FRAME_HEADER + length);
    this.at = writeFrameHeader(this.bytes, this.at, length, type, flags, stream);
  }

  /** A DATA frame; the caller knows that windows and frame size allow it. */
  data(stream: number, bytes: Buffer, start: number, end: number, last: boolean): void {
    this.begin(end - start, FRAME.DATA, last ? FLAG.END_STREAM : 0, stream);
    this.at += bytes.copy(this.bytes, this.at, start, end);
  }

  /**
   * Frames a header block that was written from `start + FRAME_HEADER` to `end`, in as many frames as the peer's frame
   * size asks for. The caller has reserved `headerFramesRoom` of the block.
   */
  headers(start: number, end: number, stream: number, last: boolean, frameSize: number): void {
    const { bytes } = this;
    const block = start + FRAME_HEADER;
    const extra = Math.max(0, Math.ceil((end - block) / frameSize) - 1);
    for (let i = extra; i > 0; i--) {
      const from = block + i * frameSize;
      const to = Math.min(end, from + frameSize);
      bytes.copyWithin(from + i * FRAME_HEADER, from, to);
      const flags = i === extra ? FLAG.END_HEADERS : 0;
      writeFrameHeader(bytes, from + (i - 1) * FRAME_HEADER, to - from, FRAME.CONTINUATION, flags, stream);
    }
    const flags = (extra === 0 ? FLAG.END_HEADERS : 0) | (last ? FLAG.END_STREAM : 0);
    writeFrameHeader(bytes, start, Math.min(frameSize, end - block), FRAME.HEADERS, flags, stream);
    this.at = end + extra * FRAME_HEADER;
  }

  reset(stream: number, code: number): void {
    this.begin(4, FRAME.RST_STREAM, 0, stream);
    this.at = write32(this.bytes, this.at, code);
  }

  windowUpdate(stream: number, increment: number): void {
    this.begin(4, FRAME.WINDOW_UPDATE, 0, stream);
    this.at = write32(this.bytes, this.at, increment);
  }

  /** Our settings: pairs of a number and a value. */
  settings(pairs: readonly (readonly [number, number])[]): void {
    this.begin(6 * pairs.length, FRAME.SETTINGS, 0, 0);
    for (const [name, value] of pairs) {
      this.bytes[this.at] = name >>> 8;
      this.bytes[this.at + 1] = name;
      this.at = write32(this.bytes, this.at + 2, value);
    }
  }

  settingsAck(): void {
    this.begin(0, FRAME.SETTINGS, FLAG.ACK, 0);
  }

  /** Answers a ping whose eight bytes start at `start`. */
  pingAck(bytes: Buffer, start: number): void {
    this.begin(8, FRAME.PING, FLAG.ACK, 0);
    this.at += bytes.copy(this.bytes, this.at, start, start + 8);
  }

  ping(payload: Buffer): void {
    this.begin(8, FRAME.PING, 0, 0);
    this.at += payload.copy(this.bytes, this.at, 0, 8);
  }

  goaway(lastStream: number, code: number = ERROR.NO_ERROR): void {
    this.begin(8, FRAME.GOAWAY, 0, 0);
    this.at = write32(this.bytes, write32(this.bytes, this.at, lastStream), code);
  }

  /** Hands everything to the wire, to be sent at the end of the turn. */
  flush(): void {
    if (this.at > 0 && !this.over) put(this.wire, this.bytes, 0, this.at);
    this.total += this.at;
    this.at = 0;
  }

  /** The turn ends: what it brought goes out with it. */
  retain(): void {
    this.flush();
    this.recycle();
  }

  /** Nothing more is sent. */
  stop(): void {
    this.over = true;
  }

  private recycle(): void {
    if (this.bytes.length === BLOCK_SIZE && blocks.length < MOST_BLOCKS) blocks.push(this.bytes);
    this.bytes = NOTHING;
  }
}

function newBlock(): Buffer {
  return Buffer.allocUnsafeSlow(BLOCK_SIZE);
}

/** Room for a header block of `length` bytes in frames of at least `frameSize`. */
export function headerFramesRoom(length: number, frameSize: number): number {
  return length + FRAME_HEADER * (1 + Math.ceil(length / frameSize));
}
