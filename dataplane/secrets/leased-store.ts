import type { Logger } from 'pino';
import type { Secret } from '../../contract/secret.ts';
import { LONGEST_TIMER } from '../../platform/clock.ts';
import {
  type CryptoKey,
  type GenericSecret,
  type KeyUsage,
  NoSuchSecret,
  type SecretPurpose,
  type SecretStore,
  type StoredSecret,
} from '../heap/objects/secrets.ts';

/** Where a store has its secrets from. */
export interface SecretSource {
  /** All secrets under an id, those to use first; none where there are none. Rejects when that cannot be said. */
  read(id: string): Promise<readonly StoredSecret[]>;
  /** Where nothing was found, for messages; what it says is no secret. */
  absence?(id: string): string;
}

export interface LeasedStoreOptions {
  readonly name: string;
  readonly source: SecretSource;
  /** For how many milliseconds something that was read may be used; Infinity for what never changes. */
  readonly lease: number;
  readonly log: Logger;
  /** Milliseconds from any moment on, never going back. */
  readonly now?: () => number;
}

/** What was read, until when it may be used, and whether it should be read again before. */
interface Held {
  readonly secrets: readonly StoredSecret[];
  readonly until: number;
  isStale: boolean;
  /** When reading it again failed: before then it is not tried again. */
  retryAt: number;
}

/** That there is nothing under an id, or why that cannot be said. Requests ask for it again and again. */
interface Miss {
  readonly error: unknown;
  readonly until: number;
}

/** How long to wait before something that could not be read is tried again, or listeners are told to try. */
const RETRY_MILLISECONDS = 1000;

/**
 * A store that reads each secret once for everybody who asks, and again when its lease is over or something changed.
 * What changed and cannot be read is used as it was while its lease lasts; then there is nothing to use.
 */
export class LeasedStore implements SecretStore {
  readonly name: string;
  private readonly source: SecretSource;
  private readonly lease: number;
  private readonly log: Logger;
  private readonly now: () => number;
  private readonly held = new Map<string, Held>();
  private readonly misses = new Map<string, Miss>();
  private readonly readings = new Map<string, Promise<readonly StoredSecret[]>>();
  private readonly listeners = new Set<() => void>();
  /** Goes up with every change: what began to be read before one is not kept. */
  private generation = 0;
  private timer: NodeJS.Timeout | null = null;
  private retryAt = Number.POSITIVE_INFINITY;
  private closed = false;

  constructor({ name, source, lease, log, now = () => performance.now() }: LeasedStoreOptions) {
    this.name = name;
    this.source = source;
    this.lease = lease;
    this.log = log;
    this.now = now;
  }

  async active(id: string): Promise<Secret> {
    return (await this.first(id, 'generic', isGeneric)).bytes;
  }

  async valid(id: string): Promise<readonly Secret[]> {
    return (await this.all(id, 'generic', isGeneric)).map(({ bytes }) => bytes);
  }

  key(usage: KeyUsage, id: string): Promise<CryptoKey> {
    return this.first(id, usage, isKeyFor(usage));
  }

  keys(usage: KeyUsage, id: string): Promise<readonly CryptoKey[]> {
    return this.all(id, usage, isKeyFor(usage));
  }

  keysAtHand(usage: KeyUsage, id: string): readonly CryptoKey[] | null {
    return this.atHand(id, this.now())?.filter(isKeyFor(usage)) ?? null;
  }

  async named(usage: KeyUsage, id: string, stableId: string): Promise<CryptoKey> {
    const keys = await this.keys(usage, id);
    const named = keys.find((key) => key.stableId === stableId);
    if (named === undefined) throw new NoSuchSecret(id, usage, [this.name], 'no key has the requested stable id');
    return named;
  }

  watch(listener: () => void): () => void {
    const own = (): void => listener(); // the same function may be given twice
    this.listeners.add(own);
    this.arm();
    return () => {
      this.listeners.delete(own);
      this.arm();
    };
  }

  /** Says that what the source has may be different now. */
  changed(): void {
    this.generation++;
    this.readings.clear();
    this.misses.clear();
    for (const held of this.held.values()) {
      held.isStale = true;
      held.retryAt = 0;
    }
    this.tell();
  }

  close(): void {
    this.closed = true;
    this.listeners.clear();
    this.held.clear();
    this.misses.clear();
    this.arm();
  }

  /** The secret to use: the first, or the other half of its pair. */
  private async first<T extends StoredSecret>(
    id: string,
    purpose: SecretPurpose,
    fits: (secret: StoredSecret) => secret is T,
  ): Promise<T> {
    const secrets = await this.read(id);
    const found = secrets.filter(({ stableId }) => stableId === secrets[0]?.stableId).find(fits);
    if (found === undefined) throw this.missing(id, purpose, secrets);
    return found;
  }

  private async all<T extends StoredSecret>(
    id: string,
    purpose: SecretPurpose,
    fits: (secret: StoredSecret) => secret is T,
  ): Promise<readonly T[]> {
    const secrets = await this.read(id);
    const found = secrets.filter(fits);
    if (found.length === 0) throw this.missing(id, purpose, secrets);
    return found;
  }

  private missing(id: string, purpose: SecretPurpose, [first]: readonly StoredSecret[]): NoSuchSecret {
    const found = first === undefined ? (this.source.absence?.(id) ?? null) : described(first);
    return new NoSuchSecret(id, purpose, [this.name], found);
  }

  private read(id: string): Promise<readonly StoredSecret[]> {
    const now = this.now();
    const secrets = this.atHand(id, now);
    if (secrets !== null) return Promise.resolve(secrets);
    const miss = this.misses.get(id);
    if (miss !== undefined && now < miss.until) return Promise.reject(miss.error);
    const running = this.readings.get(id);
    if (running !== undefined) return running;
    const reading = this.readNow(id, this.generation).finally(() => {
      if (this.readings.get(id) === reading) this.readings.delete(id);
    });
    this.readings.set(id, reading);
    return reading;
  }

  /** Secrets that were read under the id, while their lease lasts; null otherwise. */
  private atHand(id: string, now: number): readonly StoredSecret[] | null {
    const held = this.held.get(id);
    if (held !== undefined && now < held.until && (!held.isStale || now < held.retryAt)) return held.secrets;
    const miss = this.misses.get(id);
    return miss !== undefined && now < miss.until && miss.error === null ? [] : null;
  }

  private async readNow(id: string, generation: number): Promise<readonly StoredSecret[]> {
    let secrets: readonly StoredSecret[];
    try {
      secrets = await this.source.read(id);
    } catch (error) {
      const kept = this.kept(id, error);
      if (kept === null && generation === this.generation) this.missed(id, error);
      this.retry();
      if (kept === null) throw error;
      return kept;
    }
    if (generation !== this.generation || this.closed) return secrets;
    if (secrets.length === 0) {
      this.held.delete(id);
      this.missed(id, null);
      this.retry();
    } else {
      this.misses.delete(id);
      this.held.set(id, { secrets, until: this.now() + this.lease, isStale: false, retryAt: 0 });
      this.arm();
    }
    return secrets;
  }

  private missed(id: string, error: unknown): void {
    this.misses.set(id, { error, until: this.now() + Math.min(RETRY_MILLISECONDS, this.lease) });
  }

  /** What was read before, if its lease lasts, or null. */
  private kept(id: string, error: unknown): readonly StoredSecret[] | null {
    const held = this.held.get(id);
    const now = this.now();
    if (held === undefined || now >= held.until) {
      this.held.delete(id);
      return null;
    }
    if (held.retryAt === 0) {
      const said = 'could not read a changed secret; the previous value is used until its lease expires';
      this.log.warn({ err: error, secretId: id }, said);
    }
    held.retryAt = now + RETRY_MILLISECONDS;
    return held.secrets;
  }

  private retry(): void {
    this.retryAt = Math.min(this.retryAt, this.now() + RETRY_MILLISECONDS);
    this.arm();
  }

  /** Sets the timer for the next moment at which listeners should ask again. */
  private arm(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.closed || this.listeners.size === 0) return;
    const next = Math.min(this.retryAt, ...[...this.held.values()].map(({ until }) => until));
    if (!Number.isFinite(next)) return;
    const wait = Math.min(Math.max(0, next - this.now()), LONGEST_TIMER);
    this.timer = setTimeout(() => this.leasesOver(), Math.ceil(wait));
    this.timer.unref();
  }

  private leasesOver(): void {
    const now = this.now();
    const over = [...this.held].filter(([, { until }]) => until <= now);
    for (const [id] of over) this.held.delete(id);
    const isDue = over.length > 0 || this.retryAt <= now;
    if (isDue) {
      this.retryAt = Number.POSITIVE_INFINITY;
      this.tell();
    }
    this.arm();
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

function isGeneric(secret: StoredSecret): secret is GenericSecret {
  return secret.kind === 'generic';
}

function isKeyFor(usage: KeyUsage): (secret: StoredSecret) => secret is CryptoKey {
  return (secret): secret is CryptoKey => secret.kind === 'key' && secret.usages.has(usage);
}

function described(secret: StoredSecret): string {
  if (secret.kind === 'generic') {
    const isPem = Buffer.from(secret.bytes.reveal()).includes('-----BEGIN ');
    return `the stored value is a GenericSecret${isPem ? " of PEM: its 'format' has to be a PemPropertyFormat" : ''}`;
  }
  return `the stored value is a CryptoKey, a ${secret.key.type} key of the type ${secret.key.asymmetricKeyType ?? 'secret'}`;
}
