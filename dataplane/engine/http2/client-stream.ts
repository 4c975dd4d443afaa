import type { ClientFacts } from '../client/client-facts.ts';
import type { AnsweringSide } from '../client/connection-owner.ts';
import { FlowWindow } from '../frames/flow-window.ts';
import { ERROR, USUAL_FRAME_SIZE } from '../frames/frames.ts';
import type { HeadWriter } from '../frames/head-writer.ts';
import type { Headers } from '../head/headers.ts';
import type { AskedFor } from '../head/request-line.ts';
import { Body, type BodySource } from '../message/body.ts';
import { Exchange, type Next } from '../message/exchange.ts';
import { cancelExchange, commitAnswer, type ExchangeOwner, runExchange } from '../message/exchange-owner.ts';
import { type Refusal, refusals } from '../message/refusal.ts';
import type { Request } from '../message/request.ts';
import { type Response, refusalResponse } from '../message/response.ts';
import type { WebSocketTerms } from '../message/websocket-terms.ts';
import { clock } from '../wire/clock.ts';
import { COUNTER, counters } from '../wire/counters.ts';
import { Progress } from '../wire/progress.ts';
import { sendStream } from '../wire/send-stream.ts';
import type { Wire } from '../wire/wire.ts';
import type { ClientStreamOwner } from './client-stream-owner.ts';
import { type AnsweringStream, writeStreamAnswer, writeSwitch } from './stream-answer.ts';
import { type SendingStream, StreamSender } from './stream-sender.ts';
import { StreamTunnel } from './stream-tunnel.ts';
import type { CarryingStream } from './stream-wire.ts';

/** The window of a stream: what a client may send ahead of a backend that does not read. */
export const STREAM_WINDOW = 262_144;

/** Time, in milliseconds, and bytes that a client has to end a request that is answered already. */
const LINGER = 500;
const MOST_DISCARDED = 65_536;

/** One request of an HTTP/2 client, and its answer. */
export class ClientStream
  implements ExchangeOwner, AnsweringSide, AnsweringStream, SendingStream, BodySource, CarryingStream
{
  readonly id: number;
  readonly window: FlowWindow;
  /** The status of the answer, 0 before there is one. */
  status = 0;
  /** The client has sent all of its request. */
  requestDone = false;
  /** All of the answer is sent. */
  answerDone = false;
  private readonly session: ClientStreamOwner<ClientStream>;
  private exchange: Exchange | null = null;
  private body: Body | null = null;
  private tunnel: StreamTunnel | null = null;
  private left = -1;
  expects = false;
  private paused = false;
  /** Bytes that came and that the window is not told of, because they wait. */
  private withheld = 0;
  private content: StreamSender | null = null;
  private sentAtOnce = 0;
  private refusal: Refusal | null = null;
  private progress: Progress | null = null;
  /** When a client that is answered must have sent the rest of its request; 0 for never. */
  private dismissBy = 0;
  private discarded = 0;

  constructor(session: ClientStreamOwner<ClientStream>, id: number, sendable: number) {
    this.session = session;
    this.id = id;
    this.window = new FlowWindow(sendable, STREAM_WINDOW);
  }

  // ---- what an exchange needs to know

  get facts(): ClientFacts {
    return this.session.facts;
  }

  get webSockets(): WebSocketTerms {
    return this.session.listener.webSockets;
  }

  get handler(): Next {
    return this.session.listener.handler;
  }

  get heads(): HeadWriter {
    return this.session.heads;
  }

  get sent(): number {
    return this.content?.sent ?? this.sentAtOnce;
  }

  report(error: unknown): void {
    this.session.listener.report(error);
  }

  // ---- the request

  /** Content of `length` bytes follows the head; -1 when that was not said. */
  expectContent(length: number, expects: boolean): Body {
    this.left = length;
    this.expects = expects;
    this.body = new Body(this, length);
    return this.body;
  }

  /** What follows the head belongs to another protocol; `proof` is what the client wants to hear when it begins. */
  expectTunnel(proof: string | null): void {
    this.tunnel = new StreamTunnel(this, proof);
    if (this.requestDone) this.tunnel.ended();
  }

  /** The head is whole: the chain runs. */
  requested(request: Request): void {
    const exchange = new Exchange(this, request, clock.now);
    this.exchange = exchange;
    counters.block[COUNTER.requestsActive]!++;
    runExchange(this, exchange);
  }

  /** Answers without a request, because its head cannot be one. */
  refuseHead(refusal: Refusal, asked: AskedFor): void {
    this.status = refusals[refusal].status;
    writeStreamAnswer(this, null, refusalResponse(refusal), asked.method === 'HEAD');
    this.session.listener.refusedHead(this, asked, refusal);
    if (this.content === null && !this.answerDone) this.contentEnded();
  }

  /** Content came. */
  data(bytes: Buffer, start: number, end: number): void {
    const { body, tunnel } = this;
    const { bodyBytes } = this.session.listener.limits;
    counters.block[COUNTER.bytesReceived]! += end - start;
    if (this.left >= 0 && (this.left -= end - start) < 0) this.reset(ERROR.PROTOCOL_ERROR, 'malformed');
    else if (tunnel !== null) tunnel.receive(bytes, start, end);
    else if (body === null) return;
    else if (bodyBytes > 0 && body.received + end - start > bodyBytes) this.refuse('body-too-large');
    else body.push(bytes, start, end);
  }

  /** A frame of content, `length` bytes with its padding, was read; the client may send as much again. */
  frameRead(length: number): void {
    if (this.dismissBy !== 0) this.discard(length);
    else if (this.paused || this.body?.waits === true) this.withheld += length;
    else this.session.giveBack(this, length);
  }

  /** The answer is out before the request is in: the rest is thrown away for a while. @returns until when. */
  lingers(): number {
    this.stopBody();
    this.dismissBy = clock.now + LINGER;
    return this.dismissBy;
  }

  private discard(length: number): void {
    this.session.giveBack(null, length);
    this.discarded += length;
    if (this.discarded > MOST_DISCARDED) this.session.dismiss(this);
  }

  /** The request is complete. */
  ended(trailers: string): void {
    this.requestDone = true;
    if (this.left > 0) {
      this.reset(ERROR.PROTOCOL_ERROR, 'malformed');
      return;
    }
    const { body } = this;
    this.body = null;
    this.paused = false;
    body?.finish(trailers);
    if (body?.waits !== true) this.resumeBody(); // else it is given back with what waits, or with the stream
    this.tunnel?.ended();
    if (this.answerDone) this.session.close(this, false);
  }

  // ---- as the source of the request's body

  pauseBody(): void {
    this.paused = true;
  }

  resumeBody(): void {
    this.paused = false;
    this.progress?.restart();
    const { withheld } = this;
    this.withheld = 0;
    if (withheld > 0) this.session.giveBack(this, withheld);
  }

  /** Nobody wants the rest: it is read and thrown away until the answer is out. */
  abandonBody(): void {
    this.resumeBody();
  }

  bodyTaken(): void {
    if (!this.paused) this.resumeBody();
  }

  bodyWanted(): void {
    if (!this.expects || this.status !== 0 || this.exchange === null) return;
    this.expects = false;
    this.interimHead(100, null);
  }

  // ---- the answer

  answer(exchange: Exchange, response: Response): void {
    if (this.tunnel !== null && response.status < 300) {
      this.join(exchange, response);
      return;
    }
    this.refusal = response.refusal;
    this.status = response.status;
    const rest = writeStreamAnswer(this, exchange, response);
    exchange.request.headers.release();
    if (this.requestDone) exchange.request.incomingBody?.abandon(); // nobody will read what nobody has
    if (rest === null && this.content === null && !this.answerDone) this.contentEnded();
    if (rest === null) return;
    const sender = this.sender().answers(response.headers, this.session.listener.limits.trailers);
    if (rest instanceof Body) sender.pipe(rest);
    else void sendStream(rest, sender, () => this.exchange === exchange, this.session.listener.report);
  }

  /** For a client that asked for a tunnel every good answer says that it is there, and only a switch may say so. */
  private join(exchange: Exchange, response: Response): void {
    const { upgraded } = response;
    if (upgraded === null) {
      response.abandon();
      this.answer(exchange, refusalResponse('backend-websocket'));
      return;
    }
    this.status = 200;
    writeSwitch(this, response, this.tunnel!.proof);
    exchange.request.headers.release();
    const { access } = exchange;
    exchange.access = null; // the event is written when the tunnel is over
    this.finishExchange();
    const { listener } = this.session;
    const over = (): void => listener.tunnelOver(this, exchange, access, upgraded);
    this.tunnel!.join(upgraded, listener.limits.tunnelTimeout, over);
  }

  /** What is joined to this stream ends, but not without a word. @returns whether there is anything. */
  part(): boolean {
    return this.tunnel?.part() ?? false;
  }

  get carrier(): Wire {
    return this.session.wire;
  }

  give(broken: boolean): void {
    if (this.session.streams.get(this.id) !== this) return;
    if (this.answerDone && !broken) this.session.dismiss(this);
    else this.reset(broken ? ERROR.CONNECT_ERROR : ERROR.CANCEL, null);
  }

  contentDrained(): void {
    this.tunnel?.drained();
  }

  /** Sends content that is all there is, in one frame where that is possible. */
  sendContent(bytes: Buffer, start: number, end: number): void {
    const { session, window } = this;
    const length = end - start;
    if (length > USUAL_FRAME_SIZE || length > window.sendable || length > session.window.sendable) {
      this.sender().sendWhole(bytes, start, end, true);
      return;
    }
    window.sendable -= length;
    session.window.sendable -= length;
    this.sentAtOnce = length;
    session.output.data(this.id, bytes, start, end, true);
    session.contentSent();
    this.contentEnded();
  }

  sender(): StreamSender {
    return (this.content ??= new StreamSender(this.session, this.id, this.window, this));
  }

  interim(exchange: Exchange, status: number, _reason: string, headers: Headers): void {
    if (this.exchange !== exchange || this.status !== 0 || (status === 100 && !this.expects)) return;
    if (status === 100) this.expects = false;
    this.interimHead(status, headers);
  }

  private interimHead(status: number, headers: Headers | null): void {
    const { heads } = this;
    heads.begin(status, headers);
    if (headers !== null) heads.headers(headers, 'content-length');
    heads.end(this.id, false);
  }

  /** The client opened the window of this stream. */
  windowOpened(): void {
    if (this.content?.waits === true) this.content.resume();
  }

  /** The answer is sent to its end. */
  contentEnded(): void {
    this.answerDone = true;
    this.finishExchange();
    if (this.requestDone) this.session.close(this, false);
    else if (this.tunnel === null || this.status !== 200) this.session.answeredEarly(this);
  }

  /** The rest of the answer will not come: the client must not take it for complete. */
  contentBroken(why: Refusal | null): void {
    this.reset(ERROR.INTERNAL_ERROR, why);
  }

  private finishExchange(): void {
    const { exchange } = this;
    if (exchange === null) return;
    this.exchange = null;
    counters.block[COUNTER.requestsActive]!--;
    this.session.listener.finished(this, exchange, this.refusal);
  }

  // ---- refusing and ending

  /** Answers by itself, where there is no answer yet. */
  refuse(refusal: Refusal): void {
    const { exchange } = this;
    if (exchange === null) return;
    if (this.status !== 0) {
      this.reset(ERROR.INTERNAL_ERROR, refusal);
      return;
    }
    this.stopBody();
    commitAnswer(this, exchange, refusalResponse(refusal));
  }

  /** Ends the stream with an error, and whatever is under way for it. */
  reset(code: number, why: Refusal | null): void {
    this.session.output.reset(this.id, code);
    this.refusal = why ?? this.refusal;
    this.cancel(true);
    if (why === 'malformed') this.session.violated();
  }

  /** Ends whatever is under way. `ours`: the client did not ask for it. */
  cancel(ours: boolean): void {
    const { exchange } = this;
    this.session.close(this, ours);
    this.content?.stop();
    this.stopBody();
    this.tunnel?.failed();
    if (exchange === null) return;
    cancelExchange(exchange);
    this.finishExchange();
  }

  /** Nothing more of the request is wanted; a backend must not take what it got for all of it. */
  stopBody(): void {
    const { body } = this;
    this.body = null;
    body?.fail();
    this.resumeBody();
  }

  // ---- deadlines

  /** Looks at what takes too long. @returns when to look again at the latest. */
  overdue(now: number): number {
    const { requestTimeout, rateGrace } = this.session.listener.limits;
    const { exchange, dismissBy } = this;
    const next = now + rateGrace;
    if (dismissBy !== 0) {
      if (now >= dismissBy) this.session.dismiss(this);
      return dismissBy > now ? dismissBy : next;
    }
    const isTimed = requestTimeout > 0 && this.status === 0 && exchange !== null;
    const by = isTimed ? exchange.startedAt + requestTimeout : Number.POSITIVE_INFINITY;
    if (now >= by) this.refuse('request-timeout');
    else this.checkRate(now);
    return now >= by ? next : Math.min(next, by);
  }

  /** A body that trickles, or an answer that nobody takes, holds what others need. */
  private checkRate(now: number): void {
    const { rateGrace, readGrace, bodyRate, readRate } = this.session.listener.limits;
    const { body } = this;
    const waits = this.content?.waits ?? false;
    if (this.tunnel !== null) return; // what is joined to it looks after that
    if (!waits && (body === null || this.status !== 0)) {
      this.progress?.restart();
      return;
    }
    this.progress ??= new Progress();
    const moved = (body?.received ?? 0) + this.sent;
    const rate = this.progress.rate(now, moved, waits ? readGrace : rateGrace);
    if (waits) {
      if (rate < readRate) this.reset(ERROR.CANCEL, this.refusal);
    } else if (this.paused || this.session.window.isSpent || (this.expects && body!.received === 0))
      this.progress.restart();
    else if (rate < bodyRate) this.refuse('body-timeout');
  }
}
