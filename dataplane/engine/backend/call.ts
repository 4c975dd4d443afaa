import { errorText } from '../../../platform/error-text.ts';
import type { Answer, BackendCall, Exchange } from '../message/exchange.ts';
import { type Refusal, refusals } from '../message/refusal.ts';
import { Reply } from '../message/reply.ts';
import { Response, refusalResponse } from '../message/response.ts';
import { timeNow } from '../wire/clock.ts';
import { NEVER } from '../wire/sweep.ts';
import type { BackendOptions } from './backend-options.ts';
import type { CallCarrier } from './call-carrier.ts';
import { readForNobody } from './unwanted-answer.ts';
import type { Upload } from './upload.ts';

/** What is wrong with the way to a proxy, which the client and the figures know under one name. */
const OF_THE_WAY: ReadonlySet<Refusal> = new Set(['backend-address', 'backend-connect', 'backend-connect-timeout']);

/** What ends a connection that has been opened. */
const OF_CONNECTIONS: ReadonlySet<Refusal> = new Set([
  'backend-closed',
  'backend-cut',
  'backend-malformed',
  'backend-reset',
  'backend-timeout',
]);

/** The place where a call waits for a connection. */
export interface CallQueue {
  /** The call is not wanted any more. */
  forget(call: Call): void;
}

/** Hears of the calls of a backend, and finds another one for those that cannot have a connection to it. */
export interface CallWatch {
  /** The backend answered, with any status. Unless the answer is `isWhole`, `ended` or `broke` follows. */
  answered(status: number, isWhole: boolean): void;
  /** The rest of an answer with this status came, or nobody wants it. */
  ended(status: number): void;
  /** The rest of an answer with this status will not come. */
  broke(status: number, refusal: Refusal): void;
  /** There is no answer, or no connection. */
  refused(refusal: Refusal): void;
  /** Moves a call of which nothing reached the backend. @returns false when it has to be refused */
  move(call: Call, refusal: Refusal, reason: string): boolean;
  /** Whether there is another backend to move it to. */
  mayMove(call: Call): boolean;
}

/** One request on its way to a backend and its answer on the way back. */
export class Call implements BackendCall {
  readonly exchange: Exchange;
  readonly reply: Reply;
  private options: BackendOptions;
  private watch: CallWatch | null;
  response: Response | null = null;
  /** Status by which the backend is judged; 0 before its answer. */
  private status = 0;
  sent = false;
  /** When it began to wait for a connection of this backend, and when it has waited enough. */
  waitingSince = 0;
  waitUntil = NEVER;
  /** When it has waited enough, however many backends it was moved between; 0 while it has not waited. */
  giveUpAt = 0;
  /** What was sent on a connection that turned out dead; sent once more on a new one. */
  replay: Buffer | null = null;
  /** How often it was sent once more, for whatever reason. */
  retries = 0;
  /** How often of these nobody knows whether it arrived the time before. */
  repeats = 0;
  private readonly mostRepeats: number;
  /** Whether its connection has carried no call before, and whether it may be sent once more if that one is closed. */
  isFirst = false;
  isRepeatable = false;
  /** The body on its way, where it may have to be sent again. */
  upload: Upload | null = null;
  /** Where it waits for a connection. */
  queue: CallQueue | null = null;
  carrier: CallCarrier | null = null;
  cancelled = false;

  constructor(exchange: Exchange, options: BackendOptions, watch: CallWatch | null = null) {
    this.exchange = exchange;
    this.options = options;
    this.watch = watch;
    this.reply = new Reply(exchange);
    this.mostRepeats = exchange.repeats;
  }

  /** Whether it may be sent once more although it may have arrived. */
  get mayRepeat(): boolean {
    return !this.cancelled && this.repeats < this.mostRepeats;
  }

  /** It is about to be sent on a connection. One that asks for another protocol is sent once. */
  goesOn(isKept: boolean): void {
    this.isFirst = !isKept;
    this.isRepeatable = isKept || (this.exchange.request.upgrade === null && this.watch?.mayMove(this) === true);
  }

  /** It is sent once more, although nobody knows whether it arrived. @param replay all that was sent */
  repeat(replay: Buffer): void {
    this.replay = replay;
    this.repeats++;
    this.carrier = null;
  }

  /**
   * It waits for a connection now: for `timeout` milliseconds, or any time for 0. Several backends share this time:
   * while there is another one to try, it waits for half of what is left. @returns until when
   */
  wait(timeout: number): number {
    const now = timeNow();
    this.waitingSince = now;
    if (timeout === 0) return (this.waitUntil = NEVER);
    if (this.giveUpAt === 0) this.giveUpAt = now + timeout;
    const left = Math.max(0, this.giveUpAt - now);
    this.waitUntil = now + (this.watch?.mayMove(this) === true ? left / 2 : left);
    return this.waitUntil;
  }

  /** The answer is here, or its head. @param judged the status by which the backend is judged */
  answer(response: Response, isWhole: boolean, judged: ((response: Response) => number) | null = null): void {
    const { received, responseTimeout } = this.options;
    this.response = response;
    if (this.watch !== null) {
      this.status = judged === null ? response.status : judged(response);
      this.watch.answered(this.status, isWhole);
    }
    if (this.cancelled) readForNobody(response, responseTimeout);
    else if (received === null) this.reply.settle(response);
    else this.settle(received(response, this.exchange));
  }

  /** The rest of the answer came, or nobody wants it. */
  ended(): void {
    this.watch?.ended(this.status);
  }

  /** The rest of the answer will not come. */
  broke(refusal: Refusal): void {
    this.watch?.broke(this.status, this.known(refusal));
  }

  private settle(answer: Answer): void {
    if (!(answer instanceof Response)) void answer.then((response) => this.settle(response));
    else if (this.cancelled) answer.abandon();
    else {
      this.response = answer;
      this.reply.settle(answer);
    }
  }

  /** Whether it can go to a backend with these options: what was written already names its backend to a proxy that reads it. */
  mayMoveTo({ via }: BackendOptions): boolean {
    if (this.replay === null) return true;
    return (this.options.via?.prefix ?? null) === null && (via?.prefix ?? null) === null;
  }

  /** It is for another backend now, of which it has seen nothing. */
  moveTo(options: BackendOptions, watch: CallWatch | null): void {
    this.options = options;
    this.watch = watch;
  }

  /** There is no connection for it: another backend gets it, or there is no answer. */
  displace(refusal: Refusal, reason: string = refusals[refusal].reason): void {
    if (this.cancelled) return;
    this.watch?.refused(this.known(refusal));
    if (this.watch?.move(this, refusal, reason) !== true) this.fail(refusal, reason);
  }

  /** There is no answer; the reason is for the log. */
  refuse(refusal: Refusal, reason: string = refusals[refusal].reason): void {
    if (this.cancelled) return;
    this.watch?.refused(this.known(refusal));
    this.fail(refusal, reason);
  }

  /** The refusal as it says something of the backend: connections to a proxy that reads requests are the proxy's. */
  private known(refusal: Refusal): Refusal {
    const { via } = this.options;
    if (via === null) return refusal;
    return OF_THE_WAY.has(refusal) || (via.prefix !== null && OF_CONNECTIONS.has(refusal)) ? 'backend-proxy' : refusal;
  }

  private fail(refusal: Refusal, reason: string): void {
    this.upload?.abandon();
    const { via, failed } = this.options;
    const isOfProxy = via !== null && OF_THE_WAY.has(refusal);
    const known = isOfProxy ? 'backend-proxy' : refusal;
    const why = isOfProxy ? `proxy ${via.proxy}: ${reason}` : reason;
    failed(known, why, false);
    this.settle(refusalResponse(known, why));
  }

  /** Somebody took the content of the request while it waited for a connection. */
  get isBereft(): boolean {
    if (this.replay !== null || this.upload !== null) return false;
    const { touchedEntity, incomingBody } = this.exchange.request;
    return (touchedEntity === null ? incomingBody : touchedEntity.incoming)?.claimed === true;
  }

  /** The content of the request cannot be had. */
  refuseUnreadable(error: unknown): void {
    this.refuse('internal', `the body cannot be read: ${errorText(error)}`);
  }

  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    this.queue?.forget(this);
    const { carrier } = this;
    if (carrier !== null && !(this.options.finishes && this.response === null && carrier.sentWhole)) {
      this.carrier = null;
      carrier.drop();
    }
    if (this.carrier === null) this.upload?.abandon();
    this.response?.upgraded?.abandon();
    if (!this.reply.settled) this.reply.settle((this.response = refusalResponse('cancelled'))); // who waits for it has something to release
  }
}
