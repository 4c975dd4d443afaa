import { createPrivateKey } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { sign } from '../../../dataplane/jose/signature.ts';
import { ClosedLoopClient } from '../../support/clients/closed-loop-client.ts';
import { secureSocket } from '../../support/clients/secure-client.ts';
import { Load, ProtectedInstance, resourceServer, route } from '../../support/gateways/protected-instance.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { type Pkcs12Wish, pkcs12File } from '../../support/identity/pkcs12-file.ts';
import { cryptoKey } from '../../support/identity/signing-keys.ts';

const patience = { timeout: 20_000, interval: 50 };
const PASSWORD = 'the password of all keystores';
const ISSUER = 'urn:test:issuer';
const authority = certificateAuthority('everybody');
const tls = ['first', 'second'].map((commonName) => authority.issue({ names: ['gateway.test'], commonName }));
const signing = { first: authority.issue({ keyType: 'rsa' }), second: authority.issue({ keyType: 'rsa' }) };

/** A store over a keystore of the instance, with its password in a file. */
function keystore(file: string, aliases: readonly string[]): object {
  const secretsProvider = {
    type: 'FileSystemSecretStore',
    config: { directory: '&{ig.instance.dir}/secrets', format: 'PLAIN' },
  };
  return {
    name: 'keystore',
    type: 'KeyStoreSecretStore',
    config: {
      file: `&{ig.instance.dir}/${file}`,
      storePasswordSecretId: 'pass',
      secretsProvider,
      mappings: [{ secretId: 'the.key', aliases }],
      leaseExpiry: '2 seconds',
    },
  };
}

const keyManager = { type: 'SecretsKeyManager', config: { signingSecretId: 'the.key', secretsProvider: 'keystore' } };
const resolver = {
  type: 'StatelessAccessTokenResolver',
  config: { issuer: ISSUER, secretsProvider: 'keystore', verificationSecretId: 'the.key' },
};

const file = (keys: Pkcs12Wish['keys']): Buffer => pkcs12File({ password: PASSWORD, keys: keys! });

async function start(): Promise<ProtectedInstance> {
  const instance = await ProtectedInstance.start((url) => ({
    'secrets/pass': PASSWORD,
    'tls/keystore.p12': file({ tls: tls[0]! }),
    'signing/keystore.p12': file({ first: signing.first }),
    'config/admin.json': {
      connectors: [{ port: 1, tls: 'front' }],
      heap: [
        keystore('tls/keystore.p12', ['tls']),
        { name: 'front', type: 'ServerTlsOptions', config: { keyManager } },
      ],
    },
    'config/config.json': { handler: { type: 'Router' } },
    'config/routes/api.json': route(
      'api',
      url,
      [resourceServer(resolver, { requireHttps: true })],
      [keystore('signing/keystore.p12', ['second', 'first'])],
    ),
  }));
  instance.hide(PASSWORD, ...[...tls, ...Object.values(signing)].map(({ key }) => key));
  return instance;
}

/** A token that is signed with a key of the keystore. */
function token(kid: keyof typeof signing): string {
  const claims = { iss: ISSUER, scope: 'read', exp: Math.floor(Date.now() / 1000) + 600 };
  const key = cryptoKey(createPrivateKey(signing[kid].key), { stableId: kid });
  return sign({ typ: 'at+jwt', alg: 'RS256', kid }, JSON.stringify(claims), key, 'RS256');
}

type Kid = keyof typeof signing;
const ca = authority.certificate;

it('keystores behind a connector and behind tokens are replaced while requests run', async () => {
  const gateway = await start();
  const tokens = { first: token('first'), second: token('second') };
  gateway.hide(tokens.first, tokens.second);
  let current: Kid = 'first';
  const fields = (): string => `Authorization: Bearer ${tokens[current]}\r\n`;
  const connected = async (_: unknown, at: number): Promise<ClosedLoopClient> =>
    ClosedLoopClient.over(await secureSocket(gateway.process.port, { ca, allowHalfOpen: true }), `api/${at}`, fields);
  const load = new Load(await Promise.all(Array.from({ length: 4 }, connected)));
  const ask = (kid: Kid) => gateway.securely('/api/1', { ca }, { authorization: `Bearer ${tokens[kid]}` });
  const untilAll = (kid: Kid, status: number, by: string): Promise<void> =>
    vi.waitFor(async () => {
      for (let i = 0; i < 8; i++) expect(await ask(kid)).toMatchObject({ status, by });
    }, patience);

  await untilAll('first', 200, 'first');
  expect((await ask('second')).status).toBe(401);

  // the new key stands beside the former one before anything is signed with it
  gateway.folder.replace('signing/keystore.p12', file({ first: signing.first, second: signing.second }));
  await untilAll('second', 200, 'first');
  current = 'second';
  gateway.folder.replace('tls/keystore.p12', file({ tls: tls[1]! }));
  await untilAll('first', 200, 'second');
  const answered = load.answered;
  await vi.waitFor(() => expect(load.answered).toBeGreaterThan(answered + 1), patience);
  gateway.folder.replace('signing/keystore.p12', file({ second: signing.second }));
  await untilAll('first', 401, 'second');
  await untilAll('second', 200, 'second');
  expect(await load.stop()).toEqual([]);

  // without their keystore no token is believed once the lease is over, and a listener goes on with its last key
  gateway.folder.remove('tls/keystore.p12');
  gateway.folder.remove('signing/keystore.p12');
  await untilAll('second', 401, 'second');
  const complaint = 'TLS key not found any more; still using the last one';
  await vi.waitFor(() => expect(gateway.process.said.map(({ msg }) => msg)).toContain(complaint), patience);
  expect(await ask('second')).toMatchObject({ status: 401, by: 'second' });
  gateway.folder.replace('tls/keystore.p12', file({ tls: tls[0]! }));
  gateway.folder.replace('signing/keystore.p12', file({ first: signing.first }));
  await untilAll('first', 200, 'first');
  expect(await gateway.leaks()).toEqual([]);
});
