import { z } from 'zod';
import type { JsonValue } from '../document/json-value.ts';
import type { SchemaNode } from '../vocabulary/schema-tree.ts';

/** Validation rule of the API server in CEL, in addition to the schema. */
export interface ResourceRule {
  readonly rule: string;
  readonly message: string;
}

const rules = new WeakMap<object, ResourceRule>();

/** One rule in two languages: here and, as CEL, at the API server. `at` names the field that is to blame. */
export function ruled<T>(
  { rule, message, at }: ResourceRule & { readonly at?: string },
  holds: (value: T) => boolean,
): z.core.$ZodCheck<T> {
  const check = z.check<T>((payload) => {
    if (holds(payload.value)) return;
    const path = at === undefined ? [] : [at];
    payload.issues.push({ code: 'custom', message, input: payload.value, path, continue: true });
  });
  rules.set(check, { rule, message });
  return check;
}

/** The rules of a node itself, without those of its fields. */
export function resourceRules({ checks }: SchemaNode): ResourceRule[] {
  return checks.flatMap((check) => rules.get(check) ?? []);
}

/** A text of a form that its message describes. The pattern must mean the same in JavaScript and in RE2. */
export function textOfForm(pattern: string, message: string, longest: number): z.ZodString {
  const expression = new RegExp(pattern, 'u');
  const rule = `self.matches(${JSON.stringify(pattern)})`;
  return z
    .string()
    .min(1)
    .max(longest)
    .check(ruled<string>({ rule, message }, (text) => expression.test(text)));
}

/** One of these words. */
export function oneOf<const Words extends readonly [string, ...string[]]>(
  words: Words,
): z.ZodEnum<z.core.util.ToEnum<Words[number]>> {
  return z.enum(words).meta({ label: 'enumeration', json: { enum: words } });
}

/** A value of any form that somebody else judges. */
export function freeForm(label: string): z.ZodType<JsonValue> {
  return z
    .custom<JsonValue>((value) => value !== undefined, { error: 'is required', params: { code: 'missing' } })
    .meta({ label });
}

/** An object whose members somebody else judges. */
export function freeObject(label: string): z.ZodRecord<z.ZodString, z.ZodType<JsonValue>> {
  return z.record(z.string(), freeForm('any value')).meta({ label });
}
