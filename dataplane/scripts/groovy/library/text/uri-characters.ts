import { chargeCharacters, chargeItems } from '../../values/meter.ts';

/** Bytes that an escape takes until it is joined with others. */
export const ESCAPE_BYTES = 64;

const ALPHANUMERIC = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const UNRESERVED = `${ALPHANUMERIC}_-!.~'()*`;
const PATH = `${UNRESERVED}:@&=+$,;/`;

/** Characters that a part of a URI may hold; `escaped` parts also take `%XX` and letters beyond ASCII. */
export interface CharacterSet {
  readonly characters: ReadonlySet<string>;
  readonly escaped: boolean;
}

const plain = (characters: string): CharacterSet => ({ characters: new Set(characters), escaped: false });
const escaped = (characters: string): CharacterSet => ({ characters: new Set(characters), escaped: true });

/** The sets of RFC 2396 as java.net.URI applies them. */
export const uriCharacters = {
  letter: plain(ALPHANUMERIC.slice(0, 52)),
  digit: plain('0123456789'),
  alphanumeric: plain(ALPHANUMERIC),
  scheme: plain(`${ALPHANUMERIC}+-.`),
  path: escaped(PATH),
  any: escaped(`${UNRESERVED};/?:@&=+$,[]`),
  userInfo: escaped(`${UNRESERVED};:&=+$,`),
  registryName: escaped(`${UNRESERVED}$,;:@&=+`),
  server: escaped(`${UNRESERVED};:&=+$,.@[]`),
  ipv6: plain(`${ALPHANUMERIC}:.%_`),
} as const;

/** Index of the first character that is not of a set, or the end. */
export function endOfSet(text: string, from: number, end: number, set: CharacterSet): number {
  chargeCharacters(end - from);
  let at = from;
  while (at < end) {
    const length = lengthInSet(text, at, end, set);
    if (length === 0) return at;
    at += length;
  }
  return at;
}

function lengthInSet(text: string, at: number, end: number, set: CharacterSet): number {
  const character = text[at]!;
  if (set.characters.has(character)) return 1;
  if (!set.escaped) return 0;
  if (character === '%') return at + 3 <= end && /^[0-9a-fA-F]{2}$/.test(text.slice(at + 1, at + 3)) ? 3 : 0;
  return isBeyondAscii(character) ? 1 : 0;
}

/** Letters beyond ASCII that Java leaves as they are: neither spaces nor control characters. */
function isBeyondAscii(character: string): boolean {
  const code = character.charCodeAt(0);
  return code >= 0xa0 && !/^[\p{Z}\p{Cc}]$/u.test(character);
}

/** Escapes whatever a set does not hold; a percent sign is kept only where escapes are. */
export function quoted(text: string, set: CharacterSet, keepsEscapes: boolean): string {
  chargeCharacters(text.length);
  let out = '';
  for (let at = 0; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at)!);
    const isKept = character === '%' ? keepsEscapes && set.escaped : set.characters.has(character);
    out += isKept || (set.escaped && isBeyondAscii(character)) ? character : percentEncoded(character);
    at += character.length;
  }
  return out;
}

export function percentEncoded(text: string): string {
  chargeItems(text.length, ESCAPE_BYTES);
  let out = '';
  for (const byte of Buffer.from(text, 'utf8')) out += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return out;
}

/** Decodes the escapes of a text as UTF-8, without touching `+`. */
export function decodedEscapes(text: string): string {
  return text.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, (run) => {
    chargeItems(run.length, ESCAPE_BYTES);
    return Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8');
  });
}
