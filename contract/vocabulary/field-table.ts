import type { z } from 'zod';
import { groupRules } from './groups.ts';
import { fieldNotes, wrapped } from './leaf.ts';

/** One field of a configuration, as its reference page and `explain` show it. */
export interface Field {
  readonly name: string;
  /** How the reference writes its type, such as `configuration expression<duration>` or `array of Filter reference`. */
  readonly label: string;
  readonly required: boolean;
  /** The default as JSON; null when there is none. */
  readonly default: string | null;
  readonly description: string | null;
  /** The words it may be made of; empty where it is not an enumeration. */
  readonly words: readonly string[];
  /** What to use instead of a deprecated field. */
  readonly instead: string | null;
  /** Why the field does nothing. */
  readonly noEffect: string | null;
  /** The fields of the object that it is or holds, and what has to be observed about several of them. */
  readonly fields: readonly Field[];
  readonly rules: readonly string[];
}

type Schema = z.core.$ZodType;

/** The fields of a configuration in the order of its schema. */
export function fieldTable(schema: Schema): readonly Field[] {
  return objectsIn(schema).flatMap((object) =>
    Object.entries(object._zod.def.shape)
      .filter(([, one]) => fieldNotes(one).aside !== true)
      .map(([name, one]) => field(name, one)),
  );
}

/** What has to be observed about several fields of a configuration, as sentences. */
export function fieldRules(schema: Schema): readonly string[] {
  return objectsIn(schema).flatMap(groupRules);
}

/** How the reference writes the type of a value. */
export function typeLabel(schema: Schema): string {
  const { label } = fieldNotes(schema);
  if (label !== undefined) return label;
  const inner = contained(schema);
  if (inner !== null) return typeLabel(inner);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'array':
      return `array of ${typeLabel(def.element)}`;
    case 'record':
      return `map of ${typeLabel(def.valueType)}`;
    case 'union':
      return [...new Set(def.options.map(typeLabel))].join(' or ');
    case 'literal':
      return def.values.map((value) => JSON.stringify(value)).join(' or ');
    case 'unknown':
    case 'any':
      return 'any value';
    default:
      return def.type;
  }
}

/** The words of an enumeration, also of several at once; empty for anything else. */
export function words(schema: Schema): readonly string[] {
  const inner = contained(schema);
  if (inner !== null) return words(inner);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'array') return words(def.element);
  if (def.type === 'union') return [...new Set(def.options.flatMap(words))];
  return enumIn(fieldNotes(schema).json);
}

function enumIn(json: unknown): readonly string[] {
  if (typeof json !== 'object' || json === null) return [];
  if ('enum' in json && Array.isArray(json.enum)) return json.enum.map(String);
  return 'anyOf' in json && Array.isArray(json.anyOf) ? json.anyOf.flatMap(enumIn) : [];
}

function field(name: string, schema: Schema): Field {
  const { description, instead, noEffect } = fieldNotes(schema);
  return {
    name,
    label: typeLabel(schema),
    required: isRequired(schema),
    default: defaultOf(schema),
    description: description ?? null,
    words: words(schema),
    instead: instead ?? null,
    noEffect: noEffect ?? null,
    fields: fieldTable(schema),
    rules: fieldRules(schema),
  };
}

/**
 * Whether a field must be given. Read off the form of its schema: to the library every leaf is optional, because it may
 * look at what is absent.
 */
export function isRequired(schema: Schema): boolean {
  const { type } = (schema as z.core.$ZodTypes)._zod.def;
  if (type === 'optional' || type === 'default' || type === 'prefault') return false;
  const inner = contained(schema);
  return inner === null || isRequired(inner);
}

function defaultOf(schema: Schema): string | null {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'default' || def.type === 'prefault') {
    const text = JSON.stringify(def.defaultValue);
    // an empty object stands for the defaults of its fields, which have rows of their own
    return text === undefined || (text === '{}' && objectsIn(schema).length > 0) ? null : text;
  }
  const inner = contained(schema);
  return inner === null ? null : defaultOf(inner);
}

/** The objects that a value is, or is made of. */
function objectsIn(schema: Schema): z.core.$ZodObject[] {
  const inner = contained(schema);
  if (inner !== null) return objectsIn(inner);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'object') return [schema as z.core.$ZodObject];
  if (def.type === 'array') return objectsIn(def.element);
  if (def.type === 'record') return objectsIn(def.valueType);
  return def.type === 'union' ? def.options.flatMap(objectsIn) : [];
}

/** What a schema adds something to without changing what may be written. */
function contained(schema: Schema): Schema | null {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === 'pipe' ? def.in : wrapped(schema);
}
