import { createHash } from 'node:crypto';
import type { FunctionRows } from '../language.ts';
import { textOf } from '../text.ts';
import type { Value } from '../value.ts';

/** Functions that change how bytes are written; what cannot be decoded gives null. */
export const encodingFunctions: FunctionRows = [
  ['encodeBase64', { takes: 'one', first: 'content', call: (value) => bytesOf(value)?.toString('base64') ?? null }],
  [
    'encodeBase64url',
    { takes: 'one', first: 'content', call: (value) => bytesOf(value)?.toString('base64url') ?? null },
  ],
  ['decodeBase64', { takes: 'one', first: 'text', call: (text) => decodedBase64(text)?.toString('utf8') ?? null }],
  [
    'decodeBase64url',
    { takes: 'one', first: 'text', call: (text) => decodedBase64url(text)?.toString('utf8') ?? null },
  ],
  ['digestSha256', { takes: 'one', first: 'content', call: digestSha256 }],
];

/** The bytes of base64 text with its padding, or null. */
export function decodedBase64(text: Value): Buffer | null {
  if (typeof text !== 'string' || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  return Buffer.from(text, 'base64');
}

function decodedBase64url(text: Value): Buffer | null {
  if (typeof text !== 'string' || !/^[\w-]*={0,2}$/.test(text)) return null;
  return text.replace(/=+$/, '').length % 4 === 1 ? null : Buffer.from(text, 'base64url');
}

function digestSha256(value: Value): Value {
  const bytes = bytesOf(value);
  return bytes === null ? null : new Uint8Array(createHash('sha256').update(bytes).digest());
}

function bytesOf(value: Value): Buffer | null {
  if (value === null) return null;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return Buffer.from(textOf(value), 'utf8');
}
