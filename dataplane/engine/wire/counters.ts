import { refusalNames } from '../message/refusal.ts';
import { type HandshakeFault, handshakeFaults } from './secure-transport.ts';

/**
 * The figures of one unit: plain numbers at fixed places, in memory that the supervisor can share, so that counting is
 * one addition and reading disturbs nobody. One thread writes a block; anybody may read it.
 */
const NAMES = [
  'connectionsAccepted',
  'connectionsRefused',
  'connectionsOpen',
  'requestsActive',
  'status1xx',
  'status2xx',
  'status3xx',
  'status4xx',
  'status5xx',
  'statusOther',
  'bytesReceived',
  'bytesSent',
  'aborted',
  'tunnelsOpen',
  'webSocketsOpen',
  'webSocketsClosed',
  'webSocketsLeftByClient',
  'webSocketsLeftByBackend',
  'webSocketsBrokenByClient',
  'webSocketsBrokenByBackend',
  'webSocketsTooLarge',
  'webSocketsSilent',
  'webSocketsStopped',
  'tlsHandshakes',
  'backendConnects',
  'backendConnectFailures',
  'backendConnectionsOpen',
  'backendStreamsOpen',
  'backendWaiting',
  'backendRetries',
  'durationSum',
] as const;

export type CounterName = (typeof NAMES)[number];

/** Upper bounds of the duration histogram, in seconds. */
export const durationBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const REFUSALS = NAMES.length;
const HANDSHAKE_FAULTS = REFUSALS + refusalNames.length;
const DURATIONS = HANDSHAKE_FAULTS + handshakeFaults.length;
/** How many numbers a block holds. */
export const COUNTER_SLOTS = DURATIONS + durationBounds.length + 1;

export const COUNTER = Object.fromEntries(NAMES.map((name, slot) => [name, slot])) as Record<CounterName, number>;

/** The block of this thread. */
export const counters: { block: Float64Array } = { block: new Float64Array(COUNTER_SLOTS) };

/** Counts into memory that others can read. */
export function countInto(memory: SharedArrayBuffer): void {
  counters.block = new Float64Array(memory);
}

const refusalSlots = new Map<string, number>(refusalNames.map((name, i) => [name, REFUSALS + i]));
const boundsMs = durationBounds.map((seconds) => seconds * 1000);
const STATUS_SLOTS = [
  COUNTER.statusOther,
  COUNTER.status1xx,
  COUNTER.status2xx,
  COUNTER.status3xx,
  COUNTER.status4xx,
  COUNTER.status5xx,
];

export function countRefusal(name: string): void {
  const slot = refusalSlots.get(name);
  if (slot !== undefined) counters.block[slot]!++;
}

export function countHandshakeFault(fault: HandshakeFault): void {
  counters.block[HANDSHAKE_FAULTS + handshakeFaults.indexOf(fault)]!++;
}

/** Counts a finished exchange. */
export function countExchange(status: number, milliseconds: number, sent: number): void {
  const block = counters.block;
  block[STATUS_SLOTS[(status / 100) | 0] ?? COUNTER.statusOther]!++;
  block[COUNTER.bytesSent]! += sent;
  block[COUNTER.durationSum]! += milliseconds / 1000;
  let bucket = 0;
  while (bucket < boundsMs.length && milliseconds > boundsMs[bucket]!) bucket++;
  block[DURATIONS + bucket]!++;
}

/** A block, read: every figure by its name. */
export interface CounterReading {
  readonly values: Readonly<Record<CounterName, number>>;
  readonly refusals: readonly (readonly [string, number])[];
  readonly handshakeFaults: readonly (readonly [HandshakeFault, number])[];
  /** How many exchanges fell in each bucket, the last one beyond all bounds. */
  readonly durations: readonly number[];
}

/** Adds blocks up: the figures of all units are one. */
export function readCounters(blocks: readonly Float64Array[]): CounterReading {
  const sum = new Float64Array(COUNTER_SLOTS);
  for (const block of blocks) for (let i = 0; i < COUNTER_SLOTS; i++) sum[i]! += block[i]!;
  return {
    values: Object.fromEntries(NAMES.map((name, slot) => [name, sum[slot]!])) as Record<CounterName, number>,
    refusals: refusalNames.map((name, i) => [name, sum[REFUSALS + i]!] as const),
    handshakeFaults: handshakeFaults.map((name, i) => [name, sum[HANDSHAKE_FAULTS + i]!] as const),
    durations: Array.from(sum.subarray(DURATIONS, COUNTER_SLOTS)),
  };
}
