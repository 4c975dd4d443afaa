import type { z } from 'zod';
import { resourceRules } from '../contract/resources/resource-rule.ts';
import { isRequired } from '../contract/vocabulary/field-table.ts';
import { fieldNotes, wrapped } from '../contract/vocabulary/leaf.ts';

/** A schema as custom resource definitions have them. */
export type StructuralSchema = Readonly<Record<string, unknown>>;

type Schema = z.core.$ZodType;

/**
 * What an API server checks and `kubectl explain` tells of a value. Within an object that may have keys of any name, the
 * server-side apply of Kubernetes 1.36 takes unknown keys out of other objects without a word: there they are kept, and
 * the compiler refuses them. @throws Error for what cannot be said there
 */
export function structuralSchema(schema: Schema, isWithinLoose = false): StructuralSchema {
  const { description, instead } = fieldNotes(schema);
  const deprecated = instead === undefined ? '' : ` Deprecated: use ${instead}.`;
  return {
    ...(description === undefined ? {} : { description: `${description}${deprecated}` }),
    ...formOf(schema, isWithinLoose),
    ...listOf(schema),
    ...rulesOf(schema),
  };
}

function formOf(schema: Schema, isWithinLoose: boolean): StructuralSchema {
  const inner = wrapped(schema);
  if (inner !== null) return formOf(inner, isWithinLoose);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return { type: 'object', ...membersOf(def, isWithinLoose) };
    case 'record':
      return isFreeForm(def.valueType)
        ? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
        : { type: 'object', maxProperties: 64, additionalProperties: structuralSchema(def.valueType, isWithinLoose) };
    case 'array':
      return { type: 'array', ...sizeOf(schema, 'Items'), items: structuralSchema(def.element, isWithinLoose) };
    case 'string':
      return { type: 'string', ...sizeOf(schema, 'Length'), ...textFormat(schema) };
    case 'enum':
      return { type: 'string', enum: Object.values(def.entries) };
    case 'number':
      return { type: 'integer', format: 'int64', minimum: 0 };
    case 'custom':
      return { 'x-kubernetes-preserve-unknown-fields': true };
    default:
      throw new Error(`a resource cannot have a field of the type ${def.type}`);
  }
}

function membersOf({ shape, catchall }: z.core.$ZodObjectDef, isWithinLoose: boolean): StructuralSchema {
  const required = Object.keys(shape).filter((name) => isRequired(shape[name]!));
  const isLoose = isWithinLoose || (catchall as z.core.$ZodTypes | undefined)?._zod.def.type === 'unknown';
  const properties = Object.entries(shape).map(([name, field]) => [name, structuralSchema(field, isLoose)]);
  return {
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(properties),
    ...(isLoose ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
  };
}

function isFreeForm(schema: Schema): boolean {
  return (schema as z.core.$ZodTypes)._zod.def.type === 'custom';
}

function sizeOf(schema: Schema, what: 'Items' | 'Length'): StructuralSchema {
  const checks = (schema as z.core.$ZodTypes)._zod.def.checks ?? [];
  return Object.assign(
    {},
    ...checks.map((check): StructuralSchema => {
      const { def } = (check as z.core.$ZodChecks)._zod;
      if (def.check === 'min_length') return { [`min${what}`]: def.minimum };
      return def.check === 'max_length' ? { [`max${what}`]: def.maximum } : {};
    }),
  );
}

function textFormat(schema: Schema): StructuralSchema {
  const { format } = notesOf(schema);
  return format === undefined ? {} : { format };
}

function listOf(schema: Schema): StructuralSchema {
  const { listType, listMapKeys } = notesOf(schema);
  return {
    ...(listType === undefined ? {} : { 'x-kubernetes-list-type': listType }),
    ...(listMapKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': listMapKeys }),
  };
}

function rulesOf(schema: Schema): StructuralSchema {
  const inner = wrapped(schema);
  const rules = inner === null ? resourceRules(schema) : resourceRules(inner);
  return rules.length === 0 ? {} : { 'x-kubernetes-validations': rules };
}

/** What only resources note of a field: how Kubernetes merges lists, and which texts are times. */
interface KubernetesNotes {
  readonly listType?: string;
  readonly listMapKeys?: readonly string[];
  readonly format?: string;
}

function notesOf(schema: Schema): KubernetesNotes {
  return fieldNotes(schema) as KubernetesNotes;
}
