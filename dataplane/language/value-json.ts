import type { Shapes } from '../../contract/expression/language.ts';
import { textOf } from '../../contract/expression/text.ts';
import { Double, isDouble, isList, isPlainObject, type Value } from '../../contract/expression/value.ts';

/**
 * A value as JSON: numbers keep their type (`1.0` is a Double), what JSON has no word for becomes a text. An object of
 * the host is its entries, its text or its properties.
 */
export function valueJson(value: Value, shapes: Shapes): string {
  if (isDouble(value)) {
    const text = textOf(value);
    return Number.isFinite(value instanceof Double ? value.value : value) ? text : JSON.stringify(text);
  }
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map((item) => valueJson(item, shapes)).join(',')}]`;
  if (value instanceof Map || isPlainObject(value)) {
    const entries: [string, Value][] = value instanceof Map ? [...value] : Object.entries(value);
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${valueJson(item ?? null, shapes)}`).join(',')}}`;
  }
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString('base64'));
  const shape = shapes.get(Object.getPrototypeOf(value));
  if (shape?.text !== undefined && shape.entries?.keys !== undefined) {
    const { keys, get } = shape.entries;
    return valueJson(new Map(keys(value).map((key) => [key, get(value, key)])), shapes);
  }
  const properties = Object.entries(shape?.properties ?? {});
  if (shape?.text !== undefined || properties.length === 0) return JSON.stringify(textOf(value, shapes));
  const members = properties.map(([name, { get }]) => `${JSON.stringify(name)}:${valueJson(get(value), shapes)}`);
  return `{${members.join(',')}}`;
}
