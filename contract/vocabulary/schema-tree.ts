import { z } from 'zod';
import type { FieldNotes } from './leaf.ts';

/**
 * Plain data of the values that one position of a document allows. Everything that is generated from schemas reads it.
 */
export type SchemaNode =
  | ObjectNode
  | MapNode
  | ListNode
  | UnionNode
  | WordsNode
  | LiteralNode
  | TextNode
  | NumberNode
  | OtherNode;

interface Place {
  /** The notes of the schema, then those of the schemas that it wraps. */
  readonly notes: FieldNotes;
  /** False where the field may be left out. */
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  /** What an absent field stands for, in a list of one; empty where there is no default. */
  readonly defaults: readonly [] | readonly [unknown];
  /** The checks of the schema, by which others know what they stand for. */
  readonly checks: readonly object[];
  /** The schema itself, to read a value at this place alone. */
  readonly schema: z.ZodType;
}

/** An object with fields of known names. */
export interface ObjectNode extends Place {
  readonly kind: 'object';
  readonly fields: ReadonlyMap<string, SchemaNode>;
  /** Whether it keeps fields of other names. */
  readonly isLoose: boolean;
}

/** An object with keys of the writer's choice. */
export interface MapNode extends Place {
  readonly kind: 'map';
  readonly key: SchemaNode;
  readonly value: SchemaNode;
}

/** An array. */
export interface ListNode extends Place {
  readonly kind: 'list';
  readonly item: SchemaNode;
  readonly least: number | undefined;
  readonly most: number | undefined;
}

/** One of several forms. */
export interface UnionNode extends Place {
  readonly kind: 'union';
  readonly options: readonly SchemaNode[];
}

/** One of these words, without an expression. */
export interface WordsNode extends Place {
  readonly kind: 'words';
  readonly words: readonly (string | number)[];
}

/** Exactly one of these values. */
export interface LiteralNode extends Place {
  readonly kind: 'literal';
  readonly values: readonly unknown[];
}

/** A string, without an expression. */
export interface TextNode extends Place {
  readonly kind: 'text';
  readonly least: number | undefined;
  readonly most: number | undefined;
  readonly patterns: readonly string[];
}

/** A number, without an expression. */
export interface NumberNode extends Place {
  readonly kind: 'number';
  readonly isWhole: boolean;
  readonly least: number | undefined;
  readonly most: number | undefined;
}

/** A value without parts, of a type that the library names: `boolean`, `unknown`, or `transform` for a leaf. */
export interface OtherNode extends Place {
  readonly kind: 'other';
  readonly type: string;
}

type Form<Node> = Node extends SchemaNode ? Omit<Node, keyof Place> : never;

const trees = new WeakMap<object, SchemaNode>();

/** The tree of a schema. The same schema has the same tree each time. */
export function schemaTree(schema: z.core.$ZodType): SchemaNode {
  let node = trees.get(schema);
  if (node === undefined) {
    node = nodeOf(schema);
    trees.set(schema, node);
  }
  return node;
}

function nodeOf(schema: z.core.$ZodType): SchemaNode {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const notes = z.globalRegistry.get(schema) as FieldNotes | undefined;
  const checks: readonly z.core.$ZodCheck<never>[] = def.checks ?? [];
  const own = { schema: schema as z.ZodType, ...(notes === undefined ? {} : { notes }) };
  switch (def.type) {
    case 'optional':
      return { ...outside(def.innerType, own, checks), isRequired: false };
    case 'default':
    case 'prefault':
      return { ...outside(def.innerType, own, checks), isRequired: false, defaults: [def.defaultValue] };
    case 'nullable':
      return { ...outside(def.innerType, own, checks), isNullable: true };
    case 'pipe':
      // the checks of a pipe are about what comes out of it, which nobody writes
      return outside(def.in, own, []);
    default: {
      const place = { isRequired: true, isNullable: false, defaults: [], notes: {}, checks, ...own } as const;
      return { ...place, ...formOf(schema as z.core.$ZodTypes) };
    }
  }
}

/** The node of a schema that another one wraps, with what that one adds. */
function outside(
  inner: z.core.$ZodType,
  { schema, notes }: { readonly schema: z.ZodType; readonly notes?: FieldNotes },
  checks: readonly object[],
): SchemaNode {
  const node = schemaTree(inner);
  return { ...node, schema, notes: { ...node.notes, ...notes }, checks: [...node.checks, ...checks] };
}

function formOf(schema: z.core.$ZodTypes): Form<SchemaNode> {
  const { def } = schema._zod;
  switch (def.type) {
    case 'object': {
      const fields = Object.entries(def.shape).map(([name, field]): [string, SchemaNode] => [name, schemaTree(field)]);
      const rest = (def.catchall as z.core.$ZodTypes | undefined)?._zod.def.type;
      return { kind: 'object', fields: new Map(fields), isLoose: rest === 'unknown' };
    }
    case 'record':
      return { kind: 'map', key: schemaTree(def.keyType), value: schemaTree(def.valueType) };
    case 'array': {
      const { least, most } = limitsOf(schema);
      return { kind: 'list', item: schemaTree(def.element), least, most };
    }
    case 'union':
      return { kind: 'union', options: def.options.map(schemaTree) };
    case 'enum':
      return { kind: 'words', words: Object.values(def.entries) };
    case 'literal':
      return { kind: 'literal', values: def.values };
    case 'string': {
      const { least, most, patterns } = limitsOf(schema);
      return { kind: 'text', least, most, patterns };
    }
    case 'number': {
      const { least, most, isWhole } = limitsOf(schema);
      return { kind: 'number', isWhole, least, most };
    }
    default:
      return { kind: 'other', type: def.type };
  }
}

interface Limits {
  least: number | undefined;
  most: number | undefined;
  isWhole: boolean;
  readonly patterns: string[];
}

/** What the checks of a schema say of length, size and form. */
function limitsOf(schema: z.core.$ZodTypes): Limits {
  const limits: Limits = { least: undefined, most: undefined, isWhole: false, patterns: [] };
  const { def } = schema._zod;
  // a schema such as z.int() is a check of its own
  const checks = 'check' in def ? [schema, ...(def.checks ?? [])] : (def.checks ?? []);
  for (const check of checks) addLimit(limits, (check as z.core.$ZodChecks)._zod.def);
  return limits;
}

function addLimit(limits: Limits, def: z.core.$ZodChecks['_zod']['def']): void {
  switch (def.check) {
    case 'min_length':
      limits.least = def.minimum;
      break;
    case 'max_length':
      limits.most = def.maximum;
      break;
    case 'greater_than':
      limits.least = Number(def.value);
      break;
    case 'less_than':
      limits.most = Number(def.value);
      break;
    case 'number_format':
      limits.isWhole = def.format.includes('int');
      break;
    case 'string_format':
      if (def.pattern !== undefined) limits.patterns.push(def.pattern.source);
      break;
    default:
  }
}
