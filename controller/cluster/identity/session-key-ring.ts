import { randomBytes } from 'node:crypto';
import { z } from 'zod';

/** How long keys are used, in milliseconds. */
export interface KeyTimes {
  /** From the first use of a key to the first use of the next one. Longer than any session that is sealed with it. */
  readonly interval: number;
  /** Before its first use, while data planes already open sessions with it. */
  readonly lead: number;
}

const HOUR = 60 * 60 * 1000;

/** A data plane that no controller reaches for less than the lead still opens the sessions of the others. */
export const defaultKeyTimes: KeyTimes = { interval: 24 * HOUR, lead: HOUR };

const rootKey = z.strictObject({
  /** 32 random bytes in base64url. */
  secret: z.string().regex(/^[\w-]{43}$/),
  /** When it was made, and later when it was used first, in milliseconds since 1970. */
  since: z.number().int().nonnegative(),
});

const stored = z.strictObject({
  active: rootKey,
  /** Opens sessions, and seals them after the lead. */
  next: rootKey.nullable(),
  /** Opens sessions from before the last rotation. */
  previous: rootKey.nullable(),
});

type RootKey = z.infer<typeof rootKey>;
type Stored = z.infer<typeof stored>;

/** The secrets that the session keys of all groups are derived from: at most three, one of which seals. */
export class SessionKeyRing {
  private readonly stored: Stored;

  private constructor(content: Stored) {
    this.stored = content;
  }

  static create(now: number): SessionKeyRing {
    return new SessionKeyRing({ active: freshKey(now), next: null, previous: null });
  }

  /** @returns null for a text that `serialised` did not write */
  static parse(text: string): SessionKeyRing | null {
    try {
      const read = stored.safeParse(JSON.parse(text));
      return read.success ? new SessionKeyRing(read.data) : null;
    } catch {
      return null;
    }
  }

  /** It holds secrets. */
  serialised(): string {
    return JSON.stringify(this.stored);
  }

  /** The one to seal with first. */
  get secrets(): readonly string[] {
    const { active, next, previous } = this.stored;
    return [active, next, previous].flatMap((key) => key?.secret ?? []);
  }

  /** The ring for this time; the same when nothing is due. */
  rotate(now: number, { interval, lead }: KeyTimes): SessionKeyRing {
    const { active, next } = this.stored;
    if (next === null) {
      if (distance(now, active) < interval - lead) return this;
      return new SessionKeyRing({ ...this.stored, next: freshKey(now) });
    }
    if (distance(now, next) < lead) return this;
    return new SessionKeyRing({ active: { ...next, since: now }, next: null, previous: active });
  }
}

/** A clock that was wrong in either direction must not stop rotations for ever. */
function distance(now: number, { since }: RootKey): number {
  return Math.abs(now - since);
}

function freshKey(now: number): RootKey {
  return { secret: randomBytes(32).toString('base64url'), since: Math.round(now) };
}
