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
}

export function emptyCookie(name: string | null = null, value: string | null = null): CookieFields {
  return { name, value, path: null, domain: null, maxAge: null, expires: null, secure: null, httpOnly: null };
}

/** The cookies of one Cookie header. */
export function readCookies(text: string): CookieFields[] {
  const cookies: CookieFields[] = [];
  for (const part of text.split(';')) {
    const at = part.indexOf('=');
    if (at < 0) continue;
    const name = part.slice(0, at).trim();
    const given = part.slice(at + 1).trim();
    const quoted = /^"(.*)"$/.exec(given)?.[1];
    // OpenIG leaves out spaces, and sends the rest on.
    const value = quoted ?? given.replaceAll(/\s/g, '');
    if (name !== '' && !name.startsWith('$')) cookies.push(emptyCookie(name, value));
  }
  return cookies;
}

export function cookieText(cookies: readonly CookieFields[]): string {
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
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
