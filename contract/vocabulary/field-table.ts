import type { z } from 'zod';
import { groupRules } from './groups.ts';
import { type ObjectNode, type SchemaNode, schemaTree } from './schema-tree.ts';

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

/** The fields of a configuration in the order of its schema. */
export function fieldTable(schema: z.core.$ZodType): readonly Field[] {
  return fieldsOf(schemaTree(schema));
}

/** Rules about several fields of a configuration, as sentences. */
export function fieldRules(schema: z.core.$ZodType): readonly string[] {
  return rulesOf(schemaTree(schema));
}

/** How the reference writes the type of a value. */
export function typeLabel(schema: z.core.$ZodType): string {
  return labelOf(schemaTree(schema));
}

/** The words of an enumeration, also of several at once; empty for anything else. */
export function words(schema: z.core.$ZodType): readonly string[] {
  return wordsOf(schemaTree(schema));
}

function fieldsOf(node: SchemaNode): readonly Field[] {
  return objectsIn(node).flatMap(({ fields }) =>
    [...fields].filter(([, { notes }]) => notes.aside !== true).map(([name, one]) => field(name, one)),
  );
}

function field(name: string, node: SchemaNode): Field {
  const { description, instead, noEffect } = node.notes;
  return {
    name,
    label: labelOf(node),
    required: node.isRequired,
    default: defaultOf(node),
    description: description ?? null,
    words: wordsOf(node),
    instead: instead ?? null,
    noEffect: noEffect ?? null,
    fields: fieldsOf(node),
    rules: rulesOf(node),
  };
}

function rulesOf(node: SchemaNode): readonly string[] {
  return objectsIn(node).flatMap(groupRules);
}

function labelOf(node: SchemaNode): string {
  if (node.notes.label !== undefined) return node.notes.label;
  switch (node.kind) {
    case 'list':
      return `array of ${labelOf(node.item)}`;
    case 'map':
      return `map of ${labelOf(node.value)}`;
    case 'union':
      return [...new Set(node.options.map(labelOf))].join(' or ');
    case 'literal':
      return node.values.map((value) => JSON.stringify(value)).join(' or ');
    case 'text':
      return 'string';
    case 'words':
      return 'enumeration';
    case 'other':
      return node.type === 'unknown' ? 'any value' : node.type;
    default:
      return node.kind;
  }
}

function wordsOf(node: SchemaNode): readonly string[] {
  if (node.kind === 'list') return wordsOf(node.item);
  if (node.kind === 'union') return [...new Set(node.options.flatMap(wordsOf))];
  return enumIn(node.notes.json);
}

function enumIn(json: unknown): readonly string[] {
  if (typeof json !== 'object' || json === null) return [];
  if ('enum' in json && Array.isArray(json.enum)) return json.enum.map(String);
  return 'anyOf' in json && Array.isArray(json.anyOf) ? json.anyOf.flatMap(enumIn) : [];
}

function defaultOf(node: SchemaNode): string | null {
  const text = JSON.stringify(node.defaults[0]);
  // an empty object stands for the defaults of its fields, which have rows of their own
  return text === undefined || (text === '{}' && objectsIn(node).length > 0) ? null : text;
}

/** The objects that a value is, or is made of. */
function objectsIn(node: SchemaNode): ObjectNode[] {
  switch (node.kind) {
    case 'object':
      return [node];
    case 'list':
      return objectsIn(node.item);
    case 'map':
      return objectsIn(node.value);
    case 'union':
      return node.options.flatMap(objectsIn);
    default:
      return [];
  }
}
