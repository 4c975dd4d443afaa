import { generateKeyPairSync } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HttpBackend } from '../../../support/backends/http-backend.ts';
import { type AskOptions, problemsOf, startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { CLIENT, startAuthorizationServer } from '../../../support/identity/authorization-server.ts';
import { inlineSecrets } from '../../../support/identity/inline-secrets.ts';
import { secretFolder } from '../../../support/identity/secret-folder.ts';
import { startTokenEndpoint } from '../../../support/identity/token-endpoint.ts';

const TYPE = 'ClientCredentialsOAuth2ClientFilter';
const granted = (token: string, more: object = { expires_in: 600 }) => ({
  access_token: token,
  token_type: 'Bearer',
  ...more,
});

function filter(tokenEndpoint: string, config: object = {}) {
  return JSON.parse(
    JSON.stringify({ type: TYPE, config: { tokenEndpoint, endpointHandler: 'ClientHandler', ...config } }),
  );
}

function authenticating(method: 'Basic' | 'Post', clientId: string, secret: string) {
  const config = { clientId, clientSecretId: 'secret', secretsProvider: inlineSecrets({ secret }) };
  const authentication = { type: `ClientSecret${method}AuthenticationFilter`, config };
  return { type: 'Chain', config: { filters: [authentication], handler: 'ClientHandler' } };
}

type Seen = Awaited<ReturnType<typeof startFiltered>>['seen'];
const sentTokens = (seen: Seen) =>
  seen.map(({ headers }) =>
    headers
      .filter(([name]) => name === 'authorization')
      .map(([, value]) => value)
      .join(' | '),
  );

/** Answers 401 to every token but one. */
async function startService(good: string) {
  const sent: string[] = [];
  const backend = await HttpBackend.start(async (request, response) => {
    let content = '';
    for await (const chunk of request) content += String(chunk);
    sent.push(`${request.headers.authorization} ${content}`.trim());
    response.statusCode = request.headers.authorization === `Bearer ${good}` ? 200 : 401;
    response.end(response.statusCode === 200 ? 'welcome' : 'go away');
  });
  const { port } = backend.destination;
  return {
    sent,
    handler: { type: 'ReverseProxyHandler', baseURI: `http://127.0.0.1:${port}` },
    close: () => backend.close(),
  };
}

describe(TYPE, () => {
  it('gets a token once and sends it with each request, replacing an existing header', async () => {
    const endpoint = await startTokenEndpoint((count) => granted(`t${count}`));
    const { ask, seen } = await startFiltered([filter(endpoint.url, { scopes: ['a', 'b:c'] })]);
    for (let i = 0; i < 3; i++) expect((await ask('/', { headers: ['Authorization: Basic eA=='] })).status).toBe(200);
    expect(sentTokens(seen)).toEqual(['Bearer t0', 'Bearer t0', 'Bearer t0']);
    expect(endpoint.requests).toHaveLength(1);
    const { target, form, headers } = endpoint.requests[0]!;
    expect(target).toBe('POST /token?realm=a');
    expect([...form]).toEqual([
      ['grant_type', 'client_credentials'],
      ['scope', 'a b:c'],
    ]);
    expect(headers['authorization']).toBeUndefined();
    expect(headers).toMatchObject({ 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' });
  });

  it.each([
    [{ clientId: 'me too' }, 'grant_type=client_credentials&client_id=me+too', undefined],
    [
      { clientId: 'a b', clientSecretId: 's', secretsProvider: inlineSecrets({ s: 'p%' }) },
      'grant_type=client_credentials&client_id=a+b',
      `Basic ${Buffer.from('a+b:p%25').toString('base64')}`,
    ],
  ])('requests the token according to %j', async (config, form, authorization) => {
    const endpoint = await startTokenEndpoint(() => granted('t'));
    const { ask, seen } = await startFiltered([filter(endpoint.url, config)]);
    await ask('/');
    expect(endpoint.requests[0]!.form.toString()).toBe(form);
    expect(endpoint.requests[0]!.headers['authorization']).toBe(authorization);
    expect(sentTokens(seen)).toEqual(['Bearer t']);
  });

  it('accepts the deprecated handler field', async () => {
    const endpoint = await startTokenEndpoint(() => granted('t'));
    const config = { endpointHandler: undefined, handler: authenticating('Basic', 'me', 'x') };
    const { ask, seen } = await startFiltered([filter(endpoint.url, config)]);
    await ask('/');
    expect(endpoint.requests[0]!.headers['authorization']).toBe(`Basic ${Buffer.from('me:x').toString('base64')}`);
    expect(sentTokens(seen)).toEqual(['Bearer t']);
  });

  it('sends one token request for all waiting requests', async () => {
    const released = Promise.withResolvers<object>();
    const endpoint = await startTokenEndpoint(() => released.promise);
    const { ask, seen } = await startFiltered([filter(endpoint.url)]);
    const answers = Array.from({ length: 8 }, (_, i) => ask(`/${i}`));
    await expect.poll(() => endpoint.requests.length).toBe(1);
    released.resolve(granted('t'));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(sentTokens(seen)).toEqual(Array(8).fill('Bearer t'));
    expect(endpoint.requests).toHaveLength(1);
  });

  it.each([{}, { clientId: 'me', clientSecretId: 's', secretsProvider: inlineSecrets({ s: 'x' }) }])(
    'gives the token to waiting requests when the first client disconnects: %j',
    async (config) => {
      const released = Promise.withResolvers<object>();
      const endpoint = await startTokenEndpoint(() => released.promise);
      const { ask, seen, port, finished, logged } = await startFiltered([filter(endpoint.url, config)]);
      const leaver = connect(port, '127.0.0.1');
      leaver.write('GET /leaver HTTP/1.1\r\nHost: gw.test\r\n\r\n');
      await expect.poll(() => endpoint.requests.length).toBe(1);
      const answer = ask('/waiting');
      leaver.resetAndDestroy();
      await expect.poll(() => finished.length).toBe(1);
      released.resolve(granted('t'));
      expect((await answer).status).toBe(200);
      expect(seen.map(({ url }) => url)).toEqual(['/waiting']);
      expect(logged.filter(({ level }) => Number(level) >= 40)).toEqual([]);
    },
  );

  it('gets a new token after a 401 of the service and sends the request once more', async () => {
    const service = await startService('t1');
    const endpoint = await startTokenEndpoint((count) => granted(`t${count}`));
    const { ask } = await startFiltered([filter(endpoint.url)], service.handler);
    const answer = await ask('/');
    expect([answer.status, answer.body]).toEqual([200, 'welcome']);
    expect((await ask('/')).status).toBe(200);
    expect(service.sent).toEqual(['Bearer t0', 'Bearer t1', 'Bearer t1']);
    await service.close();
  });

  it.each<[string, JsonFilters, AskOptions, string[]]>([
    [
      'content at hand',
      [
        {
          type: 'AssignmentFilter',
          config: { onRequest: [{ target: '${attributes.x}', value: '${request.entity.string}' }] },
        },
      ],
      { method: 'PUT', body: 'abc' },
      ['Bearer t0 abc', 'Bearer t1 abc'],
    ],
    ['content that passes through', [], { method: 'PUT', body: 'abc' }, ['Bearer t0 abc']],
  ])('sends %s again only if that is possible', async (_, before, asked, sent) => {
    const service = await startService('t1');
    const endpoint = await startTokenEndpoint((count) => granted(`t${count}`));
    const { ask } = await startFiltered([...before, filter(endpoint.url)], service.handler);
    const answer = await ask('/', asked);
    expect(service.sent).toEqual(sent);
    expect(answer.status).toBe(sent.length === 2 ? 200 : 401);
    await expect.poll(() => endpoint.requests.length).toBe(2);
    expect((await ask('/')).status).toBe(200);
    await service.close();
  });

  it('repeats the original request, without changes of later filters', async () => {
    const endpoint = await startTokenEndpoint((count) => granted(`t${count}`));
    const { ask, seen } = await startFiltered([
      filter(endpoint.url),
      { type: 'HeaderFilter', config: { messageType: 'REQUEST', add: { 'X-Added': ['a'] }, remove: ['X-Gone'] } },
      { type: 'UriPathRewriteFilter', config: { mappings: { '/app': '/app/app' } } },
    ]);
    const asked = { headers: ['X-Gone: b', 'X-Kept: c', 'X-Kept: d'] };
    for (const _ of [1, 2]) expect((await ask('/app/x?status=401', asked)).status).toBe(401);
    const shown = seen.map(({ url, headers }) => [url, ...headers.filter(([name]) => /^x-(?!f)|^auth/.test(name))]);
    const sent = (token: string) => [
      '/app/app/x?status=401',
      ...[
        ['x-kept', 'c'],
        ['x-kept', 'd'],
        ['authorization', `Bearer ${token}`],
        ['x-added', 'a'],
      ],
    ];
    const inOrder = (one: unknown) => JSON.stringify((one as unknown[]).map((part) => String(part)).sort());
    expect(shown.map(inOrder)).toEqual([sent('t0'), sent('t1'), sent('t1')].map(inOrder));
  });

  it('passes on the 401 of a service that rejects every token, without further token requests', async () => {
    const service = await startService('never');
    const endpoint = await startTokenEndpoint((count) => granted(`t${count}`));
    const { ask } = await startFiltered([filter(endpoint.url)], service.handler);
    for (let i = 0; i < 5; i++) expect(await ask('/')).toMatchObject({ status: 401, body: 'go away' });
    expect(service.sent).toHaveLength(6);
    expect(endpoint.requests).toHaveLength(2);
    await service.close();
  });

  it.each<[string, object | null, RegExp]>([
    [
      'an error',
      { status: 400, error: 'invalid_client', error_description: 'hidden-words' },
      /answered 400 \(invalid_client\): check the client authentication/,
    ],
    ['an error of another form', { status: 503, error: 'a"b\nc' }, /answered 503"/],
    ['another type', { access_token: 'hidden-words', token_type: 'mac' }, /a token type other than 'Bearer'/],
    ['no type', { access_token: 'hidden-words' }, /a token type other than 'Bearer'/],
    ['no token', { token_type: 'Bearer' }, /has no 'access_token' that can be sent/],
    ['a token with a line break', granted('hidden-words\r\nX: y'), /has no 'access_token' that can be sent/],
    ['an array', [], /is not a JSON object/],
    ['nothing', null, /is not a JSON object/],
  ])('answers 502 when the endpoint returns %s, and logs the reason', async (_, said, reason) => {
    let isBad = true;
    const endpoint = await startTokenEndpoint((_count, response) => {
      if (!isBad) return granted('t');
      if (said !== null && 'status' in said) response.statusCode = Number(said.status);
      if (said === null) response.end();
      return said;
    });
    const { ask, seen, logged } = await startFiltered([filter(endpoint.url)]);
    expect(await ask('/')).toMatchObject({ status: 502, body: '' });
    expect(seen).toEqual([]);
    const lines = JSON.stringify(logged.filter(({ level }) => level === 40));
    expect(lines).toMatch(reason);
    expect(lines).toContain('could not get an access token for a service');
    expect(JSON.stringify(logged)).not.toContain('hidden-words');
    isBad = false;
    expect((await ask('/')).status).toBe(200);
  });

  it('answers 502 when the endpoint cannot be reached or the secret is not available', async () => {
    const unreachable = await startFiltered([filter(`http://127.0.0.1:${await freePort()}/token`)]);
    expect((await unreachable.ask('/')).status).toBe(502);
    const config = { endpointHandler: authenticating('Post', 'me', 'x') };
    config.endpointHandler.config.filters[0]!.config.clientSecretId = 'other';
    const lacking = await startFiltered([filter(`http://127.0.0.1:${await freePort()}/token`, config)]);
    expect((await lacking.ask('/')).status).toBe(502);
    expect(JSON.stringify(lacking.logged)).toContain("there is no secret 'other'");
  });

  it('authenticates with a rotated key during requests without failures', async () => {
    const keys = [0, 1].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }));
    const pems = keys.map(({ privateKey }) => privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const client = (which: readonly number[]) => ({
      client_id: 'gw',
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'ES256',
      jwks: { keys: which.map((at) => ({ ...keys[at]!.publicKey.export({ format: 'jwk' }), kid: 'key' })) },
      scope: 'read',
    });
    const server = await startAuthorizationServer({ clients: [client([0, 1])], lifetime: 1 });
    const directory = secretFolder({ key: pems[0]! });
    const store = { type: 'FileSystemSecretStore', config: { directory, format: { type: 'PemPropertyFormat' } } };
    const assertion = {
      clientId: 'gw',
      tokenEndpoint: server.endpoints.token,
      signingSecretId: 'key',
      signingAlgorithm: 'ES256',
      secretsProvider: store,
    };
    const authentication = { type: 'PrivateKeyJwtClientAuthenticationFilter', config: assertion };
    const endpointHandler = { type: 'Chain', config: { filters: [authentication], handler: 'ClientHandler' } };
    const { ask, seen } = await startFiltered([filter(server.endpoints.token, { scopes: ['read'], endpointHandler })]);
    const statuses = new Set<number>();
    const untilTokens = (count: number) =>
      expect
        .poll(
          async () => {
            statuses.add((await ask('/')).status);
            return new Set(sentTokens(seen)).size;
          },
          { timeout: 120_000 },
        )
        .toBeGreaterThanOrEqual(count);
    await untilTokens(1);
    writeFileSync(join(directory, '.new'), pems[1]!);
    renameSync(join(directory, '.new'), join(directory, 'key'));
    await untilTokens(2);
    server.setClient(client([1]));
    await untilTokens(3);
    expect([...statuses]).toEqual([200]);
    server.setClient(client([0]));
    await expect.poll(async () => (await ask('/')).status, { timeout: 120_000 }).toBe(502);
  });

  it.each(['Basic', 'Post'] as const)('uses tokens of a real server, client_secret_%s', async (method) => {
    const server = await startAuthorizationServer({
      clients: [
        {
          client_id: 'gw',
          client_secret: 'a b+c',
          token_endpoint_auth_method: `client_secret_${method.toLowerCase()}`,
          scope: 'read',
        },
      ],
    });
    const config = { scopes: ['read'], endpointHandler: authenticating(method, 'gw', 'a b+c') };
    const { ask, seen } = await startFiltered([filter(server.endpoints.token, config)]);
    await ask('/');
    await ask('/');
    const [first, second] = sentTokens(seen);
    expect([first, server.asked]).toEqual([second, ['POST /token']]);
    const form = new URLSearchParams({ token: first!.replace('Bearer ', '') });
    const authorization = `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64')}`;
    const judged = await fetch(server.endpoints.introspection, {
      method: 'POST',
      body: form,
      headers: { authorization },
    });
    expect(await judged.json()).toMatchObject({ active: true, client_id: 'gw', scope: 'read' });
  });

  it.each([
    [{}, ['missing tokenEndpoint: is required']],
    [{ tokenEndpoint: 'https://as/t' }, []],
    [{ tokenEndpoint: 'https://u@as/t' }, ['value tokenEndpoint: must hold neither credentials nor a fragment']],
    [{ tokenEndpoint: 'http://as/t' }, ['insecure tokenEndpoint: is not https: tokens travel unencrypted']],
    [{ tokenEndpoint: 'http://localhost/t' }, []],
    [
      { tokenEndpoint: 'https://as/t', scopes: ['a b'] },
      ['value scopes[0]: must be one scope: printable ASCII without spaces, quotation marks and backslashes'],
    ],
    [
      { tokenEndpoint: 'https://as/t', endpointHandler: 'ClientHandler', handler: 'ClientHandler' },
      [
        "deprecated-field handler: is deprecated: use 'endpointHandler'",
        "exclusive handler: 'endpointHandler' and 'handler' cannot be given together",
      ],
    ],
    [
      { tokenEndpoint: 'https://as/t', clientSecretId: 'a' },
      [
        "deprecated-field clientSecretId: is deprecated: use a ClientSecretBasicAuthenticationFilter in the 'endpointHandler'",
        "missing clientId: is required: 'clientSecretId' needs it",
        "missing secretsProvider: is required: 'clientSecretId' needs it",
      ],
    ],
    [
      { tokenEndpoint: 'https://as/t', secretsProvider: { type: 'SystemAndEnvSecretStore' } },
      ['no-effect secretsProvider: has no effect: the filters of the endpointHandler have providers of their own'],
    ],
  ])('validates the configuration %j', (config, problems) => {
    expect(problemsOf(TYPE, JSON.parse(JSON.stringify(config))).sort()).toEqual(problems);
  });
});

type JsonFilters = Parameters<typeof startFiltered>[0];

/** A port where nobody listens any more. */
async function freePort(): Promise<number> {
  const backend = await HttpBackend.start(() => {});
  const { port } = backend.destination;
  await backend.close();
  return port;
}
