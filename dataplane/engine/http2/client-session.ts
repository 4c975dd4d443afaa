import type { ClientFacts } from '../client/client-facts.ts';
import type { ConnectionOwner, ListenedConnection } from '../client/connection-owner.ts';
import { FlowWindow } from '../frames/flow-window.ts';
import { FrameOutput } from '../frames/frame-output.ts';
import { ERROR, MOST_31_BITS } from '../frames/frames.ts';
import { HeadWriter } from '../frames/head-writer.ts';
import { INITIAL_WINDOW, SETTING } from '../frames/settings.ts';
import { clock } from '../wire/clock.ts';
import { Progress } from '../wire/progress.ts';
import { type Swept, unwatch, watch } from '../wire/sweep.ts';
import { type Passed, REFUSED, type Wire, type WireOwner } from '../wire/wire.ts';
import { ClientFrames, type ClientFramesOwner } from './client-frames.ts';
import { ClientStream, STREAM_WINDOW } from './client-stream.ts';
import type { ClientStreamOwner } from './client-stream-owner.ts';
import { ClosedStreams } from './closed-streams.ts';
import type { StreamSender } from './stream-sender.ts';

/** What all streams of a client together may send ahead: bounds the memory that slow backends can cost. */
const CONNECTION_WINDOW = 1 << 20;
/** Unsent bytes beyond which nothing is read: a client that does not read its answers gets no more of them. */
const MOST_UNSENT = 262_144;

const OPEN = 0;
/** Everything is answered, or in error; the client is read on for a while, so that the last frames arrive. */
const LINGERING = 1;
const CLOSED = 2;

const STAYING = 0;
/** The client was told to open no more streams; some may be on their way. */
const WARNED = 1;
/** The client knows which stream is the last one. */
const LEAVING = 2;

/** What follows the warning to a client, so that its answer tells when it has heard of it. */
const FAREWELL = Buffer.from('farewell');

/** One connection of an HTTP/2 client. */
export class ClientSession
  implements WireOwner, ClientStreamOwner<ClientStream>, ClientFramesOwner, ListenedConnection, Swept
{
  readonly wire: Wire;
  readonly listener: ConnectionOwner;
  readonly facts: ClientFacts;
  readonly output: FrameOutput;
  readonly heads: HeadWriter;
  readonly window = new FlowWindow(INITIAL_WINDOW, CONNECTION_WINDOW);
  readonly stalled = new Set<StreamSender>();
  readonly streams = new Map<number, ClientStream>();
  readonly closed = new ClosedStreams();
  /** The newest stream that the client opened. */
  lastStream = 0;
  deadline: number;
  slot = -1;
  private readonly frames: ClientFrames;
  private readonly progress = new Progress();
  private state = OPEN;
  private stay = STAYING;
  private inputOver = false;
  private receiving = false;
  /** Nothing is read until what was sent has left. */
  private halted = false;
  private early: ClientStream[] = [];
  /** When settings must be acknowledged. */
  private readonly settledBy: number;
  /** When a header block must be whole, the last stream be known, a request come; 0 for never. */
  private headBy = 0;
  private leaveBy = 0;
  private idleBy = 0;

  constructor(wire: Wire, listener: ConnectionOwner, facts: ClientFacts) {
    const { limits } = listener;
    this.wire = wire;
    this.listener = listener;
    this.facts = facts;
    this.output = new FrameOutput(wire);
    this.heads = new HeadWriter(this.output);
    this.frames = new ClientFrames(this);
    this.deadline = this.settledBy = clock.now + limits.headTimeout;
    this.idleBy = clock.now + listener.patience;
    this.look(this.idleBy);
    this.output.settings([
      [SETTING.MAX_CONCURRENT_STREAMS, limits.streams],
      [SETTING.INITIAL_WINDOW_SIZE, STREAM_WINDOW],
      [SETTING.MAX_HEADER_LIST_SIZE, limits.headBytes],
      [SETTING.ENABLE_CONNECT_PROTOCOL, 1],
    ]);
    this.output.windowUpdate(0, CONNECTION_WINDOW - INITIAL_WINDOW);
    watch(this);
  }

  // ---- what the wire says

  receive(bytes: Buffer, start: number, end: number): void {
    if (this.state !== OPEN) return;
    this.receiving = true;
    this.frames.receive(bytes, start, end);
    this.receiving = false;
    this.endEarly();
    this.halted = this.wire.pending && this.wire.unsent > MOST_UNSENT;
    if (this.halted) this.wire.pause();
    this.timeHead();
  }

  /** What has come in part must be whole in time, except while it is we who do not read. */
  private timeHead(): void {
    if (!this.frames.gathers || this.halted) this.headBy = 0;
    else if (this.headBy === 0) this.look((this.headBy = clock.now + this.listener.limits.headTimeout));
  }

  passes(): Passed {
    return REFUSED;
  }

  ended(): void {
    this.inputOver = true;
    if (this.state !== OPEN) {
      setImmediate(() => this.closeSent()); // after the turn, which may have last frames to send
      return;
    }
    // nobody can open windows any more, or reset what is not wanted: the client is gone
    for (const stream of [...this.streams.values()]) {
      if (stream.requestDone) stream.cancel(true);
      else stream.reset(ERROR.PROTOCOL_ERROR, 'incomplete');
    }
    this.linger();
  }

  failed(): void {
    this.abort(false);
  }

  blocked(): void {
    // streams find out when they send
  }

  drained(): void {
    this.halted = false;
    this.wire.resume();
    this.timeHead();
    this.resumeStalled();
    if (this.state !== LINGERING) return;
    this.deadline = clock.now + this.listener.limits.lingerTimeout;
    if (this.inputOver) this.closeSent();
  }

  contentSent(): void {
    this.frames.contentSent();
  }

  // ---- streams

  /** Whether a stream that the client begins is taken. */
  get takes(): boolean {
    return this.stay !== LEAVING && this.streams.size < this.listener.limits.streams;
  }

  /** A request that the client began is to be read. */
  open(id: number): ClientStream {
    const stream = new ClientStream(this, id, this.frames.peer.initialWindowSize);
    const { requestTimeout, rateGrace } = this.listener.limits;
    this.streams.set(id, stream);
    this.idleBy = 0;
    if (this.listener.draining && this.stay === STAYING) this.drain(); // who came late, once the request is here
    this.look(clock.now + (requestTimeout > 0 && requestTimeout < rateGrace ? requestTimeout : rateGrace));
    return stream;
  }

  /** A stream is not taken: it is read no further. */
  decline(id: number, code: number): void {
    this.closed.add(id, true);
    this.frames.resetStream(id, code);
  }

  /** A stream had to be reset for what the client did: that costs us what a reset by the client costs. */
  violated(): void {
    this.frames.countReset();
  }

  /** A stream is over. `ours`: what still comes for it was on its way and means nothing. */
  close(stream: ClientStream, ours: boolean): void {
    if (!this.streams.delete(stream.id)) return;
    this.closed.add(stream.id, ours);
    stream.resumeBody(); // what was withheld of the window of the connection
    if (this.streams.size > 0 || this.state !== OPEN) return;
    if (this.stay === LEAVING || this.inputOver) this.linger();
    else this.look((this.idleBy = clock.now + this.listener.patience));
  }

  /** The answer is out before the request is in; the rest of it may lie in the bytes that are being read. */
  answeredEarly(stream: ClientStream): void {
    if (this.receiving) this.early.push(stream);
    else this.letLinger(stream);
  }

  private endEarly(): void {
    if (this.early.length === 0) return;
    for (const stream of this.early) if (!stream.requestDone) this.letLinger(stream);
    this.early = [];
  }

  private letLinger(stream: ClientStream): void {
    if (this.streams.get(stream.id) === stream) this.look(stream.lingers());
  }

  /** The client must not send the rest. */
  dismiss(stream: ClientStream): void {
    if (this.streams.get(stream.id) !== stream) return;
    this.output.reset(stream.id, ERROR.NO_ERROR);
    this.close(stream, true);
    stream.stopBody();
  }

  /** Bytes that came were taken: the client may send as many again. */
  giveBack(stream: ClientStream | null, length: number): void {
    if (this.state !== OPEN) return;
    const all = this.window.taken(length);
    if (all > 0) this.output.windowUpdate(0, all);
    if (stream === null || stream.requestDone || this.streams.get(stream.id) !== stream) return;
    const own = stream.window.taken(length);
    if (own > 0) this.output.windowUpdate(stream.id, own);
  }

  /** Streams that waited go on, each as far as it can. */
  resumeStalled(): void {
    if (this.stalled.size === 0) return;
    const waiting = [...this.stalled];
    this.stalled.clear();
    for (const sender of waiting) sender.resume();
  }

  // ---- ending

  /** The connection cannot go on. */
  fail(code: number): void {
    if (this.state !== OPEN) return;
    this.output.goaway(this.lastStream, code);
    this.stay = LEAVING;
    this.frames.stop();
    for (const stream of [...this.streams.values()]) stream.cancel(true);
    this.linger();
  }

  private linger(): void {
    if (this.state !== OPEN) return;
    const { lingerTimeout, rateGrace } = this.listener.limits;
    if (this.stay !== LEAVING) this.output.goaway(this.lastStream);
    this.stay = LEAVING;
    this.state = LINGERING;
    this.frames.stop();
    this.deadline = clock.now + (this.wire.pending ? rateGrace : lingerTimeout);
    this.output.flush();
    this.wire.end();
    this.wire.resume();
    if (this.inputOver) setImmediate(() => this.closeSent()); // after the turn, when the last frames have left
  }

  /** Closes as soon as everything is sent. */
  private closeSent(): void {
    if (this.state === CLOSED || this.wire.pending || this.wire.regionLength !== 0) return;
    this.state = CLOSED;
    this.wire.destroy();
    this.over();
  }

  private over(): void {
    unwatch(this);
    this.output.stop();
    this.frames.stop();
    this.listener.forget(this);
  }

  abort(reset: boolean): void {
    if (this.state === CLOSED || (reset && this.part())) return;
    this.state = CLOSED;
    this.output.stop();
    if (reset) this.wire.reset();
    else this.wire.destroy();
    for (const stream of [...this.streams.values()]) stream.cancel(true);
    this.over();
  }

  /** What is joined to streams says its last words, which take a turn to each side. @returns whether it has any. */
  private part(): boolean {
    let some = false;
    for (const stream of [...this.streams.values()]) some = stream.part() || some;
    if (some) setImmediate(() => setImmediate(() => setImmediate(() => this.abort(false))));
    return some;
  }

  /** The listener drains: the client hears of it, and once nothing can be on its way any more, which stream is the last. */
  drain(): void {
    if (this.stay === LEAVING || this.state !== OPEN) return;
    if (this.stay === STAYING) {
      this.output.goaway(MOST_31_BITS);
      this.output.ping(FAREWELL);
    }
    this.stay = WARNED;
    const by = clock.now + this.listener.notice;
    if (this.leaveBy === 0 || by < this.leaveBy) this.look((this.leaveBy = by));
  }

  /** The client answered a ping: what it sent before it heard what was sent before the ping is here. */
  pinged(bytes: Buffer, start: number): void {
    if (this.stay === WARNED && FAREWELL.compare(bytes, start, start + 8) === 0) this.leave();
  }

  /** No further stream is taken; the connection ends with the last one. */
  leave(): void {
    if (this.stay === LEAVING || this.state !== OPEN) return;
    this.stay = LEAVING;
    this.leaveBy = 0;
    this.output.goaway(this.lastStream);
    if (this.streams.size === 0) this.linger();
  }

  // ---- deadlines

  /** Makes sure that deadlines are looked at by then. */
  private look(by: number): void {
    if (by < this.deadline) this.deadline = by;
  }

  overdue(now: number): void {
    if (this.state === LINGERING && !this.wire.pending) {
      this.abort(false);
      return;
    }
    this.deadline = now + this.listener.limits.rateGrace;
    if (!this.wire.pending) this.progress.restart();
    else if (!this.isRead(now)) {
      this.abort(true);
      return;
    }
    if (!this.frames.acknowledged && now >= this.settledBy) this.fail(ERROR.SETTINGS_TIMEOUT);
    else if (this.headBy !== 0 && now >= this.headBy) this.fail(ERROR.ENHANCE_YOUR_CALM);
    else if (this.leaveBy !== 0 && now >= this.leaveBy) this.leave();
    else if (this.streams.size === 0 && this.idleBy !== 0 && now >= this.idleBy) this.linger();
    if (this.state !== OPEN) return;
    for (const by of [this.settledBy, this.headBy, this.leaveBy, this.idleBy]) if (by > now) this.look(by);
    for (const stream of [...this.streams.values()]) this.look(stream.overdue(now));
  }

  /** Whether the client takes what it is sent. */
  private isRead(now: number): boolean {
    const { readGrace, readRate } = this.listener.limits;
    return this.progress.rate(now, this.output.total - this.wire.unsent, readGrace) >= readRate;
  }
}
