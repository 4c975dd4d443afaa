import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Architecture } from './architecture.ts';
import { ENTRY_POINT, type ImageContent } from './image-content.ts';
import { type ImageEntry, textFile, withFolders } from './image-entry.ts';
import { ENVIRONMENT, USER } from './system-files.ts';
import { tarArchive } from './tar-archive.ts';

const compress = promisify(gzip);

/** One level for all, so that the same content has the same digest. */
const LEVEL = 6;

const INDEX = 'application/vnd.oci.image.index.v1+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG = 'application/vnd.oci.image.config.v1+json';
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';

/** What an image is called and what is said about it. */
export interface ImageLabels {
  /** With its registry, such as `localhost/gatewarden:1.0.0`: engines complete other names each in their own way. */
  readonly name: string;
  /** The commit that it was built from, if that was told. */
  readonly revision: string | undefined;
  /** The time of all files and of the image, in seconds since 1970. */
  readonly time: number;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** The image of one architecture. */
export interface OciImage {
  readonly architecture: Architecture;
  readonly manifest: Descriptor;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

export async function ociImage(content: ImageContent, labels: ImageLabels): Promise<OciImage> {
  const blobs = new Map<string, Uint8Array>();
  const archives = content.layers.map(({ entries }) => tarArchive(entries, labels.time));
  const packed = await Promise.all(archives.map((archive) => compress(archive, { level: LEVEL })));
  const layers = packed.map((bytes) => add(LAYER, bytes));
  const about = annotations(content.version, labels);
  const created = new Date(labels.time * 1000).toISOString();
  const config = add(CONFIG, {
    created,
    ...platform(content.architecture),
    config: {
      User: `${USER}:${USER}`,
      Env: Object.entries(ENVIRONMENT).map(([name, value]) => `${name}=${value}`),
      Entrypoint: [`/${ENTRY_POINT}`],
      WorkingDir: '/',
      Labels: about,
    },
    rootfs: { type: 'layers', diff_ids: archives.map(digestOf) },
    history: content.layers.map(({ title }) => ({ created, created_by: 'make image', comment: title })),
  });
  const manifest = add(MANIFEST, { schemaVersion: 2, mediaType: MANIFEST, config, layers, annotations: about });
  return { architecture: content.architecture, manifest, config, layers, blobs };

  function add(mediaType: string, body: Uint8Array | object): Descriptor {
    const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
    const digest = digestOf(bytes);
    blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length };
  }
}

/** A file that container engines load: an OCI layout in a tar archive. */
export interface ImageArchive {
  readonly bytes: Buffer;
  /** The digest of the manifest, or of the index of several. */
  readonly digest: string;
}

/** Packs the images of a name, one for each architecture. A single one can be read by old versions of Docker too. */
export function imageArchive(images: readonly OciImage[], labels: ImageLabels): ImageArchive {
  const blobs = new Map(images.flatMap((image) => [...image.blobs]));
  const listed = images.map((image) => ({ ...image.manifest, platform: platform(image.architecture) }));
  const [only] = listed;
  const top = listed.length === 1 && only !== undefined ? only : indexOf(listed);
  const naming = {
    'io.containerd.image.name': labels.name,
    'org.opencontainers.image.ref.name': labels.name.slice(labels.name.lastIndexOf(':') + 1),
  };
  const index = { schemaVersion: 2, mediaType: INDEX, manifests: [{ ...top, annotations: naming }] };
  const entries: readonly ImageEntry[] = [
    ...[...blobs].map(
      ([digest, content]): ImageEntry => ({ kind: 'file', path: blobPath(digest), mode: 0o644, content }),
    ),
    textFile('index.json', JSON.stringify(index)),
    textFile('oci-layout', JSON.stringify({ imageLayoutVersion: '1.0.0' })),
    ...(images.length === 1 ? [textFile('manifest.json', JSON.stringify(images.map(dockerManifest)))] : []),
  ];
  return { bytes: tarArchive(withFolders(entries), labels.time), digest: top.digest };

  function indexOf(manifests: readonly object[]): Descriptor {
    const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests }));
    const digest = digestOf(bytes);
    blobs.set(digest, bytes);
    return { mediaType: INDEX, digest, size: bytes.length };
  }

  function dockerManifest({ config, layers }: OciImage) {
    return {
      Config: blobPath(config.digest),
      RepoTags: [labels.name],
      Layers: layers.map(({ digest }) => blobPath(digest)),
    };
  }
}

function annotations(version: string, { revision }: ImageLabels) {
  return {
    'org.opencontainers.image.title': 'gatewarden',
    'org.opencontainers.image.description': 'An identity-aware gateway: controller and data plane',
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': 'Apache-2.0',
    ...(revision === undefined ? {} : { 'org.opencontainers.image.revision': revision }),
  };
}

function platform(architecture: Architecture) {
  return { architecture, os: 'linux', ...(architecture === 'arm64' ? { variant: 'v8' } : {}) };
}

function blobPath(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`;
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
