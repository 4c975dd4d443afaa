import { Buffer } from 'node:buffer';
import type { Path, Problem } from '../../../contract/problem.ts';
import { CONSENT, CONSENT_LABEL, type SecretContent } from '../../../contract/resources/resource.ts';
import type { SecretStoreSpec } from '../../../contract/resources/secret-store-resource.ts';
import type { ReferenceFault } from './reference-fault.ts';
import type { ResourceState } from './resource-state.ts';

/** Content of the Secrets of a store. Everything in it is secret. */
export interface StoreSecrets {
  /** In base64, by the name of the file. */
  readonly files: ReadonlyMap<string, StoreFile>;
  /** In base64, by the id of the secret. */
  readonly values: ReadonlyMap<string, StoreFile>;
  readonly faults: readonly ReferenceFault[];
  /** What is given twice. Paths begin at the spec. */
  readonly problems: readonly Problem[];
}

export interface StoreFile {
  readonly base64: string;
  /** Where the spec asks for it. */
  readonly path: Path;
}

/** The keys under which a store's Secrets are asked for. */
export function secretKeysOf(namespace: string, { secrets = [] }: SecretStoreSpec): string[] {
  return secrets.map(({ name }) => `${namespace}/${name}`);
}

/** Stands where nothing is known yet, so that the rest of a store can be judged; it never leaves the compiler. */
const UNKNOWN = 'AA==';

/** Reads the Secrets that a store names; what of them is not there is a fault. */
export function storeSecrets(
  namespace: string,
  spec: SecretStoreSpec,
  known: ResourceState['secrets'],
  beyond: ReadonlySet<string>,
): StoreSecrets {
  const files = new Map<string, StoreFile>();
  const values = new Map<string, StoreFile>();
  const faults: ReferenceFault[] = [];
  const problems: Problem[] = [];
  for (const [at, { name, items }] of (spec.secrets ?? []).entries()) {
    const path: Path = ['secrets', at];
    const key = `${namespace}/${name}`;
    const isBeyond = beyond.has(key);
    if (isBeyond) {
      const message = `the Secret ${key} is not read: its namespace names too many Secrets`;
      faults.push({ reason: 'SecretNotFound', path: [...path, 'name'], message });
    }
    const data = isBeyond ? null : readSecret(known.get(key), key, [...path, 'name'], faults);
    for (const [index, item] of (items ?? keysOf(data)).entries()) {
      const place = items === undefined ? path : [...path, 'items', index];
      const content = data?.get(item.key);
      if (data !== null && content === undefined) {
        const message = `there is no key '${item.key}' in the Secret ${key}`;
        faults.push({ reason: 'SecretKeyNotFound', path: [...place, 'key'], message });
      }
      const base64 = content === undefined ? UNKNOWN : Buffer.from(content).toString('base64');
      if (item.secretId !== undefined) put(values, item.secretId, { base64, path: place }, 'secret id');
      else put(files, item.file ?? item.key, { base64, path: place }, 'file');
    }
  }
  return { files, values, faults, problems };

  function put(map: Map<string, StoreFile>, name: string, file: StoreFile, what: string): void {
    const other = map.get(name);
    if (other !== undefined) {
      const message = `defines the ${what} '${name}' a second time`;
      problems.push({ code: 'duplicate-name', severity: 'error', path: file.path, message, others: [other.path] });
    } else map.set(name, file);
  }
}

interface Item {
  readonly key: string;
  readonly file?: string | undefined;
  readonly secretId?: string | undefined;
}

function keysOf(data: SecretContent['data']): Item[] {
  return [...(data?.keys() ?? [])].sort().map((key) => ({ key }));
}

function readSecret(
  secret: SecretContent | null | undefined,
  key: string,
  path: Path,
  faults: ReferenceFault[],
): SecretContent['data'] {
  if (secret === undefined)
    faults.push({ reason: 'Pending', path, message: `the Secret ${key} has not been read yet` });
  else if (secret === null) faults.push({ reason: 'SecretNotFound', path, message: `there is no Secret ${key}` });
  else if (secret.data === null) {
    const message = `the Secret ${key} does not have the label ${CONSENT_LABEL}: ${CONSENT}`;
    faults.push({ reason: 'SecretNotAllowed', path, message });
  }
  return secret?.data ?? null;
}
