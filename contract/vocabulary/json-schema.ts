import type { z } from 'zod';
import { groupRules } from './groups.ts';
import type { JsonSchema } from './leaf.ts';
import { type ObjectNode, type SchemaNode, schemaTree } from './schema-tree.ts';

/** Keys that are the writer's remarks, which every object may have. */
const REMARKS: JsonSchema = { '^(?:comment$|//$|_)': {} };

/**
 * The JSON Schema of what may be written, for editors and other checkers, once tokens are resolved. What it refuses is
 * wrong; what it allows may still be refused, because it cannot say everything.
 */
export function jsonSchemaOf(schema: z.core.$ZodType): JsonSchema {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...jsonOf(schemaTree(schema)) };
}

function jsonOf(node: SchemaNode): JsonSchema {
  const form = node.isNullable ? { anyOf: [formOf(node), { type: 'null' }] } : formOf(node);
  const description = descriptionOf(node);
  return {
    ...(description === '' ? {} : { description }),
    ...form,
    ...(node.defaults.length === 0 ? {} : { default: node.defaults[0] }),
    ...(node.notes.instead === undefined ? {} : { deprecated: true }),
  };
}

function formOf(node: SchemaNode): JsonSchema {
  switch (node.kind) {
    case 'object':
      return objectForm(node);
    case 'map':
      return { type: 'object', propertyNames: jsonOf(node.key), additionalProperties: jsonOf(node.value) };
    case 'list':
      return { type: 'array', ...bounds(node, 'minItems', 'maxItems'), items: jsonOf(node.item) };
    case 'union':
      return { anyOf: node.options.map(jsonOf) };
    case 'words':
      return { type: 'string', enum: node.words };
    case 'literal':
      return node.values.length === 1 ? { const: node.values[0] } : { enum: node.values };
    case 'text':
      return { type: 'string', ...bounds(node, 'minLength', 'maxLength'), ...patternForm(node.patterns) };
    case 'number':
      return { type: node.isWhole ? 'integer' : 'number', ...bounds(node, 'minimum', 'maximum') };
    case 'other':
      return node.type === 'boolean' ? { type: 'boolean' } : (node.notes.json ?? {});
  }
}

function objectForm({ fields, isLoose }: ObjectNode): JsonSchema {
  const required = [...fields].filter(([, field]) => field.isRequired).map(([name]) => name);
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries([...fields].map(([name, field]) => [name, jsonOf(field)])),
    ...(isLoose ? {} : { patternProperties: REMARKS, additionalProperties: false }),
  };
}

function bounds({ least, most }: { least: number | undefined; most: number | undefined }, from: string, to: string) {
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
