import { afterEach, expect, it } from 'vitest';
import { runApp } from './support/app.ts';
import { install, RELEASE, uninstall } from './support/installation.ts';
import { theNode } from './support/test-node.ts';

const node = theNode();

afterEach(() => uninstall(node, 'shop', 'strangers'));

/** Every object of the cluster but those that the cluster itself writes all the time, by kind, namespace and name. */
async function everything(): Promise<readonly string[]> {
  const kinds = await node.kubectl(['api-resources', '--verbs=list', '-o', 'name']);
  const wanted = kinds.split('\n').filter((kind) => kind !== '' && !/^(events|leases|componentstatuses)\b/.test(kind));
  const listed = await node.kubectl([
    ...['get', wanted.join(','), '-A', '--ignore-not-found', '-o'],
    'jsonpath={range .items[*]}{.kind} {.metadata.namespace}/{.metadata.name}{"\\n"}{end}',
  ]);
  return listed.trim().split('\n').sort();
}

it('is installed, tested by helm, inspected, and leaves nothing behind', async () => {
  const before = await everything();
  await install(node);
  expect(await node.helm(['test', RELEASE, '--namespace', RELEASE, '--timeout', '60s'])).toContain('Succeeded');
  const status = await node.kubectl([
    'exec',
    'deploy/gatewarden-controller',
    '-n',
    RELEASE,
    '--',
    'gatewarden',
    'status',
  ]);
  expect(status).toMatch(/ready +yes/);
  await uninstall(node);
  const after = await everything();
  expect(after.filter((one) => !before.includes(one))).toEqual([]);
});

it('a data plane cannot use the API, and an unknown client gets nothing from the controller', async () => {
  await install(node);
  const { items } = await node.get<{
    items: readonly { metadata: { name: string }; spec: { volumes: readonly { name: string }[] } }[];
  }>(['pods', '-n', RELEASE, '-l', 'app.kubernetes.io/component=dataplane']);
  const script = `
    const { readFileSync } = require('node:fs');
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const token = readFileSync('/var/run/secrets/tokens/gatewarden/token', 'utf8');
    const headers = { authorization: 'Bearer ' + token };
    const server = 'https://' + process.env.KUBERNETES_SERVICE_HOST + ':' + process.env.KUBERNETES_SERVICE_PORT;
    const path = '/api/v1/namespaces/gatewarden/secrets';
    fetch(server + path, { headers }).then((answer) => console.log('STATUS', answer.status));
    try { readFileSync('/var/run/secrets/kubernetes.io/serviceaccount/token'); console.log('HAS A TOKEN'); } catch {}
  `;
  const said = await node.kubectl([
    ...['exec', items[0]!.metadata.name, '-n', RELEASE, '--', '/usr/local/bin/node', '-e', script],
  ]);
  // its token is for controllers alone: the API server does not know it
  expect(said.trim()).toBe('STATUS 401');

  await node.kubectl(['create', 'namespace', 'strangers']);
  const authority = await node.get<{ data: Record<string, string> }>([
    'configmap',
    'gatewarden-authority',
    '-n',
    RELEASE,
  ]);
  const volumes = [
    { name: 'ca', configMap: { name: 'ca' } },
    {
      name: 'token',
      projected: { sources: [{ serviceAccountToken: { path: 'token', audience: 'gatewarden-controller' } }] },
    },
  ];
  const container = {
    name: 'plane',
    image: node.image,
    imagePullPolicy: 'Never',
    args: [
      ...['dataplane', '--controller', 'gatewarden-controller.gatewarden.svc:9443', '--ca', '/ca/ca.crt'],
      ...['--token-file', '/token/token', '--admin', '0.0.0.0:9090'],
    ],
    volumeMounts: [
      { name: 'ca', mountPath: '/ca' },
      { name: 'token', mountPath: '/token' },
    ],
    readinessProbe: { httpGet: { path: '/health/ready', port: 9090 }, periodSeconds: 1 },
  };
  await node.apply(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ca', namespace: 'strangers' }, data: authority.data },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'stranger', namespace: 'strangers' },
      spec: { containers: [container], volumes, terminationGracePeriodSeconds: 1 },
    },
  );
  const log = await node.until(
    () => node.kubectl(['logs', 'stranger', '-n', 'strangers']),
    (text) => /PERMISSION_DENIED|UNAUTHENTICATED|refused|not let in/i.test(text),
  );
  expect(log).not.toContain('revision applied');
  const pod = await node.get<{ status: { conditions: readonly { type: string; status: string }[] } }>([
    ...['pod', 'stranger', '-n', 'strangers'],
  ]);
  expect(pod.status.conditions.find(({ type }) => type === 'Ready')?.status).toBe('False');
});

it('a certificate that is replaced in its Secret is shown to new connections', async () => {
  await node.kubectl(['create', 'namespace', 'shop']);
  await runApp(node, { namespace: 'shop', name: 'orders' });
  await node.kubectl(['create', 'namespace', RELEASE]);
  const { certificateAuthority } = await import('../support/identity/certificates.ts');
  const { connect } = await import('node:tls');
  const authority = certificateAuthority('test');
  const names = ['shop.example.com'];
  const put = (certified: { chain: string; key: string }): Promise<string> =>
    node.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      metadata: { name: 'edge', namespace: RELEASE },
      data: {
        'tls.crt': Buffer.from(certified.chain).toString('base64'),
        'tls.key': Buffer.from(certified.key).toString('base64'),
      },
    });
  await put(authority.issue({ names, commonName: 'first' }));
  await install(node, { dataPlanes: { default: { tls: { secretName: 'edge' }, replicas: 1 } } });
  const { spec } = await node.get<{ spec: { clusterIP: string } }>(['service', 'gatewarden-default', '-n', RELEASE]);
  const shown = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = { host: spec.clusterIP, port: 443, servername: names[0]!, ca: authority.certificate };
      const socket = connect(options, () => {
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.destroy();
      });
      socket.on('error', reject);
    });
  expect(await shown()).toBe('first');
  await put(authority.issue({ names, commonName: 'second' }));
  expect(await node.until(shown, (name) => name === 'second')).toBe('second');
});
