import type { z } from 'zod';
import { groupRules } from './groups.ts';
import type { JsonSchema } from './leaf.ts';
import { type ObjectNode, type SchemaNode, schemaTree } from './schema-tree.ts';

/** Keys that are the writer's remarks, which every object may have. */
const REMARKS: JsonSchema = { '^(?:comment$|//$|_)': {} };

/** The version of JSON Schema that ours are written in. */
export const JSON_SCHEMA_VERSION = 'https://json-schema.org/draft/2020-12/schema';

/** How a JSON Schema says what differs between a configuration by itself and one within a document. */
export interface SchemaStyle {
  /** The schema of a reference to an object of a kind; undefined for the one that the vocabulary has. */
  reference(kind: string): JsonSchema | undefined;
  /** The schema of a value, from the one of what it stands for once tokens are resolved. */
  value(form: JsonSchema): JsonSchema;
  /** Whether a field that its schema requires must be written. */
  isRequired(name: string): boolean;
}

const alone: SchemaStyle = { reference: () => undefined, value: (form) => form, isRequired: () => true };

/**
 * The JSON Schema of what may be written, for editors and other checkers, once tokens are resolved. What it refuses is
 * wrong; what it allows may still be refused, because it cannot say everything.
 */
export function jsonSchemaOf(schema: z.core.$ZodType): JsonSchema {
  return { $schema: JSON_SCHEMA_VERSION, ...jsonSchemaWithin(schema, alone) };
}

/** The JSON Schema of what may be written at a place within another one. */
export function jsonSchemaWithin(schema: z.core.$ZodType, style: SchemaStyle): JsonSchema {
  return jsonOf(schemaTree(schema), style);
}

function jsonOf(node: SchemaNode, style: SchemaStyle): JsonSchema {
  const form = node.isNullable ? { anyOf: [formOf(node, style), { type: 'null' }] } : formOf(node, style);
  const description = descriptionOf(node);
  return {
    ...(description === '' ? {} : { description }),
    ...(Object.keys(form).length === 0 ? {} : style.value(form)),
    ...(node.defaults.length === 0 ? {} : { default: node.defaults[0] }),
    ...(node.notes.instead === undefined ? {} : { deprecated: true }),
  };
}

function formOf(node: SchemaNode, style: SchemaStyle): JsonSchema {
  const within = (inner: SchemaNode): JsonSchema => jsonOf(inner, style);
  switch (node.kind) {
    case 'object':
      return objectForm(node, style);
    case 'map':
      return { type: 'object', propertyNames: jsonOf(node.key, alone), additionalProperties: within(node.value) };
    case 'list':
      return { type: 'array', ...bounds(node, 'minItems', 'maxItems'), items: within(node.item) };
    case 'union':
      return { anyOf: node.options.map(within) };
    case 'words':
      return { type: 'string', enum: node.words };
    case 'literal':
      return node.values.length === 1 ? { const: node.values[0] } : { enum: node.values };
    case 'text':
      return { type: 'string', ...bounds(node, 'minLength', 'maxLength'), ...patternForm(node.patterns) };
    case 'number':
      return { type: node.isWhole ? 'integer' : 'number', ...bounds(node, 'minimum', 'maximum') };
    case 'other':
      if (node.type === 'boolean') return { type: 'boolean' };
      return (node.notes.reference && style.reference(node.notes.reference)) || (node.notes.json ?? {});
  }
}

function objectForm({ fields, isLoose }: ObjectNode, style: SchemaStyle): JsonSchema {
  const required = [...fields]
    .filter(([name, field]) => field.isRequired && style.isRequired(name))
    .map(([name]) => name);
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries([...fields].map(([name, field]) => [name, jsonOf(field, style)])),
    ...(isLoose ? {} : { patternProperties: REMARKS, additionalProperties: false }),
  };
}

function bounds(
  { least, most }: { readonly least: number | undefined; readonly most: number | undefined },
  from: string,
  to: string,
): JsonSchema {
  return { ...(least === undefined ? {} : { [from]: least }), ...(most === undefined ? {} : { [to]: most }) };
}

function patternForm(patterns: readonly string[]): JsonSchema {
  if (patterns.length < 2) return patterns.length === 0 ? {} : { pattern: patterns[0] };
  return { allOf: patterns.map((pattern) => ({ pattern })) };
}

/** What the writer of a field is told of it: its description, the rules about its fields, and what became of it. */
function descriptionOf(node: SchemaNode): string {
  const { description = '', instead, noEffect } = node.notes;
  const sentences = [
    description,
    ...(node.kind === 'object' ? groupRules(node) : []),
    ...(instead === undefined ? [] : [`Deprecated: use ${instead}.`]),
    ...(noEffect === undefined ? [] : [`Has no effect: ${noEffect}.`]),
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}
