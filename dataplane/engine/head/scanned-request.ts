import type { Refusal } from '../message/refusal.ts';
import { ranges } from './header-ranges.ts';
import type { KnownCredentials } from './known-credentials.ts';

/** Result of the last scan; read it before scanning again. Offsets are relative to `base`. */
export const requestHead = {
  base: 0,
  methodEnd: 0,
  targetStart: 0,
  targetEnd: 0,
  minor: 1,
  table: ranges.table,
  first: 0,
  lines: 0,
  dropped: 0,
  /** Declared length, or -1. */
  length: -1,
  chunked: false,
  close: false,
  keepAlive: false,
  upgrade: false,
  nominated: null as string[] | null,
  hostLine: -1,
  upgradeLine: -1,
  /** The client waits for 100 Continue. */
  expects: false,
  /** The client sent forwarding headers. They are dropped here; `forwarded` offsets let a trusted peer's be read. */
  forwarded: false,
  /** Some name holds more than letters, digits and `-`. */
  unusual: false,
  /** The client sent ids of its own. */
  identified: false,
  /** The first line with credentials, or -1, and how many there are. */
  authorizationLine: -1,
  authorizations: 0,
  /** Those of the memo, if the only line with credentials holds them; null otherwise. */
  credentials: null as KnownCredentials | null,
  /** All lines are those of the memo. */
  recalled: false,
  refusal: 'request-line' as Refusal,
};

/** Forgets what the scan before found in its lines. */
export function resetRequestHead(): void {
  const head = requestHead;
  head.length = -1;
  head.chunked = head.close = head.keepAlive = head.upgrade = head.expects = head.forwarded = head.unusual = false;
  head.identified = head.recalled = false;
  head.nominated = head.credentials = null;
  head.hostLine = head.upgradeLine = head.authorizationLine = -1;
  head.dropped = head.lines = head.authorizations = 0;
}
