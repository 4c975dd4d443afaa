import { isToken } from '../wire/bytes.ts';
import type { Reserved } from './frame-check.ts';

/** Which compression may be offered. */
export interface CompressionTerms {
  readonly perMessage: boolean;
  readonly perFrame: boolean;
}

/** One extension of a `Sec-WebSocket-Extensions` header: its name in lower case and the text that asks for it. */
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
  const elements = value === null ? [] : elementsOf(value);
  if (elements === null) return null;
  const found: Extension[] = [];
  for (const element of elements) {
    const text = element.trim();
    if (text === '') continue;
    const name = text.split(';', 1)[0]!.trim();
    if (!isToken(name)) return null;
    found.push({ name: name.toLowerCase(), text }); // some backends do not mind the case
  }
  return found;
}

/** What stands between the commas that are not quoted; null when a quotation has no end. */
function elementsOf(value: string): readonly string[] | null {
  const elements: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < value.length; at++) {
    const character = value[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted && character === '\\') at++;
    else if (!isQuoted && character === ',') {
      elements.push(value.slice(start, at));
      start = at + 1;
    }
  }
  elements.push(value.slice(start));
  return isQuoted ? null : elements;
}

/** Whether an extension may be offered. */
export function isOffered({ name }: Extension, { perMessage, perFrame }: CompressionTerms): boolean {
  if (PER_MESSAGE.has(name)) return perMessage;
  return perFrame || !PER_FRAME.has(name);
}

/** Meaning of the reserved bits after these extensions were negotiated. An unknown extension may use all of them. */
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
