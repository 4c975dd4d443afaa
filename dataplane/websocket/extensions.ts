import { isToken } from '../http/bytes.ts';
import type { Reserved } from './frame-check.ts';

/** Which compression may be offered. */
export interface CompressionTerms {
  readonly perMessage: boolean;
  readonly perFrame: boolean;
}

/** One extension of a `Sec-WebSocket-Extensions` header: its name and the text that asks for it. */
export interface Extension {
  readonly name: string;
  readonly text: string;
}

const PER_MESSAGE = new Set(['permessage-deflate']);
const PER_FRAME = new Set(['deflate-frame', 'x-webkit-deflate-frame']);

const RSV1 = 0x40;
const ALL = 0x70;

/** The extensions that a header lists, or null when it is malformed. */
export function readExtensions(value: string | null): readonly Extension[] | null {
  if (value === null) return [];
  const found: Extension[] = [];
  for (const element of value.match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g) ?? []) {
    const text = element.trim();
    if (text === '') continue;
    const name = text.split(';', 1)[0]!.trim();
    if (!isToken(name)) return null;
    found.push({ name, text });
  }
  return found;
}

/** Whether an extension may be offered. */
export function isOffered({ name }: Extension, { perMessage, perFrame }: CompressionTerms): boolean {
  if (PER_MESSAGE.has(name)) return perMessage;
  return perFrame || !PER_FRAME.has(name);
}

/** What reserved bits mean once these were agreed on. An extension that we do not know may use all of them. */
export function reservedBits(extensions: readonly Extension[]): Reserved {
  let first = 0;
  let later = 0;
  for (const { name } of extensions) {
    const perFrame = PER_FRAME.has(name);
    if (!perFrame && !PER_MESSAGE.has(name)) return { first: ALL, later: ALL, control: ALL, opcodes: true };
    first |= RSV1;
    if (perFrame) later |= RSV1;
  }
  return { first, later, control: 0, opcodes: false };
}
