/** Who wrote a document, which decides what it may do. */
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

/** The reach of a tenant: nothing. */
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
