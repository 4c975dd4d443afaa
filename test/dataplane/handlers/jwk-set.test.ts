import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { noReach } from '../../../contract/reach.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';
import { problemsOf, send, serve } from '../../support/gateways/served.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { secretFolder } from '../../support/identity/secret-folder.ts';

const TYPE = 'JwkSetHandler';
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const SYMMETRIC = Buffer.alloc(32, 9).toString('base64url');

const jwk = (key: KeyObject, more: object = {}): object => ({ ...key.export({ format: 'jwk' }), ...more });

function provider(files: Record<string, object>): { directory: string; secretsProvider: JsonObject } {
  const texts = Object.entries(files).map(([id, value]) => [id, JSON.stringify(value)]);
  const directory = secretFolder(Object.fromEntries(texts));
  const config = { directory, format: { type: 'JwkPropertyFormat' } };
  return { directory, secretsProvider: { type: 'FileSystemSecretStore', config } };
}

const keysOf = (body: string): Record<string, unknown>[] => JSON.parse(body).keys;

describe(TYPE, () => {
  it('publishes the public halves of keys for all usages', async () => {
    const { secretsProvider } = provider({
      signing: jwk(rsa.privateKey, { kid: 'k1' }),
      agreeing: jwk(ec.privateKey, { kid: 'k2' }),
    });
    const purposes = [
      { secretId: 'signing', keyUsage: 'SIGN', jwkAlgorithm: 'PS256' },
      { secretId: 'signing', keyUsage: 'decrypt' },
      { secretId: 'agreeing', keyUsage: 'AGREE_KEY' },
    ];
    const gateway = await serve({ type: TYPE, config: { secretsProvider, purposes } });
    const { status, headers, body } = await send(gateway, 'GET /jwks');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/jwk-set+json');
    expect(headers.get('cache-control')).toBe('public, max-age=60');
    expect(keysOf(body.toString())).toEqual([
      jwk(rsa.publicKey, { kid: 'k1', use: 'sig', alg: 'PS256' }),
      jwk(rsa.publicKey, { kid: 'k1', use: 'enc' }),
      jwk(ec.publicKey, { kid: 'k2', use: 'enc' }),
    ]);
  });

  it('shows a key once that has several purposes, and its certificates', async () => {
    const leaf = certificateAuthority('Root').issue({ names: ['localhost'] });
    const x5c = [leaf.certificate.replace(/-----[^-]+-----|\s/g, '')];
    const key = { ...jwk(createPublicKey(leaf.key)), x5c, kid: 'k1' };
    const { secretsProvider } = provider({ tls: key });
    const purpose = { secretId: 'tls', keyUsage: 'VERIFY' };
    const gateway = await serve({ type: TYPE, config: { secretsProvider, purposes: [purpose, purpose] } });
    const { body } = await send(gateway, 'GET /');
    expect(keysOf(body.toString())).toEqual([{ ...key, use: 'sig' }]);
  });

  it('publishes private and symmetric keys only if configured, with Cache-Control: no-store', async () => {
    const { secretsProvider } = provider({
      signing: jwk(rsa.privateKey, { kid: 'k1' }),
      hmac: { kty: 'oct', k: SYMMETRIC, kid: 'k2', alg: 'HS256' },
    });
    const purposes = [
      { secretId: 'signing', keyUsage: 'SIGN' },
      { secretId: 'hmac', keyUsage: 'VERIFY' },
    ];
    const quiet = await serve({ type: TYPE, config: { secretsProvider, purposes } });
    const shown = (await send(quiet, 'GET /')).body.toString();
    expect(keysOf(shown)).toEqual([jwk(rsa.publicKey, { kid: 'k1', use: 'sig' })]);
    expect(shown).not.toContain(SYMMETRIC);

    const config = { secretsProvider, purposes, exposePrivateSecrets: true };
    const open = await serve({ type: TYPE, config });
    const { body, headers } = await send(open, 'GET /');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(keysOf(body.toString())).toEqual([
      jwk(rsa.privateKey, { kid: 'k1', use: 'sig' }),
      { kty: 'oct', k: SYMMETRIC, kid: 'k2', alg: 'HS256', use: 'sig' },
    ]);
    expect(problemsOf({ type: TYPE, config })).toEqual([
      expect.stringMatching(/^insecure handler\.config\.exposePrivateSecrets: anyone who gets a response/),
    ]);
  });

  it('answers HEAD without content and refuses other methods', async () => {
    const { secretsProvider } = provider({ a: jwk(ec.publicKey) });
    const purposes = [{ secretId: 'a', keyUsage: 'VERIFY' }];
    const gateway = await serve({ type: TYPE, config: { secretsProvider, purposes } });
    const head = await send(gateway, 'HEAD /');
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(Number(head.headers.get('content-length'))).toBe((await send(gateway, 'GET /')).body.length);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await send(gateway, `${method} /`);
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
  });

  it.each<readonly [string, JsonObject]>([
    ['there is no such secret', { secretId: 'none', keyUsage: 'VERIFY' }],
    ['the key is not for this', { secretId: 'a', keyUsage: 'SIGN' }],
    ['the algorithm is not one of the key', { secretId: 'a', keyUsage: 'VERIFY', jwkAlgorithm: 'RS256' }],
    ['the secret is damaged', { secretId: 'damaged', keyUsage: 'VERIFY' }],
  ])('answers 500 when %s', async (_, purpose) => {
    const { secretsProvider } = provider({ a: jwk(ec.publicKey), damaged: { kty: 'EC' } });
    const gateway = await serve({ type: TYPE, config: { secretsProvider, purposes: [purpose] } });
    const { status, body } = await send(gateway, 'GET /');
    expect([status, body.length]).toEqual([500, 0]);
    expect(gateway.logged).toContainEqual(expect.objectContaining({ msg: 'could not read the keys of a JWK set' }));
  });

  it('shows renewed keys', async () => {
    const { directory, secretsProvider } = provider({ a: jwk(ec.publicKey, { kid: 'old' }) });
    const purposes = [{ secretId: 'a', keyUsage: 'VERIFY' }];
    const gateway = await serve({ type: TYPE, config: { secretsProvider, purposes } });
    const ids = async (): Promise<unknown[]> =>
      keysOf((await send(gateway, 'GET /')).body.toString()).map(({ kid }) => kid);
    expect(await ids()).toEqual(['old']);
    const both = { keys: [jwk(rsa.publicKey, { kid: 'new' }), jwk(ec.publicKey, { kid: 'old' })] };
    writeFileSync(join(directory, 'a'), JSON.stringify(both));
    await expect.poll(ids, { timeout: 120_000 }).toEqual(['new', 'old']);
  });

  it.each<readonly [JsonObject, readonly string[]]>([
    [{ purposes: [{ secretId: 'a', keyUsage: 'SIGN' }] }, ['missing handler.config.secretsProvider: is required']],
    [{ secretsProvider: 'p' }, ['missing handler.config.purposes: is required']],
    [{ secretsProvider: 'p', purposes: [] }, ['value handler.config.purposes: must have at least 1 entry']],
    [
      { secretsProvider: 'p', purposes: [{ secretId: 'a', keyUsage: 'LOOK' }] },
      [
        'value handler.config.purposes[0].keyUsage: must be one of AGREE_KEY, ENCRYPT, DECRYPT, SIGN, VERIFY, WRAP_KEY, ' +
          "UNWRAP_KEY, not 'LOOK'",
      ],
    ],
    [
      { secretsProvider: 'p', purposes: [{ keyUsage: 'SIGN' }] },
      ['missing handler.config.purposes[0].secretId: is required'],
    ],
  ])('refuses %o', (config, expected) => {
    const heap = [{ name: 'p', type: 'Base64EncodedSecretStore', config: { secrets: {} } }];
    const problems = problemsOf({ type: TYPE, config }, heap).filter((one) => !one.startsWith('insecure heap'));
    expect(problems).toEqual(expected);
  });

  it('does not let a tenant publish private keys', () => {
    const heap = [{ name: 'p', type: 'Base64EncodedSecretStore', config: { secrets: {} } }];
    const purposes = [{ secretId: 'a', keyUsage: 'SIGN' }];
    const problems = (exposePrivateSecrets: boolean) =>
      checkConfigured(
        { heap, handler: { type: TYPE, config: { secretsProvider: 'p', purposes, exposePrivateSecrets } } },
        noReach,
      ).filter(({ severity }) => severity === 'error');
    expect(problems(false)).toEqual([]);
    expect(problems(true)).toMatchObject([
      { code: 'not-allowed', path: ['handler', 'config', 'exposePrivateSecrets'] },
    ]);
  });
});
