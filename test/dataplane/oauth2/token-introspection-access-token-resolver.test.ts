import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { COUNTER, counters } from '../../../dataplane/engine/wire/counters.ts';
import { HttpBackend } from '../../support/backends/http-backend.ts';
import { ask } from '../../support/clients/answers.ts';
import { buildObjects } from '../../support/gateways/built-object.ts';
import { startFiltered } from '../../support/gateways/filtered-gateway.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import {
  type AuthorizationServer,
  CLIENT,
  startAuthorizationServer,
} from '../../support/identity/authorization-server.ts';
import { resolvingHandler, type Told } from '../../support/identity/resolving-handler.ts';
import { secretFolder } from '../../support/identity/secret-folder.ts';

/** Sends requests with the name and the secret of a client. */
function authenticating(secret = CLIENT.secret): JsonObject {
  const directory = secretFolder({ 'client.secret': secret });
  const secretsProvider = { type: 'FileSystemSecretStore', config: { directory, format: 'PLAIN' } };
  const config = { clientId: CLIENT.id, clientSecretId: 'client.secret', secretsProvider };
  const filters = [{ type: 'ClientSecretBasicAuthenticationFilter', config }];
  return { type: 'Chain', config: { filters, handler: 'ForgeRockClientHandler' } };
}

/** A gateway that tells what the resolver says. */
async function resolving(config: JsonObject, heap: readonly JsonValue[] = []) {
  const declared = { name: 'it', type: 'TokenIntrospectionAccessTokenResolver', config };
  const { get, logged, problems } = buildObjects([...heap, declared]);
  const gateway = await startGateway({ handler: () => resolvingHandler(get('accessTokenResolver', 'it')) });
  onTestFinished(() => gateway.close());
  return {
    logged,
    problems,
    async told(token: string): Promise<Told> {
      const answer = await ask(gateway.port, `GET / HTTP/1.1\r\nHost: gw\r\nAuthorization: Bearer ${token}\r\n`);
      if (answer.status !== 200) throw new Error(`${answer.status}: ${String(gateway.faults)}`);
      return JSON.parse(answer.body) as Told;
    },
  };
}

function asking(server: AuthorizationServer, secret?: string) {
  return resolving({ endpoint: server.endpoints.introspection, providerHandler: authenticating(secret) });
}

describe('with a real authorization server', () => {
  it('returns the claims of an active token', async () => {
    const server = await startAuthorizationServer();
    const { told, logged } = await asking(server);
    const before = Math.floor(Date.now() / 1000) * 1000;
    const answer = await told(await server.token({ scope: 'read admin' }));
    expect(answer).toMatchObject({ kind: 'token', scopes: ['read', 'admin'] });
    expect(answer.info).toMatchObject({ active: true, client_id: CLIENT.id, iss: server.issuer });
    expect(answer.expiresAt).toBe(Number(answer.info?.['exp']) * 1000);
    expect(answer.expiresAt).toBeGreaterThanOrEqual(before + 600_000);
    expect(logged.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  });

  it('refuses tokens that are unknown, expired or revoked', async () => {
    const server = await startAuthorizationServer();
    const { told } = await asking(server);
    const [expired, revoked] = [await server.token(), await server.token()];
    for (const token of [expired, revoked]) expect(await told(token)).toMatchObject({ kind: 'token' });
    server.expire(expired);
    await server.revoke(revoked);
    for (const token of ['unknown', expired, revoked]) {
      expect(await told(token)).toMatchObject({ error: 'invalid_token', description: 'the token is not active' });
    }
  });

  it('rejects a token that the server refuses to introspect', async () => {
    const server = await startAuthorizationServer();
    const { told, logged } = await asking(server);
    expect(await told(await server.token({ jwt: true }))).toMatchObject({ error: 'invalid_token' });
    expect(logged.at(-1)).toMatchObject({
      reason: 'the response status is 400 and the error unsupported_token_type',
    });
  });

  it('rejects all tokens when the server rejects the gateway, and logs it once', async () => {
    const server = await startAuthorizationServer();
    const { told, logged } = await asking(server, 'something else');
    const token = await server.token();
    for (const _ of [1, 2, 3]) expect(await told(token)).toMatchObject({ error: 'invalid_token' });
    const warnings = logged.filter(({ level }) => level === 40);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({
      msg: 'token introspection failed',
      backend: new URL(server.issuer).host,
      reason:
        "the response status is 401 and the error invalid_client: check the client authentication in 'providerHandler'",
    });
    expect(JSON.stringify(logged)).not.toContain(token);
  });

  it('rejects all tokens when the server is down', async () => {
    const server = await startAuthorizationServer();
    const { told, logged } = await asking(server);
    const token = await server.token();
    await server.close();
    expect(await told(token)).toMatchObject({
      error: 'invalid_token',
      description: 'the token could not be verified',
      cause: expect.stringContaining('backend-connect'),
    });
    expect(JSON.stringify(logged)).not.toContain(token);
  });

  it('guards requests as the resolver of an OAuth2ResourceServerFilter', async () => {
    const server = await startAuthorizationServer();
    const accessTokenResolver = {
      type: 'TokenIntrospectionAccessTokenResolver',
      config: { endpoint: server.endpoints.introspection, providerHandler: authenticating() },
    };
    const config = { accessTokenResolver, scopes: ['read'], requireHttps: false };
    const { ask: request, seen } = await startFiltered([{ type: 'OAuth2ResourceServerFilter', config }]);
    const status = async (token: string): Promise<number> =>
      (await request('/', { headers: [`Authorization: Bearer ${token}`] })).status;
    expect(await status(await server.token())).toBe(200);
    expect(await status(await server.token({ scope: 'write' }))).toBe(403);
    expect(await status('unknown')).toBe(401);
    expect(seen).toHaveLength(1);
  });
});

type Responder = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** An endpoint that answers as it is told. */
async function endpoint(answer: Responder): Promise<string> {
  const backend = await HttpBackend.start(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    answer(request, response, String(Buffer.concat(chunks)));
  });
  onTestFinished(() => backend.close());
  const { host, port } = backend.destination;
  return `http://${host}:${port}`;
}

function saying(content: string, status = 200, type = 'application/json'): Responder {
  return (_request, response) => {
    response.writeHead(status, { 'Content-Type': type }).end(content);
  };
}

it.each<[JsonObject, JsonObject, boolean]>([
  [{ audience: 'orders' }, { aud: ['stock', 'orders'] }, true],
  [{ audience: ['orders', 'stock'] }, { aud: 'stock' }, true],
  [{ audience: 'orders' }, { aud: 'stock' }, false],
  [{ audience: 'orders' }, {}, false],
  [{ requireExpiry: true }, { exp: Math.floor(Date.now() / 1000) + 600 }, true],
  [{ requireExpiry: true }, {}, false],
])('requires with %j of a token with %j: %s', async (config, said, isGood) => {
  const place = await endpoint(saying(JSON.stringify({ active: true, ...said })));
  const { told } = await resolving({ endpoint: place, providerHandler: 'ClientHandler', ...config });
  expect(await told('t')).toMatchObject(isGood ? { kind: 'token' } : { error: 'invalid_token' });
});

describe('the request', () => {
  it('is the form of RFC 7662', async () => {
    const seen: { method: unknown; url: unknown; headers: IncomingMessage['headers']; body: string }[] = [];
    const place = await endpoint((request, response, body) => {
      seen.push({ method: request.method, url: request.url, headers: request.headers, body });
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"active":false}');
    });
    const { told } = await resolving({ endpoint: `${place}/introspect?tenant=a` });
    await told('a+b/c~-._d==');
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      method: 'POST',
      url: '/introspect?tenant=a',
      body: 'token=a%2Bb%2Fc~-._d%3D%3D&token_type_hint=access_token',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    });
    expect(seen[0]!.headers).not.toHaveProperty('authorization');
  });

  it('goes to the realm of the AmService, which wins over the endpoint', async () => {
    const urls: unknown[] = [];
    const place = await endpoint((request, response) => {
      urls.push(request.url);
      response.writeHead(200, { 'Content-Type': 'application/json;charset=UTF-8' });
      response.end(
        JSON.stringify({
          active: true,
          scope: 'profile mail',
          realm: '/customers',
          client_id: 'app',
          user_id: 'demo',
          username: 'demo',
          token_type: 'Bearer',
          exp: 4_102_444_800,
          sub: 'demo',
          subname: 'demo',
          iss: 'https://am.example.com/openam/oauth2/customers',
          auth_level: 0,
          authGrantId: 'grant-1',
          auditTrackingId: 'tracking-1',
          expires_in: 3599,
        }),
      );
    });
    const am = {
      name: 'am',
      type: 'AmService',
      config: {
        url: `${place}/openam/`,
        realm: '/customers',
        agent: { username: 'gateway', passwordSecretId: 'agent.password' },
        secretsProvider: { type: 'SystemAndEnvSecretStore' },
      },
    };
    const { told, problems } = await resolving({ amService: 'am', endpoint: 'http://elsewhere.test/' }, [am]);
    expect(await told('t')).toMatchObject({
      kind: 'token',
      scopes: ['profile', 'mail'],
      expiresAt: 4_102_444_800_000,
      info: { authGrantId: 'grant-1', user_id: 'demo' },
    });
    expect(urls).toEqual(['/openam/oauth2/realms/root/realms/customers/introspect']);
    expect(problems.map(({ severity, code, message }) => `${severity} ${code}: ${message}`)).toEqual([
      "warning no-effect: has no effect: 'amService' wins over it",
    ]);
  });
});

const LATER = Math.floor(Date.now() / 1000) + 3600;
const EARLIER = LATER - 7200;

describe('valid responses', () => {
  it.each<[string, JsonObject, string[], number | null]>([
    ['scopes in a text', { scope: 'a b' }, ['a', 'b'], null],
    ['scopes in a list', { scope: ['a', 'b'] }, ['a', 'b'], null],
    ['no scopes', {}, [], null],
    ['an end', { exp: LATER }, [], LATER * 1000],
    ['an end with a fraction', { exp: LATER + 0.5 }, [], LATER * 1000 + 500],
    ['a past beginning', { nbf: EARLIER }, [], null],
    ['a type of AM 14', { token_type: 'access_token' }, [], null],
  ])('with %s', async (_what, said, scopes, expiresAt) => {
    const place = await endpoint(saying(JSON.stringify({ active: true, ...said })));
    const { told } = await resolving({ endpoint: place });
    expect(await told('t')).toMatchObject({ kind: 'token', scopes, expiresAt });
  });
});

describe('the token is refused', () => {
  const undecided = 'the token could not be verified';

  it.each<[string, Responder, string, string | null]>([
    ['inactive', saying('{"active":false}'), 'the token is not active', null],
    ['expired', saying(`{"active":true,"exp":${EARLIER}}`), 'the token has expired', null],
    ['early', saying(`{"active":true,"nbf":${LATER}}`), 'the token is not yet valid', null],
    ['refreshing', saying('{"active":true,"token_type":"refresh_token"}'), 'the token is not an access token', null],
    [
      'refreshing, in capitals',
      saying('{"active":true,"token_type":"Refresh_Token"}'),
      'the token is not an access token',
      null,
    ],
    ['active by a text', saying('{"active":"true"}'), undecided, "'active' is not a boolean"],
    ['active by a number', saying('{"active":1}'), undecided, "'active' is not a boolean"],
    ['without active', saying('{"scope":"a"}'), undecided, "'active' is not a boolean"],
    ['active twice', saying('{"active":true,"active":true}'), undecided, 'the response is not a JSON object'],
    ['active in a list', saying('[{"active":true}]'), undecided, 'the response is not a JSON object'],
    ['cut off', saying('{"active":true'), undecided, 'the response is not a JSON object'],
    ['empty', saying(''), undecided, 'the response is not a JSON object'],
    ['of another type', saying('{"active":true}', 200, 'text/html'), undecided, 'the response is not a JSON object'],
    [
      'a JWT',
      saying('a.b.c', 200, 'application/token-introspection+jwt'),
      undecided,
      'the response is not a JSON object',
    ],
    ['an end as a text', saying(`{"active":true,"exp":"${LATER}"}`), undecided, "'exp' or 'nbf' is not a date"],
    ['no number as its end', saying('{"active":true,"exp":null}'), undecided, "'exp' or 'nbf' is not a date"],
    ['an endless number', saying('{"active":true,"exp":1e400}'), undecided, "'exp' or 'nbf' is not a date"],
    [
      'scopes of another kind',
      saying('{"active":true,"scope":{"a":1}}'),
      undecided,
      "'scope' is neither a text nor a list of texts",
    ],
    [
      'scopes of several kinds',
      saying('{"active":true,"scope":["a",1]}'),
      undecided,
      "'scope' is neither a text nor a list of texts",
    ],
    ['created', saying('{"active":true}', 201), undecided, 'the response status is 201'],
    [
      'moved',
      (_request, response) => void response.writeHead(302, { Location: '/x' }).end(),
      undecided,
      'the response status is 302: redirects are not followed',
    ],
    ['not found', saying('', 404), undecided, 'the response status is 404: check the URL of the endpoint'],
    [
      'in error',
      saying('{"error":"server_error"}', 500),
      undecided,
      'the response status is 500 and the error server_error',
    ],
    ['an error with a text', saying('{"error":"a\\nb"}', 400), undecided, 'the response status is 400'],
    [
      'an invalid request elsewhere',
      saying('{"error":"invalid_request"}', 401),
      undecided,
      "the response status is 401 and the error invalid_request: check the client authentication in 'providerHandler'",
    ],
    [
      'broken off',
      (_request, response) =>
        void response
          .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' })
          .write('{"active":true', () => response.destroy()),
      undecided,
      expect.any(String),
    ],
    ['endless', saying(`{"active":true,"x":"${'x'.repeat(1 << 20)}"}`), undecided, expect.any(String)],
  ])('when the response is %s', async (_what, answer, description, cause) => {
    const { told, logged } = await resolving({ endpoint: await endpoint(answer) });
    const more = description === undecided ? { undecided: true } : {};
    expect(await told('the-token')).toEqual({ kind: 'refusal', error: 'invalid_token', description, cause, ...more });
    const warnings = logged.filter(({ level, msg }) => level === 40 && msg === 'token introspection failed');
    expect(warnings).toHaveLength(cause === null ? 0 : 1);
    expect(JSON.stringify(logged)).not.toContain('the-token');
  });

  it('when there is no response in time', async () => {
    const providerHandler = { type: 'ClientHandler', config: { soTimeout: '50 milliseconds' } };
    const { told } = await resolving({ endpoint: await endpoint(() => {}), providerHandler });
    expect(await told('t')).toMatchObject({ error: 'invalid_token', description: undecided });
  });

  it('as an invalid request when the server reports invalid_request', async () => {
    const { told } = await resolving({ endpoint: await endpoint(saying('{"error":"invalid_request"}', 400)) });
    expect(await told('t')).toMatchObject({ kind: 'refusal', error: 'invalid_request' });
  });
});

describe('when clients disconnect before the introspection', () => {
  /** A server that is asked one thing at a time, and answers when it is told to. */
  async function startBusy(cache: JsonObject) {
    const asked: string[] = [];
    const released = Promise.withResolvers<void>();
    const backend = await HttpBackend.start(async (request, response) => {
      let form = '';
      for await (const chunk of request) form += String(chunk);
      asked.push(new URLSearchParams(form).get('token')!);
      await released.promise;
      response.setHeader('Content-Type', 'application/json').end('{"active":true}');
    });
    onTestFinished(() => backend.close());
    const providerHandler = { type: 'ClientHandler', config: { connections: 1 } };
    const place = `http://127.0.0.1:${backend.destination.port}/`;
    const accessTokenResolver = {
      type: 'TokenIntrospectionAccessTokenResolver',
      config: { endpoint: place, providerHandler },
    };
    const config = { accessTokenResolver, scopes: [], requireHttps: false, cache };
    const gateway = await startFiltered([{ type: 'OAuth2ResourceServerFilter', config }]);
    const status = async (token: string): Promise<number> =>
      (await gateway.ask('/', { headers: [`Authorization: Bearer ${token}`] })).status;
    const first = status('first');
    await expect.poll(() => asked).toEqual(['first']);
    const leaver = connect(gateway.port, '127.0.0.1');
    const waiting = counters.block[COUNTER.backendWaiting]!;
    leaver.write('GET / HTTP/1.1\r\nHost: gw.test\r\nAuthorization: Bearer left\r\n\r\n');
    await expect.poll(() => counters.block[COUNTER.backendWaiting]).toBe(waiting + 1);
    return { ...gateway, asked, released, status, first, leaver, waiting };
  }

  it.each([{}, { enabled: true }])('does not introspect their tokens (cache %j)', async (cache) => {
    const { asked, released, status, first, leaver, waiting, logged } = await startBusy(cache);
    leaver.resetAndDestroy();
    await expect.poll(() => counters.block[COUNTER.backendWaiting]).toBe(waiting);
    released.resolve();
    expect([await first, await status('last')]).toEqual([200, 200]);
    expect(asked).toEqual(['first', 'last']);
    expect(logged.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  });

  it('introspects for other clients that wait for the same token', async () => {
    const { asked, released, status, first, leaver, counted } = await startBusy({ enabled: true });
    const misses = () => counted.filter(({ labels }) => labels['result'] === 'miss').length;
    const before = misses();
    const second = status('left');
    await expect.poll(misses).toBe(before + 1);
    leaver.resetAndDestroy();
    await expect.poll(misses).toBe(before + 2);
    released.resolve();
    expect([await first, await second]).toEqual([200, 200]);
    expect(asked).toEqual(['first', 'left']);
  });
});

describe('the configuration', () => {
  function problems(config: JsonObject): () => unknown {
    return () => buildObjects([{ name: 'it', type: 'TokenIntrospectionAccessTokenResolver', config }]);
  }

  it.each<[JsonObject, string]>([
    [{}, "one of 'amService' and 'endpoint' is required"],
    [{ endpoint: 'https://a:b@as.example.com/' }, "must hold no credentials: use 'providerHandler'"],
    [{ endpoint: 'as.example.com' }, 'is not an absolute URL'],
    [{ amService: 'nowhere' }, 'nowhere'],
    [{ endpoint: 'https://as.example.com/', amService: { type: 'Clock' } }, 'Clock'],
  ])('refuses %j', (config, message) => {
    expect(problems(config)).toThrow(message);
  });
});
