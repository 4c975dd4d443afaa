import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { type TarEntry, tarEntries } from './tar-entries.ts';
import { writeEntries } from './write-entries.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = [
  'cli',
  'console',
  'contract',
  'controller',
  'dataplane',
  'image',
  'platform',
  'LICENSE',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];

interface Descriptor {
  readonly digest: string;
  readonly size: number;
}

interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
  readonly annotations: Readonly<Record<string, string>>;
}

interface Config {
  readonly architecture: string;
  readonly config: { User: string; Entrypoint: string[]; Env: string[]; Labels: Record<string, string> };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

/** The image of this machine's architecture, built from two copies of the checkout in different places. */
export interface BuiltImages {
  /** The copy that the first was built from. */
  readonly checkout: string;
  readonly archive: Buffer;
  /** The second image, without compiled code. */
  readonly uncached: Buffer;
  readonly bill: string;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly manifestDigest: string;
  readonly manifest: Manifest;
  readonly config: Config;
  /** The layers as archives, unpacked from their compression. */
  readonly layers: readonly Buffer[];
  readonly entries: readonly TarEntry[];
  /** A folder with the files of the image. */
  readonly root: string;
  remove(): void;
}

export async function builtImages(): Promise<BuiltImages> {
  const folder = mkdtempSync(join(tmpdir(), 'gatewarden-image-'));
  const first = join(folder, 'first');
  const second = join(folder, 'in/another/place/second');
  checkout(repository, first);
  checkout(first, second);
  const [{ archive, bill }, { archive: uncached }] = await Promise.all([
    build(first),
    build(second, '--no-code-cache'),
  ]);
  const files = new Map(tarEntries(archive).map(({ path, content }) => [path, content]));
  const index = json<{ manifests: [Descriptor] }>(files.get('index.json'));
  const manifest = json<Manifest>(blob(files, index.manifests[0].digest));
  const layers = manifest.layers.map(({ digest }) => gunzipSync(blob(files, digest)));
  const entries = layers.flatMap(tarEntries);
  const root = join(folder, 'root');
  writeEntries(entries, root);
  return {
    checkout: first,
    archive,
    uncached,
    bill,
    files,
    manifestDigest: index.manifests[0].digest,
    manifest,
    config: json<Config>(blob(files, manifest.config.digest)),
    layers,
    entries,
    root,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The content that a digest stands for. */
export function blob(files: ReadonlyMap<string, Buffer>, digest: string): Buffer {
  const found = files.get(`blobs/${digest.replace(':', '/')}`);
  if (found === undefined) throw new Error(`${digest} is not in the archive`);
  return found;
}

function checkout(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of SOURCES) cpSync(join(from, name), join(to, name), { recursive: true });
  symlinkSync(join(repository, 'node_modules'), join(to, 'node_modules'));
}

async function build(
  from: string,
  ...words: readonly string[]
): Promise<{ readonly archive: Buffer; readonly bill: string }> {
  const out = join(from, 'out');
  const { stdout } = await run(process.execPath, [join(from, 'image/build-image.ts'), '--out', out, ...words]);
  const path = stdout.split('  ', 1)[0]!;
  return { archive: readFileSync(path), bill: readFileSync(path.replace(/tar$/, 'sbom.cdx.json'), 'utf8') };
}

function json<T>(bytes: Buffer | undefined): T {
  return JSON.parse(String(bytes)) as T;
}
