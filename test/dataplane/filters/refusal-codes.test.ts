import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import type { Refusal } from '../../../dataplane/engine/message/refusal.ts';
import { type AskOptions, type FilteredGateway, startFiltered } from '../../support/gateways/filtered-gateway.ts';
import { startProtected } from '../../support/identity/resource-server.ts';
import { goodToken, ScriptedResolver } from '../../support/identity/scripted-resolver.ts';

interface Case {
  readonly filter: { readonly type: string; readonly config: Record<string, JsonValue> };
  readonly refusal: Refusal;
  readonly status: number;
  readonly ask?: AskOptions;
  readonly target?: string;
  /** What the debug line shows of the inputs. */
  readonly inputs?: Record<string, unknown>;
  /** Requests that pass first. */
  readonly before?: number;
}

const withForm = { method: 'POST', headers: ['Content-Type: application/x-www-form-urlencoded'] };
const cases: readonly Case[] = [
  {
    filter: { type: 'AllowOnlyFilter', config: { rules: [{ from: [{ ip: { list: ['192.0.2.1'] } }] }] } },
    refusal: 'not-allowed',
    status: 403,
    inputs: { remoteAddress: '127.0.0.1', method: 'GET', path: '/a' },
  },
  {
    filter: { type: 'ConditionEnforcementFilter', config: { condition: "${request.method == 'PUT'}" } },
    refusal: 'condition',
    status: 403,
    inputs: { condition: "${request.method == 'PUT'}", value: false },
  },
  {
    filter: { type: 'CsrfFilter', config: { cookieName: 'session' } },
    refusal: 'forged-request',
    status: 403,
    ask: { method: 'POST', headers: ['Cookie: session=private'] },
    inputs: { cookieName: 'session', reason: 'the request has no CSRF token' },
  },
  {
    filter: { type: 'CorsFilter', config: { policies: [{ acceptedOrigins: ['https://shop.example'] }] } },
    refusal: 'origin',
    status: 403,
    ask: { headers: ['Origin: https://other.example'] },
    inputs: { origin: 'https://other.example' },
  },
  {
    filter: {
      type: 'CertificateThumbprintFilter',
      config: { certificate: "${request.headers['X-Certificate'][0]}" },
    },
    refusal: 'no-certificate',
    status: 403,
  },
  {
    filter: { type: 'JwtValidationFilter', config: { jwt: "${request.headers['X-Jwt'][0]}" } },
    refusal: 'invalid-jwt',
    status: 403,
    inputs: { reason: 'there is no JWT' },
  },
  {
    filter: { type: 'FragmentFilter', config: { fragmentCaptureEndpoint: '/fragment' } },
    refusal: 'origin',
    status: 403,
    target: '/fragment',
    ask: { ...withForm, headers: [...withForm.headers, 'Origin: https://other.example'], body: 'fragment=x' },
  },
  {
    filter: {
      type: 'ThrottlingFilter',
      config: { requestGroupingPolicy: 'all', rate: { numberOfRequests: 1, duration: '1 hour' } },
    },
    refusal: 'throttled',
    status: 429,
    before: 1,
    inputs: { policy: 'all', numberOfRequests: 1, seconds: 3600 },
  },
  {
    filter: { type: 'StaticRequestFilter', config: { method: 'GET', uri: "${request.headers['X-Uri'][0]}" } },
    refusal: 'no-uri',
    status: 500,
  },
  {
    filter: { type: 'LocationHeaderFilter', config: { baseURI: "${request.headers['X-Base'][0]}" } },
    refusal: 'location',
    status: 500,
    target: '/a?h.Location=/b',
  },
  {
    filter: { type: 'OAuth2ResourceServerFilter', config: { scopes: [], accessTokenResolver: resolver() } },
    refusal: 'no-https',
    status: 403,
    inputs: { scheme: 'http' },
  },
  {
    filter: {
      type: 'OAuth2ResourceServerFilter',
      config: { scopes: [], accessTokenResolver: resolver(), requireHttps: false },
    },
    refusal: 'no-token',
    status: 401,
  },
];

function resolver(): JsonValue {
  return { type: 'TokenIntrospectionAccessTokenResolver', config: { endpoint: 'http://127.0.0.1:1/introspect' } };
}

async function refused(gateway: FilteredGateway, { target = '/a', ask, before = 0 }: Case): Promise<number> {
  for (let passed = 0; passed < before; passed++) await gateway.ask(target, ask);
  gateway.finished.splice(0);
  return (await gateway.ask(target, ask)).status;
}

const debugLine = ({ logged }: Pick<FilteredGateway, 'logged'>) =>
  logged.find(({ msg, level }) => msg === 'request refused' && level === 20);

describe('the access log names the refusal of a filter', () => {
  it.each(cases)('$filter.type: $refusal', async (one) => {
    const gateway = await startFiltered([{ ...one.filter, name: 'guard' } as JsonValue]);
    expect(await refused(gateway, one)).toBe(one.status);
    expect(gateway.finished).toMatchObject([
      { refusal: one.refusal, status: one.status, decision: { refusal: one.refusal } },
    ]);
    expect(gateway.finished[0]?.decision?.object).toMatch(/guard/);
    expect(debugLine(gateway)).toMatchObject({ refusal: one.refusal, ...one.inputs });
    expect(JSON.stringify(gateway.logged)).not.toContain('private');
  });

  it('also if a failureHandler answers', async () => {
    const answer = { type: 'StaticResponseHandler', config: { status: 302, headers: { Location: ['/login'] } } };
    const config = { condition: '${false}', failureHandler: answer };
    const gateway = await startFiltered([{ type: 'ConditionEnforcementFilter', config }]);
    expect((await gateway.ask('/a')).status).toBe(302);
    expect(gateway.finished).toMatchObject([{ status: 302, refusal: 'condition', backend: null }]);
  });

  it('but none if the backend itself answers with an error', async () => {
    const gateway = await startFiltered([]);
    expect((await gateway.ask('/a?status=403')).status).toBe(403);
    const backend = new URL(gateway.backend.url).host;
    expect(gateway.finished).toMatchObject([{ status: 403, refusal: null, decision: null, backend }]);
  });
});

describe('the access log has the reason for rejecting an access token', () => {
  const tokens = new ScriptedResolver({
    good: goodToken('good', { info: { sub: 'kim' } }),
    old: goodToken('old', { expiresAt: 1 }),
    broken: new Error('the key of broken cannot be read'),
  });

  it.each([
    { lines: ['Authorization: Bearer old'], refusal: 'invalid-token', reason: 'the access token has expired' },
    { lines: ['Authorization: Bearer what'], refusal: 'invalid-token', reason: 'nobody knows this token' },
    { lines: ['Authorization: Bearer a b'], refusal: 'invalid-token' },
    { lines: ['Authorization: Bearer broken'], refusal: 'not-judged', reason: 'the key of … cannot be read' },
    {
      lines: ['Authorization: Bearer good', 'Authorization: Bearer good'],
      refusal: 'invalid-request',
      reason: 'several Authorization headers',
    },
    { lines: ['Authorization: Bearer good'], refusal: 'insufficient-scope', reason: "the scope 'admin' is missing" },
  ])('$refusal: $reason', async ({ lines, refusal, reason }) => {
    const server = await startProtected(tokens, { scopes: ['read', 'admin'] });
    await server.ask(...lines);
    expect(server.gateway.finished).toMatchObject([
      { refusal, decision: { refusal, ...(reason === undefined ? {} : { reason }) } },
    ]);
  });

  it('and the user, if the token has one', async () => {
    const server = await startProtected(tokens, { scopes: ['admin'] });
    await server.ask('Authorization: Bearer good');
    await server.ask('Authorization: Bearer what');
    expect(server.gateway.finished.map(({ user }) => user)).toEqual(['kim', null]);
    expect(debugLine(server)).toMatchObject({ scopes: ['read', 'write'], required: ['admin'] });
  });
});
