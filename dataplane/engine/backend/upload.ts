import type { Body, BodySink } from '../message/body.ts';
import type { KeptContent } from '../message/kept-content.ts';
import type { Refusal } from '../message/refusal.ts';
import { Pieces } from '../wire/pieces.ts';
import { type StreamSink, sendStream } from '../wire/send-stream.ts';

/**
 * Bodies up to this size are copied until the backend has answered, so that they can be sent again. It is the window of
 * most servers: a backend that has not looked at a request cannot have been sent more.
 */
const LONGEST = 262_144;
/** Bytes of all such copies of a unit; beyond it further bodies are not copied. */
const MOST_COPIED = 1 << 25;

let copied = 0;

/** Bytes that are copied at the moment. */
export function copiedBytes(): number {
  return copied;
}

/**
 * The body of a request that may have to be sent more than once: a backend that speaks HTTP/2 can say that it has not
 * touched a request. Where it goes can change. Content that was put aside whole is read once more for that, of other
 * content a copy is kept as long as it is short.
 */
export class Upload implements BodySink, StreamSink {
  private readonly body: Body | null;
  private readonly stream: AsyncIterable<Uint8Array> | null;
  private readonly report: (error: unknown) => void;
  /** The stream, where it can be read again. */
  private content: KeptContent | null;
  private target: StreamSink | null = null;
  private kept: Pieces | null;
  private begun = false;
  private ended = false;
  private failed = false;
  private over = false;
  private trailers = '';
  private attached: (() => void) | null = null;

  /** `report` hears why the stream cannot be read. */
  constructor(body: Body | null, stream: AsyncIterable<Uint8Array> | null, report: (error: unknown) => void) {
    this.body = body;
    this.stream = stream;
    this.report = report;
    this.content = stream !== null && isKept(stream) ? stream : null;
    this.kept = this.content === null ? new Pieces() : null;
    this.content?.hold();
  }

  /** Whether everything that came so far can be sent again. */
  get repeatable(): boolean {
    return (this.kept !== null || this.content !== null) && !this.failed;
  }

  /** From now on it goes there, from its beginning. */
  sendTo(target: StreamSink): void {
    this.target = target;
    if (this.content !== null) {
      this.read(this.content, target);
      return;
    }
    if (!this.begun) {
      this.begun = true;
      if (this.body !== null) this.body.pipe(this, false);
      else if (this.stream !== null) void sendStream(this.stream, this, () => !this.over, this.report);
      return;
    }
    for (const bytes of this.kept?.list() ?? []) target.bodyData(bytes, 0, bytes.length);
    if (this.ended) target.bodyEnd(this.trailers);
    else if (this.failed) target.bodyFailed();
    else this.resume();
    this.attached?.();
    this.attached = null;
  }

  /** Reads kept content for this target alone: what an earlier one still waits for is not for this one. */
  private read(content: KeptContent, target: StreamSink): void {
    void sendStream(content, target, () => this.target === target, this.report);
  }

  /** Where it went is gone, and it will go elsewhere. */
  detach(): void {
    this.target = null;
  }

  /** The request will not be sent again. */
  forget(): void {
    copied -= this.kept?.length ?? 0;
    this.kept = null;
    const { content } = this;
    this.content = null;
    content?.letGo();
  }

  /** Why it failed, where its source said so. */
  get failure(): Refusal | null {
    return this.body?.failure ?? null;
  }

  /** Nobody wants it any more. */
  abandon(): void {
    this.over = true;
    this.target = null;
    this.forget();
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
    const length = end - start;
    const isTooMuch = this.kept.length + length > LONGEST || copied + length > MOST_COPIED;
    // while it goes nowhere, what is kept is all there is of it
    if (isTooMuch && this.target !== null) {
      this.forget();
      return;
    }
    this.kept.add(bytes, start, end);
    copied += length;
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

function isKept(stream: AsyncIterable<Uint8Array>): stream is KeptContent {
  return 'letGo' in stream;
}
