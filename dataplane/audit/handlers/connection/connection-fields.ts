import type { z } from 'zod';
import { integer } from '../../../../contract/vocabulary/configured.ts';

/** Port of a server. */
export function portField(): z.ZodType<number, unknown> {
  return integer({ min: 1, max: 65_535 });
}
