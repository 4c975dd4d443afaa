import type { Shape } from '../../contract/expression/language.ts';

/** Returns an object of the gateway as expressions see it: its text, or its properties and entries by name. */
export function shapedValue(value: object, shape: Shape): string | null | readonly (readonly [string, unknown])[] {
  const { properties, entries } = shape;
  const names = Object.keys(properties);
  if (shape.isText === true || (names.length === 0 && shape.text !== undefined)) return shape.text?.(value) ?? null;
  return [
    ...names.map((name) => [name, properties[name]!.get(value)] as const),
    ...[...(entries?.keys?.(value) ?? [])].map((name) => [name, entries!.get(value, name)] as const),
  ];
}
