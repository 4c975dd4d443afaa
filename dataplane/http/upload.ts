import type { Body, BodySink } from './body.ts';
import { Pieces } from './pieces.ts';
import type { Refusal } from './refusal.ts';
import { type StreamSink, sendStream } from './send-stream.ts';

/** Bodies up to this size are kept until the backend has taken the request, so that it can be sent again. */
const LONGEST = 16_384;

/**
 * The body of a request that may have to be sent more than once: a backend that speaks HTTP/2 can say that it has not
 * touched a request. Where it goes can change; what has been sent is kept for that as long as it is short.
 */
export class Upload implements BodySink, StreamSink {
  private readonly body: Body | null;
  private readonly stream: AsyncIterable<Uint8Array> | null;
  private target: StreamSink | null = null;
  private kept: Pieces | null = new Pieces();
  private begun = false;
  private ended = false;
  private failed = false;
  private over = false;
  private trailers = '';
  private attached: (() => void) | null = null;

  constructor(body: Body | null, stream: AsyncIterable<Uint8Array> | null) {
    this.body = body;
    this.stream = stream;
  }

  /** Whether everything that came so far can be sent again. */
  get repeatable(): boolean {
    return this.kept !== null && !this.failed;
  }

  /** From now on it goes there, from its beginning. */
  sendTo(target: StreamSink): void {
    this.target = target;
    if (!this.begun) {
      this.begun = true;
      if (this.body !== null) this.body.pipe(this, false);
      else if (this.stream !== null) void sendStream(this.stream, this, () => !this.over, noReport);
      return;
    }
    for (const bytes of this.kept?.list() ?? []) target.bodyData(bytes, 0, bytes.length);
    if (this.ended) target.bodyEnd(this.trailers);
    else if (this.failed) target.bodyFailed();
    else this.resume();
    this.attached?.();
    this.attached = null;
  }

  /** Where it went is gone, and it will go elsewhere. */
  detach(): void {
    this.target = null;
  }

  /** The request will not be sent again. */
  forget(): void {
    this.kept = null;
  }

  /** Why it failed, where its source said so. */
  get failure(): Refusal | null {
    return this.body?.failure ?? null;
  }

  /** Nobody wants it any more. */
  abandon(): void {
    this.over = true;
    this.target = this.kept = null;
    this.resume();
    this.attached?.();
    this.attached = null;
  }

  pause(): void {
    this.body?.pause();
  }

  resume(): void {
    this.body?.resume();
  }

  bodyData(bytes: Buffer, start: number, end: number): void {
    if (this.over) return;
    this.keep(bytes, start, end);
    if (this.target !== null) this.target.bodyData(bytes, start, end);
    else this.pause();
  }

  private keep(bytes: Buffer, start: number, end: number): void {
    if (this.kept === null) return;
    // while it goes nowhere, what is kept is all there is of it
    if (this.kept.length + end - start > LONGEST && this.target !== null) this.kept = null;
    else this.kept.add(bytes, start, end);
  }

  bodyEnd(trailers: string): void {
    this.ended = true;
    this.trailers = trailers;
    this.target?.bodyEnd(trailers);
  }

  bodyFailed(): void {
    this.failed = true;
    this.target?.bodyFailed();
  }

  whenDrained(): Promise<void> {
    return this.target?.whenDrained() ?? new Promise((resolve) => (this.attached = resolve));
  }
}

function noReport(): void {
  // the stream's own author hears of it: the exchange fails
}
