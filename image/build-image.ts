/** `npm run image`: builds the image of the program, without a container engine. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ARCHITECTURES, type Architecture, ownArchitecture } from './architecture.ts';
import { type ImageContent, imageContent, programVersion } from './image-content.ts';
import { type ImageLabels, imageArchive, type OciImage, ociImage } from './oci-image.ts';
import { programBundle } from './program-bundle.ts';
import { updateBasePackages } from './update-base-packages.ts';
import { writeRootfs } from './write-rootfs.ts';

const USAGE = `usage: npm run image -- [OPTION…]
  --arch amd64|arm64|all  which architecture; by default that of this machine
  --out DIR               where the archive goes (out)
  --name NAME:TAG         what the image is called, with its registry (localhost/gatewarden:VERSION)
  --revision COMMIT       the commit that is built, for the labels of the image
  --rootfs DIR            write the files of the image into this folder, in place of an archive
  --update-base           lock the newest packages that apt offers in image/base-packages.json
  --no-code-cache         leave out the compiled code, which makes a start faster; images for another architecture
                          than that of this machine never have it
SOURCE_DATE_EPOCH is the time of all files, 0 by default. The same checkout gives the same layers, apart from the compiled
code; without it, the same digest.
`;

const repository = resolve(fileURLToPath(new URL('..', import.meta.url)));

process.exitCode = await build(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`image: ${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});

async function build(words: string[]): Promise<number> {
  const { values } = parseArgs({
    args: words,
    options: {
      arch: { type: 'string' },
      out: { type: 'string', default: join(repository, 'out') },
      name: { type: 'string', default: `localhost/gatewarden:${programVersion(repository)}` },
      revision: { type: 'string' },
      rootfs: { type: 'string' },
      'update-base': { type: 'boolean', default: false },
      'no-code-cache': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (values['update-base']) {
    await updateBasePackages();
    return 0;
  }
  const architectures = readArchitectures(values.arch);
  const [first] = architectures;
  const bundle = await programBundle(repository);
  if (values.rootfs !== undefined) {
    if (first === undefined || architectures.length > 1) throw new Error('--rootfs is for one architecture');
    writeRootfs(await contentFor(first), resolve(values.rootfs));
    return 0;
  }
  const labels: ImageLabels = { name: readName(values.name), revision: values.revision, time: readTime() };
  const contents: ImageContent[] = [];
  for (const architecture of architectures) contents.push(await contentFor(architecture));
  const images: OciImage[] = [];
  for (const content of contents) images.push(await ociImage(content, labels));
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  for (const { architecture, bill } of contents) write(join(out, `${title(architecture)}.sbom.cdx.json`), bill);
  const { bytes, digest } = imageArchive(images, labels);
  const path = join(out, `${title(images.length === 1 ? first : undefined)}.tar`);
  write(path, bytes);
  process.stdout.write(`${shown(path)}  ${labels.name}  ${digest}\n`);
  for (const image of images) process.stdout.write(`  ${image.architecture}: ${sizes(image)}\n`);
  return 0;

  function contentFor(architecture: Architecture): Promise<ImageContent> {
    const isCached = !values['no-code-cache'] && architecture === ownArchitecture();
    return imageContent(repository, bundle, architecture, isCached);
  }
}

function readArchitectures(text: string | undefined): readonly Architecture[] {
  if (text === undefined) return [ownArchitecture()];
  if (text === 'all') return ARCHITECTURES;
  const found = ARCHITECTURES.find((architecture) => architecture === text);
  if (found === undefined) throw new Error(`--arch is ${ARCHITECTURES.join(', ')} or all, not '${text}'`);
  return [found];
}

function readName(text: string): string {
  const named = /^(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::\d+)?(?:\/[a-z0-9][a-z0-9._-]*)+:\w[\w.-]{0,127}$/;
  if (named.test(text)) return text;
  throw new Error(
    `--name is a registry, a name in lower case and a tag, such as localhost/gatewarden:1.0, not '${text}'`,
  );
}

function readTime(): number {
  const text = process.env['SOURCE_DATE_EPOCH'] || '0';
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new Error(`SOURCE_DATE_EPOCH is a number of seconds, not '${text}'`);
}

function title(architecture: Architecture | undefined): string {
  return ['gatewarden', programVersion(repository), ...(architecture === undefined ? [] : [architecture])].join('-');
}

function sizes({ layers }: OciImage): string {
  const megabytes = (size: number): string => `${(size / 1e6).toFixed(1)} MB`;
  const total = layers.reduce((sum, { size }) => sum + size, 0);
  return `${megabytes(total)} compressed (${layers.map(({ size }) => megabytes(size)).join(' + ')})`;
}

function shown(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}

function write(path: string, content: string | Uint8Array): void {
  writeFileSync(path, content);
}
