import type { Value } from '../../../contract/expression/value.ts';
import { compilePattern, type Pattern } from '../../../contract/pattern/pattern.ts';
import { ValueProblem } from '../../../contract/problem.ts';
import { shown } from '../../../contract/vocabulary/configured.ts';
import { theReading } from '../../../contract/vocabulary/reading.ts';
import type { RuntimeExpression } from '../../../contract/vocabulary/runtime.ts';
import { type SetCookie, setAttribute } from './set-cookie.ts';

/** What can be changed of a cookie, as it is written, by its name without case, `-` and `_`. */
const PARTS = new Map([
  ['value', 'value'],
  ['domain', 'Domain'],
  ['expires', 'Expires'],
  ['httponly', 'HttpOnly'],
  ['maxage', 'Max-Age'],
  ['path', 'Path'],
  ['samesite', 'SameSite'],
  ['secure', 'Secure'],
]);
const FLAGS = new Set(['HttpOnly', 'Secure']);
const SAME_SITE = ['Strict', 'Lax', 'None'];

/** One change of cookies whose name fits. */
export interface CookieChange {
  readonly pattern: Pattern;
  readonly parts: readonly { readonly name: string; readonly expression: RuntimeExpression<Value> }[];
}

/** Reads one entry of the map. @throws ValueProblem about the pattern. */
export function cookiePattern(source: string): Pattern {
  return compilePattern(source, theReading().patterns);
}

/** The part of a cookie that a name stands for. @throws ValueProblem for an unknown one. */
export function cookiePart(name: string): string {
  const part = PARTS.get(name.toLowerCase().replaceAll(/[-_]/g, ''));
  if (part !== undefined) return part;
  throw new ValueProblem('value', `is not a part of a cookie: use one of ${[...PARTS.values()].join(', ')}`);
}

/** Judges the expression for a part as far as it can be judged before any request. @throws ValueProblem */
export function judgeExpression(part: string, { compiled, read }: RuntimeExpression<Value>): void {
  if (compiled === null) {
    const value = read(null, null);
    if (value !== null) textOfPart(part, value);
  } else if (compiled.roots.has('previous')) {
    throw new ValueProblem('unavailable-field', "'previous' is known, but not available in this version");
  }
}

/** Gives a part of a cookie another value; null removes an attribute. @throws ValueProblem for what it cannot be. */
export function changePart(cookie: SetCookie, part: string, value: Value): void {
  const text = value === null ? undefined : textOfPart(part, value);
  if (part === 'value') cookie.value = text ?? '';
  else setAttribute(cookie, part, text);
}

/** The text of a part; null for a flag that is set, undefined for one that is not. */
function textOfPart(part: string, value: NonNullable<Value>): string | null | undefined {
  if (FLAGS.has(part)) {
    if (value === true || value === 'true') return null;
    if (value === false || value === 'false') return undefined;
    throw new ValueProblem('value', `must be true or false for ${part}, not ${shown(value)}`);
  }
  const text = typeof value === 'object' || typeof value === 'boolean' ? null : String(value);
  if (text === null || !fits(part, text)) {
    // the value itself may be a credential, which no log may hold
    const said = part === 'value' ? '' : `: ${shown(value)}`;
    throw new ValueProblem('value', `is not a value that ${part} can have${said}`);
  }
  return part === 'SameSite' ? SAME_SITE.find((one) => one.toLowerCase() === text.toLowerCase())! : text;
}

function fits(part: string, text: string): boolean {
  if (part === 'Max-Age') return /^-?\d+$/.test(text);
  if (part === 'SameSite') return SAME_SITE.some((one) => one.toLowerCase() === text.toLowerCase());
  return /^[\x20-\x3a\x3c-\x7e]*$/.test(text); // no semicolon, which would begin another attribute
}
