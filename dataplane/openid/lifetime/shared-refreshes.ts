import { isJsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import type { Parts } from '../../heap/definition.ts';
import { SessionMemory } from '../../sessions/session-memory.ts';
import { SessionTable } from '../../sessions/session-table.ts';
import { readSignedIn, type SignedIn } from '../client/signed-in.ts';

/** Milliseconds that a result is kept: late requests with the former refresh token get it. */
export const RESULT_LIFETIME = 180_000;
/** Most refreshes at a time, and most bytes of their tokens; memory is taken when it is needed. */
const LIMITS = { sessions: 1 << 15, bytes: 128 << 20 };

/** State of the refresh of one refresh token. */
export type RefreshState =
  /** A unit asks the provider; once `until` has passed it is taken for dead. */
  | { readonly kind: 'asking'; readonly until: number }
  /** The provider gave no usable answer; nobody asks again before `until`. */
  | { readonly kind: 'failed'; readonly until: number }
  | { readonly kind: 'refused' }
  | { readonly kind: 'renewed'; readonly signedIn: SignedIn; readonly usableUntil: number };

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
  const value = parsed(text);
  if (value === null || !isJsonObject(value)) return null;
  const { kind, until, usableUntil } = value;
  if (kind === 'refused') return { kind };
  if ((kind === 'asking' || kind === 'failed') && typeof until === 'number') return { kind, until };
  const signedIn = value['signedIn'] === undefined ? null : readSignedIn(value['signedIn']);
  if (kind !== 'renewed' || signedIn === null || typeof usableUntil !== 'number') return null;
  return { kind, signedIn, usableUntil };
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}
