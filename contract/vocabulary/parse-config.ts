import type { z } from 'zod';
import { didYouMean } from '../did-you-mean.ts';
import type { PlacedProblem } from '../document/document-text.ts';
import { kindOf } from '../document/json-value.ts';
import { type Path, type Problem, type ProblemCode, pathText } from '../problem.ts';
import type { FieldNotes } from './leaf.ts';
import { type Reading, withReading } from './reading.ts';
import { type ObjectNode, type SchemaNode, schemaTree } from './schema-tree.ts';
import { survey } from './survey.ts';

/** Result of reading a configuration: the value, unless there are errors. */
export interface ParsedConfig<T> {
  readonly value: T | undefined;
  readonly problems: readonly Problem[];
}

/** How many unknown fields of one object are compared with those that there are. */
const MOST_HINTS = 200;

/** Reads a configuration by its schema; every problem has its path, which begins with `path`. */
export function parseConfig<T>(schema: z.ZodType<T>, raw: unknown, reading: Reading, path: Path): ParsedConfig<T> {
  return withReading(reading, () => parsePlain(schema, raw, path));
}

/** The same for a schema whose values are what is written: nothing in it is evaluated. */
export function parsePlain<T>(schema: z.ZodType<T>, raw: unknown, path: Path): ParsedConfig<T> {
  const { value, warnings } = survey(schema, raw, path);
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data, problems: warnings };
  const { issues } = result.error;
  const misspelt = new Set(issues.flatMap((issue) => meantBy(issue, schema, path)));
  const errors = issues
    .flatMap((issue) => problemsOf(issue, schema, value, path))
    .filter((problem) => problem.code !== 'missing' || !misspelt.has(pathText(problem.path)));
  return { value: undefined, problems: [...errors, ...warnings] };
}

/** The fields that somebody tried to write: that they are missing need not be said as well. */
function meantBy(issue: Issue, schema: z.core.$ZodType, base: Path): string[] {
  if (issue.code !== 'unrecognized_keys') return [];
  const known = fieldsAt(schema, issue.path);
  return issue.keys.slice(0, MOST_HINTS).flatMap((key) => {
    const meant = didYouMean(key, known);
    return meant === undefined ? [] : [pathText([...base, ...stepsOf(issue.path), meant])];
  });
}

type Issue = z.core.$ZodIssue;

function problemsOf(issue: Issue, schema: z.core.$ZodType, root: unknown, base: Path): Problem[] {
  const path = [...base, ...stepsOf(issue.path)];
  const error = (code: ProblemCode, message: string, hint?: string): Problem => ({
    code,
    severity: 'error',
    path,
    message,
    ...(hint === undefined ? {} : { hint }),
  });
  switch (issue.code) {
    case 'custom': {
      const code = (issue.params?.['code'] ?? 'value') as ProblemCode;
      const offset = issue.params?.['offset'] as number | undefined;
      const problem = error(code, issue.message, issue.params?.['hint'] as string | undefined);
      const placed: PlacedProblem = offset === undefined ? problem : { ...problem, offset };
      return [placed];
    }
    case 'unrecognized_keys': {
      const known = fieldsAt(schema, issue.path);
      const told = fieldsAt(schema, issue.path, ({ aside }) => aside !== true);
      const knownFields = `known fields: ${told.join(', ')}`;
      return issue.keys.map((key, index) => {
        const meant = index < MOST_HINTS ? didYouMean(key, known) : undefined;
        const hint = meant === undefined ? knownFields : `did you mean '${meant}'?`;
        const message = `there is no field '${key}' here`;
        return {
          code: 'unknown-field',
          severity: 'error',
          path: [...path, key],
          message,
          ...(known.length > 0 && { hint }),
        };
      });
    }
    case 'invalid_type': {
      const found = valueAt(root, issue.path);
      if (found === undefined) return [error('missing', 'is required')];
      const isItem = issue.expected === 'array' && typeof found !== 'object';
      const hint = isItem ? 'put it in brackets: [ … ]' : undefined;
      return [error('value', `must be ${expectedName(issue.expected)}, not ${kindOf(found)}`, hint)];
    }
    case 'invalid_union': {
      const best = bestBranch(issue);
      if (best.length === 0) return [error('value', issue.message)];
      return best.flatMap((inner) =>
        problemsOf({ ...inner, path: [...issue.path, ...inner.path] } as Issue, schema, root, base),
      );
    }
    case 'invalid_value':
      return [error('value', `must be one of ${issue.values.map(String).join(', ')}`)];
    case 'too_small':
      return [error('value', sizeMessage('at least', issue.origin, issue.minimum))];
    case 'too_big':
      return [error('value', sizeMessage('at most', issue.origin, issue.maximum))];
    case 'invalid_key':
      return issue.issues.flatMap((inner) => problemsOf({ ...inner, path: issue.path } as Issue, schema, root, base));
    default:
      return [error('value', issue.message)];
  }
}

/** The errors of the option that came closest: the one that got deepest into the value. */
function bestBranch(issue: z.core.$ZodIssueInvalidUnion): readonly Issue[] {
  const depth = (issues: readonly Issue[]): number => Math.max(0, ...issues.map(({ path }) => path.length));
  const wrongForm = (issues: readonly Issue[]): boolean =>
    issues.some((i) => i.path.length === 0 && i.code === 'invalid_type');
  const ranked = [...issue.errors].sort((a, b) => Number(wrongForm(a)) - Number(wrongForm(b)) || depth(b) - depth(a));
  return ranked[0] ?? [];
}

/** The names of the fields that an object of this schema has. */
export function fieldNames(schema: z.core.$ZodType): string[] {
  return fieldsAt(schema, []);
}

/** The names of the fields of the object at this place of a schema. */
function fieldsAt(
  schema: z.core.$ZodType,
  path: readonly PropertyKey[],
  wanted: (notes: FieldNotes) => boolean = () => true,
): string[] {
  let here = [schemaTree(schema)];
  for (const step of path) here = here.flatMap((one) => childrenAt(one, step));
  const fields = here.flatMap(objectOptions).flatMap((one) => [...one.fields]);
  return fields.filter(([, { notes }]) => wanted(notes)).map(([name]) => name);
}

function childrenAt(node: SchemaNode, step: PropertyKey): SchemaNode[] {
  if (node.kind === 'list') return [node.item];
  if (node.kind === 'map') return [node.value];
  if (node.kind === 'union') return node.options.flatMap((option) => childrenAt(option, step));
  const field = node.kind === 'object' ? node.fields.get(String(step)) : undefined;
  return field === undefined ? [] : [field];
}

function objectOptions(node: SchemaNode): ObjectNode[] {
  if (node.kind === 'union') return node.options.flatMap(objectOptions);
  return node.kind === 'object' ? [node] : [];
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let here = root;
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined;
    here = (here as Record<PropertyKey, unknown>)[step];
  }
  return here;
}

function stepsOf(path: readonly PropertyKey[]): Path {
  return path.map((step) => (typeof step === 'number' ? step : String(step)));
}

function expectedName(expected: string): string {
  const names: Record<string, string> = { object: 'an object', record: 'an object', array: 'an array' };
  return names[expected] ?? `a ${expected}`;
}

function sizeMessage(bound: string, origin: string, size: number | bigint): string {
  const unit = { array: size === 1 ? ' entry' : ' entries', string: ' characters', object: ' entries' }[origin] ?? '';
  return unit === '' ? `must be ${bound} ${size}` : `must have ${bound} ${size}${unit}`;
}
