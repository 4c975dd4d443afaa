import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import { type AccessManager, startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { EVALUATE, type PolicyGateway, startPolicyGateway } from '../../../support/access-manager/policy-gateway.ts';
import { type FilteredGateway, startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { tokenText } from '../../../support/identity/token-text.ts';

const script = (type: string, source: JsonValue, more: JsonObject = {}): JsonObject => ({
  type,
  config: { type: 'application/javascript', source, ...more },
});

describe('ScriptableThrottlingPolicy', () => {
  const throttled = (source: JsonValue, more: JsonObject = {}): Promise<FilteredGateway> =>
    startFiltered([
      {
        type: 'ThrottlingFilter',
        config: {
          requestGroupingPolicy: "${request.headers['X-User'][0]}",
          throttlingRatePolicy: script('ScriptableThrottlingPolicy', source, more),
        },
      },
    ]);

  async function statuses({ ask }: FilteredGateway, count: number, ...headers: string[]): Promise<number[]> {
    const seen: number[] = [];
    for (let turn = 0; turn < count; turn++) seen.push((await ask('/', { headers })).status);
    return seen;
  }

  it('chooses the rate by the request', async () => {
    const gateway = await throttled(
      "return { requests: request.headers.get('X-Plan') === 'gold' ? gold : 1, duration: '1 hour' }",
      { args: { gold: 3 } },
    );
    expect(await statuses(gateway, 4, 'X-User: a', 'X-Plan: gold')).toEqual([200, 200, 200, 429]);
    expect(await statuses(gateway, 2, 'X-User: b')).toEqual([200, 429]);
  });

  it.each(['return null', 'return undefined', ''])(
    'limits nothing where the script returns no rate: %j',
    async (source) => {
      expect(await statuses(await throttled(source), 4, 'X-User: a')).toEqual([200, 200, 200, 200]);
    },
  );

  it.each([
    ['an exception', "throw new Error('no rate today')", /no rate today/],
    ['a text', "return '10 per second'", /a rate/],
    ['a response', 'return new Response(200)', /is a response/],
    ['no duration', 'return { requests: 1 }', /duration/],
    ['an unlimited duration', "return { requests: 1, duration: 'unlimited' }", /unlimited/],
    ['a duration that is none', "return { requests: 1, duration: 'soon' }", /soon/],
    ['half a request', "return { requests: 0.5, duration: '1 s' }", /whole number/],
    ['no requests', "return { requests: 0, duration: '1 s' }", null],
    ['a loop without end', 'for (;;);', /budget/],
  ])('gives 500 for %s, and asks no backend', async (_title, source, logged) => {
    const gateway = await throttled(source);
    expect(await statuses(gateway, 1, 'X-User: a')).toEqual([500]);
    if (logged !== null)
      expect(gateway.logged.map(({ msg }) => String(msg))).toContainEqual(expect.stringMatching(logged));
    expect(gateway.seen).toEqual([]);
  });

  it('does not change the request', async () => {
    const gateway = await throttled("request.headers.set('X-Changed', '1'); request.uri.path = '/other'; return null");
    expect((await gateway.ask('/here', { headers: ['X-User: a'] })).status).toBe(200);
    expect(gateway.seen.map(({ url }) => url)).toEqual(['/here']);
    expect(gateway.seen[0]!.headers.map(([name]) => name)).not.toContain('x-changed');
  });
});

describe('ScriptableResourceAccess', () => {
  const byName = script(
    'ScriptableAccessTokenResolver',
    "return { token, info: { sub: 'u' }, scopes: token.split('.') }",
  );
  const guarded = (source: JsonValue, more: JsonObject = {}): Promise<FilteredGateway> =>
    startFiltered([
      {
        type: 'OAuth2ResourceServerFilter',
        config: {
          requireHttps: false,
          accessTokenResolver: byName,
          scopes: script('ScriptableResourceAccess', source, more),
        },
      },
    ]);
  const as = (token: string): { headers: string[] } => ({ headers: [`Authorization: Bearer ${token}`] });

  it('requires the scopes that the script returns for the request', async () => {
    const { ask, seen } = await guarded(
      "return request.method === 'GET' ? [`${prefix}read`] : new Set([`${prefix}read`, `${prefix}write`])",
      { args: { prefix: 'orders-' } },
    );
    expect((await ask('/', as('orders-read'))).status).toBe(200);
    const refused = await ask('/', { method: 'POST', body: 'x', ...as('orders-read') });
    expect(refused.status).toBe(403);
    expect(refused.values('www-authenticate')[0]).toContain('scope="orders-read orders-write"');
    expect(seen).toHaveLength(1);
  });

  it.each([
    ['null', 'return null'],
    ['nothing', ''],
    ['an exception', "throw new Error('no')"],
    ['a text', "return 'read'"],
    ['a set of numbers', 'return new Set([1])'],
    ['an array with null', 'return [null]'],
    ['a scope with a space', "return ['read write']"],
    ['an empty scope', "return ['']"],
    ['a loop without end', 'for (;;);'],
  ])('gives 500 for %s', async (_title, source) => {
    const { ask, seen } = await guarded(source);
    expect((await ask('/', as('read'))).status).toBe(500);
    expect(seen).toEqual([]);
  });
});

describe('ScriptableResourceUriProvider', () => {
  /** An access manager that allows every resource. */
  async function allowing(): Promise<AccessManager> {
    const am = await startAccessManager();
    am.answer(EVALUATE, ({ body }) => {
      const [resource] = (JSON.parse(body) as { resources: string[] }).resources;
      return { status: 200, body: [{ resource, actions: { GET: true }, attributes: {}, advices: {} }] };
    });
    return am;
  }

  const started = async (source: JsonValue): Promise<PolicyGateway> =>
    startPolicyGateway(await allowing(), { resourceUriProvider: script('ScriptableResourceUriProvider', source) });

  it('asks about the URL that the script returns', async () => {
    const { askAs, questions, seen } = await started([
      "const id = request.queryParams.get('id')",
      "return 'http://api.test' + request.uri.path + (id === null ? '' : `?id=${id}`)",
    ]);
    expect((await askAs('t', '/a?debug=1&id=7')).status).toBe(200);
    expect((await askAs('t', '/a?debug=1')).status).toBe(200);
    expect(questions().map(({ resources }) => resources)).toEqual([['http://api.test/a?id=7'], ['http://api.test/a']]);
    expect(seen.map(({ url }) => url)).toEqual(['/a?debug=1&id=7', '/a?debug=1']);
  });

  it.each([
    ['null', 'return null'],
    ['nothing', ''],
    ['an empty text', "return ''"],
    ['a URI', "return { toString: () => 'http://api.test/' }"],
    ['an exception', "throw new Error('no URL')"],
    ['a loop without end', 'for (;;);'],
  ])('gives 500 for %s, without a question', async (_title, source) => {
    const { askAs, questions, seen } = await started(source);
    expect((await askAs('t', '/a')).status).toBe(500);
    expect(questions()).toEqual([]);
    expect(seen).toEqual([]);
  });
});

describe('ScriptableJwtValidatorCustomizer', () => {
  async function judging(source: JsonValue, more: JsonObject = {}) {
    const faults: JsonObject = {
      type: 'StaticResponseHandler',
      config: { status: 403, entity: '${contexts.jwtValidationError.violations[0].description}' },
    };
    const customizer = script('ScriptableJwtValidatorCustomizer', source, more);
    const config = { jwt: "${request.headers['X-Token'][0]}", customizer, failureHandler: faults };
    const gateway = await startFiltered([{ type: 'JwtValidationFilter', config }]);
    const judge = async (claims: object): Promise<string> => {
      const { status, body } = await gateway.ask('/', { headers: [`X-Token: ${tokenText({ alg: 'RS256' }, claims)}`] });
      return status === 200 ? '200' : `${status} ${body}`;
    };
    return { ...gateway, judge };
  }

  it('lets a JWT pass without violations, and names the first one', async () => {
    const { judge, seen } = await judging(
      "return claims.department === wanted ? [] : [`the department ${claims.department} is not ${wanted}`, 'more']",
      { args: { wanted: 'sales' } },
    );
    expect(await judge({ department: 'sales' })).toBe('200');
    expect(await judge({ department: 'law' })).toBe('403 the department law is not sales');
    expect(seen).toHaveLength(1);
  });

  it.each([
    ['null', 'return null'],
    ['nothing', ''],
    ['true', 'return true'],
    ['a text', "return ''"],
    ['numbers', 'return [1]'],
    ['an exception', "throw new Error('no')"],
    ['a loop without end', 'for (;;);'],
  ])('refuses a JWT after %s', async (_title, source) => {
    const { judge, seen } = await judging(source);
    expect(await judge({ n: 1 })).toMatch(/^403 .*cannot be validated/);
    expect(seen).toEqual([]);
  });
});
