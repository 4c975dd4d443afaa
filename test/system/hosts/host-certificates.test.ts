import { X509Certificate } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { secureSocket } from '../../support/clients/secure-client.ts';
import { GatewayProcess } from '../../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';
import { type Certified, certificateAuthority } from '../../support/identity/certificates.ts';

const authority = certificateAuthority('the authority');
const own = authority.issue({ names: ['gateway.test'], commonName: 'own' });

let folder: InstanceFolder;
let gateway: GatewayProcess | undefined;

afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  folder[Symbol.dispose]();
});

const route = {
  apiVersion: 'gatewarden.io/v1alpha1',
  kind: 'Route',
  metadata: { name: 'shop', namespace: 'shop' },
  spec: {
    tls: [{ hosts: ['shop.test', '*.shop.test'], secretName: 'shop-tls' }],
    handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'shop' } },
  },
};

const secret = ({ chain, key }: Certified): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'kubernetes.io/tls',
  metadata: { name: 'shop-tls', namespace: 'shop', labels: { 'gatewarden.io/secret-store': 'allowed' } },
  stringData: { 'tls.crt': chain, 'tls.key': key },
});

/** Common names of the certificates that connections to a host are shown: units take turns. */
async function shown(host: string): Promise<readonly string[]> {
  const port = Number(/:(\d+)$/.exec(gateway!.addresses[1]!)?.[1]);
  const names = new Set<string>();
  for (let at = 0; at < 8; at++) {
    const socket = await secureSocket(port, {
      ca: authority.certificate,
      servername: host,
      checkServerIdentity: () => undefined,
    });
    names.add(String(socket.getPeerCertificate().subject.CN));
    socket.destroy();
  }
  return [...names];
}

it('manifests of an instance give its connectors certificates of hosts, which all units renew', async () => {
  const names = ['shop.test', '*.shop.test'];
  const first = authority.issue({ names, commonName: 'first' });
  const keyManager = {
    type: 'SecretsKeyManager',
    config: {
      signingSecretId: 'server.tls',
      secretsProvider: {
        type: 'FileSystemSecretStore',
        config: { directory: '&{ig.instance.dir}/secrets', suffix: '.pem', format: { type: 'PemPropertyFormat' } },
      },
    },
  };
  folder = new InstanceFolder({
    'secrets/server.tls.pem': own.pem,
    'config/admin.json': {
      connectors: [{ port: 1 }, { port: 2, tls: { type: 'ServerTlsOptions', config: { keyManager } } }],
    },
    'config/trust.json': { tenants: [{ name: 'shop', namespaces: ['shop'], hosts: ['shop.test', '*.shop.test'] }] },
    'config/resources/route.json': route,
    'config/resources/secret.json': secret(first),
  });
  gateway = await GatewayProcess.run(folder.path, ['--port', '0,0', '--units', '2']);
  expect(await shown('shop.test')).toEqual(['first']);
  expect(await shown('a.shop.test')).toEqual(['first']);
  expect(await shown('gateway.test')).toEqual(['own']);
  const figure = (name: string): Promise<number> => gateway!.figure(name).catch(() => 0);
  const ready = 'gw_tls_host_certificates{state="Ready"}';
  await vi.waitUntil(async () => (await figure(ready)) === 1, { timeout: 120_000 });
  expect(await figure('gw_tls_host_certificate_expiry_seconds')).toBe(
    new X509Certificate(first.certificate).validToDate.getTime() / 1000,
  );
  folder.write('config/resources/secret.json', secret(authority.issue({ names, commonName: 'second' })));
  await vi.waitUntil(async () => String(await shown('shop.test')) === 'second', { timeout: 120_000 });
  await expect.poll(() => shown('a.shop.test')).toEqual(['second']);
  folder.write('config/trust.json', { tenants: [{ name: 'shop', namespaces: ['shop'], hosts: ['*.shop.test'] }] });
  await vi.waitUntil(async () => String(await shown('shop.test')) === 'own', { timeout: 120_000 });
  expect(await shown('a.shop.test')).toEqual(['second']);
});
