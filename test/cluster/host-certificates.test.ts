import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { secureSocket } from '../support/clients/secure-client.ts';
import { theCluster } from '../support/cluster/cluster.ts';
import { deployedObject, said, sayingHandler } from '../support/cluster/deployed-routes.ts';
import { keepingIn } from '../support/cluster/keeping-planes.ts';
import type { RunningPlane } from '../support/gateways/deployed-gateway.ts';
import { testedGateway } from '../support/gateways/tested-gateway.ts';
import { type Certified, certificateAuthority } from '../support/identity/certificates.ts';

const cluster = theCluster();
const ca = certificateAuthority('cluster');

/** A Secret as cert-manager writes it. */
function tlsSecret(namespace: string, name: string, { chain, key }: Certified, labels: JsonObject = CONSENT): object {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const data = { 'ca.crt': base64(ca.certificate), 'tls.crt': base64(chain), 'tls.key': base64(key) };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: { name, namespace, labels, annotations: { 'cert-manager.io/certificate-name': name } },
    data,
  };
}

const CONSENT: JsonObject = { 'gatewarden.io/secret-store': 'allowed' };

/** Common name of the certificate that a client of a host is shown. */
async function shownBy(port: number, host: string): Promise<string> {
  const socket = await secureSocket(port, {
    ca: ca.certificate,
    servername: host,
    checkServerIdentity: () => undefined,
  });
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

/** A connection that stays open, and a request over it. */
async function openConnection(port: number, host: string) {
  const socket = await secureSocket(port, { ca: ca.certificate, servername: host });
  return {
    async get(): Promise<string> {
      socket.write(`GET /app HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      const bytes = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
      return bytes.toString().split('\r\n')[0]!;
    },
    close: () => socket.destroy(),
  };
}

async function deployed() {
  const [shop, pay] = [await cluster.namespace('shop'), await cluster.namespace('pay')];
  const tenants = [
    { name: 'shop', namespaces: [shop], hosts: ['shop.test', '*.shop.test'] },
    { name: 'pay', namespaces: [pay], hosts: ['pay.test'] },
  ];
  const gateway = await testedGateway({ access: cluster, namespaces: [shop, pay], trust: { tenants } });
  for (const namespace of [shop, pay]) await gateway.grantSecrets(namespace, ['web-tls', 'stolen-tls']);
  const group = ca.issue({ names: ['group.test'] });
  writeFileSync(gateway.at('tls.crt'), group.chain);
  writeFileSync(gateway.at('tls.key'), group.key);
  const controller = await gateway.startController();
  const files = ['--tls-cert', gateway.at('tls.crt'), '--tls-key', gateway.at('tls.key')];
  const route = (namespace: string, hosts: string[], secretName = 'web-tls'): JsonObject =>
    deployedObject('Route', namespace, 'app', {
      handler: sayingHandler(namespace),
      tls: [{ hosts, secretName }],
    });
  const keeping = keepingIn(gateway, 'kept');
  const startPlane = async (name?: string): Promise<RunningPlane & { readonly tlsPort: number }> => {
    const words = ['--tls-port', '0', ...files, ...keeping.words];
    const plane = await gateway.startPlane({ words, ...(name !== undefined && { name }) });
    const { addresses } = await plane.process.line(({ msg }) => msg === 'listening');
    const secure = (addresses as string[]).find((address) => address.startsWith('https:'))!;
    return { ...plane, tlsPort: Number(new URL(secure).port) };
  };
  /** Does something, and waits until the plane runs a revision that follows from it. */
  const applied = async (plane: RunningPlane, change: () => Promise<unknown>): Promise<void> => {
    const seen = plane.process.said.length;
    await change();
    await plane.process.line(({ msg, resources }) => msg === 'revision applied' && Number(resources) > 0, seen);
  };
  return { gateway, controller, shop, pay, tenants, route, startPlane, applied, keeping };
}

it('a certificate follows its Secret: created, renewed, without consent, deleted; open connections go on', async () => {
  const { gateway, controller, shop, route, startPlane, applied } = await deployed();
  const names = { names: ['shop.test', '*.shop.test'] };
  await gateway.apply(route(shop, ['shop.test', '*.shop.test']));
  const plane = await startPlane();
  await gateway.untilReason(shop, 'route/app', 'Certificates', 'SecretNotFound');
  expect(await shownBy(plane.tlsPort, 'shop.test')).toBe('group.test');

  const first = ca.issue({ ...names, commonName: 'first' });
  await applied(plane, () => gateway.apply(tlsSecret(shop, 'web-tls', first)));
  expect(await shownBy(plane.tlsPort, 'shop.test')).toBe('first');
  expect(await shownBy(plane.tlsPort, 'a.shop.test')).toBe('first');
  expect(await shownBy(plane.tlsPort, 'pay.test')).toBe('group.test');
  await gateway.untilReason(shop, 'route/app', 'Certificates', 'Ready');
  const open = await openConnection(plane.tlsPort, 'shop.test');
  expect(await open.get()).toBe('HTTP/1.1 200 OK');

  const second = ca.issue({ ...names, commonName: 'second', keyType: 'rsa' });
  await applied(plane, () => gateway.apply(tlsSecret(shop, 'web-tls', second)));
  expect(await shownBy(plane.tlsPort, 'shop.test')).toBe('second');
  expect(await open.get()).toBe('HTTP/1.1 200 OK');

  // one that is no use is not taken, and what it replaces is gone
  await applied(plane, () => gateway.apply(tlsSecret(shop, 'web-tls', { ...first, key: second.key })));
  await gateway.untilReason(shop, 'route/app', 'Certificates', 'CertificateInvalid');
  expect(await shownBy(plane.tlsPort, 'shop.test')).toBe('group.test');
  await applied(plane, () => gateway.apply(tlsSecret(shop, 'web-tls', first)));
  expect(await shownBy(plane.tlsPort, 'shop.test')).toBe('first');

  const label = ['label', 'secret', 'web-tls', '-n', shop];
  await applied(plane, () => gateway.kubectl([...label, 'gatewarden.io/secret-store-']));
  await gateway.untilReason(shop, 'route/app', 'Certificates', 'SecretNotAllowed');
  expect(await shownBy(plane.tlsPort, 'shop.test')).toBe('group.test');
  await applied(plane, () => gateway.kubectl([...label, 'gatewarden.io/secret-store=allowed']));
  expect(await shownBy(plane.tlsPort, 'shop.test')).toBe('first');

  const metrics = await said(controller.adminPort, '/metrics');
  expect(metrics).toContain(`gw_controller_certificate_expiry_seconds{secret="${shop}/web-tls"}`);
  await applied(plane, () => gateway.kubectl(['delete', 'secret', 'web-tls', '-n', shop]));
  await gateway.untilReason(shop, 'route/app', 'Certificates', 'SecretNotFound');
  expect(await shownBy(plane.tlsPort, 'shop.test')).toBe('group.test');
  expect(await open.get()).toBe('HTTP/1.1 200 OK');
  open.close();

  const everything = [
    metrics,
    await said(controller.adminPort, '/dump'),
    await said(plane.adminPort, '/status'),
    ...[controller, plane].map(({ process }) => JSON.stringify(process.said) + process.stdout),
    await gateway.kubectl(['get', 'routes.gatewarden.io,events', '-n', shop, '-o', 'yaml']),
  ].join('\n');
  for (const { key } of [first, second]) expect(everything).not.toContain(key.split('\n')[1]);
});

it('a tenant gets no certificate shown for a host that it was not granted, or is not granted any more', async () => {
  const { gateway, controller, shop, pay, tenants, route, startPlane, applied, keeping } = await deployed();
  const own = ca.issue({ names: ['shop.test'], commonName: 'own' });
  await gateway.apply(tlsSecret(shop, 'web-tls', own));
  await gateway.apply(route(shop, ['shop.test']));
  const stolen = ca.issue({ names: ['shop.test', 'pay.test'], commonName: 'stolen' });
  await gateway.apply(tlsSecret(pay, 'stolen-tls', stolen));
  await gateway.apply(route(pay, ['shop.test', 'pay.test'], 'stolen-tls'));
  const plane = await startPlane();
  await gateway.untilReason(pay, 'route/app', 'Certificates', 'HostNotGranted');
  await gateway.untilReason(shop, 'route/app', 'Certificates', 'Ready');
  expect(await shownBy(plane.tlsPort, 'shop.test')).toBe('own');
  expect(await shownBy(plane.tlsPort, 'pay.test')).toBe('stolen');

  await applied(plane, () => gateway.configure({ tenants: tenants.slice(1) }));
  await gateway.untilReason(shop, 'route/app', 'Certificates', 'HostNotGranted');
  expect(await shownBy(plane.tlsPort, 'shop.test')).toBe('group.test');
  expect(await shownBy(plane.tlsPort, 'pay.test')).toBe('stolen');

  // without a controller, a plane starts with the certificates that it saved, sealed
  await controller.process.stop();
  await plane.process.stop();
  const kept = readFileSync(keeping.file);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.includes(stolen.key.split('\n')[1]!)).toBe(false);
  const again = await startPlane(plane.name);
  expect(await shownBy(again.tlsPort, 'pay.test')).toBe('stolen');
  expect(await shownBy(again.tlsPort, 'shop.test')).toBe('group.test');
});

it('the status of a Route names the addresses of the load balancer of its group', async () => {
  const { gateway, shop, route } = await deployed();
  await gateway.apply(route(shop, ['shop.test']));
  const labels = { app: 'gateway' };
  const plane = await gateway.startPlane({ labels });
  await gateway.setReady(plane.name, true);
  const { namespace } = gateway;
  const spec = { selector: labels, type: 'LoadBalancer', ports: [{ port: 80 }] };
  await gateway.apply({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'edge', namespace }, spec });
  const until = (value: string): Promise<string> =>
    gateway.kubectl([
      ...['wait', 'routes.gatewarden.io/app', '-n', shop, '--timeout', '300s'],
      `--for=jsonpath={.status.addresses[0].value}=${value}`,
    ]);
  await until(`edge.${namespace}.svc`);
  const status = { loadBalancer: { ingress: [{ hostname: 'lb.example.com' }] } };
  const words = ['patch', 'service', 'edge', '-n', namespace, '--subresource=status', '--type=merge', '-p'];
  await gateway.kubectl([...words, JSON.stringify({ status })]);
  await until('lb.example.com');
});
