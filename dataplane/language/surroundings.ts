import type { Refusal, Root, Shape } from '../../contract/expression/language.ts';
import type { InstanceDirectories, Reach } from '../../contract/reach.ts';

/** Values that a name leads to, as `env` and `system` are. */
export class NamedValues {
  readonly read: (name: string) => string | undefined;
  readonly names: () => readonly string[];

  constructor(read: (name: string) => string | undefined, names: () => readonly string[]) {
    this.read = read;
    this.names = names;
  }
}

/** They cannot be printed as a whole: environments hold secrets. */
export const namedValuesShape: Shape<NamedValues> = {
  name: '{…}',
  properties: {},
  entries: { get: (values, name) => values.read(name) ?? null, keys: (values) => values.names(), kind: 'text' },
};

/** A file or directory by its path, which is also its text. */
export class FilePath {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }
}

export const filePathShape: Shape<FilePath> = {
  name: 'file',
  properties: {
    path: { get: (file) => file.path, kind: 'text' },
    absolutePath: { get: (file) => file.path, kind: 'text' },
    name: { get: (file) => file.path.slice(file.path.lastIndexOf('/') + 1), kind: 'text' },
  },
  text: (file) => file.path,
};

/** The directories of the instance, as `openig` names them. */
export class Instance {
  readonly directories: InstanceDirectories;

  constructor(directories: InstanceDirectories) {
    this.directories = directories;
  }
}

export const instanceShape: Shape<Instance> = {
  name: 'openig',
  properties: {
    instanceDirectory: { get: ({ directories }) => new FilePath(directories.instance), shape: filePathShape },
    baseDirectory: { get: ({ directories }) => new FilePath(directories.instance), shape: filePathShape },
    configDirectory: { get: ({ directories }) => new FilePath(directories.config), shape: filePathShape },
    tempDirectory: { get: ({ directories }) => new FilePath(directories.temp), shape: filePathShape },
  },
};

/** The roots that reach outside of the document: `env`, `system` and `openig`. */
export function surroundingRoots(reach: Reach): ReadonlyMap<string, Root> {
  const env = new NamedValues(reach.env.bind(reach), reach.envNames.bind(reach));
  const system = new NamedValues(reach.system.bind(reach), reach.systemNames.bind(reach));
  const instance = reach.directories === null ? null : new Instance(reach.directories);
  return new Map<string, Root>([
    ['env', { get: () => env, shape: namedValuesShape }],
    ['system', { get: () => system, shape: namedValuesShape }],
    ['openig', { get: () => instance, shape: instanceShape }],
  ]);
}

/** Why a tenant's document cannot name them. */
export function surroundingRefusals(roots: Iterable<string>): [string, Refusal][] {
  return [...roots].map((name) => [
    name,
    {
      code: 'not-allowed',
      message: `'${name}' reads from the data plane, which only documents of the operator may do`,
    },
  ]);
}
