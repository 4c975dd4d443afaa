import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { chartValues } from '../../docs/chart-values.ts';
import { chart, renderText, valueSet } from '../support/cluster/chart.ts';

type Values = Readonly<Record<string, unknown>>;

/** Values that show only where others do not hide them: each with what it is tried with, beside the defaults. */
const alone = new Map<string, Values>([
  ['image.tag', { image: { tag: '9.9.9' } }],
  ['controller.watchNamespaceSelector', { controller: { watchNamespaceSelector: 'team=shop' } }],
  ['controller.serviceAccount.create', { controller: { serviceAccount: { create: false, name: 'given' } } }],
  ['controller.pdb.enabled', { controller: { pdb: { enabled: false } } }],
  ['controller.topologySpread.enabled', { controller: { topologySpread: { enabled: false } } }],
  ['controller.api.requestsPerSecond', { controller: { api: { requestsPerSecond: 7 } } }],
  ['controller.api.enabled', { controller: { api: { enabled: false } } }],
  ['controller.routeVersions', { controller: { routeVersions: 0 } }],
  ['webhook.enabled', { webhook: { enabled: false } }],
  ['audit.enabled', { audit: { enabled: false } }],
  ['dataPlaneDefaults.kind', { dataPlaneDefaults: { kind: 'DaemonSet' } }],
  ['dataPlaneDefaults.replicas', { dataPlaneDefaults: { replicas: 5 } }],
  ['dataPlaneDefaults.pdb.enabled', { dataPlaneDefaults: { pdb: { enabled: false } } }],
  ['dataPlaneDefaults.service.enabled', { dataPlaneDefaults: { service: { enabled: false } } }],
  ['dataPlaneDefaults.hostPorts.http', { dataPlaneDefaults: { kind: 'DaemonSet', hostPorts: { http: 80 } } }],
  [
    'dataPlaneDefaults.hostPorts.https',
    { dataPlaneDefaults: { kind: 'DaemonSet', hostPorts: { https: 443 }, tls: { secretName: 'certificate' } } },
  ],
  ['dataPlaneDefaults.snapshot.enabled', { dataPlaneDefaults: { snapshot: { enabled: false } } }],
  ['dataPlaneDefaults.snapshot.sizeLimit', { dataPlaneDefaults: { snapshot: { sizeLimit: '64Mi' } } }],
  ['dataPlaneDefaults.topologySpread.enabled', { dataPlaneDefaults: { topologySpread: { enabled: false } } }],
  [
    'dataPlaneDefaults.serviceAccount.create',
    { dataPlaneDefaults: { serviceAccount: { create: false, name: 'given' } } },
  ],
  ['defaultGroup', { dataPlanes: { back: {}, front: {} }, defaultGroup: 'front' }],
  ['tests.namespace', { tests: { namespace: 'shop' } }],
  ['networkPolicy.enabled', { networkPolicy: { enabled: false } }],
  ['tests.enabled', { tests: { enabled: false } }],
]);

const everything = parse(readFileSync(valueSet('everything'), 'utf8')) as Values;
const leaves = chartValues(readFileSync(`${chart}/values.yaml`, 'utf8')).filter(({ path, ...value }) => {
  return value.default !== undefined && path !== 'global';
});

let whole: Promise<string> | null = null;

describe('every value has an effect', () => {
  const hidden = leaves.filter(({ path }) => alone.has(path));
  const shown = leaves.filter(({ path }) => !alone.has(path));

  it('and exists, if the test names it', () => {
    expect([...alone.keys()].filter((path) => !leaves.some((leaf) => leaf.path === path))).toEqual([]);
  });

  it.each(hidden)('$path, separately', async ({ path }) => {
    const values = alone.get(path)!;
    const without = lacking(values, path.split('.'));
    expect(await renderText({ values: [values] })).not.toBe(await rendered(without));
  });

  it.each(shown)('$path', async ({ path, default: value }) => {
    const given = at(everything, path.split('.'));
    expect(given, 'values/everything.yaml must say something else than the default').toSatisfy(
      (one) => one !== undefined && !isDeepStrictEqual(one, value),
    );
    whole ??= renderText({ values: [everything] });
    expect(await rendered(lacking(everything, path.split('.')))).not.toBe(await whole);
  });
});

/** What becomes of values, also when others need what they lack. */
function rendered(values: Values): Promise<string> {
  return renderText({ values: [values] }).catch(({ message }: Error) => message);
}

function at(values: unknown, path: readonly string[]): unknown {
  return path.reduce((node, key) => (node as Values | undefined)?.[key], values);
}

/** The values without one of them. */
function lacking(values: Values, [key = '', ...rest]: readonly string[]): Values {
  const { [key]: inner, ...others } = values;
  return rest.length === 0 ? others : { ...others, [key]: lacking(inner as Values, rest) };
}
