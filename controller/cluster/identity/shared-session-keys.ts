import type { SourceVersion } from '../../../contract/snapshot.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { errorText } from '../../../platform/error-text.ts';
import type { ApiCaller } from '../api/api-client.ts';
import { ApiError } from '../api/api-error.ts';
import { type ReadSecret, SecretText } from '../secret-text.ts';
import { defaultKeyTimes, type KeyTimes, SessionKeyRing } from './session-key-ring.ts';

/** The secrets that session keys are derived from, and the Secret that they are in. */
export interface SessionSecrets {
  /** The one to seal with first. */
  readonly secrets: readonly string[];
  readonly source: SourceVersion;
}

export interface SharedSessionKeysOptions {
  readonly api: Pick<ApiCaller, 'call'>;
  readonly namespace: string;
  /** Name of the Secret, which only controllers may read. An empty one is filled. */
  readonly secret: string;
  readonly clock?: Clock;
  readonly times?: KeyTimes;
  /** Milliseconds from one look to the next. */
  readonly interval?: number;
  /** Of several controllers one rotates. */
  isLeader(): boolean;
  /** There are other secrets, made here or by another controller. */
  changed(secrets: SessionSecrets): void;
  /** Hears that the keys of before are lost, with what is sealed under them. */
  lost(message: string): void;
  /** Hears what went wrong, once for as long as it stays; it is tried again. */
  failed(message: string): void;
}

const KEY = 'session-keys.json';

/** How often it is tried to fill the Secret while others write to it. */
const MOST_TRIES = 5;

/** A ring, and the Secret that it was read from. */
interface Found {
  readonly ring: SessionKeyRing;
  readonly there: ReadSecret;
}

/** The session keys that all controllers of a namespace share in a Secret: any of them makes it, the leader rotates it. */
export class SharedSessionKeys {
  private readonly options: SharedSessionKeysOptions;
  private readonly clock: Clock;
  private readonly stored: SecretText;
  private held: Found | null = null;
  private lastFault = '';
  private running: Promise<void> | null = null;
  private callOff: () => void = () => undefined;
  private isClosed = false;

  constructor(options: SharedSessionKeysOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    const { api, namespace, secret } = options;
    this.stored = new SecretText({ api, namespace, name: secret, key: KEY });
  }

  /** Null while the Secret could not be read or made: then data planes keep the keys that they have. */
  get secrets(): SessionSecrets | null {
    return this.held === null ? null : secretsOf(this.held);
  }

  /** What went wrong at the last look; null for nothing. */
  get fault(): string | null {
    return this.lastFault === '' ? null : this.lastFault;
  }

  /** Takes the keys that are there, or makes some. Goes on looking. @throws ApiError while the API server is away */
  async open(): Promise<void> {
    try {
      this.held = await this.foundOrMade();
    } catch (error) {
      const isAway = error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
      if (isAway) throw error;
      this.fail(error);
    }
    this.wait();
  }

  /** Looks whether there are other keys, and whether it is time for some. To be called when this controller leads. */
  check(): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    this.running ??= this.look()
      .then(() => {
        this.lastFault = '';
      })
      .catch((error: unknown) => this.fail(error))
      .finally(() => {
        this.running = null;
        this.wait();
      });
    return this.running;
  }

  close(): void {
    this.isClosed = true;
    this.callOff();
  }

  /** A fault that stays is told once. */
  private fail(error: unknown): void {
    const reason = errorText(error);
    if (reason !== this.lastFault) this.options.failed(reason);
    this.lastFault = reason;
  }

  private async look(): Promise<void> {
    const { options, held } = this;
    const isLeader = options.isLeader();
    // without keys of its own a controller does as when it starts; otherwise a Secret that is gone is the leader's matter
    const found = held === null || isLeader ? await this.foundOrMade() : this.foundIn(await this.stored.read());
    if (found === null) return;
    this.take(found);
    if (!isLeader) return;
    const next = found.ring.rotate(this.clock.wall(), options.times ?? defaultKeyTimes);
    if (next === found.ring) return;
    if (!(await this.stored.write(next.serialised(), found.there))) throw this.race();
    const written = this.foundIn(await this.stored.read());
    if (written !== null) this.take(written);
  }

  private take(found: Found): void {
    const isSame = this.held?.ring.serialised() === found.ring.serialised();
    this.held = found;
    if (!isSame) this.options.changed(secretsOf(found));
  }

  private async foundOrMade(): Promise<Found> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const there = await this.stored.read();
      const found = this.foundIn(there);
      if (found !== null) return found;
      const ring = SessionKeyRing.create(this.clock.wall());
      const isWritten = await this.stored.write(ring.serialised(), there);
      if (isWritten) this.tellLost(there);
    }
    throw this.race();
  }

  /** The Secret is read again after it was written, so that all controllers know it by the same version. */
  private tellLost(there: ReadSecret | null): void {
    const { namespace, secret } = this.options;
    if (there !== null && there.text !== '')
      this.options.lost(`${KEY} of the Secret ${namespace}/${secret} is not valid`);
    else if (this.held !== null) {
      this.options.lost(`the Secret ${namespace}/${secret} was ${there === null ? 'deleted' : 'emptied'}`);
    }
  }

  private foundIn(there: ReadSecret | null): Found | null {
    const ring = there === null ? null : SessionKeyRing.parse(there.text);
    return there === null || ring === null ? null : { ring, there };
  }

  private race(): Error {
    const { namespace, secret } = this.options;
    return new Error(`another client writes the Secret ${namespace}/${secret} at the same time`);
  }

  private wait(): void {
    this.callOff();
    if (this.isClosed) return;
    this.callOff = this.clock.after(this.options.interval ?? 30_000, () => void this.check());
  }
}

function secretsOf({ ring, there }: Found): SessionSecrets {
  const { uid, resourceVersion } = there.secret.metadata;
  return { secrets: ring.secrets, source: { uid, resourceVersion } };
}
