import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { startTlsBackend } from '../../support/backends/tls-backend.ts';
import { ask } from '../../support/clients/answers.ts';
import { askSecurely } from '../../support/clients/secure-client.ts';
import { buildObjects } from '../../support/gateways/built-object.ts';
import { startConfigured } from '../../support/gateways/configured-gateway.ts';
import { startSecure } from '../../support/gateways/secure-gateway.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { pkcs12File } from '../../support/identity/pkcs12-file.ts';
import { secretFolder } from '../../support/identity/secret-folder.ts';

const root = certificateAuthority('Root');
const middle = root.intermediate('Middle');
const server = middle.issue({ names: ['gateway.test'] });
const client = root.issue({ commonName: 'the gateway', client: true });

/** A folder with a keystore that holds both keys and whom to trust, and the store over it. */
function keystoreIn(directory: string): JsonObject {
  return {
    name: 'keystore',
    type: 'KeyStoreSecretStore',
    config: {
      file: join(directory, 'keystore.p12'),
      storePasswordSecretId: 'pass',
      secretsProvider: { type: 'FileSystemSecretStore', config: { directory, format: 'PLAIN' } },
      mappings: [
        { secretId: 'server', aliases: ['server'] },
        { secretId: 'client', aliases: ['client'] },
        { secretId: 'trusted', aliasesMatching: ['ca-.*'] },
      ],
    },
  };
}

const wish = { password: 'pass', keys: { server, client }, trusted: { 'CA-1': root.certificate } };

const keyManager = (signingSecretId: string): JsonObject => ({
  name: 'keys',
  type: 'SecretsKeyManager',
  config: { signingSecretId, secretsProvider: 'keystore' },
});

const trustManager: JsonObject = {
  name: 'trust',
  type: 'SecretsTrustManager',
  config: { verificationSecretId: 'trusted', secretsProvider: 'keystore', checkRevocation: false },
};

it('a connector uses key, chain and trusted certificates of a keystore, and reloads them after a change', async () => {
  const directory = secretFolder({ pass: 'pass', 'keystore.p12': pkcs12File(wish) });
  const { get } = buildObjects([keystoreIn(directory), keyManager('server'), trustManager]);
  const { port } = await startSecure({
    keys: [get('keyManager', 'keys')],
    trust: [get('trustManager', 'trust')],
    clientAuth: 'REQUIRED',
  });
  const identity = { ca: root.certificate, key: client.key, cert: client.chain };
  const answer = await askSecurely(port, identity);
  expect(answer.status).toBe('HTTP/1.1 204 No Content');
  expect(answer.certificate.subject.CN).toBe('gateway.test');
  const stranger = certificateAuthority('Stranger').issue({ client: true });
  await expect(askSecurely(port, { ...identity, key: stranger.key, cert: stranger.chain })).rejects.toThrow();

  const renewed = middle.issue({ names: ['gateway.test'], commonName: 'renewed' });
  writeFileSync(join(directory, 'new'), pkcs12File({ ...wish, keys: { server: renewed, client } }));
  renameSync(join(directory, 'new'), join(directory, 'keystore.p12'));
  const shown = async (): Promise<unknown> => (await askSecurely(port, identity)).certificate.subject.CN;
  await vi.waitFor(async () => expect(await shown()).toBe('renewed'), { timeout: 120_000 });
});

it('a handler verifies a backend with a keystore and sends a client certificate of it', async () => {
  const directory = secretFolder({ pass: 'pass', 'keystore.p12': pkcs12File(wish) });
  const backend = middle.issue({ names: ['localhost'] });
  const { port, connections } = await startTlsBackend({
    cert: backend.chain,
    key: backend.key,
    requestCert: true,
    ca: root.certificate,
  });
  const tls = { type: 'ClientTlsOptions', config: { trustManager: 'trust', keyManager: 'keys' } };
  const gateway = await startConfigured({
    heap: [keystoreIn(directory), keyManager('client'), trustManager],
    handler: { type: 'ReverseProxyHandler', config: { tls }, baseURI: `https://localhost:${port}` },
  });
  try {
    expect((await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: h\r\n')).status).toBe(200);
    expect(connections).toMatchObject([{ peer: 'the gateway' }]);
  } finally {
    await gateway.close();
  }
});
