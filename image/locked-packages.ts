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

/** The same of a package as it is installed. @throws Error when that is another version, of which nothing is locked */
export function installedPackage(repository: string, place: string): LockedPackage {
  const locked = lockedPackage(repository, place);
  const text = readFileSync(join(repository, place, 'package.json'), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  if (version === locked.version) return locked;
  throw new Error(`${place} is installed as ${version}, and package-lock.json locks ${locked.version}: run npm ci`);
}
