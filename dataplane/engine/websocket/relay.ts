import type { UpgradedPeer } from '../message/response.ts';
import type { TunnelTraffic } from '../message/tunnel-traffic.ts';
import { clock } from '../wire/clock.ts';
import { COUNTER, type CounterName, counters } from '../wire/counters.ts';
import type { HeldWire } from '../wire/held-wire.ts';
import { NEVER, type Swept, unwatch, watch } from '../wire/sweep.ts';
import { put } from '../wire/turn.ts';
import { PASSED, type Passed, REFUSED, type Wire } from '../wire/wire.ts';
import { ABNORMAL, GOING_AWAY, TOO_LARGE, UNEXPECTED } from './close-code.ts';
import { putClose } from './close-frame.ts';
import { CLOSED, type Finding, type FrameTerms } from './frame-check.ts';
import { RelaySide, type RelaySideOwner } from './relay-side.ts';

/** Limits of one WebSocket. Times are milliseconds. */
export interface RelayTerms {
  readonly client: FrameTerms;
  readonly backend: FrameTerms;
  /** Time without a byte in either direction; 0 for any. */
  readonly silence: number;
  /** Time that one side has to answer the Close of the other. */
  readonly closingTimeout: number;
}

const OPEN = 0;
/** One side is done; the other is told, and has a while to finish what it is saying. */
const CLOSING = 1;
/** Nothing more is passed on; the connections end as soon as all is sent. */
const ENDING = 2;

/** Time for the last words of a WebSocket whose other side is gone or failed, so that it is over within a second. */
const GRACE = 500;
/** Payloads with more than this to come are passed on without copies. */
const BULK = 131_072;

const CLIENT_LEFT: Finding = { code: GOING_AWAY, text: 'the client disconnected' };
const CLIENT_BROKE: Finding = { code: GOING_AWAY, text: 'the client broke the protocol' };
const BACKEND_LEFT: Finding = { code: UNEXPECTED, text: 'the backend disconnected' };
const BACKEND_BROKE: Finding = { code: UNEXPECTED, text: 'the backend broke the protocol' };
const SILENT: Finding = { code: GOING_AWAY, text: 'the connection was idle for too long' };
const STOPPED: Finding = { code: GOING_AWAY, text: 'the gateway is stopping' };

/** A WebSocket between a client and a backend: frames are checked and pass as they are; closing is told to both sides. */
export class Relay implements UpgradedPeer, RelaySideOwner, Swept {
  deadline = NEVER;
  slot = -1;
  private readonly held: HeldWire;
  private readonly terms: RelayTerms;
  private client!: RelaySide;
  private backend!: RelaySide;
  private over: (() => void) | null = null;
  private state = OPEN;
  private silence = 0;
  /** What slow readers had not taken when the time was over last. */
  private unsent = 0;
  /** The peers need not have ended too. */
  private hasty = false;
  /** The code of the first Close; 0 while there is none. */
  private closeCode = 0;

  constructor(held: HeldWire, terms: RelayTerms) {
    this.held = held;
    this.terms = terms;
  }

  join(client: Wire, early: Buffer | null, clientEnded: boolean, silence: number, over: () => void): void {
    const { held, terms } = this;
    this.over = over;
    this.silence = Math.min(silence || NEVER, terms.silence || NEVER);
    this.client = new RelaySide(this, client, terms.client);
    this.backend = new RelaySide(this, held.wire, terms.backend);
    counters.block[COUNTER.tunnelsOpen]!++;
    counters.block[COUNTER.webSocketsOpen]!++;
    this.touch();
    watch(this);
    client.resume();
    held.wire.resume();
    if (early !== null) this.client.receive(early, 0, early.length);
    const answered = held.takeEarly();
    if (answered !== null) this.backend.receive(answered, 0, answered.length);
    if (held.state === 'ended') this.backend.ended();
    else if (held.state === 'failed') this.backend.failed();
    if (clientEnded) this.client.ended();
  }

  /** To be read once a client has joined. */
  get traffic(): TunnelTraffic {
    const code = this.closeCode;
    return {
      fromClient: this.client.received,
      toClient: this.backend.received,
      closeCode: code === 0 ? null : code,
    };
  }

  /** Before the client joined: gives the backend up. After: ends at once, but not without a word. */
  abandon(): void {
    if (this.over === null) {
      this.held.wire.destroy();
      return;
    }
    if (this.state === ENDING) return;
    this.hasty = true;
    this.begin('webSocketsStopped', 0, STOPPED.code);
    this.tell(this.client, STOPPED);
    this.tell(this.backend, STOPPED);
    this.finish();
  }

  // ---- what the sides say

  received(side: RelaySide, bytes: Buffer, start: number, end: number): void {
    if (this.state === OPEN) this.touch();
    side.received += end - start;
    const other = this.otherOf(side);
    const { frames, wire } = side;
    const finding = frames.scan(bytes, start, end, other.told || other.gone ? null : other.wire);
    if (finding === null) {
      wire.bulk = frames.payloadLeft > BULK;
      return;
    }
    side.ignore();
    if (finding === CLOSED) {
      if (!other.told && !other.gone && other.verdict === null) {
        other.told = true;
        put(other.wire, frames.closeBytes, frames.closeStart, frames.closeEnd);
      }
      this.begin('webSocketsClosed', this.terms.closingTimeout, frames.closeCode);
    } else {
      side.verdict = finding;
      this.tell(other, side.isClient ? CLIENT_BROKE : BACKEND_BROKE);
      this.begin(finding.code === TOO_LARGE ? 'webSocketsTooLarge' : violationOf(side), GRACE, finding.code);
    }
    this.settle();
  }

  passes(side: RelaySide, bytes: Buffer, length: number): Passed {
    if (side.deaf) return PASSED;
    const other = this.otherOf(side);
    const { frames, wire } = side;
    if (length > frames.payloadLeft || other.told || other.gone) return REFUSED;
    const passed = other.wire.sendDirect(bytes, length);
    if (passed === REFUSED) return REFUSED;
    frames.skip(length);
    side.received += length;
    wire.bulk = frames.payloadLeft > BULK;
    if (this.state === OPEN) this.touch();
    return passed;
  }

  /** One side ended or is gone. */
  left(side: RelaySide): void {
    if (this.state === ENDING) {
      this.release();
      return;
    }
    side.ignore();
    const other = this.otherOf(side);
    this.tell(other, side.isClient ? CLIENT_LEFT : BACKEND_LEFT);
    this.begin(side.isClient ? 'webSocketsLeftByClient' : 'webSocketsLeftByBackend', GRACE, ABNORMAL);
    if (other.told) this.settle();
    else this.finish(); // in the middle of a frame there is nothing to say
  }

  /** One side does not take what it is sent: the other is read no further. */
  hold(side: RelaySide): void {
    const other = this.otherOf(side);
    if (!other.deaf) other.wire.pause();
  }

  goOn(side: RelaySide): void {
    this.otherOf(side).wire.resume();
    this.release();
  }

  // ---- closing

  private otherOf(side: RelaySide): RelaySide {
    return side.isClient ? this.backend : this.client;
  }

  /** Sends a Close of our own, where no frame is half sent. */
  private tell(side: RelaySide, { code, text }: Finding): void {
    if (side.told || side.gone || this.otherOf(side).frames.payloadLeft > 0) return;
    side.told = true;
    putClose(side.wire, code, text, !side.isClient);
  }

  /** The first reason to close is the one that counts; later ones may only leave less time. */
  private begin(reason: CounterName, time: number, code: number): void {
    const until = clock.now + time;
    if (this.state === CLOSING) this.deadline = Math.min(this.deadline, until);
    if (this.state !== OPEN) return;
    this.state = CLOSING;
    this.closeCode = code;
    this.deadline = until;
    counters.block[COUNTER[reason]]!++;
  }

  private settle(): void {
    if (this.client.deaf && this.backend.deaf) this.finish();
  }

  private finish(): void {
    if (this.state === ENDING) return;
    this.state = ENDING;
    this.deadline = clock.now + GRACE;
    this.endSide(this.client);
    this.endSide(this.backend);
    setImmediate(() => this.release()); // after the turn, when the last bytes have left
  }

  private endSide(side: RelaySide): void {
    if (side.gone) return;
    if (!side.finished) this.tell(side, side.verdict ?? (side.isClient ? BACKEND_LEFT : CLIENT_LEFT));
    side.ignore();
    side.wire.end();
  }

  /** Closes as soon as both sides have got everything and have ended too: closing on unread bytes would reset them. */
  private release(): void {
    if (this.state !== ENDING || this.client.owed || this.backend.owed) return;
    if (this.hasty || (this.client.finished && this.backend.finished)) this.close();
  }

  private close(): void {
    const { over } = this;
    if (over === null) return;
    this.over = null;
    counters.block[COUNTER.tunnelsOpen]!--;
    counters.block[COUNTER.webSocketsOpen]!--;
    unwatch(this);
    this.client.wire.destroy();
    this.backend.wire.destroy();
    over();
  }

  // ---- deadlines

  private touch(): void {
    this.deadline = clock.now + this.silence;
  }

  overdue(): void {
    if (this.state === ENDING) this.close();
    else if (this.state === CLOSING) this.finish();
    else if (!this.moves()) {
      this.tell(this.client, SILENT);
      this.tell(this.backend, SILENT);
      this.begin('webSocketsSilent', GRACE, SILENT.code);
    } else this.touch();
  }

  /** Whether a reader has taken some of what it was sent earlier, however slowly. */
  private moves(): boolean {
    const before = this.unsent;
    this.unsent = this.client.wire.unsent + this.backend.wire.unsent;
    return this.unsent !== before;
  }
}

function violationOf(side: RelaySide): CounterName {
  return side.isClient ? 'webSocketsBrokenByClient' : 'webSocketsBrokenByBackend';
}
