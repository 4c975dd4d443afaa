import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { VerificationBusy } from '../../../dataplane/jose/verification.ts';
import { RevocationsUnheard } from '../../../dataplane/oauth2/cache/disconnection.ts';
import { problemsOf as filterProblems, startFiltered } from '../../support/gateways/filtered-gateway.ts';
import { startProtected } from '../../support/identity/resource-server.ts';
import { goodToken, ScriptedResolver } from '../../support/identity/scripted-resolver.ts';

const REALM = 'Bearer realm="gatewarden"';
const INVALID_TOKEN =
  `${REALM}, error="invalid_token", ` +
  'error_description="The access token provided is expired, revoked, malformed, or invalid for other reasons."';
const INVALID_REQUEST = /^Bearer realm="gatewarden", error="invalid_request", error_description="[^"]+"$/;
const INSUFFICIENT =
  'error="insufficient_scope", ' +
  'error_description="The request requires higher privileges than provided by the access token."';

const resolver = (): ScriptedResolver =>
  new ScriptedResolver({
    good: goodToken('good'),
    'a.b-c_d~e+f/g==': goodToken('a.b-c_d~e+f/g=='),
    later: async () => goodToken('later'),
    past: goodToken('past', { expiresAt: Date.now() - 1 }),
    ending: goodToken('ending', { expiresAt: Date.now() }),
    endless: goodToken('endless', { expiresAt: Number.NaN }),
    thrown: new Error('no answer about thrown'),
    rejected: () => Promise.reject(new Error('no answer about rejected')),
    odd: { kind: 'refusal', error: 'invalid_request', description: 'it said 400', cause: null },
    busy: () => Promise.reject(new VerificationBusy()),
    unheard: new RevocationsUnheard(),
    readonly: goodToken('readonly', { scopes: new Set(['readonly', 'rea', 'READ']) }),
    unscoped: goodToken('unscoped', { scopes: new Set() }),
  });

describe('the Authorization header', () => {
  it.each<[string, readonly string[], number, string | RegExp | null]>([
    ['nothing', [], 401, REALM],
    ['an empty one', ['Authorization: '], 401, REALM],
    ['another scheme', ['Authorization: NotABearerToken value'], 401, REALM],
    ['Basic', ['Authorization: Basic Z29vZDpnb29k'], 401, REALM],
    ['a longer scheme', ['Authorization: Bearers good'], 401, REALM],
    ['the scheme alone', ['Authorization: Bearer '], 401, REALM],
    ['a tab behind the scheme', ['Authorization: Bearer\tgood'], 401, REALM],
    ['the token alone', ['Authorization: good'], 401, REALM],
    ['a token', ['Authorization: Bearer good'], 200, null],
    ['a token that is found later', ['Authorization: Bearer later'], 200, null],
    ['all characters of tokens', ['Authorization: Bearer a.b-c_d~e+f/g=='], 200, null],
    ['lower case', ['authorization: bearer good'], 200, null],
    ['mixed case', ['AUTHORIZATION: bEaReR good'], 200, null],
    ['several spaces', ['Authorization:   Bearer   good  '], 200, null],
    ['a space in the token', ['Authorization: Bearer go od!'], 401, INVALID_TOKEN],
    ['a tab in the token', ['Authorization: Bearer good\tgood'], 401, INVALID_TOKEN],
    ['an equals sign within', ['Authorization: Bearer go=od'], 401, INVALID_TOKEN],
    ['other bytes', ['Authorization: Bearer go\xf6d'], 401, INVALID_TOKEN],
    ['a quoted token', ['Authorization: Bearer "good"'], 401, INVALID_TOKEN],
    ['two lines', ['Authorization: Bearer good', 'Authorization: Bearer good'], 400, INVALID_REQUEST],
    ['two lines of two schemes', ['Authorization: Basic x', 'Authorization: Bearer good'], 400, INVALID_REQUEST],
    ['an empty second line', ['Authorization: Bearer good', 'authorization:'], 400, INVALID_REQUEST],
    ['two in one line', ['Authorization: Bearer good, Bearer good'], 400, INVALID_REQUEST],
    ['two in one line, the other first', ['Authorization: Bearer unknown, Bearer good'], 400, INVALID_REQUEST],
    ['a form field', ['Content-Type: application/x-www-form-urlencoded'], 401, REALM],
    ['a look-alike name', ['Proxy-Authorization: Bearer good', 'X-Authorization: Bearer good'], 401, REALM],
  ])('is accepted or rejected: %s', async (_, lines, status, challenge) => {
    for (const cache of [{}, { cache: { enabled: true } }]) {
      const { ask, passed } = await startProtected(resolver(), cache);
      for (const answer of [await ask(...lines), await ask(...lines)]) {
        expect(answer.status).toBe(status);
        expect(answer.body).toBe(status === 200 ? 'passed' : '');
        if (challenge === null) expect(answer.challenges).toEqual([]);
        else expect(answer.challenges).toEqual([expect.stringMatching(challenge)]);
        if (typeof challenge === 'string') expect(answer.challenges).toEqual([challenge]);
      }
      expect(passed.length).toBe(status === 200 ? 2 : 0);
    }
  });

  it('is passed on to the application unchanged', async () => {
    const { ask, passed } = await startProtected(resolver(), {}, { says: "${request.headers['Authorization'][0]}" });
    expect((await ask('Authorization: Bearer good')).body).toBe('Bearer good');
    expect(passed).toHaveLength(1);
  });

  it('is used as an earlier filter set it', async () => {
    const gateway = await startFiltered([
      { type: 'HeaderFilter', config: { messageType: 'REQUEST', add: { Authorization: ['Bearer other'] } } },
      {
        type: 'OAuth2ResourceServerFilter',
        config: { requireHttps: false, scopes: [], accessTokenResolver: introspection },
      },
    ]);
    expect((await gateway.ask('/')).status).toBe(401);
    expect((await gateway.ask('/', { headers: ['Authorization: Bearer x'] })).status).toBe(400);
  });
});

/** Its endpoint is the backend of the test, whose answers are empty. */
const introspection: JsonValue = {
  type: 'TokenIntrospectionAccessTokenResolver',
  config: { endpoint: 'http://app.test/introspect', providerHandler: 'ClientHandler' },
};

describe('the verdict on a token', () => {
  it.each<[string, number, string | RegExp | null]>([
    ['unknown', 401, INVALID_TOKEN],
    ['past', 401, INVALID_TOKEN],
    ['ending', 401, INVALID_TOKEN],
    ['endless', 401, INVALID_TOKEN],
    ['thrown', 401, INVALID_TOKEN],
    ['rejected', 401, INVALID_TOKEN],
    ['odd', 400, INVALID_REQUEST],
    ['busy', 503, null],
    ['unheard', 401, INVALID_TOKEN],
    ['readonly', 403, `${REALM}, scope="read", ${INSUFFICIENT}`],
    ['unscoped', 403, `${REALM}, scope="read", ${INSUFFICIENT}`],
  ])('is sent to the client for the token %s', async (token, status, challenge) => {
    for (const cache of [{}, { cache: { enabled: true } }]) {
      const { ask, passed } = await startProtected(resolver(), cache);
      const answer = await ask(`Authorization: Bearer ${token}`);
      expect([answer.status, answer.body]).toEqual([status, '']);
      expect(answer.challenges).toEqual(challenge === null ? [] : [expect.stringMatching(challenge)]);
      if (typeof challenge === 'string') expect(answer.challenges).toEqual([challenge]);
      expect(passed).toEqual([]);
    }
  });

  it('is 503 with Retry-After while too many tokens wait', async () => {
    const { ask } = await startProtected(resolver());
    expect((await ask('Authorization: Bearer busy')).head).toMatch(/^retry-after: 1$/im);
  });

  it('is logged once a second, without the token', async () => {
    const { ask, logged } = await startProtected(resolver());
    for (const token of ['thrown', 'thrown', 'rejected', 'unknown', 'odd']) await ask(`Authorization: Bearer ${token}`);
    expect(logged.filter(({ level }) => Number(level) >= 40)).toEqual([
      expect.objectContaining({ msg: 'could not validate an access token', reason: 'no answer about …' }),
    ]);
    for (const word of ['thrown', 'rejected', 'unknown']) expect(JSON.stringify(logged)).not.toContain(word);
  });

  it('is determined for every request without a cache', async () => {
    const scripted = resolver();
    const { ask } = await startProtected(scripted, { cache: { defaultTimeout: '1 hour' } });
    await ask('Authorization: Bearer good');
    await ask('Authorization: Bearer good');
    expect(scripted.asked).toEqual(['good', 'good']);
  });

  it('is not determined for a malformed header', async () => {
    const scripted = resolver();
    const { ask } = await startProtected(scripted);
    for (const value of ['Bearer go od', 'Bearer a,b', 'Basic good', 'Bearer']) await ask(`Authorization: ${value}`);
    expect(scripted.asked).toEqual([]);
  });
});

function fail(): never {
  throw new Error('nobody knows what it needs');
}

describe('scopes', () => {
  const scoped = (...scopes: string[]): ScriptedResolver =>
    new ScriptedResolver({ t: goodToken('t', { scopes: new Set(scopes) }) });

  it.each<[JsonValue, string[], number]>([
    [[], [], 200],
    [['a'], ['a'], 200],
    [['a', 'b'], ['b', 'c', 'a'], 200],
    [['a', 'b'], ['a'], 403],
    [['a'], ['A'], 403],
    [['a'], ['ab', 'ba', 'a b'], 403],
    [[['a', 'b'], 'c'], ['a', 'c'], 403],
    [[['a', 'b'], 'c'], ['a', 'b', 'c'], 200],
    [["${'a'}"], ['a'], 200],
    [['${request.method}'], ['GET'], 200],
    [['${request.method}'], ['POST'], 403],
    [["${request.headers['X-Needs']}", 'a'], ['a', 'x', 'y'], 200],
    [["${request.headers['X-Needs']}", 'a'], ['a', 'x'], 403],
    [["${request.headers['X-None']}"], ['a'], 500],
    [['${request.uri.port}'], ['80'], 500],
    [["${request.headers['X-Empty'][0]}"], ['a'], 500],
    [['${contexts.client}'], ['a'], 500],
  ])('%j of a token with %j: %i', async (scopes, given, status) => {
    const { ask, passed } = await startProtected(scoped(...given), { scopes });
    const lines = ['Authorization: Bearer t', 'X-Needs: x', 'X-Needs: y', 'X-Empty:'];
    expect((await ask(...lines)).status).toBe(status);
    expect(passed.length).toBe(status === 200 ? 1 : 0);
  });

  it('are named in the challenge, each once', async () => {
    const { ask } = await startProtected(scoped('b'), { scopes: ['b', ['a', 'b'], '${request.method}'] });
    const { challenges } = await ask('Authorization: Bearer t');
    expect(challenges).toEqual([`${REALM}, scope="b a GET", ${INSUFFICIENT}`]);
  });

  it.each<[string, () => ReadonlySet<string> | Promise<ReadonlySet<string>>, number]>([
    ['nothing', () => new Set(), 200],
    ['what it has', () => new Set(['b']), 200],
    ['what it has, later', async () => new Set(['b']), 200],
    ['more', () => new Set(['a', 'b']), 403],
    ['more, later', async () => new Set(['a', 'b']), 403],
    ['an error', () => fail(), 500],
    ['an error, later', async () => fail(), 500],
  ])('are those that an object returns: %s', async (_, scopes, status) => {
    const { ask, passed } = await startProtected(scoped('b'), { scopes: 'access' }, { access: { scopes } });
    expect((await ask('Authorization: Bearer t')).status).toBe(status);
    expect(passed.length).toBe(status === 200 ? 1 : 0);
  });

  it('cannot break out of the challenge', async () => {
    const { ask } = await startProtected(scoped('b'), { scopes: ["${request.headers['X-Needs'][0]}"] });
    const { challenges } = await ask('Authorization: Bearer t', 'X-Needs: a", error="x\\');
    expect(challenges).toEqual([`${REALM}, scope="a\\", error=\\"x\\\\", ${INSUFFICIENT}`]);
  });
});

describe('the realm', () => {
  it('is quoted', async () => {
    const { ask } = await startProtected(resolver(), { realm: 'My "Realm"' });
    expect((await ask()).challenges).toEqual(['Bearer realm="My \\"Realm\\""']);
  });
});

describe('HTTPS', () => {
  const proxied = ['X-Forwarded-For: 192.0.2.1', 'X-Forwarded-Proto: https', 'Authorization: Bearer good'];
  it.each<[string, JsonObject, string[], string[], number]>([
    ['is required', {}, [], ['Authorization: Bearer good'], 403],
    ['is required before there is a token', {}, [], [], 403],
    ['is not what any client says', {}, [], proxied, 403],
    ['is what a trusted proxy says', {}, ['127.0.0.1'], proxied, 200],
    ['is not required', { requireHttps: false }, [], proxied, 200],
  ])('%s', async (_, config, trustedProxies, lines, status) => {
    const { ask } = await startProtected(resolver(), { requireHttps: true, ...config }, { trustedProxies });
    const answer = await ask(...lines);
    expect([answer.status, answer.challenges]).toEqual([status, []]);
    if (status === 403) expect(answer.body).toBe('');
  });

  it('is required by default', async () => {
    const gateway = await startFiltered([
      { type: 'OAuth2RSFilter', config: { scopes: [], accessTokenResolver: introspection } },
    ]);
    const answer = await gateway.ask('/', { headers: ['Authorization: Bearer good'] });
    expect([answer.status, answer.body, answer.values('WWW-Authenticate')]).toEqual([403, '', []]);
    expect(gateway.seen).toEqual([]);
  });
});

describe('the context', () => {
  const info = { sub: 'demo', realm: '/', act: { sub: 'x' }, list: [1, 'b'] };
  const tokens = (): ScriptedResolver =>
    new ScriptedResolver({ t: goodToken('t', { info: structuredClone(info), expiresAt: 4_102_444_800_000 }) });

  it.each([
    ['${contexts.oauth2.accessToken.token}', 't'],
    ['${contexts.oauth2.accessToken.info.sub}', 'demo'],
    ["${contexts['oauth2'].accessToken.info['act'].sub}", 'x'],
    ['${contexts.oauth2.accessToken.info.list[1]}', 'b'],
    ['${contexts.oauth2.accessToken.info.none}', 'null'],
    ['s=${contexts.oauth2.accessToken.scopes}', 's=[read, write]'],
    ["${contains(contexts.oauth2.accessToken.scopes, 'read')}x", 'truex'],
    ['e=${contexts.oauth2.accessToken.expiresAt}', 'e=4102444800000'],
    ['i=${contexts.oauth2.accessToken.info}', 'i={sub=demo, realm=/, act={sub=x}, list=[1, b]}'],
  ])('contains %s', async (says, body) => {
    for (const cache of [{}, { cache: { enabled: true } }]) {
      const { ask } = await startProtected(tokens(), cache, { says });
      for (let i = 0; i < 4; i++) expect((await ask('Authorization: Bearer t')).body).toBe(body);
    }
  });

  it('cannot be changed for other requests with the same token', async () => {
    const { ask, passed } = await startProtected(tokens(), { cache: { enabled: true } });
    await ask('Authorization: Bearer t');
    const { accessToken } = passed[0]!.context('oauth2') as { accessToken: { info: typeof info } };
    expect(() => {
      accessToken.info.act.sub = 'somebody';
    }).toThrow(TypeError);
    expect(() => accessToken.info.list.push('more')).toThrow(TypeError);
  });
});

describe('further parts of the challenge', () => {
  it('include the URL of the resource metadata in every challenge', async () => {
    const resourceMetadata = 'https://api.example.com/.well-known/oauth-protected-resource';
    const { ask } = await startProtected(resolver(), { resourceMetadata });
    const ending = `, resource_metadata="${resourceMetadata}"`;
    expect((await ask()).challenges).toEqual([REALM + ending]);
    for (const token of ['unknown', 'readonly', 'odd', 'a,b']) {
      const [challenge] = (await ask(`Authorization: Bearer ${token}`)).challenges;
      expect(challenge!.endsWith(ending)).toBe(true);
    }
  });

  it('include challenges of other accepted schemes', async () => {
    const scripted = resolver();
    const both = {
      resolve: scripted.resolve.bind(scripted),
      schemes: ['DPoP'],
      challenges: [{ scheme: 'DPoP', parameters: [['algs', 'ES256']] }] as const,
    };
    const { ask } = await startProtected(both);
    expect((await ask()).challenges).toEqual([REALM, 'DPoP algs="ES256"']);
    expect((await ask('Authorization: dpop good')).status).toBe(200);
    expect((await ask('Authorization: Bearer good')).status).toBe(200);
    expect((await ask('Authorization: Basic good')).status).toBe(401);
    expect((await ask('Authorization: Bearer readonly')).challenges).toHaveLength(1);
    const [error, plain] = (await ask('Authorization: DPoP unknown')).challenges;
    expect(error).toMatch(/^DPoP realm="gatewarden", error="invalid_token", error_description="[^"]+", algs="ES256"$/);
    expect(plain).toBe(REALM);
  });

  const second = Math.floor(Date.now() / 1000);
  it.each<[JsonObject, JsonObject, string | null]>([
    [{ acrValues: ['gold', 'silver'] }, { acr: 'silver' }, null],
    [{ acrValues: ['gold', 'silver'] }, { acr: 'sil' }, 'acr_values="gold silver"'],
    [{ acrValues: ['gold'] }, {}, 'acr_values="gold"'],
    [{ acrValues: ['gold'] }, { acr: ['gold'] }, 'acr_values="gold"'],
    [{ maxAge: '5 minutes' }, { auth_time: second - 60 }, null],
    [{ maxAge: '5 minutes' }, { auth_time: second - 600 }, 'max_age="300"'],
    [{ maxAge: '5 minutes' }, { auth_time: second + 30 }, null],
    [{ maxAge: '5 minutes' }, { auth_time: second + 600 }, 'max_age="300"'],
    [{ maxAge: '5 minutes' }, { auth_time: second * 1000 }, 'max_age="300"'],
    [{ maxAge: '5 minutes' }, { auth_time: Number.POSITIVE_INFINITY }, 'max_age="300"'],
    [{ maxAge: '5 minutes' }, { auth_time: String(second) }, 'max_age="300"'],
    [{ maxAge: '5 minutes' }, {}, 'max_age="300"'],
    [{ maxAge: '5 minutes', acrValues: ['gold'] }, { auth_time: second }, 'acr_values="gold", max_age="300"'],
    [{ maxAge: '5 minutes', acrValues: ['gold'] }, { auth_time: second, acr: 'gold' }, null],
  ])('request a step-up: %j for %j', async (config, info, asks) => {
    const { ask } = await startProtected(new ScriptedResolver({ t: goodToken('t', { info }) }), config);
    const answer = await ask('Authorization: Bearer t');
    expect(answer.status).toBe(asks === null ? 200 : 401);
    if (asks === null) return;
    const layout = /^Bearer realm="gatewarden", error="insufficient_user_authentication", error_description="[^"]+", /;
    expect(answer.challenges[0]!.replace(layout, '')).toBe(asks);
  });
});

describe('confirmation', () => {
  it.each<[string, unknown, number]>([
    ['null', null, 200],
    ['a promise of null', Promise.resolve(null), 200],
    ['a refusal', { kind: 'refusal', error: 'invalid_token', description: '', cause: null }, 401],
    ['an error', new Error('cannot say'), 401],
    ['a failed promise', () => Promise.reject(new Error('cannot say')), 401],
  ])('%s, checked for every request', async (_, verdict, status) => {
    const scripted = resolver();
    let asked = 0;
    const confirming = {
      resolve: scripted.resolve.bind(scripted),
      confirm: () => {
        asked++;
        if (verdict instanceof Error) throw verdict;
        return (typeof verdict === 'function' ? verdict() : verdict) as null;
      },
    };
    const { ask } = await startProtected(confirming, { cache: { enabled: true } });
    for (let i = 0; i < 3; i++) expect((await ask('Authorization: Bearer good')).status).toBe(status);
    expect([asked, scripted.asked.length]).toEqual([3, 1]);
  });
});

describe('a configuration', () => {
  const config = { endpoint: 'https://as.test/introspect' };
  const accessTokenResolver = { type: 'TokenIntrospectionAccessTokenResolver', config };
  const problemsOf = (more: JsonObject): string[] =>
    filterProblems('OAuth2ResourceServerFilter', { accessTokenResolver, scopes: [], ...more });

  it.each<[JsonObject, readonly (string | RegExp)[]]>([
    [{}, []],
    [{ cache: { enabled: true, maxTimeout: '1 day', defaultTimeout: '1 hour', maximumSize: 5 } }, []],
    [{ tokenInfoEndpoint: 'https://as/tokeninfo' }, [/^unavailable-field tokenInfoEndpoint: .*'accessTokenResolver'/]],
    [{ cacheExpiration: '1 minute' }, [/^unavailable-field cacheExpiration: .*'cache'/]],
    [{ scopes: 'orders:read' }, [/^reference scopes: there is no object 'orders:read' .*/]],
    [{ cache: { maxTimeout: 'zero' } }, [/^duration cache\.maxTimeout: /]],
    [{ cache: { maxTimeout: 'unlimited' } }, [/^duration cache\.maxTimeout: /]],
    [{ cache: { maximumSize: 0 } }, [/^value cache\.maximumSize: /]],
    [{ cache: { onNotificationDisconnection: 'NEVER_CLEAR' } }, [/^no-effect cache\.onNotificationDisconnection: /]],
    [{ cache: { onNotificationDisconnection: 'SOMETIMES' } }, [/^value cache\.onNot.*: must be one of /]],
    [{ scopes: 'access' }, [/^reference scopes: /]],
    [
      { scopes: { type: 'ScriptableResourceAccess', config: {} } },
      [/scopes\.config\.type: is required/, /'file' and 'source'/],
    ],
    [{ scopes: { type: 'WelcomeHandler' } }, [/^kind scopes: /]],
    [{ scopes: 5 }, [/^value scopes: /]],
    [{ scopes: [5] }, [/^value scopes\[0\]: must be a scope/]],
    [{ scopes: [''] }, [/^value scopes\[0\]: must be a scope/]],
    [{ scopes: ['a\n'] }, [/^value scopes\[0\]: must be a scope/]],
    [{ scopes: [['a', 1]] }, [/^value scopes\[0\]: must be a scope/]],
    [{ scopes: ['a b'] }, [/scopes\[0\]: holds a space/]],
    [{ realm: 'a\r\nb' }, [/^value realm: /]],
    [{ resourceMetadata: '/here' }, [/^value resourceMetadata: /]],
    [{ acrValues: [] }, [/^value acrValues: /]],
    [{ acrValues: ['a b'] }, [/^value acrValues\[0\]: /]],
    [{ maxAge: 'unlimited' }, [/^duration maxAge: /]],
    [{ accessTokenResolver: 'ReverseProxyHandler' }, [/^kind accessTokenResolver: /]],
  ])('with %j has the expected problems', (more, expected) => {
    const problems = problemsOf(more);
    expect(problems).toEqual(expected.map((one) => expect.stringMatching(one)));
  });

  it('needs a resolver and scopes', () => {
    expect(filterProblems('OAuth2ResourceServerFilter', {})).toEqual([
      'missing accessTokenResolver: is required',
      expect.stringMatching(/^missing scopes: /),
    ]);
  });
});
