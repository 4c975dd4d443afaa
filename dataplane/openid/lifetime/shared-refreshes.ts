import { jsonObjectIn } from '../../../contract/document/json-value.ts';
import type { Parts } from '../../heap/definition.ts';
import { SessionMemory } from '../../sessions/session-memory.ts';
import { SessionTable } from '../../sessions/session-table.ts';
import { readSignedIn, type SignedIn } from '../client/signed-in.ts';

/** Milliseconds that a result is kept: late requests with the former refresh token get it. */
export const RESULT_LIFETIME = 180_000;
/** Milliseconds after which a unit that asks and has not said so again is taken for dead. */
export const LEASE = 5000;
/** Most refreshes at a time, and most bytes of their tokens; memory is taken when it is needed. */
const LIMITS = { sessions: 1 << 15, bytes: 128 << 20 };

/** State of the refresh of one refresh token. */
export type RefreshState =
  | AskingState
  /** The provider gave no usable answer; nobody asks again before `until`. */
  | { readonly kind: 'failed'; readonly until: number }
  | { readonly kind: 'refused' }
  | RenewedState
  | ToldState;

/** A unit asks the provider; once `until` has passed it is taken for dead. */
export interface AskingState {
  readonly kind: 'asking';
  readonly until: number;
  /** The claim of this plane: it has not begun, because another plane of the group may have been first. */
  readonly claim?: number;
  /** A unit of another plane. */
  readonly isElsewhere?: true;
}

export interface RenewedState {
  readonly kind: 'renewed';
  readonly signedIn: SignedIn;
  readonly usableUntil: number;
  /** The same for other planes of the group; missing where there are none. */
  readonly sealed?: string;
  /** The provider replaced the refresh token, so that the former one gives no other answer. */
  readonly isRotated?: true;
}

/** Another plane renewed the tokens. */
export interface ToldState {
  readonly kind: 'told';
  readonly sealed: string;
  /** When the refresh token, which stayed the same, has to be used again; missing for one that was replaced. */
  readonly until?: number;
}

/**
 * The table of refreshes that all units of the plane share, and in them all filters of a realm, which may share a
 * sign-in. It holds tokens: never log anything of it.
 */
export function sharedRefreshes({ realm, plane, onClose }: Pick<Parts, 'realm' | 'plane' | 'onClose'>) {
  let table: SessionTable | null = null;
  return function refreshTable(): SessionTable {
    if (table !== null) return table;
    const name = JSON.stringify(['token refreshes', realm]);
    const memory = plane.sharedMemory(name, SessionMemory.bytes(LIMITS));
    onClose(() => memory.release());
    table = new SessionTable(memory.buffer, LIMITS, { idle: RESULT_LIFETIME, absolute: RESULT_LIFETIME });
    return table;
  };
}

/** Returns the state in an entry; null for what a thread left that ended while it wrote. */
export function readRefreshState(text: string): RefreshState | null {
  const value = jsonObjectIn(text);
  if (value === null) return null;
  const { kind, until, usableUntil, claim, isElsewhere, sealed, isRotated } = value;
  if (kind === 'refused') return { kind };
  if (kind === 'failed' && typeof until === 'number') return { kind, until };
  if (kind === 'asking' && typeof until === 'number') {
    return { kind, until, ...(typeof claim === 'number' && { claim }), ...(isElsewhere === true && { isElsewhere }) };
  }
  if (kind === 'told' && typeof sealed === 'string') {
    return { kind, sealed, ...(typeof until === 'number' && { until }) };
  }
  const signedIn = value['signedIn'] === undefined ? null : readSignedIn(value['signedIn']);
  if (kind !== 'renewed' || signedIn === null || typeof usableUntil !== 'number') return null;
  const forOthers = { ...(typeof sealed === 'string' && { sealed }), ...(isRotated === true && { isRotated }) };
  return { kind, signedIn, usableUntil, ...forOthers };
}
