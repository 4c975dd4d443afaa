import type { FlowWindow } from '../frames/flow-window.ts';
import type { FrameOutput } from '../frames/frame-output.ts';
import { USUAL_FRAME_SIZE } from '../frames/frames.ts';
import type { Headers } from '../head/headers.ts';
import { responseTrailers, type TrailerRule, withoutEdited } from '../head/trailers.ts';
import type { Body, BodySink } from '../message/body.ts';
import type { Refusal } from '../message/refusal.ts';
import type { StreamSink } from '../wire/send-stream.ts';
import type { Wire } from '../wire/wire.ts';
import { type HeadPlace, writeTrailers } from './backend-head.ts';

/** The connection that content is sent on. */
export interface SendingConnection {
  readonly wire: Wire;
  readonly output: FrameOutput;
  readonly heads: HeadPlace;
  readonly window: FlowWindow;
  /** Streams that wait for a window or for the wire, in the order in which they get their turn. */
  readonly stalled: Set<StreamSender>;
  /** A frame of content was sent. */
  contentSent(): void;
}

/** Where content comes from: what can be told to wait. */
export interface ContentSource {
  readonly failure: Refusal | null;
  pause(): void;
  resume(): void;
  abandon(): void;
}

/** Listener for the end of sending. */
export interface SendingStream {
  contentEnded(): void;
  /** What was held back has gone out. */
  contentDrained?(): void;
  /** The rest will not come; `why` where somebody else is to blame. */
  contentBroken(why: Refusal | null): void;
}

const NOTHING = Buffer.alloc(0);

/** Sends content on one stream as far as the windows of stream and connection go, and holds its source back otherwise. */
export class StreamSender implements BodySink, StreamSink {
  /** Bytes of content that were sent. */
  sent = 0;
  /** What may pass of trailer lines; nothing where nobody says whose they are. */
  private trailersOf: (lines: string) => string = () => '';
  private readonly connection: SendingConnection;
  private readonly stream: number;
  private readonly window: FlowWindow;
  private readonly owner: SendingStream;
  private body: ContentSource | null = null;
  /** Where content came from that is all here, and waits. */
  private emptied: ContentSource | null = null;
  private held: Buffer[] | null = null;
  private heldStart = 0;
  private ending: string | null = null;
  private over = false;
  private waiter: (() => void) | null = null;

  constructor(connection: SendingConnection, stream: number, window: FlowWindow, owner: SendingStream) {
    this.connection = connection;
    this.stream = stream;
    this.window = window;
    this.owner = owner;
  }

  /** Content waits for the peer to open a window. */
  get waits(): boolean {
    return this.held !== null;
  }

  /** How much content waits. */
  get heldBytes(): number {
    let bytes = -this.heldStart;
    if (this.held !== null) for (const piece of this.held) bytes += piece.length;
    return bytes;
  }

  /** What follows is the content of an answer with these headers. */
  answers(headers: Headers, rule: TrailerRule): this {
    const trailersOf = (lines: string) => responseTrailers(lines, headers, rule);
    this.trailersOf = trailersOf;
    return this;
  }

  /** What follows is the content of a request with these headers. */
  asks(headers: Headers): void {
    const trailersOf = (lines: string) => withoutEdited(lines, headers);
    this.trailersOf = trailersOf;
  }

  /** Sends a body as it arrives. */
  pipe(body: Body): void {
    this.body = body;
    body.pipe(this, false);
    if (this.body !== null && this.isStalled) this.stall();
  }

  /** Content will come from there; null when it will not come any more. */
  from(source: ContentSource | null): void {
    this.body = source;
    if (source !== null && this.isStalled) this.stall();
  }

  /** Sends content that is all there is; `last` where the stream ends with it. */
  sendWhole(bytes: Buffer, start: number, end: number, last: boolean): void {
    if (start === end) {
      if (last) this.bodyEnd('');
      return;
    }
    const stop = this.frames(bytes, start, end, last);
    if (stop < end) {
      this.hold(Buffer.from(bytes.subarray(stop, end)));
      if (last) this.ending = '';
    } else if (last) this.finish();
  }

  bodyData(bytes: Buffer, start: number, end: number): void {
    if (this.over) return;
    const stop = this.held === null ? this.frames(bytes, start, end, false) : start;
    if (stop < end) this.hold(Buffer.from(bytes.subarray(stop, end)));
    else if (this.connection.wire.pending) this.stall();
  }

  bodyLasting(bytes: Buffer): void {
    if (this.over) return;
    const stop = this.held === null ? this.frames(bytes, 0, bytes.length, false) : 0;
    if (stop < bytes.length) this.hold(bytes.subarray(stop));
    else if (this.connection.wire.pending) this.stall();
  }

  bodyEnd(trailers: string): void {
    const { body } = this;
    this.body = null;
    if (this.over) return;
    this.emptied = body;
    if (this.held !== null) this.ending = trailers;
    else this.end(trailers);
  }

  bodyFailed(): void {
    const why = this.body?.failure ?? null;
    this.body = null;
    if (!this.over) this.owner.contentBroken(why);
  }

  whenDrained(): Promise<void> {
    return new Promise((resolve) => {
      this.waiter = resolve;
      if (this.isStalled) this.stall();
      else setImmediate(() => this.open());
    });
  }

  /** A window was opened, or the wire has taken what it got. */
  resume(): void {
    if (this.over) return;
    this.connection.stalled.delete(this);
    while (this.held !== null) {
      const [first] = this.held;
      const isLast = this.held.length === 1 && this.ending === '';
      const stop = this.frames(first!, this.heldStart, first!.length, isLast);
      this.heldStart = stop;
      if (stop < first!.length) {
        this.stall();
        return;
      }
      this.heldStart = 0;
      this.held.shift();
      if (this.held.length > 0) continue;
      this.held = null;
      if (isLast) {
        this.finish();
        return;
      }
    }
    if (this.ending !== null) this.end(this.ending);
    else if (this.isStalled) this.stall();
    else {
      this.body?.resume();
      this.open();
      this.owner.contentDrained?.();
    }
  }

  /** Nothing more is sent, and nobody wants what would have been. */
  stop(): void {
    this.over = true;
    this.connection.stalled.delete(this);
    const { body } = this;
    this.body = this.held = null;
    body?.abandon();
    this.letGo();
    this.open();
  }

  private get isStalled(): boolean {
    return this.held !== null || this.connection.wire.pending;
  }

  private stall(): void {
    this.body?.pause();
    this.connection.stalled.add(this);
  }

  /** Sends what the windows allow. @returns where it stopped. */
  private frames(bytes: Buffer, start: number, end: number, last: boolean): number {
    const { connection, window } = this;
    while (start < end) {
      const room = Math.min(window.sendable, connection.window.sendable, USUAL_FRAME_SIZE);
      if (room <= 0) return start;
      const stop = end - start > room ? start + room : end;
      window.sendable -= stop - start;
      connection.window.sendable -= stop - start;
      this.sent += stop - start;
      connection.output.data(this.stream, bytes, start, stop, last && stop === end);
      connection.contentSent();
      start = stop;
    }
    return start;
  }

  private hold(piece: Buffer): void {
    if (this.held === null) this.held = [piece];
    else this.held.push(piece);
    this.stall();
  }

  private end(lines: string): void {
    const trailers = lines === '' ? lines : this.trailersOf(lines);
    if (trailers === '') this.connection.output.data(this.stream, NOTHING, 0, 0, true);
    else writeTrailers(this.connection.heads, this.stream, trailers);
    this.finish();
  }

  private finish(): void {
    this.over = true;
    this.connection.stalled.delete(this);
    this.letGo();
    this.owner.contentEnded();
  }

  private letGo(): void {
    const { emptied } = this;
    this.emptied = null;
    emptied?.resume();
  }

  private open(): void {
    const { waiter } = this;
    this.waiter = null;
    waiter?.();
  }
}
