import type { z } from 'zod';
import { ValueProblem } from '../problem.ts';
import { leaf } from './leaf.ts';

/** A field that still works and should no longer be written; `instead` names what to use. */
export function deprecated<S extends z.ZodType>(schema: S, instead: string): z.ZodOptional<S> {
  return schema.optional().meta({ instead });
}

/** A field that is read and checked and has nothing to act on here; `why` says so in a sentence. */
export function noEffect<S extends z.ZodType>(schema: S, why: string): z.ZodOptional<S> {
  return schema.optional().meta({ noEffect: why });
}

/** A field that users of OpenIG know and that does not exist here yet. */
export function unavailable(label: string): z.ZodOptional<z.ZodType<undefined, unknown>> {
  return leaf<undefined>(`${label} (not available in this version)`, { not: {} }, (value) => {
    if (value === undefined) return undefined;
    throw new ValueProblem('unavailable-field', 'is known, but not available in this version');
  }).optional();
}

/** A field that users of OpenIG know and that must not be given here; `why` says what is used instead. */
export function refused(why: string): z.ZodOptional<z.ZodType<undefined, unknown>> {
  return leaf<undefined>(`refused: ${why}`, { not: {} }, (value) => {
    if (value === undefined) return undefined;
    throw new ValueProblem('unavailable-field', `cannot be given here: ${why}`);
  }).optional();
}
