import type { ClientFacts } from '../http/client-facts.ts';
import { clock } from '../http/clock.ts';
import type { ListenedConnection, Listener } from '../http/listener.ts';
import { Progress } from '../http/progress.ts';
import { type Swept, unwatch, watch } from '../http/sweep.ts';
import { type Passed, REFUSED, type Wire, type WireOwner } from '../http/wire.ts';
import { ClientStream, STREAM_WINDOW } from './client-stream.ts';
import { ClosedStreams } from './closed-streams.ts';
import { FloodGuard } from './flood-guard.ts';
import { FlowWindow } from './flow-window.ts';
import { FrameOutput } from './frame-output.ts';
import { FrameReader, type FrameReceiver } from './frame-reader.ts';
import { ERROR, FLAG, FRAME, MOST_31_BITS, PREFACE, read31, USUAL_FRAME_SIZE } from './frames.ts';
import { HeadWriter } from './head-writer.ts';
import { BLOCK_OPEN, BLOCK_WHOLE, HeaderBlock } from './header-block.ts';
import { INITIAL_WINDOW, PeerSettings, SETTING } from './settings.ts';
import { StreamRequests } from './stream-requests.ts';
import type { SendingConnection, StreamSender } from './stream-sender.ts';

/** What all streams of a client together may send ahead: bounds the memory that slow backends can cost. */
const CONNECTION_WINDOW = 1 << 20;
/** Unsent bytes beyond which nothing is read: a client that does not read its answers gets no more of them. */
const MOST_UNSENT = 262_144;

const OPEN = 0;
/** Everything is answered, or in error; the client is read on for a while, so that the last frames arrive. */
const LINGERING = 1;
const CLOSED = 2;

const RUNNING = 0;
/** The client was told to open no more streams; some may be on their way. */
const WARNED = 1;
/** The client knows which stream is the last one. */
const LEAVING = 2;

/** One connection of an HTTP/2 client. */
export class ClientSession implements WireOwner, FrameReceiver, SendingConnection, ListenedConnection, Swept {
  readonly wire: Wire;
  readonly listener: Listener;
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
  private readonly peer = new PeerSettings();
  private readonly reader = new FrameReader(this, USUAL_FRAME_SIZE);
  private readonly block: HeaderBlock;
  private readonly requests: StreamRequests;
  private readonly guard: FloodGuard;
  private readonly progress = new Progress();
  private state = OPEN;
  private leaving = RUNNING;
  private prefaceLeft = PREFACE.length;
  private greeted = false;
  private inputOver = false;
  private receiving = false;
  private early: ClientStream[] = [];
  /** The stream of the DATA frame that is being read, or null when it is thrown away. */
  private receiver: ClientStream | null = null;
  private frameLength = 0;
  /** When settings must be acknowledged, a header block be whole, the last stream be known, a request come; 0 for never. */
  private settledBy: number;
  private headBy = 0;
  private leaveBy = 0;
  private idleBy = 0;

  constructor(wire: Wire, listener: Listener, facts: ClientFacts) {
    const { limits } = listener;
    this.wire = wire;
    this.listener = listener;
    this.facts = facts;
    this.output = new FrameOutput(wire);
    this.heads = new HeadWriter(this.output);
    this.block = new HeaderBlock(2 * limits.headBytes + USUAL_FRAME_SIZE, limits.headerFrames);
    this.requests = new StreamRequests(this);
    this.guard = new FloodGuard(limits);
    this.deadline = this.settledBy = clock.now + limits.headTimeout;
    this.output.settings([
      [SETTING.MAX_CONCURRENT_STREAMS, limits.streams],
      [SETTING.INITIAL_WINDOW_SIZE, STREAM_WINDOW],
      [SETTING.MAX_HEADER_LIST_SIZE, limits.headBytes],
      [SETTING.ENABLE_CONNECT_PROTOCOL, 1],
    ]);
    this.output.windowUpdate(0, CONNECTION_WINDOW - INITIAL_WINDOW);
    if (listener.draining) this.drain();
    watch(this);
  }

  // ---- what the wire says

  receive(bytes: Buffer, start: number, end: number): void {
    if (this.state !== OPEN) return;
    this.receiving = true;
    const from = this.prefaceLeft > 0 ? this.readPreface(bytes, start, end) : start;
    if (from >= 0) this.reader.receive(bytes, from, end);
    this.receiving = false;
    this.endEarly();
    if (this.wire.pending && this.wire.unsent > MOST_UNSENT) this.wire.pause();
    if (!this.reader.gathers && this.block.stream === 0) this.headBy = 0;
    else if (this.headBy === 0) this.look((this.headBy = clock.now + this.listener.limits.headTimeout));
  }

  /** What is not HTTP/2 is left without many words. @returns where frames start, or -1. */
  private readPreface(bytes: Buffer, start: number, end: number): number {
    while (this.prefaceLeft > 0 && start < end) {
      if (bytes[start++] !== PREFACE.charCodeAt(PREFACE.length - this.prefaceLeft--)) {
        this.fail(ERROR.PROTOCOL_ERROR);
        return -1;
      }
    }
    return start;
  }

  passes(): Passed {
    return REFUSED;
  }

  ended(): void {
    this.inputOver = true;
    if (this.state !== OPEN) {
      this.closeSent();
      return;
    }
    for (const stream of this.streams.values())
      if (!stream.requestDone) stream.reset(ERROR.PROTOCOL_ERROR, 'incomplete');
    if (this.streams.size === 0) this.linger();
  }

  failed(): void {
    this.abort(false);
  }

  blocked(): void {
    // streams find out when they send
  }

  drained(): void {
    this.wire.resume();
    this.resumeStalled();
    if (this.state !== LINGERING) return;
    this.deadline = clock.now + this.listener.limits.lingerTimeout;
    if (this.inputOver) this.closeSent();
  }

  // ---- frames

  frame(type: number, flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (!this.greeted) {
      if (type !== FRAME.SETTINGS || (flags & FLAG.ACK) !== 0) {
        this.fail(ERROR.PROTOCOL_ERROR);
        return;
      }
      this.greeted = true;
    }
    if (this.block.stream !== 0 && type !== FRAME.CONTINUATION) {
      this.fail(ERROR.PROTOCOL_ERROR);
      return;
    }
    switch (type) {
      case FRAME.HEADERS:
        if ((id & 1) === 0) this.fail(ERROR.PROTOCOL_ERROR);
        else this.blockGrew(this.block.headers(flags, id, bytes, start, end));
        return;
      case FRAME.CONTINUATION:
        this.blockGrew(this.block.continuation(flags, id, bytes, start, end));
        return;
      case FRAME.RST_STREAM:
        this.readReset(id, end - start);
        return;
      case FRAME.WINDOW_UPDATE:
        this.readWindowUpdate(id, bytes, start, end);
        break;
      case FRAME.SETTINGS:
        this.readSettings(flags, id, bytes, start, end);
        break;
      case FRAME.PING:
        if (id !== 0) this.fail(ERROR.PROTOCOL_ERROR);
        else if (end - start !== 8) this.fail(ERROR.FRAME_SIZE_ERROR);
        else if ((flags & FLAG.ACK) === 0) this.output.pingAck(bytes, start);
        break;
      case FRAME.PRIORITY:
        this.readPriority(id, bytes, start, end);
        break;
      case FRAME.GOAWAY:
        if (id !== 0) this.fail(ERROR.PROTOCOL_ERROR);
        else if (end - start < 8) this.fail(ERROR.FRAME_SIZE_ERROR);
        else this.leave();
        break;
      case FRAME.PUSH_PROMISE:
        this.fail(ERROR.PROTOCOL_ERROR);
        return;
    }
    this.idleFrame();
  }

  brokenFrame(code: number): void {
    this.fail(code);
  }

  private idleFrame(): void {
    if (!this.guard.idleFrame(clock.now)) this.fail(ERROR.ENHANCE_YOUR_CALM);
  }

  contentSent(): void {
    this.guard.content();
  }

  private blockGrew(outcome: number): void {
    if (outcome === BLOCK_OPEN) return;
    if (outcome !== BLOCK_WHOLE) {
      this.fail(outcome);
      return;
    }
    const { block } = this;
    const error = this.requests.read(block, this.leaving === LEAVING);
    block.done();
    if (error !== ERROR.NO_ERROR) this.fail(error);
    else if (this.listener.limits.requestsPerConnection > 0) this.countRequests();
  }

  private countRequests(): void {
    if (this.requests.count >= this.listener.limits.requestsPerConnection) this.leave();
  }

  private readReset(id: number, length: number): void {
    if (length !== 4) this.fail(ERROR.FRAME_SIZE_ERROR);
    else if (id === 0 || id > this.lastStream) this.fail(ERROR.PROTOCOL_ERROR);
    else {
      const stream = this.streams.get(id);
      if (stream === undefined) this.idleFrame();
      else {
        const unanswered = stream.status === 0;
        stream.cancel(false);
        if (unanswered && !this.guard.reset(clock.now)) this.fail(ERROR.ENHANCE_YOUR_CALM);
      }
    }
  }

  private readWindowUpdate(id: number, bytes: Buffer, start: number, end: number): void {
    if (end - start !== 4) {
      this.fail(ERROR.FRAME_SIZE_ERROR);
      return;
    }
    const increment = read31(bytes, start);
    if (id === 0) {
      if (increment === 0) this.fail(ERROR.PROTOCOL_ERROR);
      else if (!this.window.widen(increment)) this.fail(ERROR.FLOW_CONTROL_ERROR);
      else this.resumeStalled();
      return;
    }
    if (id > this.lastStream) {
      this.fail(ERROR.PROTOCOL_ERROR);
      return;
    }
    const stream = this.streams.get(id);
    if (stream === undefined) return;
    if (increment === 0) stream.reset(ERROR.PROTOCOL_ERROR, 'malformed');
    else if (!stream.window.widen(increment)) stream.reset(ERROR.FLOW_CONTROL_ERROR, 'malformed');
    else stream.windowOpened();
  }

  private readSettings(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (id !== 0) this.fail(ERROR.PROTOCOL_ERROR);
    else if ((flags & FLAG.ACK) !== 0) {
      if (end > start) this.fail(ERROR.FRAME_SIZE_ERROR);
      else this.settledBy = 0;
    } else {
      const before = this.peer.initialWindowSize;
      const error = this.peer.read(bytes, start, end);
      if (error !== ERROR.NO_ERROR) this.fail(error);
      else {
        this.heads.encoder.tableSize(this.peer.headerTableSize);
        this.output.settingsAck();
        this.shiftWindows(this.peer.initialWindowSize - before);
      }
    }
  }

  private shiftWindows(by: number): void {
    if (by === 0) return;
    for (const stream of this.streams.values()) {
      if (!stream.window.widen(by)) {
        this.fail(ERROR.FLOW_CONTROL_ERROR);
        return;
      }
    }
    if (by > 0) this.resumeStalled();
  }

  /** Priorities are not kept; what must be wrong about them is. */
  private readPriority(id: number, bytes: Buffer, start: number, end: number): void {
    if (id === 0) this.fail(ERROR.PROTOCOL_ERROR);
    else if (end - start !== 5) this.resetStream(id, ERROR.FRAME_SIZE_ERROR);
    else if (read31(bytes, start) === id) this.resetStream(id, ERROR.PROTOCOL_ERROR);
  }

  /** Ends a stream with an error, whether or not it is open. */
  resetStream(id: number, code: number): void {
    const stream = this.streams.get(id);
    if (stream !== undefined) stream.reset(code, 'malformed');
    else {
      this.output.reset(id, code);
      this.idleFrame();
    }
  }

  // ---- content of requests

  dataBegins(id: number, flags: number, length: number): void {
    this.receiver = null;
    this.frameLength = length;
    if (!this.greeted || this.block.stream !== 0 || id > this.lastStream || (id & 1) === 0) {
      this.fail(ERROR.PROTOCOL_ERROR);
      return;
    }
    if (!this.window.received(length)) {
      this.fail(ERROR.FLOW_CONTROL_ERROR);
      return;
    }
    if (length > 0) this.guard.content();
    else if ((flags & FLAG.END_STREAM) === 0) this.idleFrame();
    const stream = this.streams.get(id);
    if (stream === undefined || stream.requestDone) {
      if (!this.closed.isOurs(id)) this.resetStream(id, ERROR.STREAM_CLOSED);
    } else if (!stream.window.received(length)) stream.reset(ERROR.FLOW_CONTROL_ERROR, 'malformed');
    else this.receiver = stream;
  }

  dataBytes(id: number, bytes: Buffer, start: number, end: number): void {
    if (this.receiver?.id === id) this.receiver.data(bytes, start, end);
  }

  dataEnds(_id: number, flags: number): void {
    const { receiver } = this;
    this.receiver = null;
    if (receiver === null) this.giveBack(null, this.frameLength);
    else {
      receiver.frameRead(this.frameLength);
      if ((flags & FLAG.END_STREAM) !== 0 && this.streams.get(receiver.id) === receiver) receiver.ended('');
    }
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

  // ---- streams

  /** A request that the client began is to be read. */
  open(id: number): ClientStream {
    const stream = new ClientStream(this, id, this.peer.initialWindowSize);
    const { requestTimeout, rateGrace } = this.listener.limits;
    this.streams.set(id, stream);
    this.idleBy = 0;
    this.look(clock.now + (requestTimeout > 0 && requestTimeout < rateGrace ? requestTimeout : rateGrace));
    return stream;
  }

  /** A stream is over. `ours`: what still comes for it was on its way and means nothing. */
  close(stream: ClientStream, ours: boolean): void {
    if (!this.streams.delete(stream.id)) return;
    this.closed.add(stream.id, ours);
    if (this.streams.size > 0 || this.state !== OPEN) return;
    if (this.leaving === LEAVING || this.inputOver) this.linger();
    else this.look((this.idleBy = clock.now + this.listener.patience));
  }

  /** The answer is out before the request is in; the rest of it may lie in the bytes that are being read. */
  answeredEarly(stream: ClientStream): void {
    if (this.receiving) this.early.push(stream);
    else this.dismiss(stream);
  }

  private endEarly(): void {
    if (this.early.length === 0) return;
    for (const stream of this.early) if (!stream.requestDone) this.dismiss(stream);
    this.early = [];
  }

  /** The client need not send the rest. */
  dismiss(stream: ClientStream): void {
    if (this.streams.get(stream.id) !== stream) return;
    this.output.reset(stream.id, ERROR.NO_ERROR);
    this.close(stream, true);
    stream.stopBody();
  }

  private resumeStalled(): void {
    if (this.stalled.size === 0) return;
    const waiting = [...this.stalled];
    this.stalled.clear();
    for (const sender of waiting) sender.resume();
  }

  // ---- ending

  /** The connection cannot go on. */
  private fail(code: number): void {
    if (this.state !== OPEN) return;
    this.output.goaway(this.lastStream, code);
    this.reader.stop();
    for (const stream of [...this.streams.values()]) stream.cancel(true);
    this.linger();
  }

  private linger(): void {
    if (this.state !== OPEN) return;
    const { lingerTimeout, rateGrace } = this.listener.limits;
    if (this.leaving === RUNNING) this.output.goaway(this.lastStream);
    this.leaving = LEAVING;
    this.state = LINGERING;
    this.reader.stop();
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
    this.reader.stop();
    this.listener.forget(this);
  }

  abort(reset: boolean): void {
    if (this.state === CLOSED) return;
    this.state = CLOSED;
    this.output.stop();
    if (reset) this.wire.reset();
    else this.wire.destroy();
    for (const stream of [...this.streams.values()]) stream.cancel(true);
    this.over();
  }

  /** The listener drains: the client hears of it, and once nothing can be on its way any more, which stream is the last. */
  drain(): void {
    if (this.leaving !== RUNNING || this.state !== OPEN) return;
    this.leaving = WARNED;
    this.output.goaway(MOST_31_BITS);
    this.look((this.leaveBy = clock.now + this.listener.patience));
  }

  /** No further stream is taken; the connection ends with the last one. */
  private leave(): void {
    if (this.leaving === LEAVING || this.state !== OPEN) return;
    this.leaving = LEAVING;
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
    if (this.wire.pending && !this.isRead(now)) {
      this.abort(true);
      return;
    }
    if (this.settledBy !== 0 && now >= this.settledBy) this.fail(ERROR.SETTINGS_TIMEOUT);
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
