import { generateKeyPairSync } from 'node:crypto';
import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { inlineSecrets } from '../../../support/identity/inline-secrets.ts';
import { keyFolder } from '../../../support/identity/key-folder.ts';
import { LyingProvider } from '../../../support/identity/lying-provider.ts';
import { startOpenidProvider } from '../../../support/identity/openid-provider.ts';
import { APP, registration, startSignIn } from '../../../support/identity/sign-in-gateway.ts';

const REDIRECT = `${APP}/openid/callback`;
const PUSHED = 'POST /request';

describe('a sign-in at a real provider', () => {
  it('authenticates the client with a key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const client = {
      client_id: 'keyed',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'key' }] },
    };
    const provider = await startOpenidProvider({ clients: [client] });
    const secretsProvider = keyFolder({ key: privateKey });
    const registrations = [
      { issuer: provider.issuer, clientId: 'keyed', privateKeyJwtSecretId: 'key', secretsProvider },
    ];
    const { browser } = await startSignIn('', { config: { registrations } });
    expect((await browser().open(`${APP}/orders`)).body).toBe('GET /orders for ada');
  });

  it.each([
    ['where the provider requires it', true, {}, 1],
    ['where the filter asks for it', false, { pushAuthorizationRequests: true }, 1],
    ['not otherwise', false, {}, 0],
  ])('pushes its request %s', async (_, isRequired, config, count) => {
    const provider = await startOpenidProvider({
      features: { pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: isRequired } },
    });
    const { browser } = await startSignIn(provider.issuer, { config });
    const page = await browser().open(`${APP}/orders`);
    expect(page.body).toBe('GET /orders for ada');
    expect(provider.asked.filter((one) => one === PUSHED)).toHaveLength(count);
    const sent = page.visited.find((url) => url.startsWith(`${provider.issuer}/auth?`))!;
    expect(new URL(sent).searchParams.has('code_challenge')).toBe(count === 0);
  });

  it('fails where the user says no', async () => {
    const provider = await startOpenidProvider();
    provider.user = null;
    const { browser, finished } = await startSignIn(provider.issuer);
    const eve = browser();
    const page = await eve.open(`${APP}/orders`);
    expect(page).toMatchObject({ status: 403, body: 'failed: access_denied: The user said  no ' });
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    expect(finished.at(-1)?.decision).toMatchObject({ refusal: 'sign-in-refused' });
    expect(eve.jar('gw.test').names).toEqual([]);
  });

  it('tells the failure handler the code, the reason and the scopes of a refusal', async () => {
    const provider = await startOpenidProvider();
    provider.user = null;
    const { error, exception, scope } = {
      error: '${contexts.oauth2Failure.error}',
      exception: '${contexts.oauth2Failure.exception}',
      scope: "${join(contexts.oauth2Failure.scope, ' ')}",
    };
    const entity = [error, exception, scope].join('|');
    const failureHandler = { type: 'StaticResponseHandler', config: { status: 403, entity } };
    const { browser } = await startSignIn(provider.issuer, { config: { failureHandler } });
    expect((await browser().open(`${APP}/orders`)).body).toBe(
      'access_denied|the provider answered access_denied|openid email',
    );
  });

  it('fails with a clear answer where the registration lists other redirect URIs', async () => {
    const provider = await startOpenidProvider();
    const registrations = [registration(provider.issuer, { redirect_uris: ['https://gw.test/openid/callback'] })];
    const { browser } = await startSignIn('', { config: { registrations } });
    const message = `'redirect_uris' of the registration 'gateway' does not contain ${REDIRECT}`;
    expect((await browser().open(`${APP}/orders`)).body).toBe(`failed: invalid_request: ${message}`);
  });

  it('logs what to check where the provider rejects the client secret', async () => {
    const provider = await startOpenidProvider();
    const secretsProvider = inlineSecrets({ 'client.secret': 'another-secret' });
    const registrations = [registration(provider.issuer, { clientSecretId: 'client.secret', secretsProvider })];
    const { browser, finished, logged } = await startSignIn('', { config: { registrations } });
    const page = await browser().open(`${APP}/orders`);
    expect(page).toMatchObject({ status: 403, body: expect.stringContaining('failed: invalid_client: ') });
    expect(page.body).not.toContain('tokenEndpointAuthMethod');
    expect(finished.at(-1)?.decision).toMatchObject({ refusal: 'sign-in-failed' });
    const reason =
      "the token endpoint answered invalid_client: check 'clientId', the secret or key, and " +
      "'tokenEndpointAuthMethod' of the registration";
    expect(logged).toContainEqual(expect.objectContaining({ msg: 'sign-in failed', reason }));
  });

  it('is plain OAuth 2.0 without the scope openid', async () => {
    const provider = await startOpenidProvider();
    const registrations = [registration(provider.issuer, { scopes: ['email'] })];
    const { browser } = await startSignIn('', { config: { registrations } });
    expect(await browser().open(`${APP}/orders`)).toMatchObject({ status: 200, body: 'GET /orders for nobody' });
  });
});

describe('a provider that is away', () => {
  it('is a failure before the redirect where it was never reached, and the log has the reason', async () => {
    const provider = await startOpenidProvider();
    await provider.close();
    const { browser, finished, logged } = await startSignIn(provider.issuer);
    const ada = browser();
    const page = await ada.open(`${APP}/orders`);
    expect(page).toMatchObject({ url: `${APP}/orders`, status: 403 });
    expect(page.body).toBe('failed: temporarily_unavailable: sign-in is not available at the moment');
    expect(ada.jar('gw.test').names).toEqual([]);
    expect(finished.at(-1)?.decision).toMatchObject({ refusal: 'sign-in-failed' });
    expect(logged.filter(({ msg }) => msg === 'sign-in failed')).toHaveLength(1);
  });

  it('leaves nobody half signed in where it breaks off at the token endpoint', async () => {
    const provider = await startOpenidProvider();
    provider.before = ({ url }, response) => {
      if (url !== '/token') return true;
      response.destroy();
      return false;
    };
    const { browser } = await startSignIn(provider.issuer);
    const ada = browser();
    expect((await ada.open(`${APP}/orders`)).body).toBe(
      'failed: temporarily_unavailable: sign-in is not available at the moment',
    );
    expect(ada.jar('gw.test').names).toEqual([]);
    provider.before = () => true;
    expect((await ada.open(`${APP}/orders`)).body).toBe('GET /orders for ada');
  });

  it('is a failure where it takes longer than the handler of the registration waits', async () => {
    const provider = await startOpenidProvider();
    const held = Promise.withResolvers<void>();
    provider.before = async ({ url }) => {
      if (url === '/token') await held.promise;
      return true;
    };
    const authenticatedRegistrationHandler = { type: 'ClientHandler', config: { soTimeout: '300 ms' } };
    const registrations = [registration(provider.issuer, { authenticatedRegistrationHandler })];
    const { browser, finished } = await startSignIn('', { config: { registrations } });
    const ada = browser();
    expect((await ada.open(`${APP}/orders`)).body).toBe(
      'failed: temporarily_unavailable: sign-in is not available at the moment',
    );
    expect(finished.at(-1)?.decision).toMatchObject({ refusal: 'sign-in-failed' });
    expect(ada.jar('gw.test').names).toEqual([]);
    held.resolve();
  });

  it('signs nobody in whose browser went away while it was slow', async () => {
    const provider = await startOpenidProvider();
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    provider.before = async ({ url }) => {
      if (url !== '/token') return true;
      asked.resolve();
      await answer.promise;
      return true;
    };
    const { browser, port, finished } = await startSignIn(provider.issuer);
    const ada = browser();
    const { headers } = await ada.open(`${APP}/orders`, { stopAt: (url) => url.startsWith(REDIRECT) });
    const { pathname, search } = new URL(headers.location!);
    const cookie = ada.jar('gw.test').header.join();
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: gw.test\r\n${cookie}\r\n\r\n`);
    await asked.promise;
    socket.destroy();
    await vi.waitFor(() => expect(finished.at(-1)).toMatchObject({ path: '/openid/callback', status: 499 }));
    answer.resolve();
    expect((await ada.open(headers.location!)).body).toMatch(/^failed: invalid_request: /);
  });

  it('does not disturb users who are signed in', async () => {
    const provider = await startOpenidProvider();
    const { browser } = await startSignIn(provider.issuer);
    const ada = browser();
    await ada.open(`${APP}/orders`);
    await provider.close();
    expect((await ada.open(`${APP}/more`)).body).toBe('GET /more for ada');
  });
});

describe('keys of the provider', () => {
  it('that cannot be fetched are a failure that names no address', async () => {
    const provider = await LyingProvider.start();
    provider.metadata = (sound) => ({ ...sound, jwks_uri: `${provider.issuer}/missing` });
    const { browser, finished } = await startSignIn(provider.issuer);
    const page = await browser().open(`${APP}/orders`);
    expect(page.body).toBe('failed: temporarily_unavailable: the ID token cannot be verified');
    expect(finished.at(-1)?.decision).toMatchObject({ refusal: 'sign-in-failed' });
    expect(finished.at(-1)?.decision?.reason).toContain('/missing');
  });
});

describe('a session with too many claims', () => {
  const manyGroups = { groups: Array.from({ length: 3000 }, (_, at) => `group-${at}`) };

  it('is refused where cookies hold it, and nobody is half signed in', async () => {
    const provider = await LyingProvider.start();
    provider.claims = (sound) => ({ ...sound, ...manyGroups });
    const { browser, finished } = await startSignIn(provider.issuer, { session: { type: 'JwtSession' } });
    const ada = browser();
    const page = await ada.open(`${APP}/orders`);
    expect(page.status).toBe(500);
    expect(finished.at(-1)?.decision).toMatchObject({ refusal: 'session-too-large' });
    expect((await ada.fetch(`${APP}/orders`)).status).toBe(401);
  });

  it('fits where the gateway holds it', async () => {
    const provider = await LyingProvider.start();
    provider.claims = (sound) => ({ ...sound, ...manyGroups });
    const { browser } = await startSignIn(provider.issuer);
    expect((await browser().open(`${APP}/orders`)).status).toBe(200);
  });
});
