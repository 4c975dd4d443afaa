import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import type { Snapshot } from '../compile/snapshot.ts';

/** An object that a document declares. */
export interface DeclaredObject {
  /** Qualified name, such as `gateway._router.shop.keys`; one without a name has its type and place. */
  readonly id: string;
  readonly name: string | null;
  readonly type: string;
  /** Id of the route; null for `config.json`. */
  readonly route: string | null;
  readonly config: JsonObject;
}

/** Returns the objects of these types that the documents of a snapshot declare, in their heaps or in place. */
export function declaredObjects(snapshot: Snapshot | null, types: ReadonlySet<string>): DeclaredObject[] {
  if (snapshot === null) return [];
  const found: DeclaredObject[] = [];
  visit(snapshot.base.document, '', 'gateway', null, types, found);
  for (const { router, name, id, document } of snapshot.routes) {
    visit(document, '', `${router}.${name}`, id, types, found);
  }
  return found;
}

function visit(
  value: JsonValue,
  place: string,
  scope: string,
  route: string | null,
  types: ReadonlySet<string>,
  found: DeclaredObject[],
): void {
  if (Array.isArray(value)) {
    for (const [at, item] of (value as readonly JsonValue[]).entries()) {
      visit(item, `${place}/${at}`, scope, route, types, found);
    }
    return;
  }
  if (!isJsonObject(value)) return;
  const { type } = value;
  if (typeof type === 'string' && types.has(type)) {
    const name = typeof value['name'] === 'string' ? value['name'] : null;
    const config = isJsonObject(value['config']) ? value['config'] : {};
    found.push({ id: `${scope}.${name ?? `{${type}}${place}`}`, name, type, route, config });
  }
  for (const [key, member] of Object.entries(value)) visit(member, `${place}/${key}`, scope, route, types, found);
}
