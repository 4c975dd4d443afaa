import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Architecture, ownArchitecture } from './architecture.ts';
import { basePackages } from './base-packages.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { codeCache } from './code-cache.ts';
import { type ImageEntry, textFile, withFolders } from './image-entry.ts';
import { packageLicences } from './package-licences.ts';
import { type PinnedNode, pinnedNode } from './pinned-node.ts';
import type { ProgramBundle } from './program-bundle.ts';
import { systemFiles } from './system-files.ts';

/** A part of the image that changes for its own reasons, so that the others need not be fetched again with it. */
export interface ContentLayer {
  readonly title: string;
  readonly entries: readonly ImageEntry[];
}

/** Everything that is in the image of one architecture. */
export interface ImageContent {
  readonly architecture: Architecture;
  readonly version: string;
  readonly layers: readonly ContentLayer[];
  readonly bill: string;
}

const PROGRAM = 'usr/lib/gatewarden';

/** What `gatewarden` is in the image; the kernel starts it, for there is no shell. */
export const ENTRY_POINT = 'usr/local/bin/gatewarden';
/** The flag of Node.js in the image: a start fills its first memory several times otherwise, and each time collects it. */
export const NODE_FLAG = '--min-semi-space-size=8';
const SHEBANG = `#!/usr/local/bin/node ${NODE_FLAG}\n`;

/** The version that package.json names. */
export function programVersion(repository: string): string {
  return (JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string }).version;
}

/**
 * Puts together what the image of an architecture holds.
 * @param isCached whether compiled code is in it, which only a machine of that architecture can make
 */
export async function imageContent(
  repository: string,
  bundle: ProgramBundle,
  architecture: Architecture,
  isCached = architecture === ownArchitecture(),
): Promise<ImageContent> {
  const version = programVersion(repository);
  const base = await basePackages(architecture);
  const node = await pinnedNode(repository, architecture);
  const cache = isCached ? await codeCache(bundle, programOf(node)) : [];
  const bill = billOfMaterials({
    version,
    architecture,
    repository,
    npm: bundle.packages,
    debian: base.packages,
    node,
  });
  const manifest = { name: 'gatewarden', version, license: 'Apache-2.0', type: 'commonjs' };
  const program: readonly ImageEntry[] = [
    textFile(`${PROGRAM}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`),
    ...bundle.files.map(programFile),
    ...bundle.data.map(dataFile),
    { kind: 'link', path: ENTRY_POINT, target: '../../lib/gatewarden/code/main.js' },
    ...packageLicences(repository, bundle.packages),
    textFile('usr/share/gatewarden/sbom.cdx.json', bill),
  ];
  return {
    architecture,
    version,
    bill,
    layers: [
      { title: 'libraries and authorities of Debian', entries: withFolders([...systemFiles(), ...base.entries]) },
      { title: `Node.js ${node.version}`, entries: withFolders(node.entries) },
      { title: `gatewarden ${version}`, entries: withFolders(program) },
      // Its own layer, because it is another one at each build.
      ...(isCached ? [{ title: 'compiled code', entries: withFolders(cache.map(dataFile)) }] : []),
    ],
  };
}

function programOf({ entries }: PinnedNode): Uint8Array {
  const program = entries.find(({ path }) => path === 'usr/local/bin/node');
  if (program?.kind !== 'file') throw new Error('the pinned Node.js has no program');
  return program.content;
}

function dataFile({ name, content }: ProgramBundle['data'][number]): ImageEntry {
  return { kind: 'file', path: `${PROGRAM}/code/${name}`, mode: 0o644, content };
}

function programFile({ name, code }: ProgramBundle['files'][number]): ImageEntry {
  const path = `${PROGRAM}/code/${name}`;
  if (name !== 'main.js') return textFile(path, code);
  return { kind: 'file', path, mode: 0o755, content: Buffer.from(SHEBANG + code) };
}
