import { expect, it } from 'vitest';
import { objectsOf, renderText } from '../support/cluster/chart.ts';

interface Variable {
  readonly name: string;
  readonly value?: string;
}

interface Workload {
  readonly template: { readonly spec: { readonly containers: readonly { readonly env: readonly Variable[] }[] } };
}

async function nodeOptions(values: object): Promise<(string | undefined)[]> {
  const objects = objectsOf(await renderText({ values: [values] }));
  const controller = objects.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.labels?.['app.kubernetes.io/component'] === 'controller',
  );
  const { containers } = (controller!['spec'] as Workload).template.spec;
  return containers.flatMap(({ env }) => env.filter(({ name }) => name === 'NODE_OPTIONS')).map(({ value }) => value);
}

it('a controller has one NODE_OPTIONS: that of its values, else a small space for young objects', async () => {
  expect(await nodeOptions({})).toEqual(['--max-semi-space-size=8']);
  const env = [{ name: 'OTHER', value: 'x' }];
  expect(await nodeOptions({ controller: { env } })).toEqual(['--max-semi-space-size=8']);
  const own = [...env, { name: 'NODE_OPTIONS', value: '--max-old-space-size=800' }];
  expect(await nodeOptions({ controller: { env: own } })).toEqual(['--max-old-space-size=800']);
});
