import { writeAnswer } from './answer.ts';
import { Body, type BodySink, type BodySource } from './body.ts';
import { SLACK } from './bytes.ts';
import { BAD_CHUNK, ChunkDecoder, type ChunkReceiver, MORE } from './chunked.ts';
import { clock } from './clock.ts';
import { COUNTER, counters } from './counters.ts';
import { EntityBroken, EntityTooLarge } from './entity.ts';
import { type Answer, type ClientContext, Exchange, type Origin } from './exchange.ts';
import { type ForwardedClient, type ForwardingOptions, extendForwarding, forwardedFacts, forwardingLines, isForwardingHeader } from './forwarding.ts';
import { Headers } from './headers.ts';
import type { Listener } from './listener.ts';
import { isWord, MALFORMED } from './message-head.ts';
import { BAD_HEADER, NEEDS_MORE, NO_HEADER, readProxyHeader } from './proxy-protocol.ts';
import type { Refusal } from './refusal.ts';
import { refusals } from './refusal.ts';
import { Reply } from './reply.ts';
import { Request } from './request.ts';
import { requestHead, scanRequestHead } from './request-head.ts';
import { refusalResponse, Response } from './response.ts';
import { type Swept, unwatch, watch } from './sweep.ts';
import { isHost, judgeTarget, sameAuthority, target } from './target.ts';
import { awaiting, keep, put, putText } from './turn.ts';
import { Uri } from './uri.ts';
import { type Endpoint, type Passed, REFUSED, type Wire, type WireOwner } from './wire.ts';

const PROXY_HEADER = 0;
const HEAD = 1;
const LENGTH = 2;
const CHUNKED = 3;
const LINGER = 4;
const CLOSED = 5;

/** Bodies longer than this are passed on without copies. */
const BULK = 131_072;

/** One client: reads its requests one after the other, runs the chain on each, and sends the answers in order. */
export class ClientConnection implements WireOwner, BodySource, BodySink, ChunkReceiver, Origin, Swept {
  readonly wire: Wire;
  readonly listener: Listener;
  deadline: number;
  slot = -1;
  exchange: Exchange | null = null;
  /** Close when the current answer is out. */
  closing = false;
  /** How the current answer is framed; set by `writeAnswer`. */
  chunkedOut = false;
  bodilessOut = false;
  sentBytes = 0;
  status = 0;
  private phase: number;
  private partial: Buffer | null = null;
  private partialLength = 0;
  private waiting: Buffer | null = null;
  private body: Body | null = null;
  private bodyLeft = 0;
  private decoder: ChunkDecoder | null = null;
  /** The whole request body came with its head. */
  private bodyAtHand = false;
  private expects = false;
  private running = false;
  private answered = false;
  private ended_ = false;
  private requests = 0;
  private responseBody: Body | null = null;
  private drainWaiter: (() => void) | null = null;
  private progress = 0;
  private progressAt = 0;
  private refusal: Refusal | null = null;
  private peer: Endpoint | null = null;
  private here: Endpoint | null = null;
  private trusted: boolean;
  private lastHost = '';
  private lastForwarding: ForwardingOptions | null = null;
  private lastLines = '';

  constructor(wire: Wire, listener: Listener, trusted: boolean) {
    this.wire = wire;
    this.listener = listener;
    this.trusted = trusted;
    this.phase = trusted ? PROXY_HEADER : HEAD;
    this.deadline = clock.now + listener.limits.headTimeout;
    watch(this);
  }

  // ---- reading

  receive(bytes: Buffer, start: number, end: number): void {
    let p = start;
    while (p < end && p >= 0) {
      switch (this.phase) {
        case HEAD:
          if (this.exchange !== null) {
            this.hold(bytes, p, end);
            return;
          }
          p = this.readHead(bytes, p, end);
          if (this.reread !== null) {
            // the head was put together in another buffer: go on there
            bytes = this.reread;
            end = bytes.length - SLACK;
            this.reread = null;
          }
          break;
        case LENGTH:
        case CHUNKED:
          p = this.readBody(bytes, p, end);
          break;
        case PROXY_HEADER:
          p = this.readProxy(bytes, p, end);
          break;
        default:
          return;
      }
    }
    if (this.answered) this.settle();
  }

  private reread: Buffer | null = null;

  /** Further requests wait, in bounds, until the current one is answered. */
  private hold(bytes: Buffer, p: number, end: number): void {
    const more = bytes.subarray(p, end);
    this.waiting = this.waiting === null ? Buffer.from(more) : Buffer.concat([this.waiting, more]);
    if (this.waiting.length > this.listener.limits.pipelineBytes) this.wire.pause();
  }

  /** Adds bytes to what is there of a head. @returns false when nothing can have changed. */
  private accumulate(bytes: Buffer, p: number, end: number): boolean {
    const length = end - p;
    if (this.partial === null) {
      this.partial = Buffer.allocUnsafeSlow(Math.max(1024, length * 2) + SLACK);
      this.partialLength = 0;
    } else if (this.partialLength + length + SLACK > this.partial.length) {
      const larger = Buffer.allocUnsafeSlow((this.partialLength + length) * 2 + SLACK);
      this.partial.copy(larger, 0, 0, this.partialLength);
      this.partial = larger;
    }
    bytes.copy(this.partial, this.partialLength, p, end);
    this.partialLength += length;
    this.partial[this.partialLength] = 0;
    const newline = bytes.indexOf(10, p);
    return newline >= 0 && newline < end;
  }

  private readProxy(bytes: Buffer, p: number, end: number): number {
    if (this.partial !== null) {
      this.accumulate(bytes, p, end);
      bytes = this.takePartial();
      p = 0;
      end = bytes.length - SLACK;
    }
    const header = readProxyHeader(bytes, p, end);
    if (header === NEEDS_MORE) {
      this.accumulate(bytes, p, end);
      return -1;
    }
    if (header === BAD_HEADER) {
      this.refuse('proxy-header');
      return -1;
    }
    this.phase = HEAD;
    if (header !== NO_HEADER) {
      p = header.end;
      if (header.source !== null) {
        this.peer = header.source;
        this.here = header.destination;
        this.trusted = this.listener.trusts(this.peer.address);
      }
    }
    if (p < end) this.receive(bytes, p, end);
    return -1;
  }

  private takePartial(): Buffer {
    const whole = this.partial!.subarray(0, this.partialLength + SLACK);
    this.partial = null;
    return whole;
  }

  private readHead(bytes: Buffer, p: number, end: number): number {
    const { limits } = this.listener;
    if (this.partial !== null) {
      const complete = this.accumulate(bytes, p, end);
      if (!complete && this.partialLength <= limits.headBytes) return -1;
      bytes = this.reread = this.takePartial();
      p = 0;
      end = bytes.length - SLACK;
    } else if (this.requests > 0 || this.listener.draining) this.deadline = clock.now + limits.headTimeout;
    const headEnd = scanRequestHead(bytes, p, end, limits);
    if (headEnd > 0) return this.begin(bytes, headEnd, end);
    if (headEnd === MALFORMED) {
      this.refuse(requestHead.refusal);
      return -1;
    }
    if (end - p > limits.headBytes) {
      this.refuse(bytes.indexOf(10, p) < 0 ? 'target-too-long' : 'headers-too-large');
      return -1;
    }
    return this.incomplete(bytes, p, end);
  }

  private incomplete(bytes: Buffer, p: number, end: number): number {
    this.reread = null;
    this.accumulate(bytes, p, end);
    if (this.ended_) this.refuse('incomplete');
    return -1;
  }

  /** A whole head: judge what the scan left open, then run the chain. @returns where the body starts. */
  private begin(bytes: Buffer, headEnd: number, end: number): number {
    const head = requestHead;
    const base = head.base;
    const method = methodName(bytes, base, head.methodEnd);
    if (method === 'CONNECT') return this.refused('connect');
    const targetStart = base + head.targetStart;
    if (!judgeTarget(bytes, targetStart, base + head.targetEnd, method === 'OPTIONS')) return this.refused(target.refusal);
    const headers = new Headers(bytes, base, headEnd - base - 2, head.table, head.first, head.lines, head.dropped, head.underscored);
    let host = '';
    if (head.hostLine >= 0) {
      host = headers.valueAt(head.hostLine);
      if (host === '') headers.dropLine(head.hostLine);
      else if (host !== this.lastHost && !isHost(host)) return this.refused('host');
    }
    if (target.authority !== null) {
      if (host !== '' && !sameAuthority(host, target.authority, target.scheme!)) return this.refused('target-foreign');
      if (host === '') headers.set('Host', target.authority);
      host = target.authority;
    }
    if (!this.frameBody(bytes, headEnd, end)) return -1;
    if (this.held) return this.incomplete(bytes, base, end);
    if (head.forwarded && this.trusted) headers.restore(isForwardingHeader);
    this.closing = head.close || this.listener.draining || ++this.requests === this.listener.limits.requestsPerConnection;
    const text = target.rewritten ?? bytes.latin1Slice(targetStart, base + head.targetEnd);
    const intact = target.rewritten === null && head.minor === 1;
    const request = new Request(method, text, this.listener.scheme, host, head.minor === 1 ? 'HTTP/1.1' : 'HTTP/1.0', headers, this.body, intact);
    this.lastHost = host === this.lastHost ? this.lastHost : this.newHost(host);
    if (head.upgrade && head.upgradeLine >= 0) request.upgrade = headers.valueAt(head.upgradeLine);
    this.start(new Exchange(this, request, clock.now));
    return headEnd;
  }

  private newHost(host: string): string {
    this.lastForwarding = null;
    return host;
  }

  private refused(refusal: Refusal): -1 {
    this.refuse(refusal);
    return -1;
  }

  /** The end of a chunked body has begun but is not complete: nothing goes to a backend before it is. */
  private held = false;

  /** Prepares for the body that the head announces. @returns false when it was refused. */
  private frameBody(bytes: Buffer, headEnd: number, end: number): boolean {
    const head = requestHead;
    const most = this.listener.limits.bodyBytes;
    this.body = null;
    this.held = false;
    this.bodyAtHand = true;
    this.expects = head.expects;
    if (head.chunked) {
      const decoder = new ChunkDecoder();
      const found = decoder.feed(bytes, headEnd, end, null); // a look ahead: what is broken already never starts
      if (found === BAD_CHUNK) {
        this.refuse('chunk');
        return false;
      }
      this.held = found === MORE && decoder.ending;
      this.bodyAtHand = found !== MORE;
      this.decoder = new ChunkDecoder();
      this.body = new Body(this, -1);
      if (!this.held) this.phase = CHUNKED;
    } else if (head.length > 0) {
      if (most > 0 && head.length > most) {
        this.refuse('body-too-large');
        return false;
      }
      this.bodyLeft = head.length;
      this.bodyAtHand = end - headEnd >= head.length;
      this.body = new Body(this, head.length);
      this.phase = LENGTH;
    }
    return true;
  }

  private readBody(bytes: Buffer, p: number, end: number): number {
    const body = this.body!;
    counters.block[COUNTER.bytesReceived]! += end - p;
    if (this.phase === LENGTH) {
      const stop = end - p < this.bodyLeft ? end : p + this.bodyLeft;
      this.bodyLeft -= stop - p;
      body.push(bytes, p, stop);
      if (this.bodyLeft === 0) this.bodyComplete('');
      else if (this.bodyLeft > BULK) this.wire.bulk = true;
      return stop;
    }
    const stop = this.decoder!.feed(bytes, p, end, this);
    if (stop === BAD_CHUNK) {
      this.refuse('chunk');
      return -1;
    }
    if (this.phase !== CHUNKED) return -1; // refused on the way: too large
    if (stop === MORE) return end;
    const { trailers } = this.decoder!;
    this.decoder = null;
    this.bodyComplete(trailers);
    return stop;
  }

  chunkData(bytes: Buffer, start: number, end: number): void {
    if (this.phase !== CHUNKED) return;
    const most = this.listener.limits.bodyBytes;
    if (most > 0 && this.body!.received + end - start > most) this.refuse('body-too-large');
    else this.body!.push(bytes, start, end);
  }

  private bodyComplete(trailers: string): void {
    this.phase = HEAD;
    this.wire.bulk = false;
    const body = this.body!;
    this.body = null;
    body.finish(trailers);
    if (this.exchange !== null) this.deadline = clock.now + this.listener.limits.rateGrace;
  }

  passes(bytes: Buffer, length: number): Passed {
    if (this.phase !== LENGTH || length > this.bodyLeft) return REFUSED;
    const sink = this.body!.destination as { takeDirect?: (bytes: Buffer, length: number) => Passed } | null;
    const passed = sink?.takeDirect?.(bytes, length) ?? REFUSED;
    if (passed === REFUSED) return REFUSED;
    counters.block[COUNTER.bytesReceived]! += length;
    this.body!.passed(length);
    this.bodyLeft -= length;
    if (this.bodyLeft === 0) {
      this.bodyComplete('');
      if (this.answered) this.settle();
    }
    return passed;
  }

  ended(): void {
    this.ended_ = true;
    if (this.phase === CLOSED) return;
    if (this.phase === LINGER) this.close();
    else if (this.body !== null) {
      if (this.answered) this.close();
      else this.refuse('incomplete');
    } else if (this.exchange === null) {
      if (this.partial !== null) this.refuse('incomplete');
      else this.close();
    }
  }

  failed(): void {
    this.abort(false);
  }

  // ---- the exchange

  private start(exchange: Exchange): void {
    this.exchange = exchange;
    this.answered = false;
    this.refusal = null;
    this.sentBytes = 0;
    this.status = 0;
    this.responseBody = null;
    this.progress = this.progressAt = 0;
    counters.block[COUNTER.requestsActive]!++;
    this.deadline = clock.now + this.nextCheck();
    this.running = true;
    let answer: Answer;
    try {
      answer = this.listener.handler(exchange);
    } catch (error) {
      answer = this.fault(error);
    }
    if (answer instanceof Reply) {
      if (answer.settled || answer.watched || exchange.call?.sent !== true) keep(exchange);
      else exchange.request.headers.release(); // sent on and nobody waits inside the chain: a later read is a mistake
      answer.listen(deliver);
    } else {
      if (!(answer instanceof Response)) keep(exchange);
      deliver(exchange, answer);
    }
    this.running = false;
  }

  private nextCheck(): number {
    const { requestTimeout, rateGrace } = this.listener.limits;
    return requestTimeout > 0 ? Math.min(requestTimeout, rateGrace) : rateGrace;
  }

  private fault(error: unknown): Response {
    if (error instanceof EntityTooLarge) return refusalResponse('body-too-large', error);
    if (error instanceof EntityBroken) return refusalResponse('incomplete', error);
    this.listener.report(error);
    return refusalResponse('internal', error);
  }

  /** The chain has its answer, or will have it. */
  commit(exchange: Exchange, answer: Answer): void {
    if (!(answer instanceof Response)) {
      awaiting();
      answer.then(
        (response) => this.commit(exchange, response instanceof Response ? response : refusalResponse('no-answer')),
        (error: unknown) => this.commit(exchange, this.fault(error)),
      );
      return;
    }
    if (exchange.over) {
      answer.abandon();
      return;
    }
    exchange.over = true;
    const { call } = exchange;
    if (call !== null && call.response !== answer) call.cancel();
    if (typeof answer.cause === 'string') this.refusal = answer.cause as Refusal;
    this.status = answer.status;
    if (answer.status === 101 && answer.upgraded !== null) {
      this.upgrade(exchange, answer);
      return;
    }
    // a whole answer before the whole request: the client may be told, and need not send the rest
    if (this.body !== null && !this.bodyAtHand && (answer.incomingBody === null || answer.status >= 400)) this.closing = true;
    this.sentBytes = 0;
    const body = writeAnswer(this, exchange, answer);
    exchange.request.headers.release();
    if (body instanceof Body) {
      this.responseBody = body;
      body.pipe(this, false);
      if (this.wire.pending) this.blocked();
    } else if (body === null) this.bodyEnd('');
    else void this.pump(exchange, body);
  }

  /** Sends a stream that a filter made, as fast as the client reads. */
  private async pump(exchange: Exchange, stream: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of stream) {
        if (this.exchange !== exchange) return;
        this.bodyData(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length), 0, chunk.length);
        if (this.wire.pending || this.wire.regionLength > BULK) {
          await new Promise<void>((resolve) => {
            this.drainWaiter = resolve;
            if (!this.wire.pending) setImmediate(() => this.drained());
          });
        }
      }
      if (this.exchange === exchange) this.bodyEnd('');
    } catch (error) {
      this.listener.report(error);
      if (this.exchange === exchange) this.bodyFailed();
    }
  }

  private upgrade(exchange: Exchange, answer: Response): void {
    const peer = answer.upgraded!;
    writeAnswer(this, exchange, answer);
    exchange.request.headers.release();
    const waiting = this.waiting;
    this.waiting = null;
    this.exchange = null;
    counters.block[COUNTER.requestsActive]!--;
    this.listener.finished(this, exchange, this.refusal);
    this.phase = CLOSED;
    unwatch(this);
    peer.join(this.wire, waiting, this.ended_, this.listener.limits.tunnelTimeout, () => this.listener.forget(this));
  }

  // ---- the answer's body

  bodyData(bytes: Buffer, start: number, end: number): void {
    if (this.bodilessOut || this.phase === CLOSED) return;
    this.sentBytes += end - start;
    if (!this.chunkedOut) put(this.wire, bytes, start, end);
    else {
      putText(this.wire, `${(end - start).toString(16)}\r\n`);
      put(this.wire, bytes, start, end);
      putText(this.wire, '\r\n');
    }
  }

  /** Bytes of a long answer that need no copy. */
  takeDirect(bytes: Buffer, length: number): Passed {
    if (this.chunkedOut || this.bodilessOut || this.phase === CLOSED) return REFUSED;
    const passed = this.wire.sendDirect(bytes, length);
    if (passed !== REFUSED) this.sentBytes += length;
    return passed;
  }

  bodyEnd(trailers: string): void {
    this.responseBody = null;
    if (this.phase === CLOSED) return;
    if (this.chunkedOut && !this.bodilessOut) putText(this.wire, `0\r\n${trailers}\r\n`);
    this.answered = true;
    if (!this.running || this.phase === HEAD) this.settle();
  }

  bodyFailed(): void {
    this.abort(true);
  }

  /** The answer is out: go on with the next request, or close. */
  private settle(): void {
    if (!this.answered || this.phase === CLOSED || this.phase === LINGER) return;
    if (this.body !== null && (this.closing || !this.bodyAtHand)) this.closing = true;
    else if (this.body !== null) return; // the rest of the request is in the same buffer
    this.answered = false;
    this.finishExchange();
    if (this.closing || this.listener.draining || this.ended_) {
      if (!this.ended_ || this.waiting === null || this.closing) {
        this.linger();
        return;
      }
    }
    this.deadline = clock.now + this.listener.limits.idleTimeout;
    if (this.running || this.waiting === null) return; // running: the loop in `receive` goes on by itself
    const waiting = this.waiting;
    this.waiting = null;
    const bytes = Buffer.allocUnsafeSlow(waiting.length + SLACK);
    waiting.copy(bytes);
    bytes[waiting.length] = 0;
    this.wire.resume();
    this.receive(bytes, 0, waiting.length);
    if (this.ended_ && this.exchange === null && this.phase === HEAD) this.ended();
  }

  private finishExchange(): void {
    const { exchange } = this;
    if (exchange === null) return;
    this.exchange = null;
    counters.block[COUNTER.requestsActive]!--;
    this.listener.finished(this, exchange, this.refusal);
  }

  // ---- refusing and closing

  /** Answers by itself and closes. What was answered before stays answered. */
  refuse(refusal: Refusal): void {
    const { exchange } = this;
    if (exchange !== null && this.status !== 0) {
      this.abort(true); // the answer has begun: it can only be cut off
      return;
    }
    this.reread = null;
    this.body?.fail();
    this.body = null;
    this.phase = HEAD;
    this.closing = true;
    if (exchange !== null) {
      if (!exchange.over) this.commit(exchange, refusalResponse(refusal));
      return;
    }
    this.status = refusals[refusal].status;
    this.listener.refusedHead(this, refusal, this.status);
    writeAnswer(this, null, refusalResponse(refusal));
    this.linger();
  }

  /** No more answers: tell the client, and read on for a while, because closing on unread bytes would reset them. */
  private linger(): void {
    this.body?.fail();
    this.body = null;
    this.partial = this.waiting = null;
    this.wire.bulk = false;
    this.wire.end();
    if (this.ended_ && !this.wire.pending && this.wire.regionLength === 0) {
      this.close();
      return;
    }
    this.phase = LINGER;
    this.deadline = clock.now + this.listener.limits.lingerTimeout;
    this.wire.resume();
  }

  private close(): void {
    if (this.phase === CLOSED) return;
    if (this.wire.pending || this.wire.regionLength !== 0) {
      this.phase = LINGER;
      this.wire.end();
      this.deadline = clock.now + this.listener.limits.lingerTimeout;
      return;
    }
    this.phase = CLOSED;
    unwatch(this);
    this.wire.destroy();
    this.listener.forget(this);
  }

  /** Ends at once, whatever is under way. `reset` tells the client that its answer is incomplete. */
  abort(reset: boolean): void {
    if (this.phase === CLOSED) return;
    this.phase = CLOSED;
    unwatch(this);
    if (reset) this.wire.reset();
    else this.wire.destroy();
    const { exchange } = this;
    const { body, responseBody } = this;
    this.body = this.responseBody = null;
    body?.fail();
    responseBody?.abandon();
    this.drained();
    if (exchange !== null) {
      counters.block[COUNTER.aborted]!++;
      if (!exchange.over) {
        exchange.over = true;
        exchange.request.headers.release();
      }
      exchange.call?.cancel();
      this.finishExchange();
    }
    this.listener.forget(this);
  }

  /** From now on every answer says that it is the last; who stays silent is closed. */
  drain(): void {
    if (this.exchange === null && this.phase === HEAD) this.deadline = Math.min(this.deadline, clock.now + this.listener.idleGrace);
  }

  overdue(now: number): void {
    const { limits } = this.listener;
    if (this.phase === LINGER) {
      this.phase = HEAD;
      this.abort(false);
    } else if (this.exchange === null) {
      if (this.partial !== null) this.refuse('head-timeout');
      else this.linger();
    } else if (limits.requestTimeout > 0 && this.status === 0 && now - this.exchange.startedAt >= limits.requestTimeout) {
      this.refuse('request-timeout');
    } else this.checkRates(now);
  }

  /** A body that trickles, or an answer that nobody reads, holds resources that others need. */
  private checkRates(now: number): void {
    const { limits } = this.listener;
    this.deadline = now + this.nextCheck();
    if (this.progressAt === 0) {
      this.progressAt = now;
      this.progress = this.moved();
      return;
    }
    const elapsed = now - this.progressAt;
    if (elapsed < limits.rateGrace) return;
    const moved = this.moved() - this.progress;
    const reading = this.body !== null && this.responseBody === null && this.paused === 0;
    const rate = reading ? limits.bodyRate : this.wire.pending ? limits.readRate : 0;
    this.progressAt = now;
    this.progress += moved;
    if ((moved * 1000) / elapsed >= rate) return;
    if (reading) this.refuse('body-timeout');
    else this.abort(true);
  }

  private moved(): number {
    return (this.body?.received ?? 0) + this.sentBytes - this.wire.unsent;
  }

  // ---- as a body's source, and back-pressure

  private paused = 0;

  pauseBody(): void {
    this.paused = 1;
    this.wire.pause();
  }

  resumeBody(): void {
    this.paused = 0;
    this.progressAt = 0;
    this.wire.resume();
  }

  /** Nobody wants the rest: it is read and thrown away, or cut off after the answer. */
  abandonBody(): void {
    this.resumeBody();
  }

  bodyWanted(): void {
    if (!this.expects || this.exchange === null || this.status !== 0) return;
    this.expects = false;
    putText(this.wire, 'HTTP/1.1 100 Continue\r\n\r\n');
  }

  /** An interim answer of a backend: only clients that know them get it. */
  interim(exchange: Exchange, status: number, headers: Headers, reason: string): void {
    if (this.exchange !== exchange || this.status !== 0 || exchange.request.version !== 'HTTP/1.1') return;
    if (status === 100) {
      if (!this.expects) return;
      this.expects = false;
    }
    let text = `HTTP/1.1 ${status} ${reason}\r\n`;
    headers.each((name, value) => {
      text += `${name}: ${value}\r\n`;
    });
    putText(this.wire, `${text}\r\n`);
  }

  blocked(): void {
    this.responseBody?.pause();
  }

  drained(): void {
    this.responseBody?.resume();
    const waiter = this.drainWaiter;
    this.drainWaiter = null;
    waiter?.();
    if (this.phase === LINGER && this.ended_ && !this.wire.pending) this.close();
  }

  // ---- what exchanges ask about their client

  get remote(): Endpoint {
    this.peer ??= this.wire.remote();
    return this.peer;
  }

  get local(): Endpoint {
    this.here ??= this.wire.local();
    return this.here;
  }

  clientContext(exchange: Exchange): ClientContext {
    const facts = this.trusted ? forwardedFacts(exchange.request.headers, (address) => this.listener.trusts(address)) : null;
    return {
      remoteAddress: facts?.address ?? this.remote.address,
      remotePort: facts?.address ? 0 : this.remote.port,
      localAddress: this.local.address,
      localPort: this.local.port,
      isSecure: (facts?.scheme ?? this.listener.scheme) === 'https',
      userAgent: exchange.request.headers.get('user-agent'),
    };
  }

  originalUri(exchange: Exchange): Uri {
    const { original } = exchange.request.uri;
    if (!this.trusted) return original;
    const facts = forwardedFacts(exchange.request.headers, (address) => this.listener.trusts(address));
    if (facts.scheme === null && facts.host === null) return original;
    const host = facts.host !== null && isHost(facts.host) ? facts.host : original.authority;
    return new Uri(facts.scheme ?? original.scheme, host, original.rawPath, original.rawQuery);
  }

  /** The lines that tell a backend about this client; the same for all requests to one host. */
  forwardingLines(exchange: Exchange, options: ForwardingOptions): string {
    const { headers, host, version } = exchange.request;
    const plain = !this.trusted;
    if (plain && this.lastForwarding === options && host === this.lastHost) return this.lastLines;
    const client: ForwardedClient = {
      address: this.remote.address,
      scheme: this.listener.scheme,
      host,
      port: this.local.port,
      version: version.slice(5),
    };
    if (!plain) return extendForwarding(headers, client, options);
    this.lastForwarding = version === 'HTTP/1.1' ? options : null;
    this.lastLines = forwardingLines(client, options);
    return this.lastLines;
  }
}

function deliver(exchange: Exchange, answer: Answer): void {
  (exchange.origin as ClientConnection).commit(exchange, answer);
}

/** The usual methods without making a string. */
function methodName(bytes: Buffer, at: number, length: number): string {
  switch (length) {
    case 3:
      if (isWord(bytes, at, at + 3, 'get')) return 'GET';
      break;
    case 4:
      if (isWord(bytes, at, at + 4, 'post')) return 'POST';
      if (isWord(bytes, at, at + 4, 'head')) return 'HEAD';
      break;
  }
  return bytes.latin1Slice(at, at + length);
}
