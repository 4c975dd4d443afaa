import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the lockfile says about a package. */
export interface LockedPackage {
  readonly version: string;
  /** The hash of its archive, such as `sha512-…`. */
  readonly integrity: string;
  readonly license: string | undefined;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, { version?: string; integrity?: string; license?: string }>>;
}

/** @param place where npm puts it, such as `node_modules/yaml` */
export function lockedPackage(repository: string, place: string): LockedPackage {
  const lock = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as Lockfile;
  const { version, integrity, license } = lock.packages[place] ?? {};
  if (version === undefined || integrity === undefined) throw new Error(`package-lock.json does not lock ${place}`);
  return { version, integrity, license };
}
