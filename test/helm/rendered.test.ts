import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chart, crdChart, objectsOf, renderText, valueSet, valueSets } from '../support/cluster/chart.ts';
import { theHelm } from '../support/cluster/helm.ts';
import { renderingDifference } from '../support/cluster/rendering-difference.ts';
import { shortened } from '../support/cluster/shortened-rendering.ts';

/** The value set whose whole rendering is a golden file. Those of the others say how they differ from it. */
const FULL = 'defaults';

function goldenFile(name: string): string {
  return name === FULL ? `golden/${name}.yaml` : `golden/${name}.diff`;
}

// after a change of the chart, this command writes the golden files anew
function preface(name: string): string {
  return `How the rendering with values/${name}.yaml differs from ${FULL}.yaml.
Written by \`npx vitest run test/helm/rendered.test.ts -u\`.
`;
}

async function shortRendering(name: string): Promise<string> {
  return shortened(await renderText({ values: [valueSet(name)] }));
}

describe.each(valueSets())('the values of %s', (name) => {
  it('give a chart without helm lint messages', async () => {
    const helm = await theHelm();
    const said = await helm.run(['lint', '--strict', '--kube-version', '1.36.3', chart, '-f', valueSet(name)]);
    expect(said).toContain('1 chart(s) linted, 0 chart(s) failed');
    expect(said).not.toMatch(/WARNING|ERROR/);
  });

  it('render the golden file', async () => {
    if (name === FULL) await expect(await shortRendering(FULL)).toMatchFileSnapshot(goldenFile(FULL));
    else {
      const difference = renderingDifference(await shortRendering(FULL), await shortRendering(name));
      await expect(`${preface(name)}\n${difference}`).toMatchFileSnapshot(goldenFile(name));
    }
  });

  it('render the same each time', async () => {
    const [once, again] = await Promise.all([0, 1].map(() => renderText({ values: [valueSet(name)] })));
    expect(again).toBe(once);
  });
});

describe('the goldens', () => {
  it('are those of the value sets', () => {
    const files = readdirSync(new URL('golden', import.meta.url)).filter((name) => !name.startsWith('rights-'));
    expect(files.map((name) => `golden/${name}`).toSorted()).toEqual(valueSets().map(goldenFile).toSorted());
  });
});

describe('names', () => {
  it.each([
    ['gatewarden', 'gatewarden', 'gatewarden-controller', 'gatewarden'],
    ['gatewarden', 'edge', 'gatewarden-controller', 'gatewarden-edge'],
    ['shop', 'shop', 'shop-gatewarden-controller', 'shop-gatewarden'],
    ['my-gatewarden', 'edge', 'my-gatewarden-controller', 'my-gatewarden-edge'],
    ['my.gatewarden.2', 'edge', 'my-gatewarden-2-controller', 'my-gatewarden-2-edge'],
  ])('of release %s in %s do not conflict with another release', async (release, namespace, own, ofCluster) => {
    const objects = objectsOf(await renderText({ release, namespace }));
    const named = (kind: string): string[] =>
      objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
    expect(named('Deployment')).toContain(own);
    expect(named('ValidatingWebhookConfiguration')).toEqual([ofCluster]);
    // where the API server is stands in a namespace that all releases share
    const elsewhere = objects.filter(({ metadata }) => metadata.namespace === 'default');
    expect(elsewhere.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      `Role ${ofCluster}-api-server`,
      `RoleBinding ${ofCluster}-api-server`,
    ]);
    const spread = objects.filter(
      ({ metadata }) => metadata.namespace !== undefined && metadata.namespace !== 'default',
    );
    expect(new Set(spread.map(({ metadata }) => metadata.namespace))).toEqual(new Set([namespace]));
  });

  it('are texts also where YAML would read a number', async () => {
    const values = [{ fullnameOverride: 'gate', controller: { watchNamespaces: ['7'] } }];
    const objects = objectsOf(await renderText({ release: '1e3', namespace: '123', values }));
    const texts = objects.flatMap(({ metadata }) => [metadata.name, metadata.namespace ?? '', metadata.labels ?? {}]);
    const labels = texts.flatMap((one) => (typeof one === 'object' ? Object.values(one) : [one]));
    expect(labels.filter((one) => typeof one !== 'string')).toEqual([]);
    expect(labels).toEqual(expect.arrayContaining(['1e3', '123', '7']));
  });

  it('start with a letter, as Services require', async () => {
    await expect(renderText({ release: '2gates' })).rejects.toThrow('fullnameOverride');
  });

  it('fit into 63 characters', async () => {
    const objects = objectsOf(await renderText({ release: 'a'.repeat(53), namespace: 'n'.repeat(63) }));
    const isSubdomain = (kind: string): boolean => /Role|WebhookConfiguration/.test(kind);
    const long = objects.filter(({ kind, metadata }) => metadata.name.length > (isSubdomain(kind) ? 253 : 63));
    expect(long.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
  });
});

describe('the chart of the definitions', () => {
  it('passes helm lint without messages', async () => {
    expect(existsSync(crdChart)).toBe(true);
    const said = await (await theHelm()).run(['lint', '--strict', crdChart]);
    expect(said).toContain('1 chart(s) linted, 0 chart(s) failed');
    expect(said).not.toMatch(/WARNING|ERROR/);
  });
});
