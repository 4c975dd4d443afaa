import type { StoredSession } from '../engine/message/session.ts';

/** A session as a cookie holds it. */
export interface SealedSession extends StoredSession {
  /** In milliseconds since 1970, as written. */
  readonly expiresAt: number;
}

/** Characters of cookies and their content that are kept. */
const MOST_CHARACTERS = 2 << 20;

/**
 * Sessions by the whole text of their cookie, which decides everything about them but the time: a browser sends the same
 * text with every request. Bounded by characters, the oldest entry goes first.
 */
export class OpenedCookies {
  private readonly sessions = new Map<string, { readonly session: SealedSession; readonly characters: number }>();
  private readonly most: number;
  private held = 0;

  constructor(most = MOST_CHARACTERS) {
    this.most = most;
  }

  get characters(): number {
    return this.held;
  }

  get(cookie: string): SealedSession | undefined {
    return this.sessions.get(cookie)?.session;
  }

  /** @param length of the plaintext, in bytes */
  add(cookie: string, session: SealedSession, length: number): void {
    // a slice of a header would keep the whole header in memory
    const key = Buffer.from(cookie, 'latin1').toString('latin1');
    const characters = key.length + length;
    if (characters > this.most / 8 || this.sessions.has(key)) return;
    this.sessions.set(key, { session, characters });
    this.held += characters;
    for (const [oldest, entry] of this.sessions) {
      if (this.held <= this.most) break;
      this.sessions.delete(oldest);
      this.held -= entry.characters;
    }
  }

  clear(): void {
    this.sessions.clear();
    this.held = 0;
  }
}
