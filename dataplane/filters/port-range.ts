import type { z } from 'zod';
import { ValueProblem } from '../../contract/problem.ts';
import { readConfigured, shown, wrongType } from '../../contract/vocabulary/configured.ts';
import { leaf } from '../../contract/vocabulary/leaf.ts';

/** Ports from one to another, both included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** A port, or a range such as `8080-8090`. */
export function portRange(): z.ZodType<PortRange, unknown> {
  const json = { anyOf: [{ type: 'integer' }, { type: 'string', minLength: 1 }] };
  return leaf('configuration expression<string>', json, (value) => readConfigured(value, read));
}

function read(given: unknown): PortRange {
  if (typeof given !== 'string' && typeof given !== 'number') throw wrongType('a port or a range of ports', given);
  const [, start, end] = /^(\d{1,5})(?:\s*-\s*(\d{1,5}))?$/.exec(String(given).trim()) ?? [];
  const first = Number(start);
  const last = Number(end ?? start);
  if (first >= 1 && last <= 65_535 && first <= last) return { first, last };
  throw new ValueProblem('value', `is not a port or a range of ports: ${shown(given)}`, "write '443' or '8080-8090'");
}
