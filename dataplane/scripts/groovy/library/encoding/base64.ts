import { ByteArray } from '../../values/collections.ts';
import type { Runtime } from '../../values/java-class.ts';

/** Manner of a java.util.Base64 coder. */
export interface Base64Kind {
  readonly isUrl: boolean;
  readonly pads: boolean;
  readonly isMime: boolean;
  /** Length and end of the lines of MIME. */
  readonly line?: readonly [number, string];
}

export const basic: Base64Kind = { isUrl: false, pads: true, isMime: false };
export const url: Base64Kind = { isUrl: true, pads: true, isMime: false };
export const mime: Base64Kind = { isUrl: false, pads: true, isMime: true, line: [76, '\r\n'] };

export function toBase64(rt: Runtime, bytes: Uint8Array, { isUrl, pads, line }: Base64Kind): string {
  rt.budget.allocate(bytes.length * 3);
  rt.budget.spend(bytes.length / 32);
  let text = Buffer.from(bytes).toString('base64');
  if (isUrl) text = text.replaceAll('+', '-').replaceAll('/', '_');
  if (!pads) text = text.replace(/=+$/, '');
  if (line === undefined || line[0] <= 0) return text;
  const [length, end] = line;
  rt.budget.allocate((text.length / length) * 2 * (end.length + 8));
  const lines: string[] = [];
  for (let at = 0; at < text.length; at += length) lines.push(text.slice(at, at + length));
  return lines.join(end);
}

/** Groovy ends a line after 57 bytes, and after bytes that fill no group of three. */
export function toChunks(rt: Runtime, bytes: Uint8Array): string {
  const text = toBase64(rt, bytes, basic);
  const lines = text.replaceAll(/(.{76})/g, '$1\r\n');
  return bytes.length % 3 === 0 ? lines : `${lines}\r\n`;
}

const VALID = { plain: /^[A-Za-z0-9+/]*$/, url: /^[A-Za-z0-9\-_]*$/ };

/** Decodes as java.util.Base64 does, with its complaints. */
export function fromBase64(rt: Runtime, text: string, { isUrl, isMime }: Base64Kind): ByteArray {
  rt.budget.allocate(text.length);
  rt.budget.spend(text.length / 32);
  const digit = isUrl ? VALID.url : VALID.plain;
  const fail = (problem: string): never => rt.fail('java.lang.IllegalArgumentException', problem);
  if (text.length === 1 && !isMime) fail('Input byte[] should at least have 2 bytes for base64 bytes');
  const first = isMime ? text.indexOf('=') : text.search(isUrl ? /[^A-Za-z0-9\-_]/ : /[^A-Za-z0-9+/]/);
  let body = first < 0 ? text : text.slice(0, first);
  if (isMime) body = body.replaceAll(/[^A-Za-z0-9+/]/g, '');
  let end = text.length;
  if (first >= 0) {
    if (text[first] !== '=') fail(`Illegal base64 character ${signedHex(text.charCodeAt(first))}`);
    end = first + 1;
    const place = body.length % 4;
    if (place === 0 || (place === 2 && text[end++] !== '=')) fail('Input byte array has wrong 4-byte ending unit');
  }
  if (body.length % 4 === 1) fail('Last unit does not have enough valid bits');
  for (; end < text.length; end++) {
    if (isMime && (text[end] === '=' || !digit.test(text[end]!))) continue;
    fail(`Input byte array has incorrect ending byte at ${isMime ? end + 1 : end}`);
  }
  return new ByteArray(new Uint8Array(Buffer.from(body, isUrl ? 'base64url' : 'base64')));
}

/** A byte of Java is signed; a character beyond them is a question mark. */
function signedHex(code: number): string {
  const byte = code > 255 ? 63 : code;
  return (byte > 127 ? byte - 256 : byte).toString(16);
}

/** Groovy's own decoder, which skips white space and is not strict about the end. */
export function decodedByGroovy(rt: Runtime, text: string, isUrl: boolean): ByteArray {
  rt.budget.allocate(text.length);
  rt.budget.spend(text.length / 16);
  const body = text.replaceAll(/[ \t\r\n]/g, '');
  const digits = body.replace(/=+$/, '');
  if (digits.includes('=') && !/[^A-Za-z0-9+/\-_=]/.test(digits))
    rt.fail('java.lang.RuntimeException', '= character not at end of base64 value');
  if (!(isUrl ? VALID.url : VALID.plain).test(digits))
    rt.fail('java.lang.RuntimeException', 'bad character in base64 value');
  return new ByteArray(new Uint8Array(Buffer.from(digits, isUrl ? 'base64url' : 'base64')));
}
