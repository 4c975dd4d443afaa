import type { z } from 'zod';
import { ValueProblem } from '../../contract/problem.ts';
import { readConfigured, wrongType } from '../../contract/vocabulary/configured.ts';
import { leaf } from '../../contract/vocabulary/leaf.ts';
import { theReading } from '../../contract/vocabulary/reading.ts';

/** A path on the machine of the plane, which only an operator may name. */
export function operatorPath(): z.ZodType<string, unknown> {
  return leaf('configuration expression<path>', { type: 'string', minLength: 1 }, (value) => {
    if (theReading().reach.origin === 'tenant') {
      throw new ValueProblem('not-allowed', 'is for operators only: it is a path on the machine of the data plane');
    }
    return readConfigured(value, (path) => {
      if (typeof path !== 'string' || path === '') throw wrongType('a path', path);
      return path;
    });
  });
}
