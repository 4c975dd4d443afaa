import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import { isHidden } from '../heap/hidden-objects.ts';
import type { CheckedObject, Scope } from '../heap/scope.ts';
import type { SeenDocument } from './checked-document.ts';

/** Names of the objects of the document around a route that the route refers to. */
export function usedObjects(route: SeenDocument, around: Scope): string[] {
  const names = new Set<string>();
  for (const object of reached(rootsOf(route))) {
    if (object.scope !== around) continue;
    // what is declared in place goes where the object goes that it belongs to
    if (around.objects.get(object.name) === object) names.add(object.name);
  }
  return [...names];
}

/** Names of the objects of a document that tenants may refer to. */
export function usableObjects({ scope }: SeenDocument, sharedObjects: ReadonlySet<string>): string[] {
  return [...scope.objects].flatMap(([name, object]) => (isHidden(object, sharedObjects) ? [] : [name]));
}

/**
 * `config.json` without the objects, stores and properties that neither its own handler nor the objects with these
 * names need.
 */
export function neededBase(document: JsonObject, seen: SeenDocument, used: Iterable<string>): JsonObject {
  const { scope, decorations } = seen;
  const asked = [...used].flatMap((name) => scope.objects.get(name) ?? []);
  const kept = reached([...mainRoots(seen), ...asked]);
  const heapPlaces = new Set([...kept].flatMap(({ path: [field, at] }) => (field === 'heap' ? [at] : [])));
  const parts: Record<string, JsonValue> = {};
  const own = new Set(decorations.map(({ decorator }) => decorator.name));
  for (const [key, value] of Object.entries(document)) {
    if (key === 'heap' && Array.isArray(value)) parts[key] = value.filter((_, at) => heapPlaces.has(at));
    else if (key === 'handler' || key === 'session' || key === 'globalDecorators' || own.has(key)) parts[key] = value;
  }
  const secrets = keptStores(document['secrets'], scope, kept);
  if (secrets !== null) parts['secrets'] = secrets;
  const properties = namedProperties(document['properties'], parts);
  return properties === null ? parts : { ...parts, properties };
}

/** The properties whose names occur in what expressions may be in; null for none. */
export function namedProperties(properties: JsonValue | undefined, parts: JsonObject): JsonObject | null {
  if (!isJsonObject(properties)) return null;
  const text = JSON.stringify(parts);
  const kept = Object.entries(properties).filter(([name]) => text.includes(name));
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

function keptStores(
  secrets: JsonValue | undefined,
  { secretStores }: Scope,
  kept: ReadonlySet<CheckedObject>,
): JsonObject | null {
  if (!isJsonObject(secrets) || !Array.isArray(secrets['stores']) || secretStores === null) return null;
  const stores = secrets['stores'].filter((_, at) => {
    const store = secretStores[at];
    return store !== undefined && kept.has(store);
  });
  return stores.length === 0 ? null : { stores };
}

function mainRoots({ scope, handler, session, decorations }: SeenDocument): CheckedObject[] {
  const around = [...decorations, ...scope.globalDecorations].map(({ decorator }) => decorator);
  return [handler, session].filter((object) => object !== null).concat(around);
}

/** Everything that a route builds, whether its handler needs it or not. */
function rootsOf(route: SeenDocument): CheckedObject[] {
  const audit = route.audit === null ? [] : [route.audit];
  return [...mainRoots(route), ...audit, ...route.scope.objects.values(), ...(route.scope.secretStores ?? [])];
}

/** These objects and those that they need. */
function reached(roots: readonly CheckedObject[]): ReadonlySet<CheckedObject> {
  const found = new Set(roots);
  // a Set's iterator also visits what is added while it runs
  for (const { targets, decorations } of found) {
    for (const target of targets.values()) found.add(target);
    for (const { decorator } of decorations) found.add(decorator);
  }
  return found;
}
