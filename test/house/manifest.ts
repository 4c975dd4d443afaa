import { isBuiltin } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import { importsOf } from './imports/imports.ts';
import { isTypeScriptIn, programFolders, type SourceFile } from './source-file.ts';

type Versions = Readonly<Record<string, string>>;

/** The part of package.json that the rules read. */
export interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly engines?: Versions;
  readonly bin?: Versions;
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly optionalDependencies?: Versions;
}

/** The part of package-lock.json that the rules read. */
export interface Lockfile {
  readonly packages: Readonly<
    Record<string, Manifest & { readonly resolved?: string; readonly hasInstallScript?: true }>
  >;
}

const mirrored = ['name', 'version', 'license', 'engines', 'bin'] as const;
const groups = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;
const architectures = ['x64', 'arm64'];

/** Dependencies that are not pinned to one version, and pinned Node.js packages that differ or are missing. */
export function pinBreaches(manifest: Manifest): string[] {
  const pins = groups.flatMap((group) => Object.entries(manifest[group] ?? {}));
  const loose = pins.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version));
  const node = architectures.map((architecture) => manifest.optionalDependencies?.[`node-linux-${architecture}`]);
  return [
    ...loose.map(([name, version]) => `package.json: ${name} is '${version}', not one exact version`),
    ...(node[0] !== undefined && node.every((version) => version === node[0])
      ? []
      : [`package.json: node-linux-${architectures.join(' and node-linux-')} must be there in the same version`]),
  ];
}

/** Packages whose script only prints advice; .npmrc keeps it from running. */
const unscripted: ReadonlySet<string> = new Set(['node_modules/protobufjs']);

/** Differences between package.json and package-lock.json, and what would make an install depend on one machine. */
export function lockBreaches(manifest: Manifest, lock: Lockfile): string[] {
  const root = lock.packages[''] ?? {};
  const locked = Object.entries(lock.packages);
  return [
    ...[...mirrored, ...groups]
      .filter((key) => !isDeepStrictEqual(manifest[key], root[key]))
      .map((key) => `package-lock.json: '${key}' differs from package.json`),
    ...groups
      .flatMap((group) => Object.entries(manifest[group] ?? {}))
      .filter(([name, version]) => lock.packages[`node_modules/${name}`]?.version !== version)
      .map(([name, version]) => `package-lock.json: ${name} is not locked at ${version}`),
    // npm leaves out what its registry does not have for other platforms, and then `npm ci` fails on the result.
    ...locked.flatMap(([path, entry]) =>
      Object.keys(entry.optionalDependencies ?? {})
        .filter((name) => !isLocked(lock, path, name))
        .map((name) => `package-lock.json: ${name}, an option of ${path}, is missing`),
    ),
    ...locked
      .filter(([, entry]) => entry.resolved !== undefined)
      .map(([path]) => `package-lock.json: ${path} names the place it was downloaded from`),
    ...locked
      .filter(([path, entry]) => entry.hasInstallScript === true && !unscripted.has(path))
      .map(([path]) => `package-lock.json: ${path} runs a script when it is installed`),
  ];
}

function isLocked(lock: Lockfile, path: string, name: string): boolean {
  return [`node_modules/${name}`, `${path}/node_modules/${name}`].some((place) => Object.hasOwn(lock.packages, place));
}

/** Packages that the program imports without depending on them at run time. */
export function undeclaredBreaches(files: readonly SourceFile[], manifest: Manifest): string[] {
  return files
    .filter((file) => isTypeScriptIn(file, programFolders))
    .flatMap((file) =>
      importsOf(file)
        .filter(({ specifier, target }) => target === undefined && !isBuiltin(specifier))
        .map(({ specifier }) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)![0])
        .filter((name) => manifest.dependencies?.[name] === undefined)
        .map((name) => `${file.path}: imports ${name}, which is not among the dependencies`),
    );
}
