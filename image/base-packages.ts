import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, matchesGlob } from 'node:path';
import type { Architecture } from './architecture.ts';
import { downloaded, output } from './downloads.ts';
import { type ImageEntry, textFile } from './image-entry.ts';

/** A Debian package of which the image takes some files. */
interface BasePackage {
  readonly takes: readonly string[];
  readonly locked: Readonly<Record<Architecture, { readonly version: string; readonly sha256: string }>>;
}

/** The content of `base-packages.json`: packages by name. */
export type BasePackages = Readonly<Record<string, BasePackage>>;

/** A Debian package as it is in an image. */
export interface TakenPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: Architecture;
  readonly sha256: string;
}

export interface Base {
  readonly packages: readonly TakenPackage[];
  readonly entries: readonly ImageEntry[];
}

const LOCK = new URL('./base-packages.json', import.meta.url);

export function readBasePackages(): BasePackages {
  return JSON.parse(readFileSync(LOCK, 'utf8')) as BasePackages;
}

/** What the image takes from the locked packages: the libraries of Node.js, and whose they are. */
export async function basePackages(architecture: Architecture): Promise<Base> {
  const packages: TakenPackage[] = [];
  const entries: ImageEntry[] = [];
  for (const [name, { takes, locked }] of Object.entries(readBasePackages())) {
    const { version, sha256 } = locked[architecture];
    const path = await debianPackage({ name, version, architecture, sha256 });
    packages.push({ name, version, architecture, sha256 });
    entries.push(...(await takenFrom(path, name, takes)));
    // where tools that look for known weaknesses expect it in an image without a package manager
    entries.push(textFile(`var/lib/dpkg/status.d/${name}`, await output('dpkg-deb', ['--field', path])));
  }
  return { packages, entries };
}

/** Asks apt for a package as it is offered now. @returns the path of what came */
export async function aptDownload(spec: string, architecture: Architecture, folder: string): Promise<string> {
  await output('apt-get', [...(await aptState(architecture)), 'download', spec], folder);
  return join(folder, readdirSync(folder).find((file) => file.endsWith('.deb')) ?? '');
}

function debianPackage({ name, version, architecture, sha256 }: TakenPackage): Promise<string> {
  return downloaded({
    title: `Debian's ${name} ${version} for ${architecture}`,
    file: `${name}_${version.replace(':', '%3a')}_${architecture}.deb`,
    algorithm: 'sha256',
    hash: Buffer.from(sha256, 'hex').toString('base64'),
    fetch: async (folder) => void (await aptDownload(`${name}=${version}`, architecture, folder)),
  });
}

const prepared = new Map<Architecture, Promise<readonly string[]>>();

/** Options by which apt knows the packages of an architecture, with this machine's sources and without its state. */
function aptState(architecture: Architecture): Promise<readonly string[]> {
  const known = prepared.get(architecture);
  if (known !== undefined) return known;
  const preparing = prepare();
  prepared.set(architecture, preparing);
  return preparing;

  async function prepare(): Promise<readonly string[]> {
    const folder = mkdtempSync(join(tmpdir(), 'gatewarden-apt-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, 'lists/partial'), { recursive: true });
    mkdirSync(join(folder, 'archives/partial'), { recursive: true });
    const settings = {
      'APT::Architecture': architecture,
      'APT::Architectures': architecture,
      'APT::Sandbox::User': 'root', // the folder need not be open to the user that apt would become
      'Dir::State': folder,
      'Dir::State::status': '/dev/null',
      'Dir::Cache': folder,
    };
    const options = ['--quiet', ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])];
    await output('apt-get', [...options, 'update']);
    return options;
  }
}

/** The files of a package that match one of the patterns. @throws Error when a pattern matches nothing */
async function takenFrom(path: string, name: string, takes: readonly string[]): Promise<readonly ImageEntry[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gatewarden-package-'));
  try {
    await output('dpkg-deb', ['--extract', path, folder]);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => !isFolder(file));
    const useless = takes.filter((pattern) => !files.some((file) => matchesGlob(file, pattern)));
    if (useless.length > 0) throw new Error(`Debian's ${name} has nothing like ${useless.join(', ')}`);
    return files.filter((file) => takes.some((pattern) => matchesGlob(file, pattern))).map(entryOf);
  } finally {
    rmSync(folder, { recursive: true });
  }

  function isFolder(file: string): boolean {
    return lstatSync(join(folder, file)).isDirectory();
  }

  function entryOf(file: string): ImageEntry {
    const from = join(folder, file);
    const state = lstatSync(from);
    if (state.isSymbolicLink()) return { kind: 'link', path: file, target: readlinkSync(from) };
    return { kind: 'file', path: file, mode: state.mode & 0o111 ? 0o755 : 0o644, content: readFileSync(from) };
  }
}
