import type { z } from 'zod';
import { compilePattern, type Pattern } from '../../contract/pattern/pattern.ts';
import { wrongType } from '../../contract/vocabulary/configured.ts';
import { leaf } from '../../contract/vocabulary/leaf.ts';
import { theReading } from '../../contract/vocabulary/reading.ts';

/** A regular expression for names, which it must match as a whole and in any case. */
export function namePattern(): z.ZodType<Pattern, unknown> {
  return leaf('regular expression', { type: 'string', format: 'regex' }, (value) => {
    if (typeof value !== 'string') throw wrongType('a regular expression', value);
    return compilePattern(`(?i)${value}`, theReading().patterns);
  });
}
