import type { BackendOptions, Call, Destination } from './backend.ts';
import type { BackendPool } from './backend-pool.ts';
import { writeBackendRequest } from './backend-request.ts';
import { Body, type BodySink, type BodySource } from './body.ts';
import { SLACK } from './bytes.ts';
import { BAD_CHUNK, ChunkDecoder, type ChunkReceiver, MORE } from './chunked.ts';
import type { ClientConnection } from './client-connection.ts';
import { clock } from './clock.ts';
import { connectWire } from './connect.ts';
import { Headers } from './headers.ts';
import { INCOMPLETE, MALFORMED } from './message-head.ts';
import type { Refusal } from './refusal.ts';
import { Response } from './response.ts';
import { responseHead, scanResponseHead } from './response-head.ts';
import { NEVER, type Swept, unwatch, watch } from './sweep.ts';
import { Tunnel } from './tunnel.ts';
import { awaiting, keep, output, put, putText } from './turn.ts';
import { type Passed, REFUSED, type Wire, type WireOwner } from './wire.ts';

const CONNECTING = 0;
const IDLE = 1;
const HEAD = 2;
const LENGTH = 3;
const CHUNKED = 4;
const UNTIL_CLOSE = 5;
const CLOSED = 6;

const BULK = 131_072;
/** Interim answers a backend may send before its answer. */
const MOST_INTERIM = 16;
/** Requests up to this size can be sent once more when a kept connection turns out dead. */
const MOST_REPLAY = 16_384;
const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/** One connection to a backend: sends one request at a time and reads its answer as strictly as a client's request. */
export class BackendConnection implements WireOwner, BodySource, BodySink, ChunkReceiver, Swept {
  deadline = NEVER;
  slot = -1;
  private readonly pool: BackendPool;
  private readonly options: BackendOptions;
  private wire: Wire | null = null;
  private state = CONNECTING;
  private call: Call | null = null;
  private body: Body | null = null;
  private left = 0;
  private decoder: ChunkDecoder | null = null;
  private partial: Buffer | null = null;
  private interim = 0;
  private last = false;
  private requestDone = true;
  private chunkedOut = false;
  private replay: Buffer | null = null;
  private replayLength = -1;
  private served = 0;
  private readonly born = clock.now;
  private answering: ((outcome: 'open' | 'failed' | 'timeout') => void) | null = null;

  constructor(pool: BackendPool, options: BackendOptions) {
    this.pool = pool;
    this.options = options;
  }

  // ---- connecting and being kept

  get connected(): boolean {
    return this.state === IDLE;
  }

  connect(to: Destination, timeout: number): Promise<'open' | 'failed' | 'timeout'> {
    return new Promise((resolve) => {
      this.answering = (outcome) => {
        this.answering = null;
        unwatch(this);
        if (outcome === 'open') this.state = IDLE;
        else this.wire?.destroy();
        resolve(outcome);
      };
      if (timeout > 0) {
        this.deadline = performance.now() + timeout;
        watch(this);
      }
      const wire = connectWire(to, this, (ok) => {
        if (this.wire === wire) this.answering?.(ok ? 'open' : 'failed');
      });
      this.wire = wire;
    });
  }

  /** Whether it may get another request. */
  usable(now: number): boolean {
    if (this.state !== IDLE) return false;
    return this.options.timeToLive === 0 || now - this.born < this.options.timeToLive;
  }

  // ---- the request

  begin(call: Call): void {
    const wire = this.wire!;
    this.call = call;
    call.connection = this;
    this.state = HEAD;
    this.interim = 0;
    this.last = !this.options.reuse;
    this.replayLength = -1;
    this.deadline = this.options.responseTimeout > 0 ? clock.now + this.options.responseTimeout : NEVER;
    if (this.slot < 0) watch(this);
    if (call.replay !== null) {
      put(wire, call.replay, 0, call.replay.length);
      this.requestDone = true;
      return;
    }
    const before = wire.regionLength;
    const { body, content, stream, chunked } = writeBackendRequest(wire, call.exchange, this.options);
    call.sent = true;
    this.chunkedOut = chunked;
    this.requestDone = body === null && content === null && stream === null;
    if (this.served > 0 && !call.retried && REPEATABLE.has(call.exchange.request.method)) this.remember(wire, before);
    this.served++;
    if (body !== null) body.pipe(this, false);
    else if (content !== null) {
      if (content.length > 0) this.bodyData(content, 0, content.length);
      this.bodyEnd('');
    } else if (stream !== null) void this.pump(call, stream);
  }

  /** Keeps a copy of what was just written, in case nobody reads it. */
  private remember(wire: Wire, before: number): void {
    const length = wire.regionLength - before;
    if (length > MOST_REPLAY) return;
    this.replay ??= Buffer.allocUnsafeSlow(4096);
    if (this.replay.length < length) this.replay = Buffer.allocUnsafeSlow(MOST_REPLAY);
    copyRegion(wire, before, this.replay);
    this.replayLength = length;
  }

  private async pump(call: Call, stream: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of stream) {
        if (this.call !== call) return;
        this.bodyData(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length), 0, chunk.length);
        if (this.wire!.pending || this.wire!.regionLength > BULK) {
          await new Promise<void>((resolve) => {
            this.drainWaiter = resolve;
            if (!this.wire!.pending) setImmediate(() => this.drained());
          });
        }
      }
      if (this.call === call) this.bodyEnd('');
    } catch {
      if (this.call === call) this.bodyFailed();
    }
  }

  private drainWaiter: (() => void) | null = null;

  bodyData(bytes: Buffer, start: number, end: number): void {
    const { wire } = this;
    if (this.state === CLOSED || wire === null || this.call === null) return;
    if (this.deadline !== NEVER) this.deadline = clock.now + this.options.responseTimeout;
    if (!this.chunkedOut) {
      if (this.replayLength >= 0) this.extendReplay(bytes, start, end);
      put(wire, bytes, start, end);
      return;
    }
    this.replayLength = -1;
    putText(wire, `${(end - start).toString(16)}\r\n`);
    put(wire, bytes, start, end);
    putText(wire, '\r\n');
  }

  private extendReplay(bytes: Buffer, start: number, end: number): void {
    const length = this.replayLength + end - start;
    if (length > this.replay!.length) this.replayLength = -1;
    else {
      bytes.copy(this.replay!, this.replayLength, start, end);
      this.replayLength = length;
    }
  }

  takeDirect(bytes: Buffer, length: number): Passed {
    if (this.chunkedOut || this.state === CLOSED || this.wire === null || this.call === null) return REFUSED;
    const passed = this.wire.sendDirect(bytes, length);
    if (passed !== REFUSED) {
      this.replayLength = -1;
      if (this.deadline !== NEVER) this.deadline = clock.now + this.options.responseTimeout;
    }
    return passed;
  }

  bodyEnd(trailers: string): void {
    if (this.state === CLOSED || this.call === null) return;
    if (this.chunkedOut) putText(this.wire!, `0\r\n${trailers}\r\n`);
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
    const waiter = this.drainWaiter;
    this.drainWaiter = null;
    waiter?.();
  }

  // ---- the answer

  receive(bytes: Buffer, start: number, end: number): void {
    let p = start;
    while (p < end) {
      switch (this.state) {
        case HEAD: {
          if (this.partial !== null) {
            bytes = joined(this.partial, bytes, p, end);
            p = 0;
            end = bytes.length - SLACK;
            this.partial = null;
          }
          p = this.readHead(bytes, p, end);
          if (p < 0) return;
          break;
        }
        case LENGTH:
        case CHUNKED:
          p = this.readBody(bytes, p, end);
          if (p < 0) return;
          break;
        case UNTIL_CLOSE:
          this.touch();
          this.body!.push(bytes, p, end);
          return;
        case IDLE:
          this.destroy(); // nobody asked: whatever this is, it must not become somebody's answer
          return;
        default:
          return;
      }
    }
  }

  private touch(): void {
    if (this.deadline !== NEVER) this.deadline = clock.now + this.options.responseTimeout;
  }

  private readHead(bytes: Buffer, p: number, end: number): number {
    const head = responseHead;
    const headEnd = scanResponseHead(bytes, p, end);
    if (headEnd === INCOMPLETE) {
      if (end - p > this.options.headBytes) this.fail('backend-head-too-large');
      else this.partial = Buffer.from(bytes.subarray(p, end));
      return -1;
    }
    if (headEnd === MALFORMED || headEnd - p > this.options.headBytes) {
      this.fail(headEnd === MALFORMED ? 'backend-malformed' : 'backend-head-too-large');
      return -1;
    }
    this.replayLength = -1;
    this.touch();
    if (head.status === 101) return this.switchProtocols(bytes, headEnd, end);
    if (head.status < 200) {
      if (++this.interim > MOST_INTERIM) {
        this.fail('backend-malformed');
        return -1;
      }
      this.passInterim(bytes, headEnd);
      return headEnd;
    }
    return this.answer(bytes, headEnd, end);
  }

  /** The answer begins. @returns where its body does, or -1 when nothing is left for this connection to read. */
  private answer(bytes: Buffer, headEnd: number, end: number): number {
    const head = responseHead;
    const call = this.call!;
    const { status } = head;
    const bodiless = status === 204 || status === 304 || call.exchange.request.method === 'HEAD';
    if (head.close) this.last = true;
    if (!bodiless && head.chunked && new ChunkDecoder().feed(bytes, headEnd, end, null) === BAD_CHUNK) {
      this.fail('backend-malformed');
      return -1;
    }
    let body: Body | null = null;
    if (!bodiless && head.length !== 0) {
      body = this.body = new Body(this, head.length);
      this.left = head.length;
      this.state = head.chunked ? CHUNKED : head.length > 0 ? LENGTH : UNTIL_CLOSE;
      if (head.chunked) this.decoder = new ChunkDecoder();
      if (this.state === UNTIL_CLOSE) this.last = true;
    }
    const headers = new Headers(bytes, head.base, headEnd - head.base - 2, head.table, head.first, head.lines, head.dropped, false);
    const response = new Response(status, headers, body, status);
    if (body === null) this.release(headEnd === end);
    call.answer(response);
    if (!call.exchange.over) {
      awaiting(); // somebody still looks at it: in this turn, or longer
      keep(headers);
    }
    return body === null ? -1 : headEnd;
  }

  private readBody(bytes: Buffer, p: number, end: number): number {
    const body = this.body!;
    this.touch();
    if (this.state === LENGTH) {
      const stop = end - p < this.left ? end : p + this.left;
      this.left -= stop - p;
      body.push(bytes, p, stop);
      if (this.left === 0) return this.complete(body, '', stop, end);
      if (this.left > BULK && this.wire !== null) this.wire.bulk = true;
      return stop;
    }
    const stop = this.decoder!.feed(bytes, p, end, this);
    if (stop === BAD_CHUNK) {
      this.fail('backend-malformed');
      return -1;
    }
    if (this.state !== CHUNKED) return -1; // abandoned while it was passed on
    return stop === MORE ? end : this.complete(body, this.decoder!.trailers, stop, end);
  }

  private complete(body: Body, trailers: string, stop: number, end: number): number {
    if (this.body === body) this.release(stop === end);
    body.finish(trailers);
    return -1;
  }

  chunkData(bytes: Buffer, start: number, end: number): void {
    this.body?.push(bytes, start, end);
  }

  passes(bytes: Buffer, length: number): Passed {
    if (this.state !== LENGTH || length > this.left) return REFUSED;
    const body = this.body!;
    const sink = body.destination as { takeDirect?: (bytes: Buffer, length: number) => Passed } | null;
    const passed = sink?.takeDirect?.(bytes, length) ?? REFUSED;
    if (passed === REFUSED) return REFUSED;
    this.touch();
    body.passed(length);
    this.left -= length;
    if (this.left === 0) this.complete(body, '', 0, 0);
    return passed;
  }

  private passInterim(bytes: Buffer, headEnd: number): void {
    const head = responseHead;
    const { exchange } = this.call!;
    const headers = new Headers(bytes, head.base, headEnd - head.base - 2, head.table, head.first, head.lines, head.dropped, false);
    (exchange.origin as ClientConnection).interim(exchange, head.status, headers, bytes.latin1Slice(head.base + head.reasonStart, head.base + head.reasonEnd));
  }

  private switchProtocols(bytes: Buffer, headEnd: number, end: number): number {
    const head = responseHead;
    const call = this.call!;
    const asked = call.exchange.request.upgrade?.toLowerCase() ?? '';
    if (!this.options.upgrades.includes(asked) || !this.requestDone) {
      this.fail('backend-upgrade');
      return -1;
    }
    const headers = new Headers(bytes, head.base, headEnd - head.base - 2, head.table, head.first, head.lines, head.dropped, false);
    if (head.upgradeLine >= 0) headers.restore((name) => name === 'upgrade');
    const response = new Response(101, headers, null, 101);
    const wire = this.wire!;
    const early = headEnd < end ? Buffer.from(bytes.subarray(headEnd, end)) : null;
    this.leave();
    const waiting = new Tunnel(wire, early);
    response.upgraded = waiting;
    call.answer(response);
    if (!call.exchange.over) {
      awaiting();
      keep(headers);
    }
    return -1;
  }

  ended(): void {
    if (this.state === UNTIL_CLOSE) {
      const body = this.body!;
      this.release(false);
      body.finish('');
    } else this.broken();
  }

  failed(): void {
    this.broken();
  }

  private broken(): void {
    if (this.state === CLOSED) return;
    if (this.answering !== null) {
      this.answering('failed');
      return;
    }
    const { call } = this;
    const untouched = this.state === HEAD && this.partial === null && this.interim === 0;
    if (call !== null && untouched && this.replayLength >= 0 && this.requestDone && !call.cancelled) {
      call.replay = Buffer.from(this.replay!.subarray(0, this.replayLength));
      call.connection = null;
      this.call = null;
      this.destroy();
      this.pool.retry(call);
    } else this.fail('backend-closed');
  }

  /** The connection cannot go on: an answer that has not begun becomes a refusal, one that has breaks off. */
  private fail(refusal: Refusal): void {
    const { call, body } = this;
    this.call = this.body = null;
    if (call !== null) call.connection = null;
    this.destroy();
    if (body !== null) body.fail();
    else if (call !== null && call.response === null) call.refuse(refusal);
  }

  /** The answer is complete, or as good as. */
  private release(clean: boolean): void {
    const { call } = this;
    if (call !== null) call.connection = null;
    this.call = this.body = null;
    this.decoder = null;
    this.replayLength = -1;
    if (this.wire !== null) this.wire.bulk = false;
    if (!clean || this.last || !this.requestDone) {
      this.destroy();
      return;
    }
    this.state = IDLE;
    this.deadline = this.options.idleTimeout > 0 ? clock.now + this.options.idleTimeout : NEVER;
    this.wire?.resume();
    this.pool.freed(this);
  }

  /** Nobody wants the answer: the connection cannot be used again. */
  drop(): void {
    const { body } = this;
    this.call = this.body = null;
    this.destroy();
    body?.fail();
  }

  destroy(): void {
    if (this.state === CLOSED) return;
    this.leave();
    this.wire?.destroy();
  }

  /** Takes the connection out of the pool without closing it. */
  private leave(): void {
    this.state = CLOSED;
    this.partial = null;
    unwatch(this);
    this.drained();
    this.pool.lost(this);
  }

  overdue(): void {
    if (this.answering !== null) this.answering('timeout');
    else if (this.state === IDLE) this.destroy();
    else this.fail('backend-timeout');
  }

  // ---- as the source of the answer's body

  pauseBody(): void {
    this.deadline = NEVER; // it is the client who is slow
    this.wire?.pause();
  }

  resumeBody(): void {
    if (this.options.responseTimeout > 0) this.deadline = clock.now + this.options.responseTimeout;
    this.wire?.resume();
  }

  abandonBody(): void {
    this.body = null;
    this.drop();
  }

  bodyWanted(): void {
    // a backend does not wait to be asked
  }
}

/** The bytes written to a wire in this turn, from an offset on. */
function copyRegion(wire: Wire, from: number, into: Buffer): void {
  output.bytes.copy(into, 0, wire.regionStart + from, wire.regionStart + wire.regionLength);
}

function joined(before: Buffer, bytes: Buffer, start: number, end: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(before.length + end - start + SLACK);
  before.copy(whole);
  bytes.copy(whole, before.length, start, end);
  whole[before.length + end - start] = 0;
  return whole;
}
