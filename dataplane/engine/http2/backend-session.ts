import type { BackendOptions } from '../backend/backend-options.ts';
import type { Call } from '../backend/call.ts';
import { EncodedLines } from '../frames/encoded-lines.ts';
import { FlowWindow } from '../frames/flow-window.ts';
import { FrameOutput } from '../frames/frame-output.ts';
import { ERROR, MOST_31_BITS, PREFACE } from '../frames/frames.ts';
import { HpackEncoder } from '../frames/hpack-encoder.ts';
import { INITIAL_WINDOW } from '../frames/settings.ts';
import type { Refusal } from '../message/refusal.ts';
import { clock } from '../wire/clock.ts';
import { COUNTER, counters } from '../wire/counters.ts';
import { NEVER, type Swept, unwatch, watch } from '../wire/sweep.ts';
import { type Passed, REFUSED, type Wire, type WireOwner } from '../wire/wire.ts';
import { BackendFrames, type BackendFramesOwner } from './backend-frames.ts';
import { BackendStream, type BackendStreamOwner } from './backend-stream.ts';
import { backendSettings } from './backend-upgrade.ts';
import type { StreamSender } from './stream-sender.ts';

const OPEN = 0;
/** It takes no more calls, and closes after the last one. */
const RETIRED = 1;
const CLOSED = 2;

/** What a backend may send on all streams together. */
const CONNECTION_WINDOW = 1 << 24;
/** Streams at a time on one connection, whatever the backend allows. */
export const MOST_STREAMS = 256;
/** The same until the backend has said how many it takes. */
const FIRST_STREAMS = 100;
const PROBE = Buffer.from('gatewrdn', 'latin1');

/** The pool that a session belongs to. */
export interface SessionPool {
  /** The backend wants HTTP/1.1. @returns whether it can be spoken. */
  requireHttp1(): boolean;
  /** Sends a request once more. */
  retry(call: Call): void;
  /** Streams of the session may be used again. */
  freedStreams(session: BackendSession): void;
  /** The session takes no more calls, or is gone. */
  lostSession(session: BackendSession, gone: boolean): void;
}

/** One connection to a backend that speaks HTTP/2: many calls at a time. */
export class BackendSession implements WireOwner, BackendStreamOwner, BackendFramesOwner, Swept {
  deadline = NEVER;
  slot = -1;
  readonly pool: SessionPool;
  readonly options: BackendOptions;
  readonly wire: Wire;
  readonly output: FrameOutput;
  readonly encoder = new HpackEncoder();
  readonly lines = new EncodedLines();
  readonly heads = this;
  readonly window = new FlowWindow(INITIAL_WINDOW, CONNECTION_WINDOW);
  readonly stalled = new Set<StreamSender>();
  /** Streams whose head came with what is being read. */
  readonly held: BackendStream[] = [];
  /** The number of the next stream. */
  nextId = 1;
  private readonly frames: BackendFrames;
  private readonly streams = new Map<number, BackendStream>();
  private readonly born = clock.now;
  private state = OPEN;
  /** It has carried a call to its answer. */
  private used: boolean;
  /** It has been silent for too long, and was asked whether it is there. */
  private suspect = false;
  /** Streams that the backend takes, by what it refused. */
  private accepted = MOST_STREAMS;

  /** Takes a wire that is open. `upgraded`: by a request that was sent in HTTP/1.1. */
  constructor(pool: SessionPool, options: BackendOptions, wire: Wire, upgraded: boolean) {
    this.pool = pool;
    this.options = options;
    this.wire = wire;
    this.output = new FrameOutput(wire);
    this.frames = new BackendFrames(this, options.headBytes);
    this.used = upgraded;
    wire.owner = this;
    wire.bulk = false;
    this.introduce();
    this.rest();
    watch(this);
    wire.resume();
  }

  private introduce(): void {
    const { output } = this;
    output.reserve(PREFACE.length);
    output.at += output.bytes.latin1Write(PREFACE, output.at);
    output.settings(backendSettings(this.options));
    output.windowUpdate(0, CONNECTION_WINDOW - INITIAL_WINDOW);
  }

  // ---- calls

  /** The longest frame that the backend takes from us. */
  get frameSize(): number {
    return this.frames.peer.maxFrameSize;
  }

  /** Calls that it carries at most at a time. */
  get most(): number {
    if (!this.options.reuse) return 1;
    const { introduced, peer } = this.frames;
    return Math.min(introduced ? peer.maxConcurrentStreams : FIRST_STREAMS, this.accepted);
  }

  /** Calls that it carries now. */
  get carried(): number {
    return this.streams.size;
  }

  /** Calls that it can take now. */
  free(now: number): number {
    if (this.state !== OPEN || this.suspect) return 0;
    const { timeToLive } = this.options;
    if (timeToLive > 0 && this.used && now - this.born >= timeToLive) {
      this.retire();
      return 0;
    }
    return this.most - this.streams.size;
  }

  begin(call: Call): void {
    this.open(call).start();
  }

  /** The call was sent in HTTP/1.1, as the first stream. */
  adopt(call: Call): void {
    this.open(call);
  }

  private open(call: Call): BackendStream {
    const stream = new BackendStream(this, this.nextId, call, this.frames.peer.initialWindowSize);
    this.streams.set(this.nextId, stream);
    this.nextId += 2;
    counters.block[COUNTER.backendStreamsOpen]!++;
    if (!this.suspect) this.deadline = NEVER;
    if (!this.options.reuse || this.nextId > MOST_31_BITS) this.retire();
    return stream;
  }

  /** The stream with this number, if it is open. */
  stream(id: number): BackendStream | undefined {
    return this.streams.get(id);
  }

  /** A stream is over. */
  left(stream: BackendStream): void {
    if (!this.streams.delete(stream.id)) return;
    counters.block[COUNTER.backendStreamsOpen]!--;
    if (this.state === OPEN) {
      if (this.streams.size === 0) this.rest();
      this.pool.freedStreams(this);
    } else if (this.streams.size === 0) this.close(ERROR.NO_ERROR);
  }

  /** An answer has come: from now on a connection that ends may only have been kept for too long. */
  answered(): void {
    this.used = true;
  }

  private rest(): void {
    const { idleTimeout } = this.options;
    if (!this.suspect) this.deadline = idleTimeout > 0 ? clock.now + idleTimeout : NEVER;
  }

  /** Takes no more calls, and closes after the last one. */
  retire(): void {
    if (this.state !== OPEN) return;
    this.state = RETIRED;
    this.pool.lostSession(this, false);
    if (this.streams.size === 0) this.close(ERROR.NO_ERROR);
  }

  // ---- what the wire says

  receive(bytes: Buffer, start: number, end: number): void {
    if (this.state === CLOSED) return;
    const wasSuspect = this.suspect;
    this.suspect = false;
    this.frames.receive(bytes, start, end);
    const { held } = this;
    for (let i = 0; i < held.length; i++) held[i]!.release();
    held.length = 0;
    if (wasSuspect) this.settled();
  }

  passes(): Passed {
    return REFUSED;
  }

  blocked(): void {
    // who sends sees it, and waits by itself
  }

  drained(): void {
    this.frames.drained();
    this.proceed();
  }

  contentSent(): void {
    this.frames.contentSent();
  }

  /** Who waits for a window or for the wire goes on, as far as that leads; everybody once. */
  proceed(): void {
    for (const sender of [...this.stalled]) {
      this.stalled.delete(sender);
      sender.resume();
    }
  }

  ended(): void {
    this.closedBecause('the backend closed the connection');
  }

  failed(): void {
    this.closedBecause('the connection to the backend failed');
  }

  // ---- what the backend says

  /** The windows of all streams change by as much. @returns false when one gets too large. */
  widen(increment: number): boolean {
    if (increment === 0) return true;
    for (const stream of this.streams.values()) if (!stream.window.widen(increment)) return false;
    if (increment > 0) this.proceed();
    return true;
  }

  /** What the backend takes may have changed. */
  settled(): void {
    this.encoder.tableSize(this.frames.peer.headerTableSize);
    if (this.state !== OPEN) return;
    this.deadline = NEVER;
    if (this.streams.size === 0) this.rest();
    this.pool.freedStreams(this);
  }

  /** The backend gave a stream up. */
  reset(id: number, code: number): void {
    const stream = this.streams.get(id);
    if (stream === undefined) return;
    if (code === ERROR.NO_ERROR && stream.isWhole) {
      stream.ends('');
      return;
    }
    if (code === ERROR.HTTP_1_1_REQUIRED && this.pool.requireHttp1()) {
      stream.untouched('backend-reset', 'the backend requires HTTP/1.1 for the request');
      return;
    }
    if (code !== ERROR.REFUSED_STREAM) {
      stream.fail('backend-reset', `the backend reset the stream with code ${code}`);
      return;
    }
    // what it refused it will refuse again: fewer at a time, or none at all
    this.accepted = Math.max(1, Math.min(this.accepted, this.streams.size - 1));
    if (this.streams.size === 1) this.retire();
    stream.untouched('backend-reset', 'the backend refused the stream');
  }

  /** The backend takes no more streams, and has not touched those behind `last`. */
  farewell(last: number, code: number): void {
    if (code === ERROR.HTTP_1_1_REQUIRED) this.pool.requireHttp1();
    this.retire();
    for (const [id, stream] of [...this.streams]) {
      if (id > last) stream.untouched('backend-closed', `the backend sent GOAWAY with code ${code}`);
    }
  }

  // ---- ends, expected and not

  /** The backend broke a rule: nothing that it sends can be believed any more. */
  broken(code: number, reason: string): void {
    this.close(code);
    for (const stream of [...this.streams.values()]) stream.fail('backend-malformed', reason);
  }

  private closedBecause(reason: string): void {
    const alert = this.wire.alert ?? null;
    this.lost(alert === null || this.used ? 'backend-closed' : 'backend-tls', alert ?? reason);
  }

  private lost(refusal: Refusal, reason: string): void {
    if (this.state === CLOSED) return;
    this.gone();
    this.wire.destroy();
    for (const stream of [...this.streams.values()]) stream.lost(this.used, refusal, reason);
  }

  private close(code: number): void {
    if (this.state === CLOSED) return;
    this.output.goaway(0, code);
    this.output.flush();
    this.gone();
    setImmediate(() => this.wire.destroy()); // after the turn, when the farewell has left
  }

  private gone(): void {
    this.state = CLOSED;
    this.frames.stop();
    this.output.stop();
    unwatch(this);
    this.pool.lostSession(this, true);
  }

  /** A stream was silent for too long: is the backend still there? */
  probe(): void {
    const { responseTimeout } = this.options;
    if (this.suspect || this.state === CLOSED || responseTimeout === 0) return;
    this.suspect = true;
    this.deadline = clock.now + responseTimeout;
    this.output.ping(PROBE);
  }

  overdue(): void {
    if (this.suspect) this.lost('backend-timeout', 'the backend does not answer a ping');
    else if (this.streams.size === 0) this.retire();
  }
}
