import { readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import type { InstanceDirectories, Reach } from '../../contract/reach.ts';

/** The largest file that documents may read from. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Resources that an operator's documents may use, as data that can be sent to another thread. */
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
    system: (name) => (Object.hasOwn(system, name) ? system[name] : javaProperty(name)),
    systemNames: () => Object.keys(system),
    readFile: (path) => orNull(() => (isReadable(path) ? readFileSync(path) : null)),
    listDirectory: (path) => orNull(() => readdirSync(path)),
    directories,
  };
}

/**
 * The system properties that configurations for OpenIG count on because Java always has them. Those that
 * tell of a virtual machine have no value: there is none.
 */
const javaProperties: Readonly<Record<string, () => string>> = {
  'file.separator': () => '/',
  'java.io.tmpdir': () => '/tmp',
  'line.separator': () => '\n',
  'path.separator': () => ':',
  'user.dir': () => process.cwd(),
  'user.home': () => homedir(),
  'user.name': () => userInfo().username,
};

/** Undefined also where the machine cannot say, such as the name of a user that is only a number. */
function javaProperty(name: string): string | undefined {
  if (!Object.hasOwn(javaProperties, name)) return undefined;
  return orNull(() => javaProperties[name]!()) ?? undefined;
}

/** Pipes and devices would be waited for, or read, without an end. */
function isReadable(path: string): boolean {
  const stat = statSync(path);
  return stat.isFile() && stat.size <= MOST_BYTES;
}

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
