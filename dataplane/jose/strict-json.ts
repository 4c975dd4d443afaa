import { isUtf8 } from 'node:buffer';

/** Levels of arrays and objects, the outermost included. */
const MOST_NESTING = 32;

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** The object that bytes hold as JSON, or null for other values and for what `readJsonStructure` refuses. */
export function readJsonObject(bytes: Buffer): Readonly<Record<string, unknown>> | null {
  const value = readJsonStructure(bytes);
  return isObject(value) ? value : null;
}

/**
 * The object or array that bytes hold as JSON, or null: for other values, for bytes that are no UTF-8 or begin with a
 * byte order mark, for a name that is given twice in an object (readers differ in which one counts), for half of a
 * surrogate pair and for deep nesting.
 */
export function readJsonStructure(bytes: Buffer): Readonly<Record<string, unknown>> | readonly unknown[] | null {
  if (!isUtf8(bytes)) return null;
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(value) && !Array.isArray(value)) return null;
  const hasEscapes = text.includes('\\u');
  return membersKept(value, hasEscapes, 1) === membersWritten(bytes) ? value : null;
}

/** Whether a value is an object with named members. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** How many members all objects of a sound JSON text are written with: each has one colon outside of texts. */
function membersWritten(bytes: Buffer): number {
  let members = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === COLON) members++;
    else if (byte === QUOTE) at = endOfText(bytes, at + 1);
  }
  return members;
}

function endOfText(bytes: Buffer, at: number): number {
  while (bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** How many members are left after parsing, of which equal names leave one; NaN for what is refused at any depth. */
function membersKept(value: object, hasEscapes: boolean, depth: number): number {
  if (depth > MOST_NESTING) return Number.NaN;
  const isList = Array.isArray(value);
  const names = isList ? [] : Object.keys(value);
  let members = names.length;
  for (const item of isList ? value : Object.values(value)) {
    if (typeof item === 'object' && item !== null) members += membersKept(item, hasEscapes, depth + 1);
    else if (hasEscapes && typeof item === 'string' && !item.isWellFormed()) return Number.NaN;
  }
  return hasEscapes && !names.every((name) => name.isWellFormed()) ? Number.NaN : members;
}
