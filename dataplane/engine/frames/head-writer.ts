import type { Headers } from '../head/headers.ts';
import type { HeadPlace } from '../http2/backend-head.ts';
import { type FrameOutput, headerFramesRoom } from './frame-output.ts';
import { FRAME_HEADER, USUAL_FRAME_SIZE } from './frames.ts';
import { blockRoom, HpackEncoder } from './hpack-encoder.ts';

/** Fields beside those of the headers, and what they take: a status, a date, a length. */
const OWN_FIELDS = 4;
const OWN_BYTES = 288;

/** Sends the heads of answers on one connection: a `begin`, fields, an `end`. */
export class HeadWriter implements HeadPlace {
  readonly output: FrameOutput;
  readonly encoder = new HpackEncoder();
  readonly frameSize = USUAL_FRAME_SIZE;
  private start = 0;
  private at = 0;

  constructor(output: FrameOutput) {
    this.output = output;
  }

  /** Begins a head with the room that these headers and a few own fields need. */
  begin(status: number, headers: Headers | null): void {
    const { output, encoder } = this;
    const most = blockRoom((headers?.size ?? 0) + OWN_BYTES, (headers?.count ?? 0) + OWN_FIELDS);
    output.reserve(headerFramesRoom(most, this.frameSize));
    this.start = output.at;
    this.at = encoder.begin(output.bytes, output.at + FRAME_HEADER);
    this.at = encoder.status(output.bytes, this.at, status);
  }

  /** A field of our own. `name` in lower case. */
  text(name: string, value: string): void {
    this.at = this.encoder.text(this.output.bytes, this.at, name, value);
  }

  /** The headers that were announced to `begin`, but not `except`, in lower case. */
  headers(headers: Headers, except = ''): void {
    this.at = headers.encode(this.encoder, this.output.bytes, this.at, except);
  }

  /** Sends the head. `last`: nothing follows it on its stream. */
  end(stream: number, last: boolean): void {
    this.output.headers(this.start, this.at, stream, last, this.frameSize);
  }
}
