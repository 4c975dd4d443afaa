import { z } from 'zod';
import { text } from '../../../contract/vocabulary/configured.ts';

/** Scopes to ask for, in the grammar of RFC 6749, section 3.3. */
export function scopeList(): z.ZodArray<z.ZodType<string, unknown>> {
  return z.array(
    text().refine((scope) => /^[!#-[\]-~]+$/.test(scope), {
      error: 'must be one scope: printable ASCII without spaces, quotation marks and backslashes',
    }),
  );
}
