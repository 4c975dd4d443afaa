import { ERROR, FLAG, FRAME, FRAME_HEADER, read31 } from './frames.ts';

/** Receiver of the frames of one connection. */
export interface FrameReceiver {
  /** A whole frame of any type but DATA; its payload is `bytes[start, end)`, valid until the end of the turn. */
  frame(type: number, flags: number, stream: number, bytes: Buffer, start: number, end: number): void;
  /** A DATA frame begins; all of `length` counts against the windows, padding too. */
  dataBegins(stream: number, flags: number, length: number): void;
  /** Some of its content. */
  dataBytes(stream: number, bytes: Buffer, start: number, end: number): void;
  /** It is complete. */
  dataEnds(stream: number, flags: number): void;
  /** The peer broke the framing: a connection error. */
  brokenFrame(code: number): void;
}

const HEADER = 0;
const PAYLOAD = 1;
const PAD_LENGTH = 2;
const DATA = 3;
const PADDING = 4;
const OVER = 5;

const NOTHING = Buffer.alloc(0);

/** Reads frames in any segmentation. What lies whole in the bytes that arrived is read where it lies. */
export class FrameReader {
  private readonly receiver: FrameReceiver;
  private readonly frameSize: number;
  private state = HEADER;
  /** A frame of which a part has come: its header, and then its payload. */
  private partial: Buffer = NOTHING;
  private partialLength = 0;
  private type = 0;
  private flags = 0;
  private stream = 0;
  private left = 0;
  private padding = 0;

  /** `frameSize`: our SETTINGS_MAX_FRAME_SIZE. */
  constructor(receiver: FrameReceiver, frameSize: number) {
    this.receiver = receiver;
    this.frameSize = frameSize;
  }

  /** Part of a frame is there, of one that is read as a whole. */
  get gathers(): boolean {
    return this.partialLength > 0 || this.state === PAYLOAD;
  }

  /** Nothing is read any more; what arrives is thrown away. */
  stop(): void {
    this.state = OVER;
    this.partial = NOTHING;
    this.partialLength = 0;
  }

  receive(bytes: Buffer, start: number, end: number): void {
    let p = start;
    while (p < end && this.state !== OVER) {
      switch (this.state) {
        case HEADER:
          p = this.readHeader(bytes, p, end);
          break;
        case PAYLOAD:
          p = this.readPayload(bytes, p, end);
          break;
        case PAD_LENGTH:
          p = this.readPadLength(bytes, p);
          break;
        case DATA:
          p = this.readData(bytes, p, end);
          break;
        default:
          p = this.skipPadding(p, end);
      }
    }
  }

  private readHeader(bytes: Buffer, p: number, end: number): number {
    if (this.partialLength > 0 || end - p < FRAME_HEADER) {
      if (this.partialLength === 0) this.partial = Buffer.allocUnsafe(FRAME_HEADER);
      const missing = FRAME_HEADER - this.partialLength;
      const stop = end - p < missing ? end : p + missing;
      this.partialLength += bytes.copy(this.partial, this.partialLength, p, stop);
      if (this.partialLength < FRAME_HEADER) return stop;
      this.partialLength = 0;
      this.begin(this.partial, 0);
      this.partial = NOTHING;
      return this.afterHeader(bytes, stop, end);
    }
    this.begin(bytes, p);
    return this.afterHeader(bytes, p + FRAME_HEADER, end);
  }

  private begin(bytes: Buffer, p: number): void {
    this.left = (bytes[p]! << 16) | (bytes[p + 1]! << 8) | bytes[p + 2]!;
    this.type = bytes[p + 3]!;
    this.flags = bytes[p + 4]!;
    this.stream = read31(bytes, p + 5);
  }

  private afterHeader(bytes: Buffer, p: number, end: number): number {
    const { left, type, flags, stream } = this;
    if (left > this.frameSize) return this.broken(ERROR.FRAME_SIZE_ERROR, end);
    if (type !== FRAME.DATA) {
      if (end - p >= left) {
        this.receiver.frame(type, flags, stream, bytes, p, p + left);
        return p + left;
      }
      this.state = PAYLOAD;
      return p;
    }
    if (stream === 0) return this.broken(ERROR.PROTOCOL_ERROR, end);
    this.padding = 0;
    const padded = (flags & FLAG.PADDED) !== 0;
    if (padded && left === 0) return this.broken(ERROR.FRAME_SIZE_ERROR, end);
    this.state = padded ? PAD_LENGTH : DATA;
    this.receiver.dataBegins(stream, flags, left);
    if (this.isOver()) return end;
    if (left === 0) this.endData();
    return p;
  }

  /** A receiver may stop the reader while it is told something. */
  private isOver(): boolean {
    return this.state === OVER;
  }

  private readPayload(bytes: Buffer, p: number, end: number): number {
    const { left } = this;
    if (this.partialLength === 0) {
      if (end - p >= left) {
        this.state = HEADER;
        this.receiver.frame(this.type, this.flags, this.stream, bytes, p, p + left);
        return p + left;
      }
      this.partial = Buffer.allocUnsafeSlow(left);
    }
    const missing = left - this.partialLength;
    const stop = end - p < missing ? end : p + missing;
    this.partialLength += bytes.copy(this.partial, this.partialLength, p, stop);
    if (this.partialLength < left) return stop;
    const { partial } = this;
    this.partial = NOTHING;
    this.partialLength = 0;
    this.state = HEADER;
    this.receiver.frame(this.type, this.flags, this.stream, partial, 0, left);
    return stop;
  }

  private readPadLength(bytes: Buffer, p: number): number {
    this.padding = bytes[p]!;
    this.left -= 1 + this.padding;
    if (this.left < 0) return this.broken(ERROR.PROTOCOL_ERROR, p + 1);
    this.state = DATA;
    if (this.left === 0) this.afterData();
    return p + 1;
  }

  private readData(bytes: Buffer, p: number, end: number): number {
    const stop = end - p < this.left ? end : p + this.left;
    this.left -= stop - p;
    this.receiver.dataBytes(this.stream, bytes, p, stop);
    if (this.left === 0 && this.state === DATA) this.afterData();
    return stop;
  }

  private afterData(): void {
    if (this.padding > 0) this.state = PADDING;
    else this.endData();
  }

  private skipPadding(p: number, end: number): number {
    const stop = end - p < this.padding ? end : p + this.padding;
    this.padding -= stop - p;
    if (this.padding === 0) this.endData();
    return stop;
  }

  private endData(): void {
    this.state = HEADER;
    this.receiver.dataEnds(this.stream, this.flags);
  }

  private broken(code: number, p: number): number {
    this.stop();
    this.receiver.brokenFrame(code);
    return p;
  }
}
