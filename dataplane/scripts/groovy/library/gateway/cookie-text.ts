import { chargeCharacters, chargeItems } from '../../values/meter.ts';

/** Bytes of one cookie. */
const COOKIE_BYTES = 160;

/** A cookie of a request or a response. */
export interface CookieFields {
  name: string | null;
  value: string | null;
  path: string | null;
  domain: string | null;
  maxAge: number | null;
  /** Milliseconds since 1970. */
  expires: number | null;
  secure: boolean | null;
  httpOnly: boolean | null;
  version: number | null;
  ports: readonly number[];
}

export function emptyCookie(name: string | null = null, value: string | null = null): CookieFields {
  const unset = { path: null, domain: null, maxAge: null, expires: null, secure: null, httpOnly: null, version: null };
  return { name, value, ...unset, ports: [] };
}

/** The cookies of Cookie headers, as OpenIG reads them. Names that begin with a dollar sign are properties of the cookie before. */
export function readCookies(values: readonly string[]): CookieFields[] {
  const cookies: CookieFields[] = [];
  let version: number | null = null;
  let last = emptyCookie();
  const parts = values.flatMap((value) => splitQuoted(value, ';'));
  chargeItems(parts.length, COOKIE_BYTES);
  for (const part of parts) {
    const [name, value] = parameterOf(part);
    if (name !== '' && !name.startsWith('$')) {
      last = { ...emptyCookie(name, value), version };
      cookies.push(last);
      continue;
    }
    switch (name.toLowerCase()) {
      case '$version':
        version = numberIn(value);
        last.version = version;
        break;
      case '$path':
        last.path = value;
        break;
      case '$domain':
        last.domain = value;
        break;
      case '$port':
        last.ports = (value ?? '')
          .split(',')
          .map(numberIn)
          .filter((port) => port !== null);
        break;
      default:
    }
  }
  return cookies;
}

/** The values of a header that a comma separates. */
export function commaSeparated(values: readonly string[]): string[] {
  return values.flatMap((value) => splitQuoted(value, ','));
}

function numberIn(text: string | null): number | null {
  return text !== null && /^[+-]?\d{1,9}$/.test(text) ? Number(text) : null;
}

/** Parts that a character separates outside of quotes, which stay; empty ones are left out. */
function splitQuoted(text: string, separator: ';' | ','): string[] {
  chargeCharacters(text.length);
  const parts: string[] = [];
  let part = '';
  let isQuoted = false;
  let isEscaped = false;
  for (const char of text) {
    if (char === separator && !isQuoted) {
      parts.push(part);
      part = '';
      continue;
    }
    part += char;
    if (!isEscaped && char === '"') isQuoted = !isQuoted;
    isEscaped = !isEscaped && isQuoted && char === '\\';
  }
  return [...parts, part].map((each) => each.trim()).filter((each) => each !== '');
}

/** The name and the value of `name=value`; spaces outside of quotes are left out. */
function parameterOf(text: string): [string, string | null] {
  chargeCharacters(text.length);
  let name: string | null = null;
  let read = '';
  let isQuoted = false;
  let isEscaped = false;
  for (const char of text) {
    if (isEscaped) {
      read += char;
      isEscaped = false;
    } else if (char === '\\' && isQuoted) isEscaped = true;
    else if (char === '"') isQuoted = !isQuoted;
    else if (char === '=' && !isQuoted && name === null) {
      name = read.trim();
      read = '';
    } else if (isQuoted || !/\s/.test(char)) read += char;
  }
  return name === null ? [read.trim(), null] : [name, read];
}

/** The value of a Cookie header; values have quotes in the version of RFC 2109. */
export function cookieText(cookies: readonly CookieFields[]): string {
  const versions = cookies.map(({ version, path, domain }) => version ?? (path === null && domain === null ? null : 1));
  const known = versions.filter((version) => version !== null);
  const parts: string[] = known.length === 0 ? [] : [`$Version=${known.reduce((most, each) => Math.max(most, each))}`];
  for (const { name, value, path, domain, ports } of cookies) {
    if (name === null) continue;
    parts.push(`${name}=${known.length === 0 || value === null ? value : quoted(value)}`);
    if (path !== null) parts.push(`$Path=${quoted(path)}`);
    if (domain !== null) parts.push(`$Domain=${quoted(domain)}`);
    if (ports.length > 0) parts.push(`$Port=${quoted(ports.join(','))}`);
  }
  return parts.join('; ');
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, (char) => `\\${char}`)}"`;
}

/** The cookie of one Set-Cookie header; null if it is malformed. */
export function readSetCookie(text: string): CookieFields | null {
  const cookie = emptyCookie();
  for (const part of text.split(';')) {
    const at = part.indexOf('=');
    const name = (at < 0 ? part : part.slice(0, at)).trim();
    const value = at < 0 ? null : part.slice(at + 1).trim();
    switch (name.toLowerCase()) {
      case 'secure':
        cookie.secure = true;
        break;
      case 'httponly':
        cookie.httpOnly = true;
        break;
      default:
        if (value === null) return null;
        setAttribute(cookie, name, value);
    }
  }
  return cookie.name === null ? null : cookie;
}

function setAttribute(cookie: CookieFields, name: string, value: string): void {
  switch (name.toLowerCase()) {
    case 'expires': {
      const time = Date.parse(value);
      cookie.expires = Number.isNaN(time) ? null : time;
      break;
    }
    case 'max-age':
      cookie.maxAge = /^[+-]?\d{1,9}$/.test(value) ? Number(value) : null;
      break;
    case 'path':
      cookie.path = value;
      break;
    case 'domain':
      cookie.domain = value;
      break;
    default:
      if (cookie.name !== null) break;
      cookie.name = name;
      cookie.value = value;
  }
}

export function setCookieText(cookie: CookieFields): string {
  if (cookie.name === null) return '';
  let text = `${cookie.name}=${cookie.value}`;
  if (cookie.expires !== null) text += `; Expires=${new Date(cookie.expires).toUTCString()}`;
  if (cookie.maxAge !== null) text += `; Max-Age=${cookie.maxAge}`;
  if (cookie.path !== null) text += `; Path=${cookie.path}`;
  if (cookie.domain !== null) text += `; Domain=${cookie.domain}`;
  if (cookie.secure === true) text += '; Secure';
  if (cookie.httpOnly === true) text += '; HttpOnly';
  return text;
}
