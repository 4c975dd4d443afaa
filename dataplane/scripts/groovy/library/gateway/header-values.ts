import type { JavaClass, Obj, Runtime, Value } from '../../values/java-class.ts';
import { chargeItems } from '../../values/meter.ts';
import { type CookieFields, cookieText, readCookies, readSetCookie, setCookieText } from './cookie-text.ts';

const NOT_PARSED: ParsedHeader = {};

/** A header with its values; the classes of known headers also read what the values mean. */
export class HeaderValue implements Obj {
  readonly javaClass: JavaClass;
  readonly name: string;
  readonly values: readonly string[];
  /** Parsed form of a known header: cookies, a type and charset, a length. */
  readonly parsed: ParsedHeader;
  /** The message that it came with, and its name there in lower case; null for one that a script made. */
  receivedBy: object | null = null;
  receivedKey = '';

  constructor(rt: Runtime, className: string, name: string, values: readonly string[], parsed = NOT_PARSED) {
    this.javaClass = rt.class(className);
    this.name = name;
    this.values = values;
    this.parsed = parsed;
  }

  get first(): string | null {
    return this.values[0] ?? null;
  }

  text(): string {
    return `[${this.values.map((value) => `${this.name}: ${value}`).join(', ')}]`;
  }
}

export interface ParsedHeader {
  readonly type?: string | null;
  readonly charset?: string | null;
  readonly boundary?: string | null;
  readonly length?: bigint;
  readonly cookies?: readonly CookieFields[];
  readonly tokens?: readonly string[];
}

/** A header as it was read from texts, or null if they are malformed. */
type Reading = { readonly values: readonly string[]; readonly parsed: ParsedHeader } | null;

interface KnownHeader {
  readonly name: string;
  readonly className: string;
  read(values: readonly string[]): Reading;
}

/** Bytes of a token, which may have one character. */
const TOKEN_BYTES = 24;

const HEADERS = 'org.forgerock.http.header.';
const GENERIC = `${HEADERS}GenericHeader`;

function readContentType([value = '']: readonly string[]): Reading {
  const [type = '', ...parameters] = value.split(';').map((part) => part.trim());
  const named = new Map(
    parameters
      .filter((part) => part.includes('='))
      .map((part): [string, string] => [
        part.slice(0, part.indexOf('=')).trim().toLowerCase(),
        part
          .slice(part.indexOf('=') + 1)
          .trim()
          .replace(/^"(.*)"$/, '$1'),
      ]),
  );
  const charset = named.get('charset') ?? null;
  const boundary = named.get('boundary') ?? null;
  let text = type;
  if (charset !== null) text += `; charset=${charset}`;
  if (boundary !== null) text += `; boundary=${boundary}`;
  for (const [name, parameter] of named)
    if (name !== 'charset' && name !== 'boundary') text += `; ${name}=${parameter}`;
  return { values: [text], parsed: { type: type === '' ? null : type, charset, boundary } };
}

function readLength([value = '']: readonly string[]): Reading {
  return /^\d{1,18}$/.test(value) ? { values: [value], parsed: { length: BigInt(value) } } : null;
}

function tokensOf(values: readonly string[]): string[] {
  chargeItems(
    values.reduce((sum, value) => sum + value.length, 0),
    TOKEN_BYTES,
  );
  return values
    .flatMap((value) => value.split(','))
    .map((token) => token.trim())
    .filter((token) => token !== '');
}

const known: readonly KnownHeader[] = [
  { name: 'Content-Type', className: `${HEADERS}ContentTypeHeader`, read: readContentType },
  { name: 'Content-Length', className: `${HEADERS}ContentLengthHeader`, read: readLength },
  {
    name: 'Location',
    className: `${HEADERS}LocationHeader`,
    read: (values) => ({ values: values.slice(0, 1), parsed: {} }),
  },
  {
    name: 'Connection',
    className: `${HEADERS}ConnectionHeader`,
    read: (values) => ({ values: tokensOf(values), parsed: { tokens: tokensOf(values) } }),
  },
  {
    name: 'Content-Encoding',
    className: `${HEADERS}ContentEncodingHeader`,
    read: (values) => ({ values: tokensOf(values), parsed: { tokens: tokensOf(values) } }),
  },
  {
    name: 'Cookie',
    className: `${HEADERS}CookieHeader`,
    read: (values) => {
      const cookies = readCookies(values);
      return { values: cookies.length === 0 ? [] : [cookieText(cookies)], parsed: { cookies } };
    },
  },
  {
    name: 'Set-Cookie',
    className: `${HEADERS}SetCookieHeader`,
    read: (values) => {
      const cookies = values.map(readSetCookie);
      if (cookies.includes(null)) return null;
      return { values: (cookies as CookieFields[]).map(setCookieText), parsed: { cookies: cookies as CookieFields[] } };
    },
  },
];

const byName: ReadonlyMap<string, KnownHeader> = new Map(known.map((header) => [header.name.toLowerCase(), header]));

export const knownHeaderClasses: readonly { readonly className: string; readonly name: string }[] = known;

/** Makes the header of a name: of its own class if it is known and well-formed. */
export function headerOf(rt: Runtime, name: string, values: readonly string[]): HeaderValue {
  const header = byName.get(name.toLowerCase());
  const reading = header?.read(values) ?? null;
  if (header === undefined || reading === null) return new HeaderValue(rt, GENERIC, name, values);
  return new HeaderValue(rt, header.className, header.name, reading.values, reading.parsed);
}

/** The texts of a value that a script puts into headers; null where it is none of those that may be put. */
export function headerTexts(value: Value, items: (value: Value) => Value[] | null): string[] | 'not-texts' | null {
  if (typeof value === 'string') return [value];
  if (value instanceof HeaderValue) return [...value.values];
  const list = items(value);
  if (list === null) return null;
  return list.every((item) => typeof item === 'string') ? (list as string[]) : 'not-texts';
}
