import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chart } from './chart.ts';

/** A part of values.schema.json, as far as tests look at it. */
export interface SchemaNode {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly definitions?: Readonly<Record<string, SchemaNode>>;
}

/** The schema of the values, in which every reference has been followed. */
export function valuesSchema(): SchemaNode {
  const root = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')) as SchemaNode;

  function followed(node: SchemaNode): SchemaNode {
    if (node.$ref !== undefined) {
      const name = /^#\/definitions\/([^/]+)$/.exec(node.$ref)?.[1];
      const target = name === undefined ? undefined : root.definitions?.[name];
      if (target === undefined) throw new Error(`values.schema.json refers to ${node.$ref}, which is not there`);
      const { $ref: _, ...own } = node;
      return { ...followed(target), ...own };
    }
    if (node.properties === undefined) return node;
    const properties = Object.entries(node.properties).map(([name, one]) => [name, followed(one)] as const);
    return { ...node, properties: Object.fromEntries(properties) };
  }

  return followed(root);
}
