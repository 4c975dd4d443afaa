import { READ_SIZE } from './turn.ts';

/** Reads of one connection that may wait for a turn: what is decrypted comes in many small ones. */
const MOST_READS = 4;

/** A wire that has read its share of a turn. */
export interface RestingWire {
  /** The turn is over. */
  readOn(): void;
}

let resting: RestingWire[] = [];

/**
 * Whether a connection has had its share of this turn: the kernel may hold megabytes of it, and reading them at once
 * would let all others wait. `queued` is how many of its reads wait for the turn.
 */
export function hadShare(length: number, queued: number): boolean {
  return length >= READ_SIZE || queued >= MOST_READS;
}

/** Calls `readOn` after this turn, when every connection that has something to read was read. */
export function restOfTurn(wire: RestingWire): void {
  if (resting.push(wire) === 1) setImmediate(wakeAll);
}

function wakeAll(): void {
  const wires = resting;
  resting = [];
  for (const wire of wires) wire.readOn();
}
