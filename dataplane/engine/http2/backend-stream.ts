import type { BackendOptions } from '../backend/backend-options.ts';
import { pendingContent } from '../backend/backend-request.ts';
import type { Call } from '../backend/call.ts';
import type { CallCarrier } from '../backend/call-carrier.ts';
import { isRepeatable } from '../backend/replay.ts';
import { Upload } from '../backend/upload.ts';
import { FlowWindow } from '../frames/flow-window.ts';
import { ERROR } from '../frames/frames.ts';
import { statusText } from '../head/status-text.ts';
import type { Body, BodySource } from '../message/body.ts';
import { type Refusal, refusals } from '../message/refusal.ts';
import type { Response } from '../message/response.ts';
import { clock } from '../wire/clock.ts';
import { NEVER, type Swept, unwatch, watch } from '../wire/sweep.ts';
import { awaiting, keep } from '../wire/turn.ts';
import type { AnswerFields } from './answer-fields.ts';
import { type RequestPlace, writeReplayedHead, writeRequestHead } from './backend-head.ts';
import { STREAM_WINDOW } from './backend-upgrade.ts';
import { HeldAnswer } from './held-answer.ts';
import { judgedStatus } from './judged-status.ts';
import { type SendingConnection, type SendingStream, StreamSender } from './stream-sender.ts';

/** Nothing of the answer has come. */
const AWAITING = 0;
/** Its head is here; whether content comes with it is seen when all that arrived has been read. */
const HELD = 1;
const ANSWERED = 2;
const OVER = 3;

/** Interim answers a backend may send before its answer. */
const MOST_INTERIM = 16;
/** How often a request is sent once more because the backend says that it has not touched it. */
const MOST_RETRIES = 3;
/** Refusals that are nobody's breach of a rule. */
const LATE: ReadonlySet<Refusal> = new Set(['backend-timeout', 'body-timeout']);
const NOTHING = Buffer.alloc(0);

/** The connection that carries a stream. */
export interface BackendStreamOwner extends RequestPlace, SendingConnection {
  readonly options: BackendOptions;
  /** Sends a request once more, on whatever connection. */
  readonly pool: { retry(call: Call): void };
  /** Streams whose head came with what is being read. */
  readonly held: BackendStream[];
  /** An answer has come. */
  answered(): void;
  /** The stream is over. */
  left(stream: BackendStream): void;
  /** The stream was silent for too long: is the backend still there? */
  probe(): void;
}

/** One call to a backend on a connection that carries many. */
export class BackendStream implements CallCarrier, BodySource, SendingStream, Swept {
  deadline = NEVER;
  slot = -1;
  readonly id: number;
  readonly window: FlowWindow;
  private readonly session: BackendStreamOwner;
  private call: Call | null;
  private state = AWAITING;
  private interims = 0;
  // the answer
  private readonly held = new HeldAnswer();
  private body: Body | null = null;
  private left = -1;
  /** The answer waits for the client, so that its time does not count. */
  private paused = false;
  /** Bytes that came while it waited, which the backend gets its window back for later. */
  private owed = 0;
  // the request
  private requestDone = true;
  private sender: StreamSender | null = null;
  /** How much of it was sent when somebody looked. */
  private seen = 0;

  constructor(session: BackendStreamOwner, id: number, call: Call, sendable: number) {
    this.session = session;
    this.id = id;
    this.call = call;
    this.window = new FlowWindow(sendable, STREAM_WINDOW);
    call.carrier = this;
    this.touch();
    watch(this);
  }

  // ---- the request

  get sentWhole(): boolean {
    return this.requestDone;
  }

  /** Sends the request, or what can be sent of it. */
  start(): void {
    const { session, id } = this;
    const call = this.call!;
    const { exchange, replay } = call;
    if (replay !== null) {
      const content = writeReplayedHead(session, id, replay, session.options);
      if (content < replay.length) this.sending().sendWhole(replay, content, replay.length, true);
      return;
    }
    const { body, content, stream, announced } = pendingContent(exchange.request);
    const streamed = body !== null || stream !== null;
    const last = !streamed && (content === null || content.length === 0);
    writeRequestHead(session, id, exchange, session.options, announced, last);
    if (last) return;
    const sender = this.sending();
    sender.asks(exchange.request.headers);
    if (!streamed) sender.sendWhole(content!, 0, content!.length, true);
    else {
      call.upload ??= new Upload(body, stream, (error) => call.refuseUnreadable(error));
      sender.from(call.upload);
      call.upload.sendTo(sender);
    }
  }

  private sending(): StreamSender {
    this.requestDone = false;
    this.sender = new StreamSender(this.session, this.id, this.window, this);
    return this.sender;
  }

  contentEnded(): void {
    this.requestDone = true;
    this.touch();
  }

  /** The client broke off: the backend must not take half a request for a whole one. */
  contentBroken(): void {
    this.drop();
  }

  /** The backend gave a larger window. */
  proceed(): void {
    const { sender } = this;
    if (sender === null) return;
    this.touch();
    this.session.stalled.delete(sender);
    sender.resume();
  }

  // ---- the answer

  /** Its head has come; what follows is content, or trailers. */
  get headed(): boolean {
    return this.state !== AWAITING;
  }

  /** All the content that the head announced has come, even if the backend has not said that this is all. */
  get isWhole(): boolean {
    return this.state === ANSWERED && this.left === 0;
  }

  /** A head came. `last`: nothing follows it. */
  head(fields: AnswerFields, last: boolean): void {
    this.touch();
    if (fields.malformed) this.refuse('backend-malformed', 'the head of the response violates HTTP/2');
    else if (fields.tooLarge) this.refuse('backend-head-too-large');
    else {
      this.held.hold(fields);
      if (fields.status < 200) this.interim(fields.status, last);
      else if (last) this.whole(NOTHING, 0, 0);
      else {
        this.state = HELD;
        this.session.held.push(this);
      }
    }
  }

  private interim(status: number, last: boolean): void {
    const { call } = this;
    const headers = this.held.interim();
    if (last || ++this.interims > MOST_INTERIM || headers === null) {
      this.refuse('backend-malformed', 'an interim response is malformed, or there are too many');
      return;
    }
    call?.upload?.forget();
    call?.exchange.origin.interim(call.exchange, status, statusText(status), headers);
  }

  /** Content of a frame that lies here whole, or a part of it. `last`: the answer ends with it. */
  data(bytes: Buffer, start: number, end: number, last: boolean): void {
    if (this.isOver()) return;
    this.touch();
    if (this.state === HELD) {
      if (last) {
        this.whole(bytes, start, end);
        return;
      }
      this.release();
    }
    const { body } = this;
    if (this.isOver()) return;
    if (body === null || (this.left >= 0 && end - start > this.left)) {
      if (start !== end) this.refuse('backend-malformed', 'the body of the response is longer than its head says');
      return;
    }
    if (this.left > 0) this.left -= end - start;
    body.push(bytes, start, end);
  }

  /** It may end while something is passed on. */
  private isOver(): boolean {
    return this.state === OVER;
  }

  /** A frame with content is complete: the backend gets its window back when the client takes what it sent. */
  taken(length: number): void {
    if (this.state === OVER) return;
    if (this.paused) this.owed += length;
    else this.giveBack(length);
  }

  private giveBack(length: number): void {
    const increment = this.window.taken(length);
    if (increment > 0) this.session.output.windowUpdate(this.id, increment);
  }

  /** The answer is complete, by what the backend says. */
  ends(trailers: string): void {
    if (this.state === HELD && trailers === '') this.whole(NOTHING, 0, 0);
    else {
      if (this.state === HELD) this.release();
      if (this.isOver()) return;
      const { body, left } = this;
      if (this.state === AWAITING) this.refuse('backend-malformed', 'DATA came before the head of the response');
      else if (left > 0) this.refuse('backend-malformed', 'the body of the response is shorter than its head says');
      else {
        this.call?.ended();
        this.finish();
        body?.finish(trailers);
      }
    }
  }

  /** The whole answer is here: its content goes out with its head. */
  private whole(content: Buffer, start: number, end: number): void {
    const call = this.call!;
    const response = this.held.whole(call.exchange.request.method, content, start, end);
    if (response === null) {
      this.refuse('backend-malformed', 'the response is malformed, or not as long as its head says');
      return;
    }
    this.session.answered();
    this.finish();
    deliver(call, response, true);
  }

  /** The head goes on without its content, which follows. */
  release(): void {
    if (this.state !== HELD) return;
    const call = this.call!;
    const response = this.held.begun(call.exchange.request.method, this);
    if (response === null) {
      this.refuse('backend-malformed');
      return;
    }
    this.session.answered();
    this.state = ANSWERED;
    this.body = response.incomingBody;
    this.left = this.body === null ? 0 : this.body.length;
    call.upload?.forget();
    if (this.body === null) this.call = call.carrier = null; // what is still to come says nothing
    deliver(call, response, this.body === null);
  }

  // ---- ends, expected and not

  /** The answer is complete. */
  private finish(): void {
    if (!this.requestDone) this.session.output.reset(this.id, ERROR.CANCEL); // nobody needs the rest of the request
    this.leave();
  }

  /** Nobody wants the answer. */
  drop(): void {
    if (this.state === OVER) return;
    this.session.output.reset(this.id, ERROR.CANCEL);
    const { body, call } = this;
    this.leave();
    if (body === null) return;
    call?.ended();
    body.fail();
  }

  /** The backend broke a rule: the stream is reset, and what has not begun is refused. */
  refuse(refusal: Refusal, reason?: string): void {
    if (this.state === OVER) return;
    this.session.output.reset(this.id, LATE.has(refusal) ? ERROR.CANCEL : ERROR.PROTOCOL_ERROR);
    this.fail(refusal, reason);
  }

  /** There is no stream any more: an answer that has not begun becomes a refusal, one that has breaks off. */
  fail(refusal: Refusal, reason?: string): void {
    const { call, body } = this;
    this.leave();
    if (body !== null) {
      const why = refusal === 'backend-closed' || refusal === 'backend-reset' ? 'backend-cut' : refusal;
      call?.broke(why);
      this.session.options.failed(why, reason ?? refusals[why].reason, true);
      body.fail(why);
    } else if (call !== null && call.response === null) call.refuse(refusal, reason);
  }

  /** The backend has not touched the request: it can be sent again, whatever it asks for. */
  untouched(refusal: Refusal, reason: string): void {
    if (!this.again(MOST_RETRIES)) this.fail(refusal, reason);
  }

  /** The connection is gone, and nobody knows whether the request arrived. `kept`: it had carried calls before. */
  lost(kept: boolean, refusal: Refusal, reason: string): void {
    const { call } = this;
    const repeatable = kept && call?.mayRepeat === true && isRepeatable(call.exchange.request.method);
    if (!repeatable || !this.again(1)) this.fail(refusal, reason);
    else call.repeats++;
  }

  private again(most: number): boolean {
    const { call } = this;
    if (call === null || call.cancelled || call.retries >= most || this.state !== AWAITING || this.interims > 0) {
      return false;
    }
    // a head that was sent in HTTP/1.1 is not there any more
    if (call.replay === null && !call.exchange.request.headers.readable) return false;
    if (call.upload !== null && !call.upload.repeatable) return false;
    this.sender?.from(null);
    call.upload?.detach();
    call.carrier = this.call = null;
    this.leave();
    this.session.pool.retry(call);
    return true;
  }

  private leave(): void {
    const { call } = this;
    this.state = OVER;
    this.body = this.call = null;
    if (call !== null) {
      call.carrier = null;
      call.upload?.abandon();
    }
    this.sender?.stop();
    unwatch(this);
    this.session.left(this);
  }

  // ---- deadlines, and as the source of the answer's body

  private touch(): void {
    const { responseTimeout } = this.session.options;
    if (!this.paused) this.deadline = responseTimeout > 0 ? clock.now + responseTimeout : NEVER;
  }

  overdue(): void {
    const { session, sender } = this;
    if (sender !== null && sender.sent > this.seen) {
      this.seen = sender.sent;
      this.touch();
      return;
    }
    const taken = !this.requestDone && sender !== null && !sender.waits && !session.stalled.has(sender);
    if (taken && this.call?.exchange.request.incomingBody?.unasked !== true) {
      this.refuse('body-timeout'); // the backend has taken all there is of the request: it is the client who is late
      return;
    }
    this.refuse('backend-timeout');
    session.probe();
  }

  pauseBody(): void {
    this.paused = true;
    this.deadline = NEVER; // it is the client who is slow
  }

  resumeBody(): void {
    if (this.state === OVER) return;
    this.paused = false;
    this.touch();
    const { owed } = this;
    this.owed = 0;
    if (owed > 0) this.giveBack(owed);
  }

  abandonBody(): void {
    this.drop();
  }

  bodyWanted(): void {
    // a backend does not wait to be asked
  }
}

function deliver(call: Call, response: Response, isWhole: boolean): void {
  call.answer(response, isWhole, judgedStatus);
  if (call.exchange.over) return;
  awaiting(); // somebody still looks at it: in this turn, or longer
  keep(response.headers);
}
