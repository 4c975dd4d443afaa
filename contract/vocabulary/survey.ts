import type { z } from 'zod';
import type { Path, Problem } from '../problem.ts';
import { type SchemaNode, schemaTree } from './schema-tree.ts';

/** Findings about a value in addition to those of its schema. */
export interface Survey {
  /** The value without the keys that are comments. */
  readonly value: unknown;
  readonly warnings: readonly Problem[];
}

/** Whether a key is a remark of the writer: `comment`, `_comment`, `//` or anything with a leading underscore. */
export function isComment(key: string): boolean {
  return key === 'comment' || key === '//' || key.startsWith('_');
}

/** Takes comments out of what the schema calls an object (never out of a map) and notes what is given in vain. */
export function survey(schema: z.core.$ZodType, value: unknown, path: Path): Survey {
  const warnings: Problem[] = [];
  return { value: surveyed(schemaTree(schema), value, path, warnings), warnings };
}

function surveyed(node: SchemaNode, value: unknown, path: Path, warnings: Problem[]): unknown {
  if (node.kind === 'list' && Array.isArray(value)) {
    return value.map((item, index) => surveyed(node.item, item, [...path, index], warnings));
  }
  if (node.kind === 'union') {
    const fitting = node.options.find((option) => couldBe(option, value));
    return fitting === undefined ? value : surveyed(fitting, value, path, warnings);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (node.kind === 'map') {
    return mapped(value, (key, item) => surveyed(node.value, item, [...path, key], warnings));
  }
  if (node.kind !== 'object') return value;
  return mapped(value, (key, item) => {
    const field = node.fields.get(key);
    if (field === undefined) return isComment(key) ? undefined : item;
    note(field, [...path, key], warnings);
    return surveyed(field, item, [...path, key], warnings);
  });
}

/** Whether a value of a union belongs to this option, by its outer form. */
function couldBe({ kind }: SchemaNode, value: unknown): boolean {
  if (Array.isArray(value)) return kind === 'list';
  if (typeof value === 'object') return kind === 'object' || kind === 'map';
  return false;
}

function note({ notes: { instead, noEffect } }: SchemaNode, path: Path, warnings: Problem[]): void {
  if (instead !== undefined) {
    const message = `is deprecated: use ${instead}`;
    warnings.push({ code: 'deprecated-field', severity: 'warning', path, message });
  }
  if (noEffect !== undefined) {
    warnings.push({ code: 'no-effect', severity: 'warning', path, message: `has no effect: ${noEffect}` });
  }
}

/** A copy with own keys only, whatever they are called; `undefined` leaves a key out. */
function mapped(object: object, map: (key: string, item: unknown) => unknown): object {
  const entries = Object.entries(object).map(([key, item]): [string, unknown] => [key, map(key, item)]);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}
