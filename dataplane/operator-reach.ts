import { readdirSync, readFileSync } from 'node:fs';
import type { InstanceDirectories, Reach } from '../contract/reach.ts';

/** What an operator's documents may reach, as data that can be handed to another thread. */
export interface OperatorReach {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly system: Readonly<Record<string, string>>;
  readonly directories: InstanceDirectories;
}

/** The reach of an operator: the environment, the properties given at the start, and the files of this machine. */
export function operatorReach({ env, system, directories }: OperatorReach): Reach {
  return {
    origin: 'operator',
    env: (name) => (Object.hasOwn(env, name) ? env[name] : undefined),
    envNames: () => Object.keys(env),
    system: (name) => (Object.hasOwn(system, name) ? system[name] : undefined),
    systemNames: () => Object.keys(system),
    readFile: (path) => orNull(() => readFileSync(path)),
    listDirectory: (path) => orNull(() => readdirSync(path)),
    directories,
  };
}

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
