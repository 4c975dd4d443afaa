import { z } from 'zod';
import { ValueProblem } from '../problem.ts';

/** A JSON Schema, as far as generated ones go. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Notes on a field for the pages, `explain` and the JSON Schema, beyond its schema. */
export interface FieldNotes {
  /** How the reference writes the type of the field, such as `configuration expression<duration>`. */
  readonly label?: string;
  readonly description?: string;
  /** The JSON Schema of what may be written. */
  readonly json?: JsonSchema;
  /** What to use instead. */
  readonly instead?: string;
  /** The kind of object that it is read as a reference to. */
  readonly reference?: string;
  /** Why the field is accepted and does nothing. */
  readonly noEffect?: string;
  /** It is one of many that only the check has something to say of. */
  readonly aside?: true;
}

/** The schema of one value that the vocabulary reads by itself. A `ValueProblem` of `read` becomes an issue. */
export function leaf<T>(label: string, json: JsonSchema, read: (value: unknown) => T): z.ZodType<T, unknown> {
  return z
    .transform((value: unknown, context): T => {
      try {
        return read(value);
      } catch (error) {
        if (!(error instanceof ValueProblem)) throw error;
        const { code, hint, offset } = error;
        context.issues.push({ code: 'custom', message: error.message, input: value, params: { code, hint, offset } });
        return z.NEVER;
      }
    })
    .meta({ label, json });
}
