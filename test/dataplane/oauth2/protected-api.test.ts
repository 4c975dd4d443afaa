import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { repositoryRoot } from '../../house/source-file.ts';
import { ask } from '../../support/clients/answers.ts';
import { startConfigured } from '../../support/gateways/configured-gateway.ts';
import { type FilteredGateway, startFiltered } from '../../support/gateways/filtered-gateway.ts';
import {
  type AuthorizationServer,
  CLIENT,
  startAuthorizationServer,
} from '../../support/identity/authorization-server.ts';
import { introspectingResolver } from '../../support/identity/introspecting-resolver.ts';

/** Asks the server. */
function introspecting(server: AuthorizationServer): JsonObject {
  return { name: 'resolver', ...introspectingResolver(server) };
}

/** Trusts what the server signs. */
function stateless(server: AuthorizationServer): JsonObject {
  const secretsProvider = { type: 'JwkSetSecretStore', config: { jwkUrl: server.endpoints.jwks } };
  return {
    name: 'resolver',
    type: 'StatelessAccessTokenResolver',
    config: { issuer: server.issuer, secretsProvider, verificationSecretId: 'any.id' },
  };
}

const says = (entity: string): JsonValue => ({
  type: 'StaticResponseHandler',
  config: { status: 200, headers: { 'Content-Type': ['text/plain'] }, entity },
});

function protectedBy(
  accessTokenResolver: JsonValue,
  more: JsonObject = {},
  handler = says('${contexts.oauth2.accessToken.info.client_id}'),
  after: readonly JsonValue[] = [],
): Promise<FilteredGateway> {
  const config = { accessTokenResolver, scopes: ['read'], requireHttps: false, ...more };
  return startFiltered([{ type: 'OAuth2ResourceServerFilter', name: 'rs', config }, ...after], handler);
}

const bearing = (token: string): { headers: string[] } => ({ headers: [`Authorization: Bearer ${token}`] });
const introspections = ({ asked }: AuthorizationServer): number =>
  asked.filter((one) => one === 'POST /introspect').length;

/** Why requests were not let in, in order. */
function denials({ counted }: Pick<FilteredGateway, 'counted'>): (string | undefined)[] {
  return counted.filter(({ metric }) => metric === 'gw_denied_total').map(({ labels }) => labels['reason']);
}

describe('an API that names its issuer', () => {
  it('accepts tokens of a real issuer with the resolver of the example page, and no others', async () => {
    const server = await startAuthorizationServer();
    const other = await startAuthorizationServer();
    const page = readFileSync(`${repositoryRoot}/examples/protected-api/README.md`, 'utf8');
    const resolver = /```json\n(\{ "type": "StatelessAccessTokenResolver".*\})\n```/.exec(page)![1]!;
    expect(resolver).toContain('https://login.example.com');
    const gateway = await protectedBy(JSON.parse(resolver.replace('https://login.example.com', server.issuer)));
    const { status, body } = await gateway.ask('/', bearing(await server.token({ jwt: true })));
    expect([status, body]).toEqual([200, CLIENT.id]);
    expect((await gateway.ask('/', bearing(await other.token({ jwt: true })))).status).toBe(401);
    await server.rotateKeys();
    expect((await gateway.ask('/', bearing(await server.token({ jwt: true })))).status).toBe(200);
    expect(other.asked.filter((one) => one.startsWith('GET'))).toEqual([]);
  });

  it('refuses every token while the issuer is down, and accepts them when it is back', async () => {
    const server = await startAuthorizationServer();
    const token = await server.token({ jwt: true });
    await server.close();
    const config = { issuer: server.issuer };
    const gateway = await protectedBy({ type: 'StatelessAccessTokenResolver', config });
    expect((await gateway.ask('/', bearing(token))).status).toBe(401);
    expect(denials(gateway)).toEqual(['not-judged']);
    await server.reopen();
    await expect.poll(async () => (await gateway.ask('/', bearing(token))).status).toBe(200);
  });
});

describe('an API with a real authorization server', () => {
  it('introspects every request without a cache', async () => {
    const server = await startAuthorizationServer();
    const token = await server.token();
    const gateway = await protectedBy(introspecting(server));
    for (let i = 0; i < 3; i++) {
      const { status, body } = await gateway.ask('/', bearing(token));
      expect([status, body]).toEqual([200, CLIENT.id]);
    }
    expect(introspections(server)).toBe(3);
    await server.revoke(token);
    expect((await gateway.ask('/', bearing(token))).status).toBe(401);
  });

  it.each<[string, (resolver: JsonObject) => [JsonValue, JsonObject]]>([
    ['the filter', (resolver) => [resolver, { cache: { enabled: true } }]],
    ['a resolver', (delegate) => [{ type: 'CacheAccessTokenResolver', config: { delegate } }, {}]],
  ])('introspects once if tokens are cached by %s', async (_, place) => {
    const server = await startAuthorizationServer();
    const token = await server.token();
    const gateway = await protectedBy(...place(introspecting(server)));
    const together = await Promise.all(Array.from({ length: 8 }, () => gateway.ask('/', bearing(token))));
    expect(together.map(({ status, body }) => `${status} ${body}`)).toEqual(together.map(() => `200 ${CLIENT.id}`));
    expect((await gateway.ask('/', bearing(token))).status).toBe(200);
    expect(introspections(server)).toBe(1);
    expect((await gateway.ask('/', bearing('unknown'))).status).toBe(401);
    expect((await gateway.ask('/', bearing('unknown'))).status).toBe(401);
    expect(introspections(server)).toBe(3);
    const labels = gateway.counted.filter(({ metric }) => metric === 'gw_cache_gets_total').map((one) => one.labels);
    expect(labels).toContainEqual(expect.objectContaining({ content: 'access_token', heap: 'gateway', result: 'hit' }));
    expect(gateway.observed.filter(({ metric }) => metric === 'gw_cache_loads_seconds')).toHaveLength(3);
  });

  it('names the missing scope', async () => {
    const server = await startAuthorizationServer();
    const gateway = await protectedBy(introspecting(server), { scopes: ['read', 'admin'] });
    const answer = await gateway.ask('/', bearing(await server.token({ scope: 'read write' })));
    expect(answer.status).toBe(403);
    expect(answer.values('WWW-Authenticate')[0]).toContain('scope="read admin", error="insufficient_scope"');
    expect(denials(gateway)).toEqual(['insufficient-scope']);
  });

  it('rejects new tokens when the server is down, and accepts cached ones', async () => {
    const server = await startAuthorizationServer();
    const [known, other] = [await server.token(), await server.token()];
    const gateway = await protectedBy(introspecting(server), { cache: { enabled: true } });
    await gateway.ask('/', bearing(known));
    await server.close();
    expect((await gateway.ask('/', bearing(known))).status).toBe(200);
    const refused = await gateway.ask('/', bearing(other));
    expect([refused.status, refused.body]).toEqual([401, '']);
    expect(refused.values('WWW-Authenticate')[0]).toContain('error="invalid_token"');
    expect(denials(gateway)).toEqual(['not-judged']);
    expect(JSON.stringify(gateway.logged)).not.toContain(other);
  });

  it.each([true, false])('measures the resolver that carries a timer: %s', async (timer) => {
    const server = await startAuthorizationServer();
    const gateway = await protectedBy({ ...introspecting(server), timer });
    expect((await gateway.ask('/', bearing(await server.token()))).status).toBe(200);
    expect((await gateway.ask('/', bearing('unknown'))).status).toBe(401);
    const metric = 'gw_timerdecorator_accesstokenresolver_elapsed_seconds';
    const observed = gateway.observed.filter((one) => one.metric === metric);
    expect(observed).toHaveLength(timer ? 2 : 0);
    if (!timer) return;
    const labels = { decorator_name: 'timer', fully_qualified_name: 'gateway.resolver', name: 'resolver' };
    expect(observed[0]).toMatchObject({ labels, seconds: expect.any(Number) });
    expect(gateway.logged.filter(({ msg }) => /^Elapsed time: \d+ ms$/.test(String(msg)))).toHaveLength(2);
  });
});

describe('an API that trusts signed tokens', () => {
  it.each([{}, { cache: { enabled: true } }])('reads their claims: %j', async (more) => {
    const server = await startAuthorizationServer();
    const token = await server.token({ jwt: true });
    const gateway = await protectedBy(stateless(server), more);
    for (let i = 0; i < 3; i++) expect((await gateway.ask('/', bearing(token))).body).toBe(CLIENT.id);
    const [head, payload, signature] = token.split('.');
    const other = `${head}.${payload}.${signature!.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`;
    expect((await gateway.ask('/', bearing(other))).status).toBe(401);
    expect((await gateway.ask('/', bearing(`${token}=`))).status).toBe(401);
    expect(introspections(server)).toBe(0);
  });

  it('shows no token in captured messages', async () => {
    const server = await startAuthorizationServer();
    const token = await server.token({ jwt: true });
    const config = { accessTokenResolver: stateless(server), scopes: [], requireHttps: false };
    const gateway = await startConfigured({
      heap: [{ name: 'seen', type: 'CaptureDecorator', config: { captureContext: true, captureEntity: true } }],
      handler: {
        type: 'Chain',
        config: {
          filters: [{ type: 'OAuth2ResourceServerFilter', config, seen: 'all' }],
          handler: { type: 'StaticResponseHandler', config: { status: 200 } },
        },
      },
    });
    onTestFinished(() => gateway.close());
    const answer = await ask(gateway.port, `GET / HTTP/1.1\r\nHost: gw\r\nAuthorization: Bearer ${token}\r\n`);
    expect(answer.status).toBe(200);
    const captured = JSON.stringify(gateway.logged);
    expect(captured).toContain('oauth2');
    for (const part of token.split('.')) expect(captured).not.toContain(part);
  });

  it('cannot be made to change the claims of a token', async () => {
    const server = await startAuthorizationServer();
    const token = await server.token({ jwt: true });
    const assign = {
      type: 'AssignmentFilter',
      config: {
        onRequest: [
          {
            condition: "${request.uri.path == '/poison'}",
            target: '${contexts.oauth2.accessToken.info.client_id}',
            value: 'somebody',
          },
        ],
      },
    };
    const kept = { cache: { enabled: true } };
    const gateway = await protectedBy(stateless(server), kept, undefined, [assign]);
    expect((await gateway.ask('/', bearing(token))).body).toBe(CLIENT.id);
    expect((await gateway.ask('/poison', bearing(token))).status).toBe(500);
    expect((await gateway.ask('/', bearing(token))).body).toBe(CLIENT.id);
  });
});
