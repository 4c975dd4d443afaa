import { isJsonObject, type JsonObject, type JsonValue, setMember } from '../../../contract/document/json-value.ts';
import type { Path, Problem } from '../../../contract/problem.ts';
import type { StoreSecrets } from './store-secrets.ts';

/** The types that read files, and the field that names what they read. */
const FILE = 'KeyStoreSecretStore';
const DIRECTORY = 'FileSystemSecretStore';
/** The type that holds values itself. */
const VALUES = 'Base64EncodedSecretStore';

/** Declaration of a SecretStore in a heap. */
export interface StoreDeclaration {
  readonly type: JsonValue;
  readonly config: JsonObject;
  /** In base64, by paths that begin with the namespace and the name of the store. */
  readonly files: Readonly<Record<string, string>>;
  /** Their paths begin at the spec. */
  readonly problems: readonly Problem[];
}

/**
 * Puts what a store's Secrets hold where its objects look for it: names of files become paths below the store's own
 * directory, and values of ids are written into the configuration.
 */
export function storeDeclaration(key: string, spec: JsonObject, secrets: StoreSecrets): StoreDeclaration {
  const problems: Problem[] = [...secrets.problems];
  const files: Record<string, string> = {};
  const error = (path: Path, message: string, hint?: string): void =>
    void problems.push({ code: 'value', severity: 'error', path, message, ...(hint === undefined ? {} : { hint }) });
  const given = spec['config'];
  const declared = { type: spec['type'] ?? null, config: isJsonObject(given) ? given : {} };
  let readsFiles = false;
  const { type, config } = located(declared, []);
  for (const [name, { base64 }] of secrets.files) files[`${key}/${name}`] = base64;
  for (const { path } of readsFiles ? [] : [...secrets.files.values()].slice(0, 1)) {
    if (type === VALUES) error(path, `${VALUES} reads no files`, "name each key in 'items', with a 'secretId'");
    else error(path, `${String(type)} reads no files`);
  }
  return { type, config: withValues(type, config), files: readsFiles ? files : {}, problems };

  function located(object: JsonObject, path: Path): { type: JsonValue; config: JsonObject } {
    const { type: own = null, config: inner } = object;
    const whole = isJsonObject(inner) ? walked(inner, [...path, 'config']) : {};
    if (own === DIRECTORY) return { type: own, config: { ...whole, ...directory(whole, [...path, 'config']) } };
    if (own === FILE) return { type: own, config: { ...whole, ...file(whole, [...path, 'config']) } };
    return { type: own, config: whole };
  }

  /** Objects that are declared in place read the same files. */
  function walked(object: JsonObject, path: Path): JsonObject {
    const result: Record<string, JsonValue> = {};
    for (const [name, member] of Object.entries(object)) setMember(result, name, visited(member, [...path, name]));
    return result;
  }

  function visited(value: JsonValue, path: Path): JsonValue {
    if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item, at) => visited(item, [...path, at]));
    if (!isJsonObject(value)) return value;
    return value['type'] === DIRECTORY || value['type'] === FILE
      ? { ...value, ...located(value, path) }
      : walked(value, path);
  }

  function directory(config: JsonObject, path: Path): JsonObject {
    readsFiles = true;
    const { directory: own } = config;
    if (own !== undefined && own !== '.')
      error([...path, 'directory'], "must be left out: the files come from 'secrets'");
    if ((spec['secrets'] ?? null) === null) error(['secrets'], `is required: ${DIRECTORY} finds its files there`);
    // while a Secret is missing nobody knows which files there would be
    if (secrets.files.size === 0 && secrets.faults.length > 0) files[`${key}/-`] = '';
    return { directory: key };
  }

  function file(config: JsonObject, path: Path): JsonObject {
    readsFiles = true;
    const { file: own } = config;
    if (typeof own !== 'string') return {};
    if (!secrets.files.has(own)) {
      if (secrets.faults.length > 0) files[`${key}/${own}`] = '';
      else error([...path, 'file'], 'must be the name of a file that a Secret of the store provides');
    }
    return { file: `${key}/${own}` };
  }

  function withValues(own: JsonValue, config: JsonObject): JsonObject {
    if (secrets.values.size === 0) return config;
    const values: Record<string, JsonValue> = {};
    const written = config['secrets'];
    for (const [id, value] of Object.entries(isJsonObject(written) ? written : {})) setMember(values, id, value);
    for (const [id, { base64, path }] of secrets.values) {
      if (own !== VALUES) error([...path, 'secretId'], `only a ${VALUES} holds values itself`, "name a 'file' instead");
      else if (Object.hasOwn(values, id))
        error([...path, 'secretId'], `config.secrets has a value for '${id}' already`);
      else setMember(values, id, base64);
    }
    return own === VALUES ? { ...config, secrets: values } : config;
  }
}
