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
