import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { errorText } from '../../platform/error-text.ts';
import type { CryptoKey } from '../heap/objects/secrets.ts';
import { cryptoKeyOf } from './jwk.ts';
import { isObject, readJsonObject } from './strict-json.ts';

const MOST_KEYS = 1000;
/** How many keys are made in one turn: each takes up to some tenths of a millisecond. */
const KEYS_PER_TURN = 8;

export interface JwkSetOptions {
  /** The stable id of the first key if it has no `kid`; by default its thumbprint. */
  readonly firstId?: string;
  /** Hears of each key that cannot be used and is left out: its place in the set, and why. */
  skipped(index: number, reason: string): void;
  /** What to make of the keys of a JWK; by default all are taken. @throws to leave the JWK out. */
  judge?(keys: readonly CryptoKey[], index: number): readonly CryptoKey[];
}

/**
 * Reads JWKs and sets of them, again and again. What is as it was gives the same objects as before, and what is wrong
 * with a key of a set is said once.
 */
export class JwkSetReader {
  private readonly options: JwkSetOptions;
  /** What became of each JWK of the last set, by its text, which may hold secrets and is not shown for that reason. */
  #known = new Map<string, readonly CryptoKey[]>();
  private last: { readonly print: string; readonly keys: readonly CryptoKey[] } | null = null;

  constructor(options: JwkSetOptions) {
    this.options = options;
  }

  /** The keys of a set (RFC 7517, section 5) in its order. Rejects with an error that shows nothing of it. */
  async set(content: Uint8Array): Promise<readonly CryptoKey[]> {
    const print = hash('sha256', content, 'base64url');
    if (this.last?.print === print) return this.last.keys;
    const keys = await this.keysOf(membersOf(jsonObject(content)));
    this.last = { print, keys };
    return keys;
  }

  /** The keys of a set, or of one JWK, which has to be sound. */
  async setOrKey(content: Uint8Array): Promise<readonly CryptoKey[]> {
    const value = jsonObject(content);
    return 'keys' in value && !('kty' in value)
      ? this.keysOf(membersOf(value))
      : cryptoKeyOf(value, this.options.firstId).keys;
  }

  private async keysOf(members: readonly unknown[]): Promise<readonly CryptoKey[]> {
    const read = new Map<string, readonly CryptoKey[]>();
    const all: CryptoKey[] = [];
    let made = 0;
    for (const [index, member] of members.entries()) {
      const isNamed = isObject(member) && 'kid' in member;
      const fallback = index === 0 && !isNamed ? this.options.firstId : undefined;
      const text = `${fallback ?? ''}\n${JSON.stringify(member)}`;
      if (read.has(text)) continue; // the same key twice is one key
      let keys = this.#known.get(text);
      if (keys === undefined) {
        keys = this.made(member, index, fallback);
        if (++made % KEYS_PER_TURN === 0) await setImmediate();
      }
      read.set(text, keys);
      all.push(...keys);
    }
    this.#known = read;
    return all;
  }

  private made(member: unknown, index: number, fallback: string | undefined): readonly CryptoKey[] {
    const { judge = (keys) => keys, skipped } = this.options;
    try {
      return judge(cryptoKeyOf(member, fallback).keys, index);
    } catch (error) {
      skipped(index, errorText(error));
      return [];
    }
  }
}

function jsonObject(content: Uint8Array): Readonly<Record<string, unknown>> {
  const value = readJsonObject(Buffer.from(content.buffer, content.byteOffset, content.byteLength));
  if (value !== null) return value;
  throw new Error('it is not a JSON object, is nested too deeply, or has a duplicate member');
}

function membersOf({ keys }: Readonly<Record<string, unknown>>): readonly unknown[] {
  if (!Array.isArray(keys)) throw new Error("it is not a JWK set: it has no array 'keys'");
  if (keys.length > MOST_KEYS) throw new Error(`it has more than ${MOST_KEYS} keys`);
  return keys;
}
