import type { Headers } from '../head/headers.ts';
import { interimHead, writeAnswer } from '../http1/answer.ts';
import { type AnswerOwner, AnswerSender } from '../http1/answer-sender.ts';
import { RequestReader } from '../http1/request-reader.ts';
import type { RequestReceiver } from '../http1/request-receiver.ts';
import { Body } from '../message/body.ts';
import { Exchange, type Next } from '../message/exchange.ts';
import { cancelExchange, commitAnswer, type ExchangeOwner, runExchange } from '../message/exchange-owner.ts';
import { type Refusal, refusals } from '../message/refusal.ts';
import type { Request } from '../message/request.ts';
import { type Response, refusalResponse, type UpgradedPeer } from '../message/response.ts';
import type { WebSocketTerms } from '../message/websocket-terms.ts';
import { clock } from '../wire/clock.ts';
import { COUNTER, counters, countRefusal } from '../wire/counters.ts';
import { Progress } from '../wire/progress.ts';
import { sendStream } from '../wire/send-stream.ts';
import { type Swept, unwatch, watch } from '../wire/sweep.ts';
import { putText } from '../wire/turn.ts';
import type { Passed, Wire, WireOwner } from '../wire/wire.ts';
import { ClientFacts, type Greeting } from './client-facts.ts';
import type { ConnectionOwner } from './connection-owner.ts';
import type { ProxyHeader } from './proxy-protocol.ts';

const OPEN = 0;
/** Everything is answered; the client is read on for a while, because closing on unread bytes would reset the answer. */
const LINGERING = 1;
const CLOSED = 2;

/** One client: runs the chain on its requests, one after the other, and sends the answers in order. */
export class ClientConnection implements WireOwner, RequestReceiver, AnswerOwner, ExchangeOwner, Swept {
  readonly wire: Wire;
  readonly facts: ClientFacts;
  deadline: number;
  slot = -1;
  /** The connection is closed when the current answer is out. */
  closing = false;
  /** The status of the current answer, 0 before there is one. */
  status = 0;
  readonly sender: AnswerSender;
  private readonly listener: ConnectionOwner;
  private readonly reader: RequestReader;
  private state = OPEN;
  private exchange: Exchange | null = null;
  private running = false;
  private answered = false;
  private inputOver = false;
  private requests = 0;
  private tunnel: UpgradedPeer | null = null;
  private refusal: Refusal | null = null;
  private readonly progress = new Progress();

  constructor(wire: Wire, listener: ConnectionOwner, trusted: boolean, greeting: Greeting | null = null) {
    this.wire = wire;
    this.listener = listener;
    this.facts = new ClientFacts(wire, listener.scheme, trusted, listener.trusts, greeting);
    this.sender = new AnswerSender(wire, this, listener.limits.trailers);
    this.reader = new RequestReader(wire, listener.limits, this);
    this.deadline = clock.now + listener.firstPatience;
    watch(this);
  }

  // ---- what the wire says

  receive(bytes: Buffer, start: number, end: number): void {
    this.reader.receive(bytes, start, end);
    if (this.answered) this.settle();
  }

  passes(bytes: Buffer, length: number): Passed {
    const passed = this.reader.passes(bytes, length);
    if (this.answered) this.settle();
    return passed;
  }

  ended(): void {
    const { reader } = this;
    const { halfClose } = this.listener.limits;
    this.inputOver = true;
    if (this.state !== OPEN)
      setImmediate(() => this.closeSent()); // after the turn, which may have last bytes to send
    else if (reader.body !== null) {
      if (this.status === 0) this.refuse('incomplete');
      else if (this.answered) this.settle();
      else if (halfClose) reader.stop();
      else this.leave();
    } else if (this.exchange !== null) {
      if (!halfClose) this.leave();
    } else if (!reader.pipelined) {
      if (reader.begun) this.refuse(reader.blame('incomplete'));
      else this.linger();
    } else if (!halfClose) this.linger();
  }

  /** The client is gone, which looks like one that has said all: its call ends. What was answered before is still sent. */
  private leave(): void {
    const { pending, regionLength } = this.wire;
    if (this.status !== 0 || (!pending && regionLength === 0)) this.abort(this.status !== 0);
    else {
      this.endExchange();
      this.linger();
    }
  }

  failed(): void {
    this.abort(false);
  }

  blocked(): void {
    this.sender.pause();
    if (this.exchange === null) this.deadline = clock.now + this.listener.limits.rateGrace;
  }

  drained(): void {
    this.sender.resume();
    if (this.state === LINGERING) {
      this.deadline = clock.now + this.listener.limits.lingerTimeout;
      if (this.inputOver) this.closeSent();
    } else if (this.state === OPEN && this.exchange === null) {
      if (this.reader.pipelined) this.settle();
      else if (!this.reader.begun) this.deadline = clock.now + this.listener.patience;
    }
  }

  // ---- what the reader says

  get scheme(): string {
    return this.listener.scheme;
  }

  /** Also while the client does not read: requests that nobody takes the answers of would fill the memory. */
  get busy(): boolean {
    return this.exchange !== null || this.wire.pending;
  }

  get trusted(): boolean {
    return this.facts.trusted;
  }

  introduced(header: ProxyHeader): void {
    this.facts.introduce(header);
  }

  prefaced(bytes: Buffer, start: number, end: number): void {
    this.state = CLOSED;
    unwatch(this);
    this.reader.stop();
    this.listener.handOver(this, this.wire, this.facts).receive(bytes, start, end);
  }

  headBegun(): void {
    this.deadline = clock.now + this.listener.limits.headTimeout;
  }

  bodyComplete(): void {
    this.progress.restart();
  }

  askForBody(): void {
    if (this.status !== 0 || this.exchange === null) return;
    this.reader.expects = false;
    putText(this.wire, 'HTTP/1.1 100 Continue\r\n\r\n');
  }

  requested(request: Request, last: boolean): void {
    this.requests++;
    this.closing = last || this.requests === this.listener.limits.requestsPerConnection;
    const exchange = new Exchange(this, request, clock.now);
    this.exchange = exchange;
    this.refusal = null;
    this.status = this.sender.sent = 0;
    this.progress.restart();
    this.deadline = this.nextCheck(clock.now);
    counters.block[COUNTER.requestsActive]!++;
    this.running = true;
    runExchange(this, exchange);
    this.running = false;
  }

  // ---- the exchange

  get sent(): number {
    return this.sender.sent;
  }

  get handler(): Next {
    return this.listener.handler;
  }

  get webSockets(): WebSocketTerms {
    return this.listener.webSockets;
  }

  report(error: unknown): void {
    this.listener.report(error);
  }

  answer(exchange: Exchange, answer: Response): void {
    this.refusal = answer.refusal;
    this.status = answer.status;
    if (this.listener.draining && !this.reader.pipelined) this.closing = true;
    if (answer.upgraded !== null) this.upgrade(exchange, answer);
    else this.send(exchange, answer);
  }

  private send(exchange: Exchange, answer: Response): void {
    const { reader } = this;
    // a whole answer before the whole request: the client is told, and need not send the rest
    if (reader.body !== null && !reader.bodyAtHand && (answer.incomingBody === null || answer.status >= 400)) {
      this.closing = true;
    }
    const rest = writeAnswer(this, exchange, answer, reader.asksForHead);
    exchange.request.headers.release();
    if (rest !== null) this.sender.headers = answer.headers;
    if (rest === null) this.sender.bodyEnd('');
    else if (rest instanceof Body) this.sender.pipe(rest);
    else void sendStream(rest, this.sender, () => this.exchange === exchange, this.listener.report);
  }

  private upgrade(exchange: Exchange, answer: Response): void {
    const { wire, reader, inputOver } = this;
    writeAnswer(this, exchange, answer);
    exchange.request.headers.release();
    const { access } = exchange;
    exchange.access = null; // the event is written when the tunnel is over
    this.finishExchange();
    const early = reader.takeWaiting();
    reader.stop();
    this.state = CLOSED;
    unwatch(this);
    const tunnel = answer.upgraded!;
    const over = (): void => this.listener.tunnelOver(this, exchange, access, tunnel);
    this.tunnel = tunnel;
    tunnel.join(wire, early, inputOver, this.listener.limits.tunnelTimeout, over);
  }

  /** An interim answer of a backend: only clients that know them get it. */
  interim(exchange: Exchange, status: number, reason: string, headers: Headers): void {
    if (this.exchange !== exchange || this.status !== 0 || exchange.request.version !== 'HTTP/1.1') return;
    if (status === 100 && !this.reader.expects) return;
    if (status === 100) this.reader.expects = false;
    putText(this.wire, interimHead(status, reason, headers));
  }

  /** The content of the answer is sent. */
  answerSent(): void {
    if (this.state !== OPEN) return;
    this.answered = true;
    if (!this.running || this.reader.body === null) this.settle(); // else the rest of the request is in the same buffer
  }

  answerBroken(why: Refusal | null): void {
    this.refusal = why ?? this.refusal;
    this.abort(true);
  }

  /** The answer is out: goes on with the next request, or closes. A loop, because many may wait. */
  private settle(): void {
    const { reader, wire } = this;
    for (;;) {
      if (this.answered) {
        this.answered = false;
        this.finishExchange();
        if (this.closing || reader.body !== null) {
          this.linger();
          return;
        }
        this.deadline = clock.now + (wire.pending ? this.listener.limits.rateGrace : this.listener.patience);
      }
      if (!reader.pipelined || wire.pending || this.exchange !== null || this.state !== OPEN) break;
      reader.receiveWaiting();
    }
    if (!this.inputOver || this.running || this.state !== OPEN) return;
    // what was sent ahead is all there is: half a request never becomes a whole one
    if (this.exchange === null || (reader.body !== null && this.status === 0)) this.ended();
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
    this.reader.stop();
    this.closing = true;
    if (exchange !== null) {
      commitAnswer(this, exchange, refusalResponse(refusal));
      return;
    }
    this.status = refusals[refusal].status;
    const { asked } = this.reader;
    this.sender.sent = 0;
    writeAnswer(this, null, refusalResponse(refusal), this.reader.asksForHead);
    this.listener.refusedHead(this, asked, refusal);
    this.linger();
  }

  hangUp(refusal: Refusal): void {
    countRefusal(refusal);
    this.linger();
  }

  private linger(): void {
    const { lingerTimeout, rateGrace } = this.listener.limits;
    this.reader.stop();
    this.state = LINGERING;
    this.deadline = clock.now + (this.wire.pending ? rateGrace : lingerTimeout);
    this.wire.end();
    this.wire.resume();
    if (this.inputOver) setImmediate(() => this.closeSent()); // after the turn, when the answer has left
  }

  /** Closes as soon as everything is sent. */
  private closeSent(): void {
    if (this.state === CLOSED || this.wire.pending || this.wire.regionLength !== 0) return;
    this.state = CLOSED;
    unwatch(this);
    this.wire.destroy();
    this.listener.forget(this);
  }

  /** Ends at once, whatever is under way. `reset` tells the client that its answer is incomplete. */
  abort(reset: boolean): void {
    if (this.state === CLOSED) {
      this.tunnel?.abandon();
      return;
    }
    this.state = CLOSED;
    unwatch(this);
    if (reset) this.wire.reset();
    else this.wire.destroy();
    this.endExchange();
    this.listener.forget(this);
  }

  /** Ends what is done for a client that waits no more. */
  private endExchange(): void {
    const { exchange } = this;
    this.sender.stop();
    this.reader.stop();
    if (exchange === null) return;
    cancelExchange(exchange);
    this.finishExchange();
  }

  /** The listener drains: the next answer says that it is the last one; who stays silent is closed when patience is over. */
  drain(): void {
    if (this.exchange === null && this.state === OPEN && !this.reader.begun) {
      this.deadline = Math.min(this.deadline, clock.now + this.listener.patience);
    }
  }

  // ---- deadlines

  overdue(now: number): void {
    const { requestTimeout } = this.listener.limits;
    if (this.exchange === null && this.wire.pending && !this.reader.begun) this.checkRates(now);
    else if (this.state === LINGERING) this.abort(false);
    else if (this.exchange === null) {
      if (this.reader.begun) this.refuse(this.reader.blame('head-timeout'));
      else this.linger();
    } else if (requestTimeout > 0 && this.status === 0 && now - this.exchange.startedAt >= requestTimeout) {
      this.refuse('request-timeout');
    } else this.checkRates(now);
  }

  private nextCheck(now: number): number {
    const { requestTimeout, rateGrace } = this.listener.limits;
    const check = now + rateGrace;
    if (requestTimeout === 0 || this.status !== 0 || this.exchange === null) return check;
    return Math.min(check, this.exchange.startedAt + requestTimeout);
  }

  /** A body that trickles, or an answer that nobody reads, holds what others need. */
  private checkRates(now: number): void {
    const { rateGrace, readGrace, bodyRate, readRate } = this.listener.limits;
    const { body, paused, expects } = this.reader;
    this.deadline = this.nextCheck(now);
    const { pending, unsent } = this.wire;
    const moved = (body?.received ?? 0) + this.sender.sent - unsent;
    const rate = this.progress.rate(now, moved, pending ? readGrace : rateGrace);
    if (pending) {
      if (rate < readRate) this.abort(true);
    } else if (body === null || this.status !== 0) return;
    else if (paused || (expects && body.received === 0))
      this.progress.restart(); // others are late
    else if (rate < bodyRate) this.refuse('body-timeout');
  }
}
