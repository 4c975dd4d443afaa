import { Buffer } from 'node:buffer';

/** Author of a document, which decides what the document may use. */
export type Origin = 'operator' | 'tenant';

/** The directories of an instance, as `openig.*` and the built-in tokens name them. */
export interface InstanceDirectories {
  readonly instance: string;
  readonly config: string;
  readonly temp: string;
}

/**
 * What a document may reach outside itself. It is handed in by whoever loads the document and is the only way from the
 * language to the machine: a document of a tenant gets `noReach`, and so does everything that only checks.
 */
export interface Reach {
  readonly origin: Origin;
  /** The value of an environment variable. */
  env(name: string): string | undefined;
  envNames(): readonly string[];
  /** The value of a system property (`-Dname=value`). */
  system(name: string): string | undefined;
  systemNames(): readonly string[];
  /** The content of a file, or null when there is none to read. */
  readFile(path: string): Uint8Array | null;
  /** The names of the files in a directory, or null when there is none to read. */
  listDirectory(path: string): readonly string[] | null;
  /** Null where there is no instance directory to speak of. */
  readonly directories: InstanceDirectories | null;
}

/** The reach of a tenant's document without secret stores: nothing. */
export const noReach: Reach = {
  origin: 'tenant',
  env: () => undefined,
  envNames: () => [],
  system: () => undefined,
  systemNames: () => [],
  readFile: () => null,
  listDirectory: () => null,
  directories: null,
};

/**
 * The reach of a tenant's document: the files of its secret stores, in base64 by path, and nothing else. They are in
 * memory, under paths such as `shop/issuer-keys/signing.pem`; no path leads from there to the machine.
 */
export function tenantReach(files: Readonly<Record<string, string>> = {}): Reach {
  const paths = Object.keys(files);
  if (paths.length === 0) return noReach;
  const decoded = new Map<string, Uint8Array>();
  return {
    ...noReach,
    readFile(path) {
      if (!Object.hasOwn(files, path)) return null;
      const known = decoded.get(path) ?? Buffer.from(files[path]!, 'base64');
      decoded.set(path, known);
      return known;
    },
    listDirectory(path) {
      const names = paths.filter((one) => one.startsWith(`${path}/`)).map((one) => one.slice(path.length + 1));
      const own = names.filter((name) => !name.includes('/'));
      return own.length === 0 ? null : own;
    },
  };
}
