import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** Where the parts of an instance are. */
export interface InstanceLayout {
  readonly instance: string;
  /** The directory of `admin.json`, `config.json` and `routes`. */
  readonly config: string;
}

/**
 * Finds the parts of an instance from its directory or from its configuration directory.
 * @throws Error when there is no such directory.
 */
export function instanceLayout(path: string): InstanceLayout {
  const given = resolve(path);
  if (!existsSync(given)) throw new Error(`there is no directory ${path}`);
  if (!statSync(given).isDirectory()) throw new Error(`${path} is not a directory`);
  if (existsSync(join(given, 'config'))) return { instance: given, config: join(given, 'config') };
  const isConfig = ['config.json', 'admin.json', 'routes'].some((name) => existsSync(join(given, name)));
  if (!isConfig) return { instance: given, config: join(given, 'config') };
  return { instance: basename(given) === 'config' ? dirname(given) : given, config: given };
}

/** The instance that a route file lies in, or null: the nearest directory above it with a `config.json`. */
export function instanceAround(file: string): InstanceLayout | null {
  let here = dirname(resolve(file));
  for (;;) {
    if (existsSync(join(here, 'config.json'))) return instanceLayout(here);
    if (existsSync(join(here, 'config', 'config.json'))) return instanceLayout(here);
    const above = dirname(here);
    if (above === here) return null;
    here = above;
  }
}
