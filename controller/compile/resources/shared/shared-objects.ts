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

/** A reference of a declaration to a SecretStore; the draft is null where there is none. */
export interface FoundReference {
  readonly path: Path;
  readonly key: string;
  readonly draft: { readonly resource: Pick<SharedObjects, 'objects' | 'files'> | null } | null;
}

/** Returns a declaration that refers to stores by their keys, and all objects and files that it is made of. */
export function withStores(
  declared: JsonObject,
  files: Readonly<Record<string, string>>,
  found: readonly FoundReference[],
): { readonly objects: readonly JsonObject[]; readonly files: Readonly<Record<string, string>> } {
  const own = found.reduce<JsonValue>((value, { path, key }) => nameReplaced(value, path, key), declared);
  const inner = found.flatMap(({ draft }) => draft?.resource ?? []);
  return {
    objects: namedOnce([own as JsonObject, ...inner.flatMap(({ objects }) => objects)]),
    files: Object.assign({}, files, ...inner.map((one) => one.files)) as Readonly<Record<string, string>>,
  };
}

/** Two objects may need the same third one. */
function namedOnce(objects: readonly JsonObject[]): readonly JsonObject[] {
  return [...new Map(objects.map((object) => [String(object['name']), object])).values()];
}

/** The same value with another name at a place of a reference. */
function nameReplaced(value: JsonValue, [step, ...rest]: Path, name: string): JsonValue {
  if (step === undefined) return name;
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item, at) => (at === step ? nameReplaced(item, rest, name) : item));
  }
  if (!isJsonObject(value)) return value;
  const inner = value[step];
  return inner === undefined ? value : { ...value, [step]: nameReplaced(inner, rest, name) };
}
