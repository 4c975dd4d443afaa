import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { listenerLimits } from '../../dataplane/engine/head/limits.ts';
import { chart, renderText } from '../support/cluster/chart.ts';
import { type SchemaNode, valuesSchema } from '../support/cluster/values-schema.ts';

const schema = valuesSchema();
const defaults: unknown = parse(readFileSync(`${chart}/values.yaml`, 'utf8'));

/** Values one level deep or more, at a path. */
function valuesAt(path: string, value: unknown): object {
  const [first = '', ...rest] = path.split('/');
  return { [first]: rest.length === 0 ? value : valuesAt(rest.join('/'), value) };
}

/** An OpenID provider of the console, with further fields. */
const providerWith = (fields: object) => ({
  controller: { console: { openid: { issuer: 'https://login.test', ...fields } } },
});

async function refusal(values: object): Promise<string> {
  return renderText({ values: [values] }).then(
    () => 'it was accepted',
    (error: Error) => error.message,
  );
}

describe('invalid values are rejected, and helm reports their paths', () => {
  it.each<[path: string, value: unknown]>([
    ['nameOverride', 'Gateway'],
    ['nameOverride', 7],
    ['fullnameOverride', 'a'.repeat(41)],
    ['commonLabels', { team: 1 }],
    ['commonAnnotations', ['a']],
    ['image/repository', 'Gate Warden'],
    ['image/tag', 1.5],
    ['image/digest', 'sha256:abc'],
    ['image/digest', 'latest'],
    ['image/pullPolicy', 'Sometimes'],
    ['image/pullSecrets', 'credentials'],
    ['image/pullSecrets', [{ name: 'credentials' }]],
    ['securityContext/runAsUser', 'nobody'],
    ['securityContext/runAsUser', 0],
    ['securityContext/runAsGroup', -1],
    ['controller/replicas', '2'],
    ['controller/replicas', -1],
    ['controller/logLevel', 'verbose'],
    ['controller/watchNamespaces', 'shop'],
    ['controller/watchNamespaces', ['*']],
    ['controller/console/openid/issuer', 'login.example.com'],
    ['controller/console/openid/issuer', 'http://login.example.com'],
    ['controller/console/openid/url', 'https://console.example.com/console/'],
    ['controller/console/openid/scopes', ['email']],
    ['controller/console/openid/scopes', ['openid,email']],
    ['controller/console/openid/secretName', 'Client Secret'],
    ['controller/console/openid/secretKey', 'a/b'],
    ['controller/console/openid/signOut', 'all'],
    ['controller/resources/requests/cpu', 'much'],
    ['controller/resources/limits/memory', '1 GB'],
    ['controller/pdb/maxUnavailable', '120%'],
    ['controller/topologySpread/whenUnsatisfiable', 'Maybe'],
    ['controller/tolerations', [{ operator: 'Like' }]],
    ['controller/env', [{ value: 'x' }]],
    ['controller/extraArgs', '--listen=:1'],
    ['webhook/enabled', 'yes'],
    ['webhook/failurePolicy', 'fail'],
    ['webhook/timeoutSeconds', 0],
    ['webhook/timeoutSeconds', 31],
    ['webhook/namespaceSelector', { matchExpressions: [{ key: 'a', operator: 'Like' }] }],
    ['config', 'config.json'],
    ['config/heap', { a: 1 }],
    ['config/heap', [{ name: 1, type: 'Router' }]],
    ['config/heap', [{ name: 'a' }]],
    ['config/handler', 7],
    ['admin', []],
    ['admin/heap', ['a']],
    ['admin/connectors', []],
    ['trust/egress', ['nonsense']],
    ['trust/egress', [7]],
    ['trust/tenants', [{ name: 'shop', namespaces: ['shop'] }]],
    ['trust/tenants', [{ name: 'shop', namespaces: ['shop'], hosts: ['https://shop.example.com'] }]],
    ['trust/tenants', { shop: ['shop.example.com'] }],
    ['trust/tokens', { retries: 3 }],
    ['trust/onInvalid', 'Ignore'],
    ['secretAccess/names', ['shop']],
    ['secretAccess/names', { shop: 'issuer-keys' }],
    ['secretAccess/clusterWide', 'no'],
    ['dataPlaneDefaults/kind', 'StatefulSet'],
    ['dataPlaneDefaults/units', 'all'],
    ['dataPlaneDefaults/units', 0],
    ['dataPlaneDefaults/autoscaling/minReplicas', 0],
    ['dataPlaneDefaults/service/type', 'ExternalName'],
    ['dataPlaneDefaults/service/port', 65536],
    ['dataPlaneDefaults/service/port', '80'],
    ['dataPlaneDefaults/service/loadBalancerSourceRanges', ['everybody']],
    ['dataPlaneDefaults/tls/secretName', ['certificate']],
    ['dataPlaneDefaults/drain/timeoutSeconds', '30s'],
    ['dataPlaneDefaults/snapshot/maxAge', '1 week'],
    ['dataPlaneDefaults/temporaryStorage/medium', 'HugePages'],
    ['dataPlaneDefaults/trustedProxies', ['10.0.0.0/33']],
    ['dataPlaneDefaults/accessLog', '/var/log/access'],
    ['dataPlaneDefaults/probes/liveness/periodSeconds', 0],
    ['dataPlanes', ['public']],
    ['dataPlanes/public', { replica: 1 }],
    ['dataPlanes/public', { service: { port: 'http' } }],
    ['sidecars/namespaces', ['*']],
    ['sidecars/port', 80],
    ['networkPolicy/trafficFrom', [{ ipBlock: { cidr: '10.0.0.1' } }]],
    ['networkPolicy/metricsFrom', [{ labelSelector: {} }]],
    ['networkPolicy/planesNotTo', ['169.254.169.254']],
    ['monitoring/serviceMonitor/enabled', 'true'],
    ['tests/timeoutSeconds', '1m'],
    ['extraObjects', {}],
    ['extraObjects', [7]],
  ])('%s: %j', async (path, value) => {
    const said = await refusal(valuesAt(path, value));
    expect(said).toContain("values don't meet the specifications of the schema");
    expect(said).toContain(`at '/${path}`);
  });

  it.each(['controller', 'webhook', 'sidecars', 'Upper', 'with.dot', 'a-metrics', 'a'.repeat(40)])(
    'a group of planes with the name %s',
    async (name) => {
      expect(await refusal({ dataPlanes: { [name]: {} } })).toMatch(new RegExp(`dataPlanes.*${RegExp.escape(name)}`));
    },
  );
});

describe('values that are good by themselves are refused together', () => {
  it.each<[values: object, says: string]>([
    [{ defaultGroup: 'public' }, 'defaultGroup names "public"'],
    [{ config: { hepa: [] } }, 'config: there is no field hepa'],
    [{ image: { repository: 'registry.example.com/gatewarden' } }, 'give that in image.registry'],
    [
      { sidecars: { enabled: true, namespaces: ['shop'] }, webhook: { enabled: false } },
      'sidecars.enabled needs webhook',
    ],
    [{ sidecars: { enabled: true } }, 'sidecars.enabled needs sidecars.namespaces'],
    [{ controller: { watchNamespaces: ['shop'], watchNamespaceSelector: 'a=b' } }, 'exclude each other'],
    ...['clientId', 'url', 'secretName', 'name', 'caConfigMapName'].map((field): [object, string] => [
      { controller: { console: { openid: { [field]: field === 'url' ? 'https://console.test' : 'given' } } } },
      `controller.console.openid.${field} needs issuer`,
    ]),
    [providerWith({ url: 'https://console.test' }), 'controller.console.openid.issuer needs clientId'],
    [providerWith({ clientId: 'console' }), 'controller.console.openid.issuer needs url'],
    [
      { controller: { api: { enabled: false }, ...providerWith({ clientId: 'a', url: 'https://b' }).controller } },
      'needs controller.api.enabled',
    ],
    [{ dataPlaneDefaults: { hostPorts: { http: 80 } } }, 'dataPlanes.default.hostPorts needs kind: DaemonSet'],
    [{ dataPlaneDefaults: { kind: 'DaemonSet', autoscaling: { enabled: true } } }, 'dataPlanes.default.autoscaling'],
    [
      { dataPlanes: { public: { autoscaling: { enabled: true, minReplicas: 3, maxReplicas: 2 } } } },
      'dataPlanes.public.autoscaling.minReplicas is more than maxReplicas',
    ],
    [{ dataPlanes: { public: { snapshot: { existingClaim: 'kept' } } } }, 'existingClaim needs keySecretName'],
    [
      { dataPlaneDefaults: { serviceAccount: { name: 'planes' } }, dataPlanes: { a: {}, b: {} } },
      'dataPlanes.b.serviceAccount.name is that of the group a too',
    ],
    [{ dataPlaneDefaults: { serviceAccount: { name: 'gatewarden-controller' } } }, 'is that of the controller too'],
    [{ controller: { serviceAccount: { name: 'gatewarden-default' } } }, 'is that of the controller too'],
    [{ dataPlaneDefaults: { serviceAccount: { name: 'gatewarden-test' } } }, 'is that of the test too'],
    [{ sidecars: { enabled: true, namespaces: ['shop', 'gatewarden'] } }, 'sidecars.namespaces has gatewarden'],
    [{ sidecars: { enabled: true, namespaces: ['kube-system'] } }, 'sidecars.namespaces has kube-system'],
    [
      { sidecars: { enabled: true, namespaces: ['shop'], excludedNamespaces: ['shop'] } },
      'sidecars.namespaces has shop, whose Pods never get a sidecar',
    ],
    [{ sidecars: { enabled: true, namespaces: ['shop'], adminPort: 15080 } }, 'sidecars.adminPort must differ'],
    [
      { dataPlaneDefaults: { kind: 'DaemonSet', hostPorts: { https: 443 } } },
      'dataPlanes.default.hostPorts.https needs tls.secretName',
    ],
    [
      { dataPlaneDefaults: { service: { tlsNodePort: 30443 } } },
      'dataPlanes.default.service.tlsNodePort needs tls.secretName',
    ],
    [{ admin: { connectors: [{ port: 8080 }, {}] } }, 'admin.connectors[1] needs a port'],
    [{ admin: { connectors: [{ port: 9090 }] } }, 'admin.connectors[0].port: planes have 9090'],
    [
      { admin: { connectors: [{ port: 8443 }] }, dataPlaneDefaults: { tls: { secretName: 'certificate' } } },
      'dataPlanes.default.tls.secretName: its port is 8443',
    ],
    [
      { commonAnnotations: { 'gatewarden.io/admin-checksum': 'x' } },
      'the chart sets the annotation gatewarden.io/admin-checksum itself',
    ],
  ])('%j', async (values, says) => {
    expect(await refusal(values)).toContain(says);
  });

  it('with all reasons at once', async () => {
    const said = await refusal({ defaultGroup: 'public', sidecars: { enabled: true } });
    expect(said).toContain('defaultGroup names');
    expect(said).toContain('sidecars.namespaces');
  });
});

describe('values.yaml and values.schema.json', () => {
  it('have the same keys', () => {
    const known = keysOfSchema(defaults, schema, '').filter((path) => !unsaid.test(path));
    expect(keysOfValues(defaults, schema, '')).toEqual(known);
  });

  it('have the same defaults where the schema has any', () => {
    expect(otherDefaults(defaults, schema, '')).toEqual([]);
  });

  it('accept the client limits of data planes', () => {
    const { limits } = schema.properties!['dataPlaneDefaults']!.properties!;
    expect(Object.keys(limits!.properties ?? {}).toSorted()).toEqual(Object.keys(listenerLimits.shape).toSorted());
  });

  it('reject unknown keys at every level', async () => {
    const levels = closedLevels(schema, '');
    expect(levels.length).toBeGreaterThan(30);
    const said = await refusal(withUnknown(schema));
    const place = (level: string): string => (level === '' ? '' : `/${level}`);
    const silent = levels.filter(
      (level) => !said.includes(`at '${place(level)}': additional properties 'unheardOf' not allowed`),
    );
    expect(silent).toEqual([]);
  });

  it('leave open only values that Kubernetes or the program validates', () => {
    expect(openLevels(schema, '')).toMatchInlineSnapshot(`
      [
        "global",
        "commonLabels",
        "commonAnnotations",
        "controller.serviceAccount.annotations",
        "controller.service.annotations",
        "controller.affinity",
        "controller.nodeSelector",
        "controller.podLabels",
        "controller.podAnnotations",
        "webhook.namespaceSelector.matchLabels",
        "config",
        "config.properties",
        "config.globalDecorators",
        "config.secrets",
        "audit.config",
        "admin",
        "admin.properties",
        "trust.tokens",
        "dataPlaneDefaults.autoscaling.behavior.scaleUp",
        "dataPlaneDefaults.autoscaling.behavior.scaleDown",
        "dataPlaneDefaults.service.annotations",
        "dataPlaneDefaults.service.labels",
        "dataPlaneDefaults.serviceAccount.annotations",
        "dataPlaneDefaults.affinity",
        "dataPlaneDefaults.nodeSelector",
        "dataPlaneDefaults.podLabels",
        "dataPlaneDefaults.podAnnotations",
        "monitoring.serviceMonitor.labels",
        "monitoring.serviceMonitor.annotations",
        "monitoring.podMonitor.labels",
        "monitoring.podMonitor.annotations",
        "monitoring.prometheusRule.labels",
        "monitoring.prometheusRule.annotations",
        "monitoring.prometheusRule.overrides",
        "monitoring.dashboard.labels",
        "monitoring.dashboard.annotations",
      ]
    `);
  });
});

/** What Kubernetes knows and nobody needs: the schema lets it pass, and values.yaml does without. */
const unsaid = /\.(?:resources\.claims|resources\.limits\.cpu|behavior\.scaleUp)$/;

/** Keys of the values, as far as the schema names what is below. */
function keysOfValues(values: unknown, node: SchemaNode | undefined, prefix: string): string[] {
  if (node?.properties === undefined || typeof values !== 'object' || values === null) return [];
  return Object.entries(values)
    .flatMap(([name, inner]) => [
      `${prefix}${name}`,
      ...keysOfValues(inner, node.properties![name], `${prefix}${name}.`),
    ])
    .toSorted();
}

/** Keys of the schema, without those below an empty object of the values, of which all are optional. */
function keysOfSchema(values: unknown, node: SchemaNode, prefix: string): string[] {
  if (prefix !== '' && Object.keys(values ?? {}).length === 0) return [];
  return Object.entries(node.properties ?? {})
    .flatMap(([name, inner]) => {
      const own = (values as Record<string, unknown>)[name];
      return [`${prefix}${name}`, ...keysOfSchema(own, inner, `${prefix}${name}.`)];
    })
    .toSorted();
}

function otherDefaults(values: unknown, node: SchemaNode, prefix: string): string[] {
  const own = node.default === undefined || JSON.stringify(node.default) === JSON.stringify(values) ? [] : [prefix];
  const inner = Object.entries(node.properties ?? {}).flatMap(([name, one]) =>
    otherDefaults((values as Record<string, unknown> | undefined)?.[name], one, `${prefix}.${name}`),
  );
  return [...own, ...inner];
}

/** Values with a key that nobody knows at every level. */
function withUnknown({ properties = {}, additionalProperties }: SchemaNode): object {
  const below = Object.entries(properties).filter(([, { type }]) => type === 'object');
  const inner = Object.fromEntries(below.map(([name, one]) => [name, withUnknown(one)]));
  return additionalProperties === false ? { ...inner, unheardOf: 1 } : inner;
}

/** Places whose keys are all known. */
function closedLevels(node: SchemaNode, path: string): string[] {
  const below = Object.entries(node.properties ?? {});
  const inner = below.flatMap(([name, one]) => closedLevels(one, path === '' ? name : `${path}/${name}`));
  return node.additionalProperties === false ? [path, ...inner] : inner;
}

/** Places that take keys of any name. */
function openLevels(node: SchemaNode, path: string): string[] {
  const below = Object.entries(node.properties ?? {});
  const inner = below.flatMap(([name, one]) => openLevels(one, path === '' ? name : `${path}.${name}`));
  return node.type === 'object' && node.additionalProperties !== false ? [path, ...inner] : inner;
}
