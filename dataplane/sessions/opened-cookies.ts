import type { StoredSession } from '../engine/message/session.ts';

/** A session as a cookie holds it. */
export interface SealedSession extends StoredSession {
  /** In milliseconds since 1970, as written. */
  readonly expiresAt: number;
}

interface OpenedCookie {
  /** Who opened it, with which keys. */
  readonly opener: object;
  readonly cookie: string;
  readonly session: SealedSession;
  readonly characters: number;
}

/** Characters of cookies and their content that a unit keeps, whatever the number of its session managers. */
const MOST_CHARACTERS = 16 << 20;
/** Characters at the end of a cookie that entries are found by: 128 bits of its tag, which differ from cookie to cookie. */
const TAG_CHARACTERS = 22;
/** Cookies whose first sight is remembered; a power of two. */
const SIGHTS = 1 << 14;

/**
 * Sessions by the whole text of their cookie, which decides everything about them but the time: a browser sends the same
 * text with every request. Entries are in two halves. When the recent half is full, it becomes the earlier one, and
 * entries that nobody asked for since then are forgotten. A session comes in when it is opened a second time: copies of
 * sessions that do not come back soon would cost more than they save.
 */
export class OpenedCookies {
  private readonly mostOfHalf: number;
  private recent = new Map<string, OpenedCookie>();
  private earlier = new Map<string, OpenedCookie>();
  /** A hash of the cookie that was seen last, at the place that the hash gives. */
  private readonly sights = new Int32Array(SIGHTS);
  private recentCharacters = 0;
  private earlierCharacters = 0;

  constructor(most = MOST_CHARACTERS) {
    this.mostOfHalf = most / 2;
  }

  get characters(): number {
    return this.recentCharacters + this.earlierCharacters;
  }

  get(opener: object, cookie: string): SealedSession | undefined {
    const tag = cookie.slice(-TAG_CHARACTERS);
    const recent = this.recent.get(tag);
    if (recent !== undefined && isOf(recent, opener, cookie)) return recent.session;
    const earlier = this.earlier.get(tag);
    if (earlier === undefined || !isOf(earlier, opener, cookie)) return undefined;
    this.earlier.delete(tag);
    this.earlierCharacters -= earlier.characters;
    this.hold(earlier);
    return earlier.session;
  }

  /** @param length of the plaintext, in bytes */
  add(opener: object, cookie: string, session: SealedSession, length: number): void {
    const characters = cookie.length + length;
    if (characters > this.mostOfHalf / 4 || !this.isSecondSight(cookie)) return;
    // a slice of a header would keep the whole header in memory
    const whole = Buffer.from(cookie, 'latin1').toString('latin1');
    this.hold({ opener, cookie: whole, session, characters });
  }

  private isSecondSight(cookie: string): boolean {
    let hash = 0;
    for (let at = Math.max(0, cookie.length - TAG_CHARACTERS); at < cookie.length; at++) {
      hash = (Math.imul(hash, 31) + cookie.charCodeAt(at)) | 0;
    }
    const place = (hash ^ (hash >>> 16)) & (SIGHTS - 1);
    if (this.sights[place] === hash) return true;
    this.sights[place] = hash;
    return false;
  }

  private hold(entry: OpenedCookie): void {
    if (this.recentCharacters + entry.characters > this.mostOfHalf) {
      this.earlier = this.recent;
      this.earlierCharacters = this.recentCharacters;
      this.recent = new Map();
      this.recentCharacters = 0;
    }
    const tag = entry.cookie.slice(-TAG_CHARACTERS);
    this.recentCharacters += entry.characters - (this.recent.get(tag)?.characters ?? 0);
    this.recent.set(tag, entry);
  }
}

/** A forged cookie may end like a real one. */
function isOf(entry: OpenedCookie, opener: object, cookie: string): boolean {
  return entry.opener === opener && entry.cookie === cookie;
}

/** The opened cookies of this unit. */
export const openedCookies = new OpenedCookies();
