import { putContent, putContentEnd } from '../head/content-framing.ts';
import type { Headers } from '../head/headers.ts';
import { responseTrailers, type TrailerRule } from '../head/trailers.ts';
import type { Body, BodySink } from '../message/body.ts';
import type { Refusal } from '../message/refusal.ts';
import { DrainGate } from '../wire/drain-gate.ts';
import type { StreamSink } from '../wire/send-stream.ts';
import { type Passed, REFUSED, type Wire } from '../wire/wire.ts';

/** Listener for the end of sending a response. */
export interface AnswerOwner {
  answerSent(): void;
  /** `why` where the backend is to blame for it. */
  answerBroken(why: Refusal | null): void;
}

/** Sends the content of one answer after the other, framed as its head says, as fast as the client reads. */
export class AnswerSender implements BodySink, StreamSink {
  /** How the current answer is framed, and how much of its content was sent; set with its head. */
  chunked = false;
  bodiless = false;
  sent = 0;
  /** The headers of the current answer, whose edits its trailers must not undo. */
  headers: Headers | null = null;
  private readonly wire: Wire;
  private readonly owner: AnswerOwner;
  private readonly rule: TrailerRule;
  private body: Body | null = null;
  private gate: DrainGate | null = null;
  private over = false;

  constructor(wire: Wire, owner: AnswerOwner, rule: TrailerRule) {
    this.rule = rule;
    this.wire = wire;
    this.owner = owner;
  }

  /** Sends a body as it arrives. */
  pipe(body: Body): void {
    this.body = body;
    body.pipe(this, false);
    if (this.wire.pending) this.pause();
  }

  bodyData(bytes: Buffer, start: number, end: number): void {
    if (this.bodiless || this.over) return;
    this.sent += end - start;
    putContent(this.wire, this.chunked, bytes, start, end);
  }

  bodyDirect(bytes: Buffer, length: number): Passed {
    if (this.chunked || this.bodiless || this.over) return REFUSED;
    const passed = this.wire.sendDirect(bytes, length);
    if (passed !== REFUSED) this.sent += length;
    return passed;
  }

  bodyEnd(trailers: string): void {
    this.body = null;
    if (this.over) return;
    if (!this.bodiless) putContentEnd(this.wire, this.chunked, responseTrailers(trailers, this.headers, this.rule));
    this.headers = null;
    this.owner.answerSent();
  }

  bodyFailed(): void {
    const why = this.body?.failure ?? null;
    this.body = null;
    this.owner.answerBroken(why);
  }

  whenDrained(): Promise<void> {
    this.gate ??= new DrainGate();
    return this.gate.wait(this.wire);
  }

  pause(): void {
    this.body?.pause();
  }

  resume(): void {
    this.body?.resume();
    this.gate?.open();
  }

  /** Nothing more is sent, and nobody wants what would have been. */
  stop(): void {
    this.over = true;
    const { body } = this;
    this.body = null;
    body?.abandon();
    this.gate?.open();
  }
}
