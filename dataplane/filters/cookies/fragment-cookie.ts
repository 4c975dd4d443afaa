import type { Duration } from '../../../contract/duration.ts';
import { parseCookies } from '../../engine/head/cookies.ts';
import type { Headers } from '../../engine/head/headers.ts';
import { writeSetCookie } from './set-cookie.ts';

/** A fragment, and path and query of the URI it belongs to. */
export interface CapturedFragment {
  readonly target: string;
  readonly fragment: string;
}

/** How the cookie is set. */
export interface FragmentCookieRule {
  readonly name: string;
  readonly domain?: string | undefined;
  readonly path: string;
  readonly maxAge: Duration;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite: 'STRICT' | 'LAX' | 'NONE';
}

/** What browsers keep of a cookie, name and attributes aside. */
const LONGEST_VALUE = 3800;

/**
 * The cookie that keeps one fragment. It is not sealed: a path of this very origin is all that it can lead to, and
 * whoever could forge it can link there.
 */
export class FragmentCookie {
  /** The line that makes a browser forget it. */
  readonly removal: string;
  private readonly rule: FragmentCookieRule;

  constructor(rule: FragmentCookieRule) {
    this.rule = rule;
    this.removal = this.line('', 0);
  }

  /** The line that keeps a fragment, or null for what cannot be kept. */
  write({ target, fragment }: CapturedFragment): string | null {
    if (!isTarget(target) || !isFragment(fragment)) return null;
    const value = Buffer.from(`${target}#${fragment}`, 'latin1').toString('base64url');
    return value.length > LONGEST_VALUE ? null : this.line(value, Math.floor(this.rule.maxAge.milliseconds / 1000));
  }

  /** The fragment that a request brings back, or null. */
  read(headers: Headers): CapturedFragment | null {
    const values = parseCookies(headers.all('cookie')).get(this.rule.name);
    if (values?.length !== 1) return null;
    const text = Buffer.from(values[0]!, 'base64url').toString('latin1');
    const hash = text.indexOf('#');
    const target = text.slice(0, Math.max(0, hash));
    const fragment = text.slice(hash + 1);
    return isTarget(target) && isFragment(fragment) ? { target, fragment } : null;
  }

  private line(value: string, seconds: number): string {
    const { name, domain, path, httpOnly, secure, sameSite } = this.rule;
    const attributes: [string, string | null][] = [
      ['Path', path],
      ['Max-Age', String(seconds)],
      ['SameSite', `${sameSite[0]}${sameSite.slice(1).toLowerCase()}`],
    ];
    if (domain !== undefined) attributes.push(['Domain', domain]);
    if (httpOnly) attributes.push(['HttpOnly', null]);
    if (secure) attributes.push(['Secure', null]);
    return writeSetCookie({ name, value, attributes });
  }
}

/** Path and query on this origin: two slashes would lead to another one. */
function isTarget(text: string): boolean {
  return /^\/(?![/\\])[\x21\x22\x24-\x7e]*$/.test(text);
}

function isFragment(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
