import { putContent, putContentEnd } from '../head/content-framing.ts';
import type { Headers } from '../head/headers.ts';
import { withoutEdited } from '../head/trailers.ts';
import { ResponseReader, type ResponseReceiver } from '../http1/response-reader.ts';
import type { Body, BodySink } from '../message/body.ts';
import type { Exchange } from '../message/exchange.ts';
import { type Refusal, refusals } from '../message/refusal.ts';
import type { Response } from '../message/response.ts';
import { clock } from '../wire/clock.ts';
import { DrainGate } from '../wire/drain-gate.ts';
import { sendStream } from '../wire/send-stream.ts';
import { NEVER, type Swept, unwatch, watch } from '../wire/sweep.ts';
import { awaiting, keep, put } from '../wire/turn.ts';
import { type Passed, REFUSED, type Wire, type WireOwner } from '../wire/wire.ts';
import type { BackendOptions } from './backend-options.ts';
import { writeBackendRequest } from './backend-request.ts';
import type { Call } from './call.ts';
import type { CallCarrier } from './call-carrier.ts';
import { Replay } from './replay.ts';
import { Tunnel } from './tunnel.ts';

const IDLE = 1;
const BUSY = 2;
const CLOSED = 3;

const NOT_BY_UPGRADE =
  'the backend closed the connection on the upgrade to HTTP/2; if it supports only HTTP/2, set http2PriorKnowledge';

/** The pool that a connection belongs to. */
export interface ConnectionPool {
  /** Whether the first request of a connection should ask for HTTP/2. */
  asksForHttp2(exchange: Exchange): boolean;
  /** The backend does not go on in HTTP/2. `answered`: but in HTTP/1.1. */
  refusedHttp2(answered: boolean): void;
  /** The backend goes on in HTTP/2, and answers the call there; `early` is what it has sent. */
  upgraded(wire: Wire, call: Call, early: Buffer | null): void;
  /** Sends a request once more after its connection turned out dead; if it was a new one, to another backend. */
  retry(call: Call, wasNew: boolean): void;
  /** The connection may be used again. */
  freed(connection: BackendConnection): void;
  /** The connection is gone. */
  lost(connection: BackendConnection): void;
}

/** One connection to a backend: one request at a time, kept between them. */
export class BackendConnection implements WireOwner, ResponseReceiver, BodySink, CallCarrier, Swept {
  deadline = NEVER;
  slot = -1;
  private readonly pool: ConnectionPool;
  private readonly options: BackendOptions;
  private readonly reader: ResponseReader;
  private readonly replay = new Replay();
  /** It carries a request that was sent before, and that may be sent once more. */
  private resent = false;
  private readonly born = clock.now;
  readonly wire: Wire;
  private state = IDLE;
  private call: Call | null = null;
  private used = false;
  private last = false;
  private requestDone = true;
  /** The answer waits for the client, so that its time does not count. */
  private held = false;
  private chunkedOut = false;
  private readonly gate = new DrainGate();
  /** It asked to go on in HTTP/2. */
  private upgrading = false;

  /** Takes a wire that is open. */
  constructor(pool: ConnectionPool, options: BackendOptions, wire: Wire) {
    this.pool = pool;
    this.options = options;
    this.reader = new ResponseReader(this, options.headBytes);
    this.wire = wire;
    wire.owner = this;
    this.rest();
    watch(this);
  }

  // ---- being kept

  /** Whether it may get another request. What was read before that request was sent cannot be its answer. */
  usable(now: number): boolean {
    const { timeToLive } = this.options;
    const fresh = timeToLive === 0 || !this.used || now - this.born < timeToLive;
    return fresh && this.state === IDLE && this.wire.queued === 0;
  }

  /** Gets no more requests: closed at once, or after its answer. */
  retire(): void {
    if (this.state === IDLE) this.destroy();
    else this.last = true;
  }

  /** Watched while it is idle, because backends close what they no longer want and we do it first. */
  private rest(): void {
    this.state = IDLE;
    this.deadline = this.options.idleTimeout > 0 ? clock.now + this.options.idleTimeout : NEVER;
    this.wire.bulk = false;
    this.wire.resume();
  }

  // ---- the request

  begin(call: Call): void {
    const wire = this.wire;
    const { exchange } = call;
    this.call = call;
    call.carrier = this;
    this.state = BUSY;
    this.last = !this.options.reuse;
    this.held = false;
    this.reader.expect();
    this.touch();
    if (this.slot < 0) watch(this);
    call.goesOn(this.used);
    this.resent = call.replay !== null && call.isRepeatable;
    if (call.replay !== null) {
      put(wire, call.replay, 0, call.replay.length);
      this.requestDone = this.used = true;
      return;
    }
    const from = wire.regionLength;
    this.upgrading = !this.used && this.pool.asksForHttp2(exchange);
    const { body, content, stream, chunked } = writeBackendRequest(wire, exchange, this.options, this.upgrading);
    call.sent = true;
    this.chunkedOut = chunked;
    this.requestDone = body === null && content === null && stream === null;
    const mayRepeat = call.isRepeatable && !this.upgrading && call.retries === 0 && from === 0;
    if (mayRepeat) this.replay.begin(exchange.request.method, wire, chunked);
    this.used = true;
    if (call.upload !== null) {
      call.upload.sendTo(this);
      call.upload.forget(); // on this connection nobody can say that the request was not touched
    } else if (body !== null) body.pipe(this, false);
    else if (content !== null) {
      if (content.length > 0) this.bodyData(content, 0, content.length);
      this.bodyEnd('');
    } else if (stream !== null) {
      void sendStream(
        stream,
        this,
        () => this.call === call,
        (error) => call.refuseUnreadable(error),
      );
    }
  }

  bodyData(bytes: Buffer, start: number, end: number): void {
    const { wire } = this;
    if (this.call === null) return;
    this.touch();
    this.replay.add(bytes, start, end);
    putContent(wire, this.chunkedOut, bytes, start, end);
  }

  bodyDirect(bytes: Buffer, length: number): Passed {
    if (this.chunkedOut || this.call === null) return REFUSED;
    this.replay.forget();
    this.touch();
    return this.wire.sendDirect(bytes, length);
  }

  bodyEnd(trailers: string): void {
    if (this.call === null) return;
    putContentEnd(this.wire, this.chunkedOut, withoutEdited(trailers, this.call.exchange.request.headers));
    this.requestDone = true;
  }

  /** The client broke off: the backend must not take half a request for a whole one. */
  bodyFailed(): void {
    this.drop();
  }

  blocked(): void {
    this.call?.exchange.request.incomingBody?.pause();
  }

  drained(): void {
    this.call?.exchange.request.incomingBody?.resume();
    this.gate.open();
  }

  whenDrained(): Promise<void> {
    return this.gate.wait(this.wire);
  }

  // ---- the answer

  get method(): string {
    return this.call?.exchange.request.method ?? '';
  }

  receive(bytes: Buffer, start: number, end: number): void {
    if (this.state === CLOSED) return;
    this.touch();
    // bytes that nobody asked for must not become somebody's answer
    if (!this.reader.receive(this.wire, bytes, start, end) && this.state !== CLOSED) this.destroy();
  }

  passes(bytes: Buffer, length: number): Passed {
    this.touch();
    return this.reader.passes(bytes, length);
  }

  interim(status: number, reason: string, headers: Headers): void {
    this.replay.forget();
    const { exchange } = this.call!;
    exchange.origin.interim(exchange, status, reason, headers);
  }

  answered(response: Response, last: boolean, complete: boolean): void {
    const call = this.call!;
    this.replay.forget();
    this.refusesHttp2(true);
    if (last) this.last = true;
    if (complete) this.release(true);
    this.deliver(call, response, complete);
  }

  private deliver(call: Call, response: Response, isWhole: boolean): void {
    call.answer(response, isWhole);
    if (call.exchange.over) return;
    awaiting(); // somebody still looks at it: in this turn, or longer
    keep(response.headers);
  }

  completed(body: Body, trailers: string, clean: boolean): void {
    this.call?.ended();
    body.part(); // what is still to be said of it must not reach the next call
    this.release(clean);
    body.finish(trailers);
  }

  switched(response: Response, early: Buffer | null): void {
    const call = this.call!;
    const asked = call.exchange.request.upgrade?.toLowerCase() ?? '';
    const got = response.headers.get('upgrade')?.toLowerCase();
    if (this.upgrading && got === 'h2c') {
      this.upgrading = false;
      this.call = null;
      this.leave();
      this.pool.upgraded(this.wire, call, early);
      return;
    }
    if (got !== asked || !this.options.upgrades.includes(asked) || !this.requestDone) {
      this.refuse('backend-upgrade');
      return;
    }
    this.call = null;
    call.carrier = null;
    this.leave();
    response.upgraded = new Tunnel(this.wire, early);
    this.deliver(call, response, true);
  }

  /** The answer is complete: the connection is free, or ends. */
  private release(clean: boolean): void {
    if (this.call !== null) this.call.carrier = null;
    this.call = null;
    const { pending, regionLength } = this.wire; // what is not sent yet, a backend that has answered may never read
    if (!clean || this.last || !this.requestDone || pending || regionLength !== 0) {
      this.destroy();
      return;
    }
    this.rest();
    this.pool.freed(this);
  }

  /** The backend was asked for HTTP/2 and does not go on in it. `answered`: but in HTTP/1.1. */
  private refusesHttp2(answered: boolean): void {
    if (!this.upgrading) return;
    this.upgrading = false;
    this.pool.refusedHttp2(answered);
  }

  // ---- ends, expected and not

  ended(): void {
    if (!this.reader.endsWithConnection) {
      this.broken();
      return;
    }
    const body = this.reader.stop()!;
    this.call?.ended();
    this.release(false);
    body.finish('');
  }

  failed(): void {
    this.broken();
  }

  private broken(): void {
    if (this.state === CLOSED) return;
    const { call } = this;
    const alert = this.reader.untouched ? (this.wire.alert ?? null) : null;
    const replay = this.requestDone && this.reader.untouched ? this.taken() : null;
    if (call === null || replay === null || !call.mayRepeat || (call.isFirst && alert !== null)) {
      if (alert === null) this.refuse('backend-closed', this.upgrading ? NOT_BY_UPGRADE : undefined);
      else this.refuse('backend-tls', alert);
      return;
    }
    call.repeat(replay);
    this.call = null;
    this.destroy();
    this.pool.retry(call, call.isFirst);
  }

  /** What to send once more: a backend that goes away may close all kept connections, so that the next is dead too. */
  private taken(): Buffer | null {
    return this.resent ? (this.call?.replay ?? null) : this.replay.take();
  }

  /** Whether all of the request has been sent. */
  get sentWhole(): boolean {
    return this.requestDone;
  }

  /** The connection cannot go on: an answer that has not begun becomes a refusal, one that has breaks off. */
  refuse(refusal: Refusal, reason?: string): void {
    const { call } = this;
    const body = this.reader.stop();
    this.call = null;
    if (call !== null) call.carrier = null;
    this.destroy();
    if (body !== null) {
      const why = refusal === 'backend-closed' ? 'backend-cut' : refusal;
      call?.broke(why);
      this.options.failed(why, refusals[why].reason, true);
      body.fail(why);
    } else if (call !== null && call.response === null) call.refuse(refusal, reason);
  }

  /** Nobody wants the answer: what is under way cannot be told from the next one, so the connection goes. */
  drop(): void {
    const body = this.reader.stop();
    if (body !== null) this.call?.ended();
    this.call = null;
    this.destroy();
    body?.fail();
  }

  destroy(): void {
    if (this.state === CLOSED) return;
    this.leave();
    this.wire.destroy();
  }

  /** Leaves the pool without closing. */
  private leave(): void {
    this.state = CLOSED;
    this.refusesHttp2(false);
    this.reader.stop();
    unwatch(this);
    this.drained();
    this.pool.lost(this);
  }

  // ---- deadlines, and as the source of the answer's body

  private touch(): void {
    if (this.state === BUSY && !this.held)
      this.deadline = this.options.responseTimeout > 0 ? clock.now + this.options.responseTimeout : NEVER;
  }

  overdue(): void {
    if (this.state === IDLE) this.destroy();
    else this.refuse(this.isClientLate() ? 'body-timeout' : 'backend-timeout');
  }

  /** A backend that has taken all there is of a request cannot answer it; but it may have to ask for the rest. */
  private isClientLate(): boolean {
    if (this.requestDone || this.wire.pending) return false;
    return this.call?.exchange.request.incomingBody?.unasked !== true;
  }

  pauseBody(): void {
    if (this.state !== BUSY) return;
    this.held = true;
    this.deadline = NEVER; // it is the client who is slow
    this.wire.pause();
  }

  resumeBody(): void {
    if (this.state !== BUSY) return;
    this.held = false;
    this.touch();
    this.wire.resume();
  }

  abandonBody(): void {
    this.drop();
  }

  bodyWanted(): void {
    // a backend does not wait to be asked
  }
}
