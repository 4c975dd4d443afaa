import { expect, it } from 'vitest';
import { imageArchive, ociImage } from '../../image/oci-image.ts';
import { tarEntries } from './tar-entries.ts';

it('an image is found under its name', async () => {
  const name = 'registry.example:5000/gatewarden:1.0';
  const labels = { name, revision: 'abc', time: 0 };
  const image = await ociImage({ architecture: 'arm64', version: '1.0', bill: '', layers: [] }, labels);
  const [index] = tarEntries(imageArchive([image], labels).bytes).filter(({ path }) => path === 'index.json');
  expect(JSON.parse(String(index?.content))).toMatchObject({
    manifests: [
      {
        platform: { architecture: 'arm64', os: 'linux', variant: 'v8' },
        annotations: { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': '1.0' },
      },
    ],
  });
});

it('images of several architectures are one, under an index', async () => {
  const labels = { name: 'localhost/gatewarden:1.0', revision: undefined, time: 0 };
  const one = { version: '1.0', bill: '', layers: [] } as const;
  const images = [
    await ociImage({ ...one, architecture: 'amd64' }, labels),
    await ociImage({ ...one, architecture: 'arm64' }, labels),
  ];
  const { bytes, digest } = imageArchive(images, labels);
  const files = new Map(tarEntries(bytes).map(({ path, content }) => [path, String(content)]));
  expect(JSON.parse(files.get('index.json')!)).toMatchObject({ manifests: [{ digest }] });
  expect(JSON.parse(files.get(`blobs/${digest.replace(':', '/')}`)!)).toMatchObject({
    manifests: images.map(({ architecture, manifest }) => ({ digest: manifest.digest, platform: { architecture } })),
  });
  expect(files.has('manifest.json')).toBe(false);
});
