import type { z } from 'zod';
import { text } from './configured.ts';

/** A text that others write into a line, without control characters. */
export function printable(): z.ZodType<string, unknown> {
  return text().refine((value) => !/\p{Cc}/u.test(value), { error: 'must hold no control character' });
}
