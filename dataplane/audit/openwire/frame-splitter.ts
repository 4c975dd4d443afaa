import { MalformedFrame } from './frame-reader.ts';

/** Longest frame of a broker to a producer: answers, and lists of brokers. */
const LONGEST_FRAME = 1 << 20;
const PREFIX = 4;

/** Cuts the bytes of a connection into frames. */
export class FrameSplitter {
  private rest: Buffer = Buffer.alloc(0);

  /**
   * Takes more bytes.
   * @param take gets every complete frame without its length; false ends it
   * @throws MalformedFrame
   */
  push(bytes: Buffer, take: (frame: Buffer) => boolean): void {
    const all = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    let at = 0;
    while (all.length - at >= PREFIX) {
      const length = all.readInt32BE(at);
      if (length < 0 || length > LONGEST_FRAME) throw new MalformedFrame('the other side does not speak OpenWire');
      const end = at + PREFIX + length;
      if (all.length < end) break;
      if (!take(all.subarray(at + PREFIX, end))) return;
      at = end;
    }
    this.rest = all.subarray(at);
  }
}
