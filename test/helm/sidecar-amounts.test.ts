import { expect, it } from 'vitest';
import { readSidecarSettings } from '../../controller/injection/sidecar-settings.ts';
import { objectsOf, renderText } from '../support/cluster/chart.ts';

it.each<[written: string | number, read: string]>([
  ['64Mi', '64Mi'],
  [268_435_456, '268435456'],
  [0.5, '0.5'],
])('an amount of sidecars that is written as %j is one for controllers', async (written, read) => {
  const resources = { limits: { cpu: written, memory: written } };
  const sidecars = { enabled: true, namespaces: ['shop'], temporaryStorage: written, resources };
  const objects = objectsOf(await renderText({ values: [{ sidecars }] }));
  const { data } = objects.find(({ metadata }) => metadata.name === 'gatewarden-sidecar')!;
  const { 'sidecar.json': text } = data as { 'sidecar.json': string };
  const settings = readSidecarSettings(text, 'sidecar.json');
  expect([settings.temporaryStorage, settings.resources.limits]).toEqual([read, { cpu: read, memory: read }]);
});
