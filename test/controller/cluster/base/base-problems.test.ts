import { expect, it } from 'vitest';
import { baseProblems } from '../../../../controller/cluster/base/base-problems.ts';
import { CompiledCluster } from '../../../support/cluster/compiled-cluster.ts';

const sound = { handler: { type: 'Router' } };

it('reports the file and the severity of each problem', () => {
  const cluster = new CompiledCluster()
    .base('config', { ...sound, heap: [{ name: 'x', type: 'Foo' }], colour: 'red' })
    .base('trust', { onInvalid: 'Hope' });
  const { all, errors, files } = baseProblems(cluster.compile());
  expect(errors).toEqual([
    expect.stringMatching(/^error: heap\[0\]\.type: there is no type 'Foo'.*\n {2}at config\.json/),
    expect.stringMatching(/^error: onInvalid: .*\n {2}at trust\.json/),
  ]);
  expect(files).toEqual(['config.json', 'trust.json']);
  expect(all).toHaveLength(3);
  expect(all.join('\n')).toMatch(/^warning: colour: /m);
});

it('reports nothing for valid files, nor for invalid Routes', () => {
  const cluster = new CompiledCluster().base('config', sound).route('shop/a', { handler: 'nobody' });
  expect(baseProblems(cluster.compile())).toEqual({ all: [], errors: [], files: [] });
});
