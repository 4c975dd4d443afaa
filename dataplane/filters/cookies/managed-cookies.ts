import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import type { Session } from '../../engine/message/session.ts';
import type { Uri } from '../../engine/message/uri.ts';
import { readSetCookie, type SetCookie } from './set-cookie.ts';

/** Name under which a session holds the cookies of applications. */
const KEY = 'CookieFilter';
/** Cookies of one session; the oldest goes first. */
const MOST_COOKIES = 50;

/** A cookie of an application, as the session holds it. */
interface ManagedCookie {
  readonly name: string;
  readonly value: string;
  /** Host or domain that it is for. */
  readonly host: string;
  /** Whether hosts below it get the cookie too. */
  readonly isDomain: boolean;
  readonly path: string;
  /** In milliseconds since 1970; null where it lasts as long as the session. */
  readonly expiresAt: number | null;
}

/** Host and path that cookies are for. */
export interface CookiePlace {
  readonly host: string;
  readonly path: string;
}

/** The cookies in a session that a request for this place carries (RFC 6265, section 5.4), as `name=value`. */
export function cookiesFor(session: Session, place: CookiePlace, now: number): string[] {
  const { host, path } = place;
  return held(session)
    .filter((cookie) => isAlive(cookie, now) && matchesHost(cookie, host) && matchesPath(cookie.path, path))
    .sort((a, b) => b.path.length - a.path.length)
    .map(({ name, value }) => `${name}=${value}`);
}

/** Puts the cookie that a response from this place sets into a session, or removes it (RFC 6265, section 5.3). */
export function keepCookie(session: Session, line: string, place: CookiePlace, now: number): void {
  const set = readSetCookie(line);
  if (set === null) return;
  const cookie = managed(set, place, now);
  const before = held(session);
  const others = before.filter(
    (other) =>
      isAlive(other, now) && !(other.name === cookie.name && other.host === cookie.host && other.path === cookie.path),
  );
  const after = isAlive(cookie, now) ? [...others, cookie] : others;
  if (after.length === 0 && before.length === 0) return;
  session.set(KEY, after.length === 0 ? null : after.slice(-MOST_COOKIES));
}

function managed(set: SetCookie, place: CookiePlace, now: number): ManagedCookie {
  const { host, path } = place;
  const domain = attribute(set, 'domain').replace(/^\./, '').toLowerCase();
  // a backend may name a domain of its own, which clients never see
  const isDomain = domain !== '' && (host === domain || host.endsWith(`.${domain}`));
  const given = attribute(set, 'path');
  return {
    name: set.name,
    value: set.value,
    host: isDomain ? domain : host,
    isDomain,
    path: given.startsWith('/') ? given : defaultPath(path),
    expiresAt: expiryOf(set, now),
  };
}

function expiryOf(set: SetCookie, now: number): number | null {
  const seconds = attribute(set, 'max-age');
  if (/^-?\d+$/.test(seconds)) return Number(seconds) <= 0 ? 0 : now + 1000 * Number(seconds);
  const expires = Date.parse(attribute(set, 'expires'));
  return Number.isNaN(expires) ? null : expires;
}

function attribute({ attributes }: SetCookie, name: string): string {
  return attributes.findLast(([given]) => given.toLowerCase() === name)?.[1] ?? '';
}

/** The directory of the path. */
function defaultPath(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash <= 0 ? '/' : path.slice(0, slash);
}

/** The place of a URI as it is now: what is behind the filter may change the URI. */
export function cookiePlace(uri: Uri): CookiePlace {
  return { host: uri.host.toLowerCase(), path: uri.rawPath };
}

function isAlive({ expiresAt }: ManagedCookie, now: number): boolean {
  return expiresAt === null || expiresAt > now;
}

function matchesHost(cookie: ManagedCookie, host: string): boolean {
  return cookie.host === host || (cookie.isDomain && host.endsWith(`.${cookie.host}`));
}

function matchesPath(wanted: string, path: string): boolean {
  if (path === wanted) return true;
  return path.startsWith(wanted) && (wanted.endsWith('/') || path[wanted.length] === '/');
}

/** An expression of the route may have put something else under the name. */
function held(session: Session): readonly ManagedCookie[] {
  const value = session.get(KEY);
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isCookie) : [];
}

function isCookie(value: JsonValue): value is JsonObject & ManagedCookie {
  if (typeof value !== 'object' || value === null) return false;
  const {
    name,
    value: text,
    host,
    path,
    expiresAt,
  }: Partial<Record<keyof ManagedCookie, unknown>> = value as JsonObject;
  const texts = [name, text, host, path].every((one) => typeof one === 'string');
  return texts && (expiresAt === null || typeof expiresAt === 'number');
}
