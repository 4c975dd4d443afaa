import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { arch, homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Programs of others that are built from one Go module file. */
export interface GoModule<Name extends string> {
  /** What the built programs are kept under. */
  readonly name: string;
  /** Folder of `go.mod` and `go.sum`. */
  readonly folder: string;
  /** Import paths by program. */
  readonly programs: Readonly<Record<Name, string>>;
  /** Variables that the linker sets. */
  readonly stamps?: Readonly<Record<string, string>>;
}

/** How long building may take, in milliseconds: minutes on two cores, once per machine. */
const BUILDING = 1_800_000;

/** Where the programs of a module are, built first if they are not there. */
export async function goPrograms<Name extends string>(module: GoModule<Name>): Promise<Record<Name, string>> {
  const folder = cached(module);
  const paths = pathsIn(module, folder);
  if (!areBuilt(module)) await build(module, folder);
  return paths;
}

export function areBuilt(module: GoModule<string>): boolean {
  return Object.values(pathsIn(module, cached(module))).every((path) => existsSync(path));
}

/** Whether there is a Go to build with. */
export async function hasGo(): Promise<boolean> {
  return promisify(execFile)('go', ['version']).then(
    () => true,
    () => false,
  );
}

function pathsIn<Name extends string>({ programs }: GoModule<Name>, folder: string): Record<Name, string> {
  const names = Object.keys(programs) as Name[];
  return Object.fromEntries(names.map((name) => [name, join(folder, name)])) as Record<Name, string>;
}

function cached(module: GoModule<string>): string {
  const hash = createHash('sha256').update(JSON.stringify(module.stamps ?? {}));
  for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(join(module.folder, file)));
  const root = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(root, 'gatewarden', `${module.name}-${arch()}-${hash.digest('hex').slice(0, 16)}`);
}

/** Builds what is missing. Who comes while another process builds waits for it. */
async function build(module: GoModule<string>, folder: string): Promise<void> {
  const names = Object.keys(module.programs).join(', ');
  process.stderr.write(`building ${names} from Go modules: this takes minutes, once on a machine …\n`);
  mkdirSync(folder, { recursive: true });
  const stamps = Object.entries(module.stamps ?? {}).map(([name, value]) => `-X ${name}=${value}`);
  const flags = ['-s -w', ...stamps].join(' ');
  for (const [name, path] of Object.entries(module.programs)) {
    const target = join(folder, name);
    // written under another name first: a build that is cut short leaves nothing that looks complete
    const command = 'test -e "$1" || { go build -trimpath -ldflags "$2" -o "$1.new" "$3" && mv "$1.new" "$1"; }';
    const words = [join(folder, 'lock'), 'sh', '-c', command, 'sh', target, flags, path];
    const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly' };
    await promisify(execFile)('flock', words, { cwd: module.folder, env, timeout: BUILDING, maxBuffer: 1 << 26 });
    process.stderr.write(`built ${name}\n`);
  }
}
