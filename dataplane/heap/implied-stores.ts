import { isJsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import type { Path, Problem } from '../../contract/problem.ts';
import { Reference } from '../../contract/vocabulary/reference.ts';
import { referencesIn } from './config-walk.ts';
import type { TypeDefinition } from './definition.ts';
import type { CheckedObject, Scope } from './scope.ts';

/** The field that objects leave out where the document or one around it has `secrets.stores`. */
const FIELD = 'secretsProvider';
/** What such an object refers to then. */
const ALL_STORES = 'secrets.stores';
/** What a store refers to then: those that need no others. */
const PLAIN_STORES = 'secrets.stores that need no others';

/**
 * A configuration with a reference to the stores in scope wherever it has a problem because its `secretsProvider` is
 * missing; null when it has none.
 */
export function withImpliedStores(
  { kind }: TypeDefinition,
  config: JsonValue,
  path: Path,
  problems: readonly Problem[],
): JsonValue | null {
  const missing = problems.filter((problem) => problem.code === 'missing' && problem.path.at(-1) === FIELD);
  if (missing.length === 0) return null;
  const name = kind === 'secretStore' ? PLAIN_STORES : ALL_STORES;
  return missing.reduce((value, problem) => withMember(value, problem.path.slice(path.length), name), config);
}

/** Whether a name is one that `withImpliedStores` writes. */
export function isImpliedStores(name: string | null): boolean {
  return name === ALL_STORES || name === PLAIN_STORES;
}

/**
 * The object that such a name stands for: a SecretsProvider over the stores of `secrets.stores` in this document, then
 * of those around it. Null when there is no store.
 */
export function impliedProvider(name: string, scope: Scope, definition: TypeDefinition): CheckedObject | null {
  const stores = name === PLAIN_STORES ? scope.stores().filter(needsNoOthers) : scope.stores();
  if (stores.length === 0) return null;
  const references = stores.map((store) => new Reference('secretStore', store.name, null));
  const targets = new Map(references.map((reference, at): [Reference, CheckedObject] => [reference, stores[at]!]));
  const config = { stores: references };
  return { name, definition, config, path: ['secrets', 'stores'], scope, targets, decorations: [] };
}

function needsNoOthers({ config }: CheckedObject): boolean {
  return !referencesIn(config, []).some(({ value }) => isImpliedStores(value.name));
}

function withMember(value: JsonValue, [step, ...rest]: Path, name: string): JsonValue {
  if (step === undefined) return name;
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item, at) => (at === step ? withMember(item, rest, name) : item));
  }
  const object = isJsonObject(value) ? value : {};
  return { ...object, [step]: withMember(object[step] ?? {}, rest, name) };
}
