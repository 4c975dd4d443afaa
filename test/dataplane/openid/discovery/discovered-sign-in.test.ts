import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { keyFolder } from '../../../support/identity/key-folder.ts';
import { startMetadataServer } from '../../../support/identity/metadata-server.ts';
import { startOpenidProvider } from '../../../support/identity/openid-provider.ts';
import { APP, registration, startSignIn } from '../../../support/identity/sign-in-gateway.ts';

const loginHandler = { type: 'StaticResponseHandler', config: { status: 200, entity: 'choose' } };
const metadata = { redirect_uris: [`${APP}/openid/callback`], client_name: 'Gateway', scopes: ['openid', 'email'] };
const DYNAMIC = { registrations: [], loginHandler, metadata };
const REGISTRATION = { registration: { enabled: true } };
const login = (input: string): string => `${APP}/openid/login/?goto=/orders&discovery=${encodeURIComponent(input)}`;

describe('a sign-in by what the user typed in', () => {
  it('uses the registration whose issuer supports the domain', async () => {
    const [one, two] = [await startOpenidProvider(), await startOpenidProvider()];
    two.user = 'bob';
    const issuer = (url: string, domain: string): JsonObject => ({
      type: 'Issuer',
      config: { issuer: url, supportedDomains: [domain] },
    });
    const registrations = [
      registration('', { name: 'one', issuer: issuer(one.issuer, 'one\\.example') }),
      registration('', { name: 'two', issuer: issuer(two.issuer, '(.*\\.)?two\\.example') }),
    ];
    const { browser } = await startSignIn('', { config: { registrations, loginHandler } });
    expect((await browser().open(login('ada@one.example'))).body).toBe('GET /orders for ada');
    expect((await browser().open(login('bob@mail.two.example'))).body).toBe('GET /orders for bob');
    expect((await browser().open(login('https://two.example/'))).body).toBe('GET /orders for bob');
    expect((await browser().open(login('eve@evil.example'))).body).toBe(
      'failed: invalid_request: no registration is for users of this domain',
    );
    expect((await browser().open(login('javascript:x'))).body).toMatch(/^failed: invalid_request: 'discovery' is no/);
  });

  it.each([
    ['client_secret_basic', {}],
    ['client_secret_post', { tokenEndpointAuthMethod: 'client_secret_post' }],
  ])('registers the gateway once at the issuer and authenticates with %s', async (_, config) => {
    const provider = await startOpenidProvider({ features: REGISTRATION });
    const { browser } = await startSignIn('', { config: { ...DYNAMIC, ...config } });
    const ada = browser();
    expect((await ada.open(`${APP}/orders`)).body).toBe('choose');
    const pages = await Promise.all([ada.open(login(provider.issuer)), browser().open(login(provider.issuer))]);
    expect(pages.map(({ body }) => body)).toEqual(['GET /orders for ada', 'GET /orders for ada']);
    expect((await ada.open(`${APP}/more`)).body).toBe('GET /more for ada');
    expect((await browser().open(login(provider.issuer))).body).toBe('GET /orders for ada');
    expect(provider.asked.filter((one) => one === 'POST /reg')).toHaveLength(1);
  });

  it('authenticates with a key whose public half it registered', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const provider = await startOpenidProvider({ features: REGISTRATION });
    const { kty, n, e } = publicKey.export({ format: 'jwk' }) as Readonly<Record<'kty' | 'n' | 'e', string>>;
    const jwks = { keys: [{ kty, n, e, kid: 'key' }] };
    const keyed = { discoverySecretId: 'key', secretsProvider: keyFolder({ key: privateKey }) };
    const { browser } = await startSignIn('', {
      config: { ...DYNAMIC, ...keyed, metadata: { ...metadata, jwks } },
    });
    expect((await browser().open(login(provider.issuer))).body).toBe('GET /orders for ada');
  });

  it('asks WebFinger for the issuer', async () => {
    const provider = await startOpenidProvider({ features: REGISTRATION });
    const finger = await startMetadataServer();
    const rel = 'http://openid.net/specs/connect/1.0/issuer';
    const query = new URLSearchParams({ resource: `${finger.url}/ada`, rel });
    const links = [
      { rel: 'other', href: 'https://evil.example' },
      { rel, href: provider.issuer },
    ];
    finger.answers.set(`/.well-known/webfinger?${query}`, (response) => void response.end(JSON.stringify({ links })));
    const { browser } = await startSignIn('', { config: DYNAMIC });
    expect((await browser().open(login(`${finger.url}/ada`))).body).toBe('GET /orders for ada');
  });

  const FAILING: [string, JsonObject, string | RegExp, JsonObject?][] = [
    ['an issuer that registers nobody', {}, 'failed: server_error: the issuer registers no clients dynamically'],
    [
      'an issuer that refuses the metadata',
      REGISTRATION,
      /^failed: invalid_redirect_uri: /,
      { metadata: { ...metadata, redirect_uris: ['http://gw.test/openid/callback?x#y'] } },
    ],
  ];

  it.each(FAILING)('fails with %s', async (_, features, body, config = {}) => {
    const provider = await startOpenidProvider({ features });
    const { browser } = await startSignIn('', { config: { ...DYNAMIC, ...config } });
    expect((await browser().open(login(provider.issuer))).body).toMatch(body);
  });

  it('asks no issuer in clear text where requireHttps is true', async () => {
    const provider = await startOpenidProvider({ features: REGISTRATION });
    const { browser } = await startSignIn('', {
      config: { ...DYNAMIC, requireHttps: true },
      trustedProxies: ['127.0.0.1'],
    });
    const page = await browser().open(login(provider.issuer).replace('http:', 'https:'));
    expect(page.body).toBe('failed: invalid_request: the issuer is not at an https URL');
    expect(provider.asked).toEqual([]);
  });
});
