import type { Logger } from 'pino';
import type { Secret } from '../../contract/secret.ts';
import { errorText } from '../../platform/error-text.ts';
import {
  type CryptoKey,
  type KeyUsage,
  NoSuchSecret,
  type SecretPurpose,
  type SecretStore,
  UnreadableSecret,
} from '../heap/objects/secrets.ts';
import { FetchedJwkSet } from './fetched-jwk-set.ts';

export interface JwkSetStoreOptions {
  readonly name: string;
  readonly log: Logger;
  /** Gets the keys from where they are. */
  fetch(): Promise<readonly CryptoKey[]>;
  /** For how many milliseconds keys may be used after they were fetched. */
  readonly lease: number;
  /** After how many milliseconds they are fetched again at the latest. */
  readonly refresh: number;
  /** Milliseconds between two fetches that the same unknown key name causes. */
  readonly missPause: number;
  /** Milliseconds from any moment on, never going back. */
  readonly now?: () => number;
}

/** How much of the lease is left when keys are fetched again, so that nobody waits for them. */
const REST_OF_LEASE = 0.25;

/** A store whose keys are those of one set, under every id: what names them is their stable id. */
export class JwkSetStore implements SecretStore {
  readonly name: string;
  private readonly log: Logger;
  private readonly now: () => number;
  private readonly fetched: FetchedJwkSet;
  private readonly listeners = new Set<() => void>();
  /** Which keys of the set have a usage. */
  private byUsage = new Map<KeyUsage, readonly CryptoKey[]>();
  private lastSet: readonly CryptoKey[] = [];

  constructor({ name, log, fetch, lease, refresh, missPause, now = () => performance.now() }: JwkSetStoreOptions) {
    this.name = name;
    this.log = log;
    this.now = now;
    const early = Math.min(refresh, lease * (1 - REST_OF_LEASE));
    this.fetched = new FetchedJwkSet({ fetch, lease, refresh: early, missPause, log, now, changed: () => this.tell() });
  }

  async active(id: string): Promise<Secret> {
    throw this.missing(id, 'generic');
  }

  async valid(id: string): Promise<readonly Secret[]> {
    throw this.missing(id, 'generic');
  }

  async key(usage: KeyUsage, id: string): Promise<CryptoKey> {
    const [first] = await this.keys(usage, id);
    if (first === undefined) throw this.missing(id, usage);
    return first;
  }

  async keys(usage: KeyUsage, id: string): Promise<readonly CryptoKey[]> {
    const found = this.usable(usage, await this.all(id));
    if (found.length === 0) throw this.missing(id, usage);
    return found;
  }

  keysAtHand(usage: KeyUsage): readonly CryptoKey[] | null {
    const set = this.fetched.keysAtHand();
    return set === null ? null : this.usable(usage, set);
  }

  async named(usage: KeyUsage, id: string, stableId: string): Promise<CryptoKey> {
    const isIt = (key: CryptoKey): boolean => key.stableId === stableId;
    const asked = this.now();
    const set = await this.all(id);
    const found = this.usable(usage, set).find(isIt);
    if (found !== undefined) return found;
    const newer = await this.fetched.keysAfterMiss(stableId, set, asked);
    const late = newer === set ? undefined : this.usable(usage, newer).find(isIt);
    if (late === undefined) throw this.missing(id, usage, 'no key has the requested stable id');
    return late;
  }

  watch(listener: () => void): () => void {
    const own = (): void => listener(); // the same function may be given twice
    this.listeners.add(own);
    this.fetched.watch(true);
    return () => {
      this.listeners.delete(own);
      this.fetched.watch(this.listeners.size > 0);
    };
  }

  close(): void {
    this.listeners.clear();
    this.fetched.close();
  }

  private async all(id: string): Promise<readonly CryptoKey[]> {
    try {
      return await this.fetched.keys();
    } catch (error) {
      throw new UnreadableSecret(id, this.name, errorText(error));
    }
  }

  private usable(usage: KeyUsage, set: readonly CryptoKey[]): readonly CryptoKey[] {
    if (set !== this.lastSet) {
      this.lastSet = set;
      this.byUsage = new Map();
    }
    const known = this.byUsage.get(usage) ?? set.filter(({ usages }) => usages.has(usage));
    this.byUsage.set(usage, known);
    return known;
  }

  private missing(id: string, purpose: SecretPurpose, found: string | null = null): NoSuchSecret {
    return new NoSuchSecret(id, purpose, [this.name], found);
  }

  private tell(): void {
    for (const listener of [...this.listeners]) {
      try {
        listener();
      } catch (error) {
        this.log.error({ err: error }, 'a listener for secret changes threw');
      }
    }
  }
}
