import { ERROR, FLAG } from './frames.ts';

/** More frames of the block are to come. */
export const BLOCK_OPEN = -1;
/** The block is whole: `bytes[start, end)`. */
export const BLOCK_WHOLE = 0;

const NOTHING = Buffer.alloc(0);
const PRIORITY_LENGTH = 5;

/**
 * Puts a header block together from a HEADERS frame and the CONTINUATION frames behind it, and holds the peer to a
 * number of bytes and of frames. A block in one frame is read where it lies.
 */
export class HeaderBlock {
  /** The stream it belongs to, or 0 when no block is open. */
  stream = 0;
  /** The flags of its HEADERS frame. */
  flags = 0;
  /** The stream that it says it depends on, or -1. */
  dependency = -1;
  bytes: Buffer = NOTHING;
  start = 0;
  end = 0;
  private readonly mostBytes: number;
  private readonly mostFrames: number;
  private gathered: Buffer = NOTHING;
  private frames = 0;

  constructor(mostBytes: number, mostFrames: number) {
    this.mostBytes = mostBytes;
    this.mostFrames = mostFrames;
  }

  /** A HEADERS frame. @returns BLOCK_OPEN, BLOCK_WHOLE or the error of the connection. */
  headers(flags: number, stream: number, bytes: Buffer, start: number, end: number): number {
    let padding = 0;
    if ((flags & FLAG.PADDED) !== 0) {
      if (start === end) return ERROR.FRAME_SIZE_ERROR;
      padding = bytes[start++]!;
    }
    this.dependency = -1;
    if ((flags & FLAG.PRIORITY) !== 0) {
      if (end - start < PRIORITY_LENGTH) return ERROR.FRAME_SIZE_ERROR;
      this.dependency = bytes.readUInt32BE(start) & 0x7fff_ffff;
      start += PRIORITY_LENGTH;
    }
    if (padding > end - start) return ERROR.PROTOCOL_ERROR;
    end -= padding;
    this.flags = flags;
    if ((flags & FLAG.END_HEADERS) !== 0) return this.whole(stream, bytes, start, end);
    this.stream = stream;
    this.frames = 0;
    this.end = 0;
    return this.gather(bytes, start, end);
  }

  /** A CONTINUATION frame. @returns as `headers`. */
  continuation(flags: number, stream: number, bytes: Buffer, start: number, end: number): number {
    if (this.stream === 0 || stream !== this.stream) return ERROR.PROTOCOL_ERROR;
    const outcome = this.gather(bytes, start, end);
    if (outcome !== BLOCK_OPEN || (flags & FLAG.END_HEADERS) === 0) return outcome;
    return this.whole(stream, this.gathered, 0, this.end);
  }

  /** The block has been decoded. */
  done(): void {
    this.stream = 0;
    this.bytes = this.gathered = NOTHING;
  }

  private whole(stream: number, bytes: Buffer, start: number, end: number): number {
    this.stream = stream;
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    return BLOCK_WHOLE;
  }

  private gather(bytes: Buffer, start: number, end: number): number {
    const length = this.end + end - start;
    if (length > this.mostBytes || ++this.frames > this.mostFrames) return ERROR.ENHANCE_YOUR_CALM;
    if (length > this.gathered.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(this.mostBytes, 2 * length));
      this.gathered.copy(larger, 0, 0, this.end);
      this.gathered = larger;
    }
    bytes.copy(this.gathered, this.end, start, end);
    this.end = length;
    return BLOCK_OPEN;
  }
}
