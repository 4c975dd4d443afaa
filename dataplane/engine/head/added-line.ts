import { isFieldValue } from '../wire/bytes.ts';
import { judged } from './judged-name.ts';

/** A line that was not received. `plain` is its name in lower case. */
export interface AddedLine {
  readonly name: string;
  readonly plain: string;
  readonly value: string;
}

/** A line that can be added to any message as it is; null for one that cannot, or not to each. */
export function fixedLine(name: string, value: string): AddedLine | null {
  const { plain, owned, token } = judged(name);
  return token && !owned && plain !== 'host' && isFieldValue(value) ? { name, plain, value } : null;
}

/** The first line with a name in lower case, or null. A loop: a function that is made for each search costs more. */
export function lineNamed(lines: readonly AddedLine[] | null, plain: string): AddedLine | null {
  if (lines !== null) for (const line of lines) if (line.plain === plain) return line;
  return null;
}

/** Tells if the name of a line begins so; `prefix` in lower case. */
export function hasLineBeginning(lines: readonly AddedLine[], prefix: string): boolean {
  for (const { plain } of lines) if (plain.startsWith(prefix)) return true;
  return false;
}
