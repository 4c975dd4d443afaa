import type { CookieRule } from './cookie-fields.ts';

/** Bytes that browsers keep of one cookie, name, value and attributes together. */
const LONGEST_COOKIE = 4096;
const EPOCH = 'Thu, 01 Jan 1970 00:00:00 GMT';
/** Longest number of a part, with its underscore, and the longest Max-Age and Expires. */
const SPARE = 3 + 80;

/** Writes the `Set-Cookie` lines of a session: one cookie, or several that hold one text together. */
export class SessionCookie {
  readonly name: string;
  /** Longest text in one cookie. */
  readonly room: number;
  private readonly attributes: string;

  constructor({ name, domain, path, httpOnly, secure, sameSite }: CookieRule) {
    this.name = name;
    const site = `${sameSite[0]}${sameSite.slice(1).toLowerCase()}`;
    const flags = `${httpOnly ? '; HttpOnly' : ''}${secure ? '; Secure' : ''}`;
    this.attributes = `; Path=${path}${domain === undefined ? '' : `; Domain=${domain}`}; SameSite=${site}${flags}`;
    this.room = LONGEST_COOKIE - name.length - this.attributes.length - SPARE;
  }

  /** Number of cookies that a text of this length takes. */
  partsFor(length: number): number {
    return Math.max(1, Math.ceil(length / this.room));
  }

  /** @param expiresAt in milliseconds since 1970, or null for a cookie that ends with the browser */
  lines(value: string, now: number, expiresAt: number | null): string[] {
    const seconds = expiresAt === null ? 0 : Math.max(1, Math.ceil((expiresAt - now) / 1000));
    const life =
      expiresAt === null ? '' : `; Max-Age=${seconds}; Expires=${new Date(now + 1000 * seconds).toUTCString()}`;
    const lines: string[] = [];
    for (let at = 0, part = 0; at < value.length; at += this.room, part++) {
      lines.push(`${this.partName(part)}=${value.slice(at, at + this.room)}${this.attributes}${life}`);
    }
    return lines;
  }

  /** Makes the client forget a part. */
  removal(part: number): string {
    return `${this.partName(part)}=${this.attributes}; Max-Age=0; Expires=${EPOCH}`;
  }

  private partName(part: number): string {
    return part === 0 ? this.name : `${this.name}_${part}`;
  }
}
