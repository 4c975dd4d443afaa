import type { IncomingMessage } from 'node:http';
import { isJsonObject, type JsonObject } from '../../../contract/document/json-value.ts';
import { isFromOwnPage } from '../../../contract/own-machine.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { tokenClaims } from '../identity/token-claims.ts';
import type { ConsoleSealing } from './console-sealing.ts';

/** A session of the console. */
export interface ConsoleSession {
  readonly token: string;
  /** When the token ends, in milliseconds since 1970. */
  readonly until: number;
  /** When the session ends: with the token, or later if the token can be renewed. */
  readonly end: number;
  /** The grant that renews the token; null for a token that somebody pasted. */
  readonly grant: JsonObject | null;
}

/** A session that begins, or goes on with another token. */
export interface BegunSession extends Pick<ConsoleSession, 'until' | 'end'> {
  /** `Set-Cookie` lines. */
  readonly cookies: readonly string[];
}

/** Longest session, in milliseconds: shorter than a key is kept after its last use. */
const LONGEST = 12 * 60 * 60 * 1000;

/** Sessions of the console: the token of the cluster, sealed in a cookie that no script can read. */
export class ConsoleSessions {
  private readonly sealing: ConsoleSealing;
  private readonly clock: Clock;

  constructor(sealing: ConsoleSealing, clock: Clock = systemClock) {
    this.sealing = sealing;
    this.clock = clock;
  }

  /** Returns the session of a request whose token is valid; null for none. */
  tokenIn(request: IncomingMessage): ConsoleSession | null {
    const session = this.sessionIn(request);
    return session !== null && this.clock.wall() < session.until ? session : null;
  }

  /**
   * Returns the session in the cookie of a request, also with a token that has ended; null for none. A cookie counts only
   * for requests of the console's own pages: it comes with every request of the browser, and says nothing of who made it.
   */
  sessionIn(request: IncomingMessage): ConsoleSession | null {
    if (!isFromOwnPage(request.headersDistinct)) return null;
    const text = this.textIn(request);
    const { token, until, end = until, grant = null } = (text === null ? null : this.sealing.unseal(text)) ?? {};
    if (typeof token !== 'string' || typeof until !== 'number' || typeof end !== 'number') return null;
    return this.clock.wall() < end ? { token, until, end, grant: isJsonObject(grant) ? grant : null } : null;
  }

  /**
   * Begins a session that ends with the token, or goes on while the grant renews it.
   *
   * @param former the session whose token was renewed: it does not last longer than before
   * @returns null while there are no keys, or for a token that is too long
   */
  begin(token: string, grant: JsonObject | null = null, former?: ConsoleSession): BegunSession | null {
    const now = this.clock.wall();
    const last = former?.end ?? now + LONGEST;
    const until = Math.min(tokenClaims(token)?.end ?? Number.POSITIVE_INFINITY, last);
    const end = grant === null ? until : last;
    const content = grant === null ? { token, until } : { token, until, end, grant };
    const text = this.sealing.seal(content, end - now);
    const lines = text === null ? [] : this.sealing.lines(text);
    if (lines.length === 0 || lines.length > this.sealing.mostParts) return null;
    return { until, end, cookies: [...lines, ...this.removals(lines.length)] };
  }

  /** Returns the lines that end the session in the browser. */
  end(): readonly string[] {
    return this.removals(0);
  }

  private removals(from: number): string[] {
    const { mostParts } = this.sealing;
    return Array.from({ length: mostParts - from }, (_, at) => this.sealing.removal(from + at));
  }

  /** Returns the sealed text of all parts. A cookie that is there twice is none: somebody else may have set it. */
  private textIn({ headersDistinct }: IncomingMessage): string | null {
    const { cookieName, mostParts } = this.sealing;
    const pairs = (headersDistinct['cookie'] ?? []).flatMap((line) => line.split(';')).map((one) => one.trim());
    let text = '';
    for (let part = 0; part < mostParts; part++) {
      const prefix = `${part === 0 ? cookieName : `${cookieName}_${part}`}=`;
      const [value, another] = pairs.filter((pair) => pair.startsWith(prefix)).map((pair) => pair.slice(prefix.length));
      if (another !== undefined) return null;
      if (value === undefined) break;
      text += value;
    }
    return text === '' ? null : text;
  }
}
