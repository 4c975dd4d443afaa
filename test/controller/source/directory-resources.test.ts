import { afterEach, expect, it, vi } from 'vitest';
import { DirectorySource } from '../../../controller/source/directory-source.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

function sourceOf(content: Record<string, unknown>): { source: DirectorySource; folder: InstanceFolder } {
  const folder = new InstanceFolder(content);
  const source = new DirectorySource({ config: folder.at('config'), watch: true, changed: () => {} });
  source.follow(new Map());
  closing.push(
    () => source.close(),
    () => folder[Symbol.dispose](),
  );
  return { source, folder };
}

const route = (handler: string): string =>
  `apiVersion: gatewarden.io/v1alpha1\nkind: Route\nmetadata: { name: a, namespace: shop }\nspec: { handler: ${handler} }\n`;

it('an instance without resources and trust.json has a state without them', () => {
  const { source } = sourceOf({ 'config/config.json': {} });
  expect(source.state).not.toHaveProperty('resources');
});

it('resources and trust.json are part of the state, the same while they do not change', () => {
  const { source } = sourceOf({ 'config/resources/a.yaml': route('x'), 'config/trust.json': { tenants: [] } });
  const { resources } = source.state;
  expect([...resources!.routes.keys()]).toEqual(['shop/a']);
  expect(resources!.trust!.path).toMatch(/config\/trust\.json$/);
  expect(source.state.resources).toBe(resources);
});

it('a change of a manifest is a later generation of its resource', async () => {
  const { source, folder } = sourceOf({ 'config/resources/a.yaml': route('x') });
  expect(source.state.resources!.routes.get('shop/a')).toMatchObject({ generation: 1 });
  folder.replace('config/resources/a.yaml', route('y'));
  await vi.waitFor(
    () => {
      const found = source.state.resources!.routes.get('shop/a');
      expect(found).toMatchObject({ generation: 2, spec: { handler: 'y' } });
    },
    { timeout: 120_000 },
  );
});

it('objects without effect in a directory are reported', () => {
  const { source } = sourceOf({
    'config/resources/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: {}\n',
  });
  expect(source.manifestSet!.problems.map(({ problem }) => [problem.severity, problem.code])).toEqual([
    ['warning', 'no-effect'],
  ]);
});
