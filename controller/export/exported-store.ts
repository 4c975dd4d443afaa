import { Buffer } from 'node:buffer';
import { basename, join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue, setMember } from '../../contract/document/json-value.ts';
import type { Reach } from '../../contract/reach.ts';

/** A declaration of a store: as it is written, and with its tokens replaced. */
export interface StoreSource {
  readonly written: JsonObject;
  readonly resolved: JsonObject;
  /** Finds another store by the name that this one may use for it. */
  readonly other: (name: string) => StoreSource | null;
}

/** Parts of a SecretStore and its Secret. */
export interface ExportedStore {
  /** The spec without the name of the Secret, which `items` are keys of. */
  readonly type: JsonValue;
  readonly config: JsonObject;
  readonly items: readonly JsonObject[];
  /** What the Secret holds, by key; null for what could not be read. They are secret. */
  readonly data: ReadonlyMap<string, Uint8Array | null>;
  /** Names of files that no Secret can hold, and of those that another file of the same name hides. */
  readonly left: readonly string[];
}

/** The types whose contents can be those of a Secret. */
export const storeTypes: ReadonlySet<unknown> = new Set([
  'FileSystemSecretStore',
  'KeyStoreSecretStore',
  'Base64EncodedSecretStore',
]);

/** Takes files and values out of a store, so that a Secret can provide them. */
export function exportedStore(source: StoreSource, reach: Pick<Reach, 'readFile' | 'listDirectory'>): ExportedStore {
  const items = new Map<string, JsonObject>();
  const data = new Map<string, Uint8Array | null>();
  const left: string[] = [];
  const { type, config } = moved(source);
  return { type, config, items: [...items.values()], data, left };

  function moved({ written, resolved, other }: StoreSource): { type: JsonValue; config: JsonObject } {
    const { type = null } = written;
    const config = isJsonObject(written['config']) ? written['config'] : {};
    const known = isJsonObject(resolved['config']) ? resolved['config'] : {};
    if (type === 'FileSystemSecretStore') return { type, config: withoutDirectory(config, known) };
    if (type === 'KeyStoreSecretStore') return { type, config: withFileName(config, known, other) };
    return { type, config: withoutValues(config) };
  }

  function withoutDirectory({ directory: _, ...rest }: JsonObject, { directory }: JsonObject): JsonObject {
    const path = typeof directory === 'string' ? directory : '';
    for (const name of reach.listDirectory(path)?.toSorted() ?? []) {
      const content = reach.readFile(join(path, name));
      if (content !== null) add(name, content, {});
    }
    return rest;
  }

  function withFileName(config: JsonObject, known: JsonObject, other: StoreSource['other']): JsonObject {
    const { file } = known;
    const { secretsProvider } = config;
    const path = typeof file === 'string' ? file : '';
    const name = basename(path);
    add(name, reach.readFile(path), {});
    const provider = providerOf(secretsProvider, known['secretsProvider'], other);
    return { ...config, file: name, ...(provider === null ? {} : { secretsProvider: moved(provider) }) };
  }

  /** The store that a keystore's passwords are in, when it can be part of the same resource. */
  function providerOf(
    written: JsonValue | undefined,
    resolved: JsonValue | undefined,
    other: StoreSource['other'],
  ): StoreSource | null {
    if (typeof resolved === 'string') {
      const found = other(resolved);
      return found !== null && found.written['type'] === 'FileSystemSecretStore' ? found : null;
    }
    const isFiles = isJsonObject(written) && written['type'] === 'FileSystemSecretStore';
    return isFiles && isJsonObject(resolved) ? { written, resolved, other } : null;
  }

  /** Values that are written out go into the Secret; what only names a value stays. */
  function withoutValues({ secrets, ...rest }: JsonObject): JsonObject {
    const left: Record<string, JsonValue> = {};
    for (const [id, value] of Object.entries(isJsonObject(secrets) ? secrets : {})) {
      if (typeof value === 'string' && !/[&$#]\{/.test(value)) add(id, Buffer.from(value, 'base64'), { secretId: id });
      else setMember(left, id, value);
    }
    return Object.keys(left).length === 0 ? rest : { ...rest, secrets: left };
  }

  function add(name: string, content: Uint8Array | null, more: JsonObject): void {
    const key = name.replace(/[^-._a-zA-Z0-9]/g, '_');
    const isValue = more['secretId'] !== undefined;
    const known = data.get(key);
    if (known !== undefined && known !== null && content !== null && Buffer.compare(known, content) === 0 && !isValue)
      return;
    if (key === '' || items.has(key) || (key !== name && !isValue)) left.push(name);
    else {
      items.set(key, { key, ...more });
      data.set(key, content);
    }
  }
}
