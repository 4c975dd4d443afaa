import { Pieces } from '../wire/pieces.ts';
import { type Passed, REFUSED } from '../wire/wire.ts';
import type { Refusal } from './refusal.ts';

/** Where the bytes of a body go. */
export interface BodySink {
  /** Bytes that are valid during the call only. */
  bodyData(bytes: Buffer, start: number, end: number): void;
  /** The body is complete; `trailers` are whole lines, checked, or empty. */
  bodyEnd(trailers: string): void;
  /** The rest will not come. */
  bodyFailed(): void;
  /** Bytes of a long body that may be sent on without a copy, if the sink can do that now. */
  bodyDirect?(bytes: Buffer, length: number): Passed;
}

/** Sees the bytes of a body that somebody else takes. */
export interface BodyTap {
  /** Bytes that are valid during the call only. */
  data(bytes: Buffer, start: number, end: number): void;
  /** The body is complete. */
  end(): void;
  /** The rest will not come, or nobody wants it. */
  failed(): void;
}

/** Where they come from: a connection that can be told to wait. */
export interface BodySource {
  /** The peer waits to be asked for the body (`Expect: 100-continue`). */
  readonly expects?: boolean;
  pauseBody(): void;
  resumeBody(): void;
  /** Nobody wants the rest. */
  abandonBody(): void;
  /** Somebody wants the body now: the moment to answer `Expect: 100-continue`. */
  bodyWanted(): void;
  /** What waited here, or at the sink, waits no more: the peer may send as much again. */
  bodyTaken?(): void;
}

/** Somebody waits for the first bytes without taking them. */
interface Gathering {
  readonly enough: number;
  arrived(bytes: Buffer): void;
}

/** Bytes that may wait for a sink before the source is told to pause. */
const HOLD = 65_536;
const PENDING = 0;
const COMPLETE = 1;
const FAILED = 2;
const NOTHING = Buffer.alloc(0);

/**
 * The body of a message as it arrives. Bytes go straight to the sink where there is one; until then they are held, and
 * the source waits when they grow. Framing is not its business: it sees data only.
 */
export class Body {
  /** The declared length, or -1. */
  readonly length: number;
  received = 0;
  /** All of it has arrived with the head, and is pushed before anything else happens. */
  atHand = false;
  /** Whole lines that followed it, once it is complete. */
  trailers = '';
  /** Why it failed, where its source said so. */
  failure: Refusal | null = null;
  private readonly source: BodySource;
  private sink: BodySink | null = null;
  private held: Pieces | null = null;
  private state: typeof PENDING | typeof COMPLETE | typeof FAILED = PENDING;
  private taken = false;
  private gathering: Gathering | null = null;
  private tapped: BodyTap | null = null;
  /** The source has given all of it and may be somebody else's by now. */
  private isApart = false;
  /** The sink has not got rid of what it was given. */
  private sinkWaits = false;

  constructor(source: BodySource, length: number) {
    this.source = source;
    this.length = length;
  }

  /** Nobody has asked the peer for it yet, as the peer wants it. */
  get unasked(): boolean {
    return this.state === PENDING && this.received === 0 && this.source.expects === true;
  }

  get complete(): boolean {
    return this.state === COMPLETE;
  }

  get failed(): boolean {
    return this.state === FAILED;
  }

  /** True once someone has claimed the bytes: they can be had only once. */
  get claimed(): boolean {
    return this.taken;
  }

  // ---- the source's side

  /** Whether bytes that came wait for somebody: here, or at a sink that wants no more. */
  get waits(): boolean {
    return this.sinkWaits || (this.held !== null && this.gathering === null);
  }

  push(bytes: Buffer, start: number, end: number): void {
    if (start === end) return;
    this.received += end - start;
    if (this.tapped !== null) this.tapped.data(bytes, start, end);
    if (this.sink !== null) {
      this.sink.bodyData(bytes, start, end);
      return;
    }
    if (this.state === FAILED) return;
    this.held ??= new Pieces();
    this.held.add(bytes, start, end);
    if (this.gathering !== null && this.heldBytes >= this.gathering.enough) this.gathered();
    if (this.gathering === null && this.heldBytes > HOLD) this.source.pauseBody();
  }

  /** The same without a copy, where the sink can do that. */
  passDirect(bytes: Buffer, length: number): Passed {
    if (this.tapped !== null) return REFUSED;
    const passed = this.sink?.bodyDirect?.(bytes, length) ?? REFUSED;
    if (passed !== REFUSED) this.received += length;
    return passed;
  }

  /** All of it was pushed; `finish` follows. From now on the source hears nothing more of it. */
  part(): void {
    this.isApart = true;
  }

  finish(trailers: string): void {
    if (this.state !== PENDING) return;
    this.state = COMPLETE;
    this.trailers = trailers;
    const { sink, tapped } = this;
    this.sink = this.tapped = null;
    tapped?.end();
    if (sink !== null) sink.bodyEnd(trailers);
    this.gathered();
  }

  /** The rest will not come; `why` is for logs and figures. */
  fail(why: Refusal | null = null): void {
    if (this.state !== PENDING) return;
    this.state = FAILED;
    this.failure = why;
    this.held = null;
    const { sink, tapped } = this;
    this.sink = this.tapped = null;
    tapped?.failed();
    if (sink !== null) sink.bodyFailed();
    this.gathered();
  }

  // ---- those who only look

  /** Shows the body to somebody who does not take it: what has come at once, the rest as it arrives. One at a time. */
  tap(tap: BodyTap): void {
    if (this.tapped !== null || this.taken || this.state === FAILED) {
      tap.failed();
      return;
    }
    this.tapped = tap;
    for (const bytes of this.held?.list() ?? []) this.tapped?.data(bytes, 0, bytes.length);
    if (this.state !== COMPLETE) return;
    const { tapped } = this;
    this.tapped = null;
    tapped?.end();
  }

  /** Whoever looked has seen enough. */
  untap(): void {
    this.tapped = null;
  }

  // ---- the sink's side

  /**
   * Takes the body: what is held comes at once, the rest as it arrives. `demand` says that it is wanted here and now,
   * not passed on to somebody who will say so.
   */
  pipe(sink: BodySink, demand = true): void {
    if (this.taken) throw new Error('the body has been read already');
    this.taken = true;
    const held = this.held;
    this.held = null;
    const waited = held?.length ?? 0;
    if (held !== null) for (const bytes of held.take()) sink.bodyData(bytes, 0, bytes.length);
    if (this.state === COMPLETE) sink.bodyEnd(this.trailers);
    else if (this.state === FAILED) sink.bodyFailed();
    else {
      this.sink = sink;
      if (demand) this.source.bodyWanted();
      if (waited > HOLD) this.source.resumeBody(); // the sink pauses it again where it must
    }
    if (waited > 0 && !this.sinkWaits) this.source.bodyTaken?.();
  }

  /** What has arrived once `enough` bytes have, or the end: nothing is taken, and whoever pipes later gets all of it. */
  gather(enough: number): Promise<Buffer> {
    if (this.taken) return Promise.reject(new Error('the body has been read already'));
    if (this.gathering !== null) return Promise.reject(new Error('the body is already being read'));
    if (this.state === PENDING && this.heldBytes < enough) {
      this.source.bodyWanted();
      if (this.heldBytes > HOLD) this.source.resumeBody();
      else this.source.bodyTaken?.(); // whoever waits for more than a window must get it
      return new Promise((arrived) => (this.gathering = { enough, arrived }));
    }
    return Promise.resolve(this.held?.joined() ?? NOTHING);
  }

  private gathered(): void {
    const gathering = this.gathering;
    this.gathering = null;
    gathering?.arrived(this.held?.joined() ?? NOTHING);
  }

  private get heldBytes(): number {
    return this.held?.length ?? 0;
  }

  pause(): void {
    this.sinkWaits = true;
    if (this.state === PENDING && !this.isApart) this.source.pauseBody();
  }

  resume(): void {
    const waited = this.sinkWaits;
    this.sinkWaits = false;
    if (this.state === PENDING && !this.isApart) this.source.resumeBody();
    else if (this.state === COMPLETE && waited) this.source.bodyTaken?.();
  }

  /** Nobody wants what is left. */
  abandon(): void {
    if (this.state === COMPLETE && this.held !== null) {
      this.state = FAILED; // whoever comes for it later must not take nothing for all of it
      this.held = null;
      this.source.bodyTaken?.();
    }
    if (this.state !== PENDING) return;
    this.state = FAILED;
    this.held = null;
    const { tapped } = this;
    this.sink = this.tapped = null;
    tapped?.failed();
    this.gathered();
    if (!this.isApart) this.source.abandonBody();
  }
}
