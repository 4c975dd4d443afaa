import type { Logger } from 'pino';
import { errorText } from '../../platform/error-text.ts';
import { SessionFault } from '../engine/message/session-fault.ts';
import { type CryptoKey, type KeyUsage, NoSuchSecret, type SecretsProvider } from '../heap/objects/secrets.ts';
import { type DirectCipher, directCipher } from '../jose/direct-cipher.ts';

/** Keys that sessions are sealed with. */
export interface SessionKeys {
  /** Ciphers of every valid key, the active one first; null while they are not at hand. Another list after a change. */
  readonly ciphers: readonly DirectCipher[] | null;
  /** Resolves once they are at hand. Rejects with a SessionFault when they cannot be read. */
  read(): Promise<void>;
}

/** What keys are asked for, to write and to read: keystores hold keys of twice the length as keys of an HMAC. */
const USAGES: readonly (readonly [write: KeyUsage, read: KeyUsage])[] = [
  ['encrypt', 'decrypt'],
  ['sign', 'verify'],
];

/**
 * The keys under a secret id, read when the object is built and again whenever they may have changed, so that requests
 * find them at hand. Keys that cannot be read any more are not used any more.
 */
export class WatchedSessionKeys implements SessionKeys {
  ciphers: readonly DirectCipher[] | null = null;
  private readonly provider: SecretsProvider;
  private readonly secretId: string;
  private readonly enc: string;
  private readonly log: Logger;
  private readonly end: () => void;
  private keys: readonly CryptoKey[] = [];
  private reading: Promise<void> | null = null;
  private isStale = false;
  private lastFault = '';

  constructor(provider: SecretsProvider, secretId: string, enc: string, log: Logger) {
    this.provider = provider;
    this.secretId = secretId;
    this.enc = enc;
    this.log = log;
    this.end = provider.watch(() => {
      this.isStale = true;
      this.begin();
    });
    this.begin();
  }

  async read(): Promise<void> {
    await (this.reading ?? this.look());
    if (this.ciphers === null) throw new SessionFault('session-keys', this.lastFault);
  }

  close(): void {
    this.end();
  }

  private begin(): void {
    if (this.reading === null) void this.look();
  }

  /** Reads until nothing changed meanwhile. Never rejects. */
  private look(): Promise<void> {
    const looking = async (): Promise<void> => {
      do {
        this.isStale = false;
        await this.once();
      } while (this.isStale);
      this.reading = null;
    };
    this.reading = looking();
    return this.reading;
  }

  private async once(): Promise<void> {
    try {
      const keys = await this.found();
      const isSame = keys.length === this.keys.length && keys.every((key, at) => key === this.keys[at]);
      if (isSame && this.ciphers !== null) return;
      this.ciphers = this.made(keys);
      this.keys = keys;
      this.lastFault = '';
    } catch (error) {
      this.ciphers = null;
      this.keys = [];
      const reason = errorText(error);
      if (reason !== this.lastFault) this.log.error({ secretId: this.secretId, reason }, NOT_READ);
      this.lastFault = reason;
    }
  }

  /** The key to use first, then the others that are valid. */
  private async found(): Promise<readonly CryptoKey[]> {
    let missing: unknown = null;
    for (const [write, read] of USAGES) {
      try {
        const active = await this.provider.key(write, this.secretId);
        const valid = await this.provider.keys(read, this.secretId);
        return [active, ...valid.filter((key) => key !== active)];
      } catch (error) {
        if (!(error instanceof NoSuchSecret)) throw error;
        missing ??= error;
      }
    }
    throw missing;
  }

  /** @throws when the key to use does not fit; one that is only valid may be of an earlier method. */
  private made(keys: readonly CryptoKey[]): readonly DirectCipher[] {
    const ciphers = keys.map(({ key }) => directCipher(this.enc, key));
    if (ciphers[0] === null) {
      throw new Error(`the active key under '${this.secretId}' does not have the length of a key for ${this.enc}`);
    }
    return ciphers.filter((cipher) => cipher !== null);
  }
}

const NOT_READ = 'session keys cannot be read; requests to routes with this session are refused';

/** One key that does not change: a temporary one. */
export function fixedSessionKeys(cipher: DirectCipher): SessionKeys {
  return { ciphers: [cipher], read: () => Promise.resolve() };
}
