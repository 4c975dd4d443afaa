import { hkdfSync, randomBytes } from 'node:crypto';
import type { TicketKey, TicketKeys } from '../engine/wire/secure-transport.ts';

/** How long tickets are sealed with one key, in milliseconds. They are accepted for another such time. */
const PERIOD = 3_600_000;
const NO_SALT = Buffer.alloc(0);

/** Seed of all keys from some time on. Earlier keys cannot be derived from it. */
export interface TicketSeed {
  /** Which period it belongs to, counted from 1970. */
  readonly period: number;
  readonly bytes: Uint8Array;
}

/**
 * Keys that change every hour. Each seed follows from the one before and from nothing else, so that all units of a plane
 * come to the same keys without a word between them, and a unit that starts later needs only the seed of that hour.
 */
export class ChangingTicketKeys implements TicketKeys {
  private readonly now: () => number;
  private period: number;
  private bytes: Buffer;
  private newest: TicketKey;
  private before: TicketKey | null = null;

  constructor(seed: TicketSeed | null = null, now: () => number = Date.now) {
    this.now = now;
    this.period = seed?.period ?? Math.floor(now() / PERIOD);
    this.bytes = seed === null ? randomBytes(32) : Buffer.from(seed.bytes);
    this.newest = keyOf(this.bytes);
  }

  /** For a unit that starts now. */
  seed(): TicketSeed {
    this.advance();
    return { period: this.period, bytes: Uint8Array.from(this.bytes) };
  }

  current(): TicketKey {
    this.advance();
    return this.newest;
  }

  named(name: Buffer): TicketKey | null {
    this.advance();
    if (name.equals(this.newest.name)) return this.newest;
    return this.before !== null && name.equals(this.before.name) ? this.before : null;
  }

  private advance(): void {
    const period = Math.floor(this.now() / PERIOD);
    while (this.period < period) {
      this.bytes = derived(this.bytes, 'next', 32);
      this.before = this.newest;
      this.newest = keyOf(this.bytes);
      this.period++;
    }
  }
}

function keyOf(seed: Buffer): TicketKey {
  const bytes = derived(seed, 'ticket', 64);
  return { name: bytes.subarray(0, 16), aes: bytes.subarray(16, 32), hmac: bytes.subarray(32) };
}

function derived(seed: Buffer, purpose: string, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', seed, NO_SALT, purpose, length));
}
