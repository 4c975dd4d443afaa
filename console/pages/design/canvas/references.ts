import { isJsonObject, type JsonObject, type JsonValue } from '../../../../contract/document/json-value.ts';
import { listOf, objectOf, textOf } from '../../../../contract/document/lenient-parts.ts';
import type { Path } from '../../../../contract/problem.ts';
import type { ShownField, ShownForm } from '../../../../contract/shown/shown-catalogue.ts';
import type { Catalogue } from '../../../catalogue/catalogue.ts';

/** The place of a reference to an object. */
export interface PlacedReference {
  readonly path: Path;
  /** The name or the declaration; undefined for a required one that is missing. */
  readonly value: JsonValue | undefined;
  /** Kind of the object. */
  readonly to: string;
}

/** Calls back for every reference of an object, also for those of objects that are declared in it. */
export function eachReference(
  declaration: JsonObject,
  path: Path,
  catalogue: Catalogue,
  visit: (reference: PlacedReference) => void,
): void {
  const type = catalogue.find(textOf(declaration['type']));
  if (type === null) {
    eachText(declaration['config'], [...path, 'config'], (text, at) => visit({ path: at, value: text, to: 'any' }));
    return;
  }
  referencesIn(type.fields, objectOf(declaration['config']), [...path, 'config'], (reference) => {
    visit(reference);
    if (isJsonObject(reference.value)) eachReference(reference.value, reference.path, catalogue, visit);
  });
}

/** Calls back for every reference in the fields of an object, without going into the objects behind them. */
export function referencesIn(
  fields: readonly ShownField[],
  value: JsonObject,
  path: Path,
  visit: (reference: PlacedReference) => void,
): void {
  for (const { name, form } of fields)
    if (Object.hasOwn(value, name)) inForm(form, value[name]!, [...path, name], visit);
}

function inForm(form: ShownForm, value: JsonValue, path: Path, visit: (reference: PlacedReference) => void): void {
  switch (form.kind) {
    case 'reference':
      if (Array.isArray(value))
        for (const [at, item] of listOf(value).entries()) visit({ path: [...path, at], value: item, to: form.to });
      else visit({ path, value, to: form.to });
      break;
    case 'list':
      for (const [at, item] of listOf(value).entries()) inForm(form.item, item, [...path, at], visit);
      break;
    case 'map':
      for (const [key, item] of Object.entries(objectOf(value))) inForm(form.value, item, [...path, key], visit);
      break;
    case 'object':
      referencesIn(form.fields, objectOf(value), path, visit);
      break;
    case 'choice':
      for (const option of form.options) inForm(option.form, value, path, visit);
      break;
    default:
  }
}

/** An unknown type may refer to objects by any of its texts. */
function eachText(value: JsonValue | undefined, path: Path, visit: (text: string, path: Path) => void): void {
  if (typeof value === 'string') visit(value, path);
  else if (Array.isArray(value)) for (const [at, item] of listOf(value).entries()) eachText(item, [...path, at], visit);
  else if (isJsonObject(value)) for (const [key, item] of Object.entries(value)) eachText(item, [...path, key], visit);
}

/** A named object of a document. */
export interface HeapObject {
  readonly path: Path;
  readonly name: string;
  readonly type: string;
  readonly object: JsonObject;
  /** Places that refer to it by its name. */
  readonly users: readonly Path[];
}

/** Returns the objects of the heap of a route, with the places that use them. */
export function heapObjects(document: JsonObject, catalogue: Catalogue): readonly HeapObject[] {
  const users = new Map<string, Path[]>();
  const visit = ({ value, path }: PlacedReference): void => {
    if (typeof value === 'string') users.set(value, [...(users.get(value) ?? []), path]);
  };
  referencesIn(catalogue.shown.route, document, [], (reference) => {
    visit(reference);
    if (isJsonObject(reference.value)) eachReference(reference.value, reference.path, catalogue, visit);
  });
  const heap = listOf(document['heap']);
  for (const [at, object] of heap.entries())
    if (isJsonObject(object)) eachReference(object, ['heap', at], catalogue, visit);
  return [...heap.entries()].flatMap(([at, object]) => {
    if (!isJsonObject(object)) return [];
    const name = textOf(object['name']);
    return [{ path: ['heap', at], name, type: textOf(object['type']), object, users: users.get(name) ?? [] }];
  });
}
