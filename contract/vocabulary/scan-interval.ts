import type { z } from 'zod';
import { readDuration } from '../duration.ts';
import { readConfigured, wrongType } from './configured.ts';
import { leaf } from './leaf.ts';

/** How often something is looked at, in milliseconds; 0 for once. A number counts seconds. */
export function scanInterval(): z.ZodType<number, unknown> {
  const json = { anyOf: [{ type: 'string' }, { type: 'integer' }] };
  return leaf('configuration expression<duration>', json, (raw) => readConfigured(raw, read));
}

function read(value: unknown): number {
  if (typeof value === 'number') return value > 0 ? value * 1000 : 0;
  if (typeof value !== 'string') throw wrongType("a duration such as '10 seconds'", value);
  const interval = readDuration(value);
  return interval.unlimited || interval.zero ? 0 : interval.milliseconds;
}
