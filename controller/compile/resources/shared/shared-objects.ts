import { isJsonObject, type JsonObject, type JsonValue } from '../../../../contract/document/json-value.ts';
import type { Path } from '../../../../contract/problem.ts';
import { sharedResourceHash } from '../../../../contract/shared-resources.ts';
import type { SharedObjects } from '../../../../contract/snapshot.ts';

/** Length of the objects and files of one shared resource. */
export const MOST_CHARACTERS = 8 * 1024 * 1024;

/** Name of a shared resource in a document: `name` or `namespace/name`. */
const RESOURCE_NAME = /^[^/]+(?:\/[^/]+)?$/;

export function isResourceName(name: string): boolean {
  return RESOURCE_NAME.test(name);
}

/** The key of the resource that a document of a namespace refers to, and the namespace that owns it. */
export function referredResource(name: string, namespace: string): { readonly key: string; readonly owner: string } {
  const key = name.includes('/') ? name : `${namespace}/${name}`;
  const [owner = ''] = key.split('/');
  return { key, owner };
}

/** The resource that data planes get. */
export function sharedObjects(
  key: string,
  objects: readonly JsonObject[],
  files: Readonly<Record<string, string>>,
): Omit<SharedObjects, 'sources'> {
  const resource = { type: 'objects', key, objects, files } as const;
  return { ...resource, hash: sharedResourceHash(resource) };
}

/** Two objects may need the same third one. */
export function namedOnce(objects: readonly JsonObject[]): readonly JsonObject[] {
  return [...new Map(objects.map((object) => [String(object['name']), object])).values()];
}

/** The same value with another name at a place of a reference. */
export function nameReplaced(value: JsonValue, [step, ...rest]: Path, name: string): JsonValue {
  if (step === undefined) return name;
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item, at) => (at === step ? nameReplaced(item, rest, name) : item));
  }
  if (!isJsonObject(value)) return value;
  const inner = value[step];
  return inner === undefined ? value : { ...value, [step]: nameReplaced(inner, rest, name) };
}
