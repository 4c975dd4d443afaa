import { FrameLimit } from '../connection/frame-limit.ts';

/** Longest frame of a broker to a producer, in bytes: answers only. */
const LONGEST_FRAME = 1 << 20;
/** The word that headers of the protocol begin with, in the place where frames have their length. */
const HEADER = 0x41_4d_51_50;
const HEADER_BYTES = 8;

/** Follows the frames of a broker: the client library does not hold it to the announced maximum. */
export function amqpFrameLimit(): FrameLimit {
  return new FrameLimit({
    prefix: 4,
    lengthOf(prefix) {
      const length = prefix.readUInt32BE(0);
      return length === HEADER ? HEADER_BYTES : length;
    },
    longest: LONGEST_FRAME,
  });
}
