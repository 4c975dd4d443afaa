import type { Passed, Wire, WireOwner } from '../wire/wire.ts';
import { type Finding, FrameCheck, type FrameTerms } from './frame-check.ts';

/** Listener for one of the two sides: the relay between them. */
export interface RelaySideOwner {
  received(side: RelaySide, bytes: Buffer, start: number, end: number): void;
  passes(side: RelaySide, bytes: Buffer, length: number): Passed;
  /** The side ended or is gone. */
  left(side: RelaySide): void;
  /** The side does not take what it is sent. */
  hold(side: RelaySide): void;
  /** The side has taken what it was sent. */
  goOn(side: RelaySide): void;
}

/** One of the two connections that a relay joins, and what has become of it. */
export class RelaySide implements WireOwner {
  readonly wire: Wire;
  readonly frames: FrameCheck;
  readonly isClient: boolean;
  /** Bytes that came from it. */
  received = 0;
  /** Nothing more is taken from it: it has sent its Close, broken a rule, ended or gone. What still comes is thrown away. */
  deaf = false;
  /** A Close was sent to it, the other side's or our own; nothing may follow. */
  told = false;
  /** It will send nothing more. */
  finished = false;
  /** The connection is no more. */
  gone = false;
  /** The Close it gets at the end because it broke a rule, in place of the other side's. */
  verdict: Finding | null = null;
  private readonly owner: RelaySideOwner;

  constructor(owner: RelaySideOwner, wire: Wire, terms: FrameTerms) {
    this.owner = owner;
    this.wire = wire;
    this.isClient = terms.masked;
    this.frames = new FrameCheck(terms);
    wire.owner = this;
  }

  /** Bytes wait to be sent to it. */
  get owed(): boolean {
    return !this.gone && (this.wire.pending || this.wire.regionLength !== 0);
  }

  /** From now on it is read only to notice its end. */
  ignore(): void {
    this.deaf = true;
    this.wire.bulk = false;
    this.wire.resume();
  }

  receive(bytes: Buffer, start: number, end: number): void {
    if (!this.deaf) this.owner.received(this, bytes, start, end);
  }

  passes(bytes: Buffer, length: number): Passed {
    return this.owner.passes(this, bytes, length);
  }

  ended(): void {
    this.finished = true;
    this.owner.left(this);
  }

  failed(): void {
    this.gone = this.finished = true;
    this.wire.destroy();
    this.owner.left(this);
  }

  blocked(): void {
    this.owner.hold(this);
  }

  drained(): void {
    this.owner.goOn(this);
  }
}
