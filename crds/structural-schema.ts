import type { z } from 'zod';
import { resourceRules } from '../contract/resources/resource-rule.ts';
import {
  type ListNode,
  type ObjectNode,
  type SchemaNode,
  schemaTree,
  type TextNode,
} from '../contract/vocabulary/schema-tree.ts';

/** A schema as custom resource definitions have them. */
export type StructuralSchema = Readonly<Record<string, unknown>>;

/**
 * What an API server checks and `kubectl explain` tells of a value. Within an object that may have keys of any name, the
 * server-side apply of Kubernetes 1.36 takes unknown keys out of other objects without a word: there they are kept, and
 * the compiler refuses them. @throws Error for what cannot be said there
 */
export function structuralSchema(schema: z.core.$ZodType): StructuralSchema {
  return schemaOf(schemaTree(schema), false);
}

function schemaOf(node: SchemaNode, isWithinLoose: boolean): StructuralSchema {
  const { description, instead } = node.notes;
  const deprecated = instead === undefined ? '' : ` Deprecated: use ${instead}.`;
  return {
    ...(description === undefined ? {} : { description: `${description}${deprecated}` }),
    ...formOf(node, isWithinLoose),
    ...listOf(node),
    ...rulesOf(node),
  };
}

function formOf(node: SchemaNode, isWithinLoose: boolean): StructuralSchema {
  switch (node.kind) {
    case 'object':
      return { type: 'object', ...membersOf(node, isWithinLoose) };
    case 'map':
      return isFreeForm(node.value)
        ? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
        : { type: 'object', maxProperties: 64, additionalProperties: schemaOf(node.value, isWithinLoose) };
    case 'list':
      return { type: 'array', ...sizeOf(node, 'Items'), items: schemaOf(node.item, isWithinLoose) };
    case 'text':
      return { type: 'string', ...sizeOf(node, 'Length'), ...textFormat(node) };
    case 'words':
      return { type: 'string', enum: node.words };
    case 'number':
      return { type: 'integer', format: 'int64', minimum: 0 };
    default:
      if (isFreeForm(node)) return { 'x-kubernetes-preserve-unknown-fields': true };
      throw new Error(`a resource cannot have a field of the type ${node.kind === 'other' ? node.type : node.kind}`);
  }
}

function membersOf(node: ObjectNode, isWithinLoose: boolean): StructuralSchema {
  const fields = [...node.fields];
  const required = fields.filter(([, field]) => field.isRequired).map(([name]) => name);
  const isLoose = isWithinLoose || node.isLoose;
  return {
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(fields.map(([name, field]) => [name, schemaOf(field, isLoose)])),
    ...(isLoose ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
  };
}

function isFreeForm(node: SchemaNode): boolean {
  return node.kind === 'other' && node.type === 'custom';
}

function sizeOf({ least, most }: ListNode | TextNode, what: 'Items' | 'Length'): StructuralSchema {
  return {
    ...(least === undefined ? {} : { [`min${what}`]: least }),
    ...(most === undefined ? {} : { [`max${what}`]: most }),
  };
}

function textFormat(node: SchemaNode): StructuralSchema {
  const { format } = kubernetesNotes(node);
  return format === undefined ? {} : { format };
}

function listOf(node: SchemaNode): StructuralSchema {
  const { listType, listMapKeys } = kubernetesNotes(node);
  return {
    ...(listType === undefined ? {} : { 'x-kubernetes-list-type': listType }),
    ...(listMapKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': listMapKeys }),
  };
}

function rulesOf(node: SchemaNode): StructuralSchema {
  const rules = resourceRules(node);
  return rules.length === 0 ? {} : { 'x-kubernetes-validations': rules };
}

/** What only resources note of a field: how Kubernetes merges lists, and which texts are times. */
interface KubernetesNotes {
  readonly listType?: string;
  readonly listMapKeys?: readonly string[];
  readonly format?: string;
}

function kubernetesNotes({ notes }: SchemaNode): KubernetesNotes {
  return notes as KubernetesNotes;
}
