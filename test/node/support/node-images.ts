import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ownArchitecture } from '../../../image/architecture.ts';
import { type ImageEntry, textFile, withFolders } from '../../../image/image-entry.ts';
import { tarArchive } from '../../../image/tar-archive.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** Builds the image of this checkout as people do. */
export async function builtImage(): Promise<{ readonly name: string; readonly path: string }> {
  const { stdout } = await promisify(execFile)('make', ['--no-print-directory', 'image', 'ARGS='], { cwd: repository });
  const [path, name] = stdout.split('\n', 1)[0]!.split(/ +/);
  if (path === undefined || name === undefined) throw new Error(`make image says ${stdout}`);
  return { name, path: join(repository, path) };
}

/** Writes an image that holds one program without libraries, as an archive. */
export async function programImage(name: string, program: string, path: string, user: string): Promise<void> {
  const blobs: ImageEntry[] = [];
  const add = (mediaType: string, content: Buffer): { mediaType: string; digest: string; size: number } => {
    const digest = createHash('sha256').update(content).digest('hex');
    blobs.push({ kind: 'file', path: `blobs/sha256/${digest}`, mode: 0o644, content });
    return { mediaType, digest: `sha256:${digest}`, size: content.length };
  };
  const text = (value: object): Buffer => Buffer.from(JSON.stringify(value));
  const own = basename(program);
  const content = readFileSync(program);
  const layer = add(
    'application/vnd.oci.image.layer.v1.tar',
    tarArchive([{ kind: 'file', path: own, mode: 0o755, content }], 0),
  );
  const config = add(
    'application/vnd.oci.image.config.v1+json',
    text({
      architecture: ownArchitecture(),
      os: 'linux',
      config: { Entrypoint: [`/${own}`], User: user },
      rootfs: { type: 'layers', diff_ids: [layer.digest] },
    }),
  );
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = add(mediaType, text({ schemaVersion: 2, mediaType, config, layers: [layer] }));
  const named = { ...manifest, annotations: { 'io.containerd.image.name': name } };
  const index = textFile('index.json', JSON.stringify({ schemaVersion: 2, manifests: [named] }));
  const layout = textFile('oci-layout', JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  writeFileSync(path, tarArchive(withFolders([...blobs, index, layout]), 0));
}
