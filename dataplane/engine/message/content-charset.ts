import type { Headers } from '../head/headers.ts';
import { EntityUndecodable } from './entity-fault.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });
/** Decoders by label: making one costs more than using it. There are about 200 labels. */
const decoders = new Map<string, TextDecoder>([['utf-8', UTF8]]);
const PARAMETER = /\s*;\s*(?:([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*)))?/y;
/** UTF-16 whose byte order only a byte order mark tells: writers disagree on what it is without one. */
const ORDER_UNKNOWN = new Set(['utf-16', 'ucs-2', 'iso-10646-ucs-2', 'csunicode', 'unicode']);
const XML_DECLARATION = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"'<>]*)["']/;
const MOST_DECLARATION = 512;

/** The decoder of a charset, which throws at what is malformed; null when there is no such charset. */
export function charsetDecoder(label: string): TextDecoder | null {
  const name = label.trim().toLowerCase();
  const known = decoders.get(name);
  if (known !== undefined) return known;
  try {
    const decoder = new TextDecoder(name, { fatal: true });
    decoders.set(name, decoder);
    return decoder;
  } catch {
    return null;
  }
}

/** A text, and what decoded it. */
export interface DecodedText {
  readonly text: string;
  readonly decoder: TextDecoder;
}

/**
 * Content as text: in the charset given, in the one that its headers or its byte order mark name, or in UTF-8. What
 * two readers may read in two ways is refused.
 * @throws EntityUndecodable when the charset is unknown or the content is not in it.
 */
export function decodeText(content: Buffer, headers: Headers, ofResponse: boolean, charset?: string): DecodedText {
  const types = charset === undefined && headers.has('content-type') ? headers.all('content-type') : [];
  return decodeTyped(content, types, ofResponse, charset);
}

/** The same, of a message whose lines of Content-Type are given. @throws EntityUndecodable as `decodeText` does. */
export function decodeTyped(
  content: Buffer,
  type: readonly string[],
  ofResponse: boolean,
  charset?: string,
): DecodedText {
  if (content.length === 0) return { text: '', decoder: UTF8 };
  const decoder = decoderOf(content, charset === undefined ? charsetsIn(type) : [charset], type[0] ?? '');
  if (typeof decoder === 'string') throw new EntityUndecodable(decoder, ofResponse);
  let text: string;
  try {
    text = decoder.decode(content);
  } catch {
    throw new EntityUndecodable(`it is not in the charset ${decoder.encoding}`, ofResponse);
  }
  // a text in UTF-16 or UTF-32 that somebody takes for another one is full of them, and no other text has any
  if (text.includes('\0')) throw new EntityUndecodable('it has NUL characters: is its charset declared?', ofResponse);
  return { text, decoder };
}

/** A Content-Type that names UTF-8 where it named another charset. */
export function inUtf8(contentType: string): string {
  const charsets = charsetsIn([contentType]);
  if (charsets === null || charsets.every((label) => charsetDecoder(label)?.encoding === 'utf-8')) return contentType;
  let written = contentType.split(';', 1)[0]!.trim();
  eachParameter(contentType, (name, _, source) => {
    written += name === 'charset' ? '; charset=utf-8' : `; ${source}`;
  });
  return written;
}

/** The decoder of content, or why there is none. */
function decoderOf(content: Buffer, charsets: readonly string[] | null, type: string): TextDecoder | string {
  if (charsets === null) return 'its Content-Type is ambiguous';
  const labels = [...charsets, ...declaredInside(content, type)].map((label) => label.trim().toLowerCase());
  const mark = markedCharset(content);
  let decoder = mark === null ? null : charsetDecoder(mark)!;
  for (const label of labels) {
    const named = charsetDecoder(label);
    if (named === null) return 'its charset is not known';
    if (ORDER_UNKNOWN.has(label)) {
      if (mark === null || mark === 'utf-8') return 'its charset needs a byte order mark';
      continue;
    }
    if (decoder !== null && decoder.encoding !== named.encoding) return 'more than one charset is named for it';
    decoder = named;
  }
  return decoder ?? UTF8;
}

function markedCharset(content: Buffer): string | null {
  if (content[0] === 0xff && content[1] === 0xfe) return 'utf-16le';
  if (content[0] === 0xfe && content[1] === 0xff) return 'utf-16be';
  return content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf ? 'utf-8' : null;
}

/** What XML says of its own charset: programs that read it believe that. */
function declaredInside(content: Buffer, type: string): string[] {
  if (!/^[^;]*[/+]xml\s*(?:;|$)/i.test(type)) return [];
  const named = XML_DECLARATION.exec(content.toString('latin1', 0, MOST_DECLARATION));
  return named === null ? [] : [named[1]!];
}

/** The charsets that lines of Content-Type name; null when they cannot be read, or there is more than one line. */
function charsetsIn(types: readonly string[]): string[] | null {
  if (types.length > 1) return null;
  const found: string[] = [];
  const isRead = types.every((type) =>
    eachParameter(type, (name, value) => {
      if (name === 'charset') found.push(value);
    }),
  );
  return isRead ? found : null;
}

/** @returns whether all of the parameters could be read. */
function eachParameter(type: string, visit: (name: string, value: string, source: string) => void): boolean {
  let at = type.indexOf(';');
  if (at < 0) return true;
  while (at < type.length) {
    PARAMETER.lastIndex = at;
    const found = PARAMETER.exec(type);
    if (found === null) return type.slice(at).trim() === '';
    at = PARAMETER.lastIndex;
    const [source, name, quoted, plain] = found;
    if (name === undefined) continue;
    visit(
      name.toLowerCase(),
      quoted === undefined ? plain! : quoted.replace(/\\(.)/g, '$1'),
      source.replace(/^[\s;]+/, ''),
    );
  }
  return true;
}
