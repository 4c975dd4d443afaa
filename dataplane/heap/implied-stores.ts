import { isJsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import type { Path } from '../../contract/problem.ts';
import { type ParsedConfig, parseConfig } from '../../contract/vocabulary/parse-config.ts';
import type { Reading } from '../../contract/vocabulary/reading.ts';
import { Reference } from '../../contract/vocabulary/reference.ts';
import { referencesIn } from './config-walk.ts';
import type { TypeDefinition } from './definition.ts';
import type { CheckedDecoration, CheckedObject, Scope } from './scope.ts';

/** The field that objects leave out where the document or one around it has `secrets.stores`. */
const FIELD = 'secretsProvider';
/** What such an object refers to then. */
const ALL_STORES = 'secrets.stores';
/** What a store refers to then: those that need no others. */
const PLAIN_STORES = 'secrets.stores that need no others';

/** A configuration that was read, and as what. */
export interface ParsedWithStores {
  readonly parsed: ParsedConfig<unknown>;
  readonly config: JsonValue;
}

/** An object that only the check makes. */
export interface ImpliedObject extends CheckedObject {
  readonly targets: Map<Reference, CheckedObject>;
  readonly decorations: CheckedDecoration[];
}

/**
 * Reads the configuration of an object. Where it has a problem only because a `secretsProvider` is missing, and the
 * scope has `secrets.stores`, it is read with a reference to these.
 */
export function parseWithStores(
  { kind, config: schema }: TypeDefinition,
  config: JsonValue,
  path: Path,
  reading: Reading,
  scope: Scope,
): ParsedWithStores {
  const parsed = parseConfig(schema, config, reading, path);
  const missing = parsed.problems.filter((problem) => problem.code === 'missing' && problem.path.at(-1) === FIELD);
  if (missing.length === 0 || !scope.hasStores()) return { parsed, config };
  const name = kind === 'secretStore' ? PLAIN_STORES : ALL_STORES;
  const whole = missing.reduce((value, problem) => withMember(value, problem.path.slice(path.length), name), config);
  return { parsed: parseConfig(schema, whole, reading, path), config: whole };
}

/** Whether a name is one that `parseWithStores` writes. */
export function isImpliedStores(name: string | null): boolean {
  return name === ALL_STORES || name === PLAIN_STORES;
}

/**
 * The object that such a name stands for: a SecretsProvider over the stores of `secrets.stores` in this document, then
 * of those around it. Null when there is no store.
 */
export function impliedProvider(name: string, scope: Scope, definition: TypeDefinition): ImpliedObject | null {
  const stores = name === PLAIN_STORES ? scope.stores().filter(needsNoOthers) : scope.stores();
  if (stores.length === 0) return null;
  const references = stores.map((store) => new Reference('secretStore', store.name, null));
  const targets = new Map(references.map((reference, at): [Reference, CheckedObject] => [reference, stores[at]!]));
  const config = { stores: references };
  return { name, definition, config, source: {}, path: ['secrets', 'stores'], scope, targets, decorations: [] };
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
