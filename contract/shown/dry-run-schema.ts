import { z } from 'zod';
import type { JsonValue } from '../document/json-value.ts';
import type { DryRun, DryRunStep } from './dry-run.ts';
import type { SeenValue } from './explanation.ts';

const text = z.string();
const json = z.custom<JsonValue>();
const count = z.number().int().nonnegative();

/** Holds a schema to every field of what it reads. */
type EveryField<T> = { readonly [Field in keyof Required<T>]: z.ZodType };

const step = z.object({
  kind: z.enum(['filter', 'handler', 'route']),
  type: text,
  name: text,
  object: text,
  depth: count,
  outcome: z.enum(['passed', 'answered', 'failed', 'assumed']),
  status: z.exactOptional(z.number()),
  refusal: z.exactOptional(text),
  reason: z.exactOptional(text),
  backend: z.exactOptional(text),
  milliseconds: z.number(),
  values: z.array(z.object({ expression: text, value: json } satisfies EveryField<SeenValue>)),
  facts: z.record(text, json),
  changes: z.array(text),
  hidden: z.exactOptional(z.literal(true)),
  unsure: z.exactOptional(z.literal(true)),
} satisfies EveryField<DryRunStep>);

/** A dry run as data planes send it to controllers. */
export const dryRun: z.ZodType<DryRun> = z.object({
  revision: text,
  plane: z.exactOptional(text),
  unit: count,
  steps: z.array(step),
  leftOut: z.exactOptional(count),
  status: z.number().nullable(),
  milliseconds: z.number(),
} satisfies EveryField<DryRun>);
