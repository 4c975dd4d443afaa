import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { readJws } from '../../../dataplane/jose/compact-jws.ts';
import { verifyWithSecrets } from '../../../dataplane/jose/verification.ts';
import { HttpBackend } from '../../support/backends/http-backend.ts';
import { buildObject, buildObjects } from '../../support/gateways/built-object.ts';
import { refusals } from '../../support/gateways/refused-objects.ts';
import { startAuthorizationServer } from '../../support/identity/authorization-server.ts';

const TYPE = 'JwkSetSecretStore';

function publicJwk(kid: string, more: object = {}): object {
  return { ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid, ...more };
}

/** An endpoint whose answers the test writes. */
async function endpoint(answer: (response: ServerResponse) => void): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const backend = await HttpBackend.start((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.accept}`);
    answer(response);
  });
  onTestFinished(() => backend.close());
  const { host, port } = backend.destination;
  return { url: `http://${host}:${port}/jwks?tenant=a`, asked };
}

function said(content: unknown): (response: ServerResponse) => void {
  return (response) => void response.end(typeof content === 'string' ? content : JSON.stringify(content));
}

function brokenOff(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Length': 9 });
  response.write('{', () => response.destroy());
}

function store(jwkUrl: string, config: JsonObject = {}) {
  return buildObject('secretStore', TYPE, { jwkUrl, ...config });
}

describe(TYPE, () => {
  it('returns the keys of the set by kid and in order', async () => {
    const { url, asked } = await endpoint(said({ keys: [publicJwk('a'), publicJwk('b'), publicJwk('c')] }));
    const { object, problems } = store(url);
    expect(problems).toEqual([]);
    expect((await object.keys('verify', 'anything')).map(({ stableId }) => stableId)).toEqual(['a', 'b', 'c']);
    expect((await object.named('verify', 'other', 'b')).stableId).toBe('b');
    expect(asked).toEqual(['GET /jwks?tenant=a application/jwk-set+json, application/json']);
  });

  it('leaves out unusable and private keys with one warning, and serves the rest', async () => {
    const pair = generateKeyPairSync('ed25519');
    const k = randomBytes(32).toString('base64url');
    const keys = [
      { kty: 'oct', kid: 'symmetric', k },
      { kty: 'FUTURE', kid: 'future' },
      { ...publicJwk('broken'), x: 'AA' },
      'no object',
      { ...pair.privateKey.export({ format: 'jwk' }), kid: 'private' },
      publicJwk('good'),
    ];
    const { url } = await endpoint(said({ keys }));
    const { object, logged } = store(url);
    const found = await object.keys('verify', 'x');
    expect(found.map(({ stableId, key }) => `${stableId} ${key.type}`)).toEqual(['private public', 'good public']);
    await expect(object.keys('sign', 'x')).rejects.toThrow("no secret 'x' that may sign");
    expect(logged.map(({ index, reason }) => [index, reason])).toEqual([
      [0, 'it is a symmetric key, which is not for a URL'],
      [1, "its 'kty' is not supported"],
      [2, expect.stringContaining('do not form a key')],
      [3, 'it is not a JSON object'],
      [4, undefined],
    ]);
    expect(JSON.stringify(logged)).not.toContain(k);
    await object.named('verify', 'x', 'unknown').catch(() => {});
    expect(logged.length).toBe(5);
  });

  it.each<readonly [string, (response: ServerResponse) => void, RegExp]>([
    ['another status', (response) => void response.writeHead(404).end('{"keys":[]}'), /status 404/],
    ['a redirect', (response) => void response.writeHead(302, { Location: '/elsewhere' }).end(), /status 302/],
    ['a page', said('<html>'), /not a JSON object/],
    ['an array', said([]), /not a JSON object/],
    ['an object without keys', said({ key: [] }), /no array 'keys'/],
    ['keys that are an object', said({ keys: {} }), /no array 'keys'/],
    ['a member twice', said('{"keys":[],"keys":[]}'), /has a duplicate member/],
    ['a member twice in a key', said('{"keys":[{"kty":"oct","kty":"RSA"}]}'), /has a duplicate member/],
    ['too many keys', said({ keys: Array.from({ length: 1001 }, () => ({})) }), /more than 1000 keys/],
    ['too much', said(`{"keys":[],"pad":"${'x'.repeat(1 << 20)}"}`), /cannot be read/],
    ['a broken answer', brokenOff, /cannot be read/],
  ])('refuses %s', async (_, answer, message) => {
    const { url } = await endpoint(answer);
    const asked = store(url).object.keys('verify', 'x');
    await expect(asked).rejects.toThrow(message);
    await expect(asked).rejects.toThrow(`(${url.replace('?tenant=a', '')})`);
  });

  it('fails when the endpoint does not answer', async () => {
    const backend = await HttpBackend.start(() => {});
    const { port } = backend.destination;
    await backend.close();
    const { object, logged } = store(`http://127.0.0.1:${port}/`);
    await expect(object.keys('verify', 'x')).rejects.toThrow("the secret 'x' of 'it' cannot be read");
    expect(logged.at(-1)).toMatchObject({ msg: expect.stringContaining('no cached keys to use') });
  });

  it('sends its requests through the handler', async () => {
    const { url, asked } = await endpoint(said({ keys: [publicJwk('a')] }));
    const objects = buildObjects([
      {
        name: 'sender',
        type: 'Chain',
        config: {
          filters: [
            { type: 'HeaderFilter', config: { messageType: 'REQUEST', remove: ['Accept'], add: { Accept: ['x/y'] } } },
          ],
          handler: 'ClientHandler',
        },
      },
      { name: 'it', type: TYPE, config: { jwkUrl: `${url}#part`, handler: 'sender' } },
    ]);
    await objects.get('secretStore', 'it').keys('verify', 'x');
    expect(asked).toEqual(['GET /jwks?tenant=a x/y']);
  });

  it('verifies every token of a server that rotates its keys meanwhile', async () => {
    const server = await startAuthorizationServer();
    const { object } = store(server.endpoints.jwks);
    const results: boolean[] = [];
    const check = async (): Promise<void> => {
      const jws = readJws(await server.token({ jwt: true }));
      results.push(jws !== null && (await verifyWithSecrets(jws, object, 'any')));
    };
    for (let at = 0; at < 5; at++) await check();
    await server.rotateKeys();
    await Promise.all(Array.from({ length: 10 }, check));
    expect(results).toEqual(Array.from({ length: 15 }, () => true));
    expect(server.asked.filter((line) => line === 'GET /jwks').length).toBe(2);
  });

  it('finds the keys of an issuer by its metadata, also after a rotation', async () => {
    const server = await startAuthorizationServer();
    const { object, problems } = buildObject('secretStore', TYPE, { issuer: server.issuer });
    expect(problems).toEqual([]);
    const isVerified = async (): Promise<boolean> => {
      const jws = readJws(await server.token({ jwt: true }));
      return jws !== null && verifyWithSecrets(jws, object, 'any');
    };
    expect(await isVerified()).toBe(true);
    await server.rotateKeys();
    expect(await isVerified()).toBe(true);
    const gets = server.asked.filter((line) => line.startsWith('GET'));
    expect(gets).toEqual(['GET /.well-known/openid-configuration', 'GET /jwks', 'GET /jwks']);
  });

  it('warns of an issuer whose metadata travels unencrypted', () => {
    const { problems } = buildObject('secretStore', TYPE, { issuer: 'http://as.test' });
    expect(problems).toMatchObject([{ code: 'insecure', severity: 'warning', path: ['heap', 0, 'config', 'issuer'] }]);
  });

  it.each<readonly [string, JsonObject, readonly string[]]>([
    ['neither a URL nor an issuer', {}, ["config: one of 'jwkUrl' and 'issuer' is required"]],
    [
      'a URL and an issuer',
      { jwkUrl: 'https://as.test/jwks', issuer: 'https://as.test' },
      ["config.issuer: 'jwkUrl' and 'issuer' cannot be given together"],
    ],
    [
      'an issuer with a query',
      { issuer: 'https://as.test/?realm=a' },
      ['config.issuer: must not contain a query, a fragment or spaces'],
    ],
    [
      'an issuer with a password',
      { issuer: 'https://user:pass@as.test' },
      ['config.issuer: must not contain credentials'],
    ],
    ['a file', { jwkUrl: 'file:///etc/keys' }, ['config.jwkUrl: must have the scheme http or https, not file']],
    [
      'a password in the URL',
      { jwkUrl: 'https://user:pass@as.test/jwks' },
      [expect.stringMatching(/^config\.jwkUrl: must not hold a user and a password/) as unknown as string],
    ],
    [
      'no pause',
      { jwkUrl: 'https://as.test', cacheMissCacheTime: 'zero' },
      ['config.cacheMissCacheTime: must be longer than zero'],
    ],
  ])('refuses %s', (_, config, expected) => {
    expect(refusals({ type: TYPE, config })).toEqual(expected);
  });

  it.each([
    ['cacheTimeout', '9 seconds'],
    ['cacheTimeout', 'zero'],
    ['cacheTimeout', 'unlimited'],
    ['leaseExpiry', 'zero'],
    ['leaseExpiry', 'unlimited'],
  ])('warns that %s of %s has no effect', (name, value) => {
    const { problems } = store('https://as.test', { [name]: value });
    expect(problems).toMatchObject([{ code: 'no-effect', severity: 'warning', path: ['heap', 0, 'config', name] }]);
  });
});
