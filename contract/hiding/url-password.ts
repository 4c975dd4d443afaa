import { charactersOf, endsWord, isBlank } from '../document/blank.ts';
import { isWrittenCredentialName } from './credential-names.ts';
import { ESCAPED_QUOTE, readings } from './readings.ts';
import { stars } from './stars.ts';

type Range = readonly [from: number, to: number];

/** The characters that end the authority of a URL, or the text that it is written in. Passwords may hold single quotes. */
const AUTHORITY_ENDS = charactersOf('/?#"');
const USER_ENDS = charactersOf(':@/?#"');
const URL_ENDS = charactersOf('"');
const OPAQUE_USER_ENDS = charactersOf('/?;"');
const OPAQUE_ENDS = charactersOf('?;"');
const VALUE_ENDS = charactersOf('"&');
const BEFORE_PARAMETER = charactersOf('?&;#');
const SCHEME = charactersOf('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-');
const COLON = 0x3a;
const AT = 0x40;
const EQUALS = 0x3d;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
/** Parsers of these schemes need no slashes. */
const WITHOUT_SLASHES = /(?:^|[^a-z0-9+.-])(?:https?|wss?)$/i;
/** URLs of databases, which need none either; some have a user and a password before the at sign. */
const OPAQUE = /(?:^|[^a-z0-9+.-])jdbc$/i;
const LONGEST_SCHEME = 6;
/** Parameters that only say where their value comes from. */
const TAKEN_FROM_ELSEWHERE = /^[$#]\{[^}]*\}$/;
/** The end of a name is enough to tell whether it is that of a credential. */
const LONGEST_NAME = 64;
/** Text literals of scripts are searched for their end up to here, so that many of them take no longer than one. */
const LONGEST_LITERAL = 512;
const MOST_ESCAPES = 8;

/**
 * A text with stars for the passwords of the URLs in it, and for the values of their parameters that usually carry
 * credentials, also where the text is a document and escapes their characters. It is read from its beginning to its
 * end: a regular expression that does the same exhausts its stack at a text of some megabytes.
 */
export function hideUrlPasswords(text: string): string {
  const ranges: Range[] = [];
  for (const { text: read, offsets } of readings(text)) {
    for (const [from, to] of [...inAuthorities(read), ...inOpaqueUrls(read), ...inParameters(read)]) {
      ranges.push(offsets === null ? [from, to] : [offsets[from]!, offsets[to]!]);
    }
  }
  return ranges.length === 0 ? text : withStars(text, ranges);
}

function withStars(text: string, ranges: Range[]): string {
  const shown: string[] = [];
  let shownTo = 0;
  for (const [from, to] of ranges.sort(([one], [other]) => one - other)) {
    if (to <= shownTo) continue;
    const start = Math.max(from, shownTo);
    shown.push(text.slice(shownTo, start), stars(text.slice(start, to)));
    shownTo = to;
  }
  return shown.join('') + text.slice(shownTo);
}

function inAuthorities(text: string): Range[] {
  const ranges: Range[] = [];
  let next = 0;
  for (let colon = text.indexOf(':'); colon >= 0; colon = text.indexOf(':', next)) {
    const start = authorityStart(text, colon);
    const userEnd = start < 0 ? colon : wordEnd(text, start, USER_ENDS);
    next = Math.max(colon + 1, userEnd);
    if (start < 0 || text.charCodeAt(userEnd) !== COLON) continue;
    next = wordEnd(text, userEnd + 1, AUTHORITY_ENDS, literalEnd(text, schemeStart(text, colon)));
    const at = lastAt(text, userEnd + 1, next);
    if (at > userEnd + 1) ranges.push([userEnd + 1, at]);
  }
  return ranges;
}

/** Passwords as in `jdbc:oracle:thin:user/password@place`. */
function inOpaqueUrls(text: string): Range[] {
  const ranges: Range[] = [];
  let next = 0;
  for (let colon = text.indexOf(':'); colon >= 0; colon = text.indexOf(':', next)) {
    next = colon + 1;
    if (!isOpaque(text, colon)) continue;
    const slash = wordEnd(text, next, OPAQUE_USER_ENDS);
    next = wordEnd(text, slash, OPAQUE_ENDS);
    if (text.charCodeAt(slash) !== SLASH || text.charCodeAt(slash - 1) === COLON) continue;
    const at = lastAt(text, slash + 1, next);
    if (at > slash + 1) ranges.push([slash + 1, at]);
  }
  return ranges;
}

/** Start of the authority after the colon of a scheme, or -1. Parsers take any number of slashes, also backslashes. */
function authorityStart(text: string, colon: number): number {
  let at = colon + 1;
  while (text.charCodeAt(at) === SLASH || text.charCodeAt(at) === BACKSLASH) at++;
  if (at > colon + 1) return isOfScheme(text, colon - 1) && isOfScheme(text, colon - 2) ? at : -1;
  return WITHOUT_SLASHES.test(text.slice(Math.max(0, colon - LONGEST_SCHEME), colon)) ? at : -1;
}

/** A single letter before a colon is a drive. */
function isOfScheme(text: string, at: number): boolean {
  return SCHEME[text.charCodeAt(at)] === 1;
}

function isOpaque(text: string, colon: number): boolean {
  return OPAQUE.test(text.slice(Math.max(0, colon - LONGEST_SCHEME), colon));
}

function wordEnd(text: string, from: number, ends: Uint8Array, most = text.length): number {
  let at = from;
  while (at < most && !endsWord(text.charCodeAt(at), ends)) at++;
  return at;
}

function schemeStart(text: string, colon: number): number {
  let at = colon;
  while (at > 0 && isOfScheme(text, at - 1)) at--;
  return at;
}

/**
 * The end of the text literal of a script that begins with a URL, or of the text. Code behind it must not be hidden: the
 * script would not compile. In YAML a quote is doubled.
 */
function literalEnd(text: string, urlStart: number): number {
  const quote = text[urlStart - 1];
  if (quote !== "'" && quote !== '`' && quote !== ESCAPED_QUOTE) return text.length;
  const escapes = backslashesBefore(text, urlStart - 1);
  const most = Math.min(text.length, urlStart + LONGEST_LITERAL);
  for (let at = urlStart; at < most; at++) {
    if (text[at] !== quote || backslashesBefore(text, at) !== escapes) continue;
    if (text[at + 1] !== quote) return at - escapes;
    at++;
  }
  return text.length;
}

/** Quotes of a text within others have more of them. */
function backslashesBefore(text: string, from: number): number {
  let at = from;
  while (at > 0 && from - at < MOST_ESCAPES && text.charCodeAt(at - 1) === BACKSLASH) at--;
  return from - at;
}

/** The last at sign, because a password may hold others; the start where there is none. */
function lastAt(text: string, from: number, end: number): number {
  let at = end;
  while (at > from && text.charCodeAt(at) !== AT) at--;
  return at;
}

/** Hides rather too much: a value ends with the next parameter, and not with other characters that a password may hold. */
function inParameters(text: string): Range[] {
  const ranges: Range[] = [];
  for (let at = urlStart(text, 0); at < text.length; at = urlStart(text, at)) {
    let nameAt = -1;
    const isPath = text.charCodeAt(at - 1) === SLASH;
    const most = literalEnd(text, isPath ? at - 1 : schemeStart(text, at - 1));
    for (; at < most; at++) {
      const code = text.charCodeAt(at);
      if (endsWord(code, URL_ENDS)) break;
      if (code < 128 && BEFORE_PARAMETER[code] === 1) nameAt = at + 1;
      if (code !== EQUALS || nameAt < 0) continue;
      const name = text.slice(Math.max(nameAt, at - LONGEST_NAME), at);
      nameAt = -1;
      if (!isWrittenCredentialName(decoded(name))) continue;
      const end = wordEnd(text, at + 1, VALUE_ENDS, most);
      if (end > at + 1 && !TAKEN_FROM_ELSEWHERE.test(text.slice(at + 1, end))) ranges.push([at + 1, end]);
      at = end - 1;
    }
  }
  return ranges;
}

/** Start of the next URL, which is a scheme with its colon or, alone, a path. */
function urlStart(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COLON && (authorityStart(text, at) >= 0 || isOpaque(text, at))) return at + 1;
    if (code === SLASH && (at === 0 || startsText(text.charCodeAt(at - 1)))) return at + 1;
  }
  return at;
}

function startsText(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === 0x60 || code === 0xfffc || isBlank(code);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
