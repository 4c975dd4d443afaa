import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import { type PresentedCookies, type Session, type StoredSession, withChanges } from '../engine/message/session.ts';
import { SessionFault } from '../engine/message/session-fault.ts';
import type { DirectCipher } from '../jose/direct-cipher.ts';
import type { SavingKeeper } from './managed-sessions.ts';
import { onlySession } from './only-session.ts';
import { openedCookies, type SealedSession } from './opened-cookies.ts';
import { SealedContents } from './sealed-contents.ts';
import type { SessionCookie } from './session-cookie.ts';
import type { SessionKeys } from './session-keys.ts';
import { MOST_PARTS } from './taken-cookies.ts';

/** Longest content of a session, in bytes: what a few compressed bytes may become at most. */
const MOST_CONTENT = 256 << 10;

/** How sessions are sealed. */
export interface SealingTerms {
  /** Tells apart whose sessions they are: empty for operators, otherwise the tenant. */
  readonly realm: string;
  readonly method: string;
  readonly timeout: number;
  readonly skew: number;
  readonly isPersistent: boolean;
  readonly compresses: boolean;
  readonly now?: () => number;
}

/** How a token with one of the headers that are written here is read. */
interface Format {
  readonly parts: number;
  readonly isCompressed: boolean;
}

/**
 * Keeps sessions in the cookies themselves, as JWTs that are encrypted with `dir`. A token is opened only if its
 * protected header is, character by character, one that this keeper writes: the header names algorithm, number of parts,
 * cookie and realm, and the tag covers it.
 */
export class SealedSessions implements SavingKeeper {
  readonly sealer: SealedContents;
  private readonly terms: SealingTerms;
  private readonly keys: SessionKeys;
  private readonly cookie: SessionCookie;
  private readonly formats = new Map<string, Format>();
  /** Headers to write, by the number of parts. */
  private readonly headers: string[] = [];
  private readonly now: () => number;
  /** Stands for this keeper with these keys: what it opened with others is not looked at again. */
  private opener: object = {};
  private openerKeys: readonly DirectCipher[] | null = null;

  constructor(terms: SealingTerms, keys: SessionKeys, cookie: SessionCookie) {
    this.terms = terms;
    this.keys = keys;
    this.cookie = cookie;
    this.now = terms.now ?? Date.now;
    const { realm, method, compresses } = terms;
    const { now } = this;
    this.sealer = new SealedContents({ realm, cookieName: cookie.name, method, ciphers: () => keys.ciphers, now });
    const aud = createHash('sha256')
      .update(JSON.stringify([realm, cookie.name]))
      .digest('base64url')
      .slice(0, 22);
    for (let parts = 1; parts <= MOST_PARTS; parts++) {
      for (const isCompressed of compresses ? [false, true] : [false]) {
        const facts = { ...(parts > 1 && { parts }), ...(isCompressed && { zip: 'DEF' }) };
        const header = Buffer.from(JSON.stringify({ alg: 'dir', enc: method, aud, ...facts })).toString('base64url');
        this.formats.set(header, { parts, isCompressed });
        this.headers[parts] = header;
      }
    }
  }

  ready(): PromiseLike<void> | null {
    return this.keys.ciphers === null ? this.keys.read() : null;
  }

  open(presented: PresentedCookies): StoredSession | null {
    return onlySession(presented[0], (first) => this.whole(first, presented));
  }

  save(session: Session): readonly string[] {
    const { stored, presented } = session;
    const changes = session.changes();
    const isUnchanged = changes.size === 0 && !session.isAnother;
    if (isUnchanged && (stored !== null || presented === null)) return [];
    const now = this.now();
    const content = withChanges(stored === null || session.startsEmpty ? {} : stored.content, changes);
    const beganAt = stored === null || session.isAnother ? now : stored.beganAt;
    const expiresAt = beganAt + this.terms.timeout;
    if (Object.keys(content).length === 0 || expiresAt <= now) return this.removals(presented, 0);
    const text = this.sealed({ id: session.id, content, beganAt, version: 0, expiresAt });
    const lines = this.cookie.lines(text, now, this.terms.isPersistent ? expiresAt : null);
    return [...lines, ...this.removals(presented, lines.length)];
  }

  private removals(presented: PresentedCookies | null, from: number): string[] {
    const lines: string[] = [];
    for (let part = from; part < (presented?.length ?? 0); part++) {
      if (presented![part]!.length > 0) lines.push(this.cookie.removal(part));
    }
    return lines;
  }

  /** The session that begins with this cookie; null unless exactly its parts are there. */
  private whole(first: string, presented: PresentedCookies): SealedSession | null {
    const header = first.slice(0, Math.max(0, first.indexOf('.')));
    const format = this.formats.get(header);
    if (format === undefined) return null;
    let text = first;
    for (let part = 1; part < format.parts; part++) {
      const values = presented[part];
      if (values?.length !== 1) return null;
      text += values[0]!;
    }
    const session = this.opened(text, header, format);
    return session === null || this.isOver(session) ? null : session;
  }

  private isOver({ beganAt, expiresAt }: SealedSession): boolean {
    const { timeout, skew } = this.terms;
    // a timeout that was shortened holds for sessions from before, too
    return this.now() >= Math.min(expiresAt, beganAt + timeout) + skew;
  }

  private opened(text: string, header: string, { isCompressed }: Format): SealedSession | null {
    const { ciphers } = this.keys;
    if (ciphers === null) return null;
    if (this.openerKeys !== ciphers) {
      this.openerKeys = ciphers;
      this.opener = {};
    }
    const cached = openedCookies.get(this.opener, text);
    if (cached !== undefined) return cached;
    for (const cipher of ciphers) {
      const plaintext = cipher.open(header, text);
      if (plaintext === null) continue;
      const content = isCompressed ? inflated(plaintext) : plaintext;
      const session = content === null ? null : sessionOf(content.toString());
      if (session !== null && content !== null) openedCookies.add(this.opener, text, session, content.length);
      return session;
    }
    return null;
  }

  private sealed({ id, content, beganAt, expiresAt }: SealedSession): string {
    const [cipher] = this.keys.ciphers ?? [];
    if (cipher === undefined) throw new SessionFault('session-keys', 'the keys of the session are gone');
    const claims = { exp: expiresAt / 1000, iat: beganAt / 1000, jti: id, session: content };
    const whole = Buffer.from(JSON.stringify(claims));
    if (whole.length > MOST_CONTENT) throw tooLarge(whole.length, MOST_CONTENT);
    const plaintext = this.terms.compresses ? deflateRawSync(whole) : whole;
    const text = cipher.seal(this.headers[1]!, plaintext);
    if (text.length <= this.cookie.room) return text;
    const parts = this.cookie.partsFor(text.length + this.headers[2]!.length - this.headers[1]!.length);
    if (parts > MOST_PARTS) throw tooLarge(text.length, MOST_PARTS * this.cookie.room);
    return cipher.seal(this.headers[parts]!, plaintext);
  }
}

function tooLarge(bytes: number, most: number): SessionFault {
  return new SessionFault('session-too-large', `the session takes ${bytes} bytes, and at most ${most} can be saved`);
}

function inflated(bytes: Buffer): Buffer | null {
  try {
    return inflateRawSync(bytes, { maxOutputLength: MOST_CONTENT });
  } catch {
    return null;
  }
}

/** Somebody else may hold the key, and write other tokens with it. */
function sessionOf(text: string): SealedSession | null {
  let claims: JsonValue;
  try {
    claims = JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
  if (!isJsonObject(claims)) return null;
  const { exp, iat, jti, session }: JsonObject = claims;
  if (typeof exp !== 'number' || typeof iat !== 'number' || typeof jti !== 'string' || !isJsonObject(session)) {
    return null;
  }
  return { id: jti, content: session, beganAt: iat * 1000, version: 0, expiresAt: exp * 1000 };
}
