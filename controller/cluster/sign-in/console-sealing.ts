import { hkdfSync } from 'node:crypto';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { OpenidSignIn } from './openid-sign-in.ts';

/** Seals the sessions of the console and writes their cookies, with the code that does so for sessions of routes. */
export interface ConsoleSealing {
  /** Name of the cookie; further parts have `_1`, `_2` and so on behind it. */
  readonly cookieName: string;
  readonly mostParts: number;
  /** @param lifetime in milliseconds @returns null while there are no keys */
  seal(content: JsonObject, lifetime: number): string | null;
  /** @returns null for a text that none of the keys opens, or whose time is over */
  unseal(text: string): JsonObject | null;
  /** Returns `Set-Cookie` lines for a sealed text, one for each part. */
  lines(text: string): readonly string[];
  /** Returns a `Set-Cookie` line that makes the browser forget a part. */
  removal(part: number): string;
}

/** Parts of the sign-in to the console that are made of the code of data planes. */
export interface ConsoleSignIn {
  readonly sealing: ConsoleSealing;
  /** Null where people sign in with tokens only. */
  readonly openid: OpenidSignIn | null;
}

const KEY_BYTES = 32;
const LABEL = JSON.stringify(['gatewarden console session key']);

/** Derives the keys of console sessions from secrets that only controllers have. No data plane gets or can derive them. */
export function consoleKeys(secrets: readonly string[]): readonly string[] {
  return secrets.map((secret) => {
    const derived = hkdfSync('sha256', Buffer.from(secret, 'base64url'), '', LABEL, KEY_BYTES);
    return Buffer.from(derived).toString('base64url');
  });
}
