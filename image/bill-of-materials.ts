import { createHash } from 'node:crypto';
import type { Architecture } from './architecture.ts';
import type { TakenPackage } from './base-packages.ts';
import { installedPackage } from './locked-packages.ts';
import type { PinnedNode } from './pinned-node.ts';

/** What an image is made of. */
export interface Materials {
  readonly version: string;
  readonly architecture: Architecture;
  readonly repository: string;
  /** Places of npm packages, such as `node_modules/yaml`. */
  readonly npm: readonly string[];
  readonly debian: readonly TakenPackage[];
  readonly node: PinnedNode;
}

/** The list of everything in the image, as CycloneDX; the same for the same materials. */
export function billOfMaterials(materials: Materials): string {
  const { version, architecture } = materials;
  const own = {
    type: 'application',
    'bom-ref': `gatewarden@${version}`,
    name: 'gatewarden',
    version,
    licenses: [{ license: { id: 'Apache-2.0' } }],
    properties: [{ name: 'architecture', value: architecture }],
  };
  const components = [
    nodeComponent(materials.node),
    ...materials.npm.map((place) => npmComponent(materials.repository, place)),
    ...materials.debian.map(debianComponent),
  ];
  const body = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: own },
    components,
    dependencies: [{ ref: own['bom-ref'], dependsOn: components.map((component) => component['bom-ref']).sort() }],
  };
  const { bomFormat, specVersion, ...rest } = body;
  return `${JSON.stringify({ bomFormat, specVersion, serialNumber: serialNumber(body), ...rest }, null, 2)}\n`;
}

function nodeComponent({ version, integrity }: PinnedNode) {
  const purl = `pkg:generic/node@${version}`;
  return {
    type: 'platform',
    'bom-ref': purl,
    name: 'node',
    version,
    purl,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    hashes: hashes(integrity),
    licenses: [{ license: { id: 'MIT' } }],
    ...(process.versions.node === version ? { components: partsOfNode() } : {}),
  };
}

/** The libraries that Node.js was built with, as it says itself. */
function partsOfNode() {
  const names = Object.keys(process.versions).filter((name) => !['node', 'modules', 'napi'].includes(name));
  return names.sort().map((name) => {
    const version = process.versions[name]!;
    return { type: 'library', 'bom-ref': `node/${name}@${version}`, name, version };
  });
}

function npmComponent(repository: string, place: string) {
  const { version, integrity, license } = installedPackage(repository, place);
  const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type: 'library',
    'bom-ref': `${purl}#${place}`,
    name,
    version,
    purl,
    hashes: hashes(integrity),
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
  };
}

function debianComponent({ name, version, architecture, sha256 }: TakenPackage) {
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}&distro=debian-12`;
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    hashes: [{ alg: 'SHA-256', content: sha256 }],
  };
}

function hashes(integrity: string) {
  return [{ alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') }];
}

/** A UUID that stands for the content. */
function serialNumber(body: object): string {
  const hex = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `urn:uuid:${parts.join('-')}`;
}
