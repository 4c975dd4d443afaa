import type { IncomingMessage } from 'node:http';
import { isFromOwnPage } from '../../../contract/own-machine.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { tokenClaims } from '../identity/token-claims.ts';
import type { ConsoleSealing } from './console-sealing.ts';

/** A token in a session of the console. */
export interface SessionToken {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly until: number;
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

  /**
   * Returns the token in the cookie of a request; null for none. A cookie counts only for requests of the console's own
   * pages: it comes with every request of the browser, and says nothing of who made it.
   */
  tokenIn(request: IncomingMessage): SessionToken | null {
    if (!isFromOwnPage(request.headersDistinct)) return null;
    const text = this.textIn(request);
    const content = text === null ? null : this.sealing.unseal(text);
    const { token, until } = content ?? {};
    return typeof token === 'string' && typeof until === 'number' && this.clock.wall() < until
      ? { token, until }
      : null;
  }

  /** Begins a session that ends with the token. @returns null while there are no keys, or for a token that is too long */
  begin(token: string): { readonly until: number; readonly cookies: readonly string[] } | null {
    const now = this.clock.wall();
    const until = Math.min(tokenClaims(token)?.end ?? Number.POSITIVE_INFINITY, now + LONGEST);
    const text = this.sealing.seal({ token, until }, until - now);
    const lines = text === null ? [] : this.sealing.lines(text);
    if (lines.length === 0 || lines.length > this.sealing.mostParts) return null;
    return { until, cookies: [...lines, ...this.removals(lines.length)] };
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
