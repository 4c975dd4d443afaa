import { Buffer } from 'node:buffer';
import { ValueProblem } from '../problem.ts';

interface Charset {
  encode(text: string): Buffer;
  decode(bytes: Buffer): string;
}

const CHARSETS: ReadonlyMap<string, Charset> = new Map<string, Charset>([
  ['UTF-8', plain('utf8')],
  ['US-ASCII', plain('ascii')],
  ['ISO-8859-1', plain('latin1')],
  ['UTF-16LE', plain('utf16le')],
  ['UTF-16BE', { encode: (text) => plain('utf16le').encode(text).swap16(), decode: decodeBigEndian }],
]);

/** Encodes a text in a character set and that in base64. @throws ValueProblem when one of them cannot. */
export function encodeBase64(text: string, charset: string): string {
  const { encode, decode } = charsetOf(charset);
  const bytes = encode(text);
  if (decode(bytes) !== text) throw bad(`has characters that ${charset} does not have`);
  return bytes.toString('base64');
}

/** The text of what `encodeBase64` made. @throws ValueProblem for anything else. */
export function decodeBase64(text: string, charset: string): string {
  const { encode, decode } = charsetOf(charset);
  const bytes = Buffer.from(text, 'base64');
  const unpadded = bytes.toString('base64').replace(/=+$/, '');
  if (text !== bytes.toString('base64') && text !== unpadded) throw bad('is not base64');
  const decoded = bytes.length % 2 === 1 && /^UTF-16/i.test(charset) ? '' : decode(bytes);
  // Decoders put a replacement where they fail, and that does not encode to the same bytes.
  if (!encode(decoded).equals(bytes)) throw bad(`holds bytes that are not ${charset}`);
  return decoded;
}

function charsetOf(name: string): Charset {
  const charset = CHARSETS.get(name.toUpperCase());
  if (charset === undefined) throw bad(`has an unknown $charset; there are ${[...CHARSETS.keys()].join(', ')}`);
  return charset;
}

function plain(encoding: 'utf8' | 'ascii' | 'latin1' | 'utf16le'): Charset {
  return { encode: (text) => Buffer.from(text, encoding), decode: (bytes) => bytes.toString(encoding) };
}

function decodeBigEndian(bytes: Buffer): string {
  return Buffer.from(bytes).swap16().toString('utf16le');
}

function bad(message: string): ValueProblem {
  return new ValueProblem('transformation', message);
}
