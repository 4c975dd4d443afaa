import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { type AccessManager, startAccessManager } from '../../../support/access-manager/access-manager.ts';
import type { AmAnswer } from '../../../support/access-manager/am-call.ts';
import { amDeclaration, EVALUATE, startPolicyGateway } from '../../../support/access-manager/policy-gateway.ts';
import { problemsOf } from '../../../support/gateways/filtered-gateway.ts';

const POLICY = {
  name: 'p',
  resources: ['http://gw.test/a*', 'http://gw.test/a*?*'],
  actions: { GET: true, POST: false },
  attributes: { role: ['gold', 'x'] },
};

/** An unsigned JWT, which the double reads. */
function jwt(claims: object): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
}

/** Answers decision requests with this about every resource. */
function decide(am: AccessManager, more: object): void {
  am.answer(EVALUATE, ({ body }) => {
    const [resource] = (JSON.parse(body) as { resources: string[] }).resources;
    return { status: 200, body: [{ resource, actions: { GET: true }, attributes: {}, advices: {}, ...more }] };
  });
}

describe('a PolicyEnforcementFilter', () => {
  it('passes on what a policy allows, and denies the rest with an empty 403', async () => {
    const am = await startAccessManager({ policies: [POLICY] });
    const { askAs, seen, questions } = await startPolicyGateway(am);
    const { tokenId } = am.sessions.create('demo');
    expect((await askAs(tokenId, '/a/1?x=1')).status).toBe(200);
    for (const [method, target] of [
      ['POST', '/a/1'],
      ['HEAD', '/a/1'],
      ['DELETE', '/a/1'],
      ['GET', '/b'],
    ] as const) {
      const { status, body } = await askAs(tokenId, target, { method });
      expect([method, status, body]).toEqual([method, 403, '']);
    }
    expect(seen.map(({ url }) => url)).toEqual(['/a/1?x=1']);
    expect(questions()[0]).toEqual({ resources: ['http://gw.test/a/1?x=1'], subject: { ssoToken: tokenId } });
    expect(am.callsTo(EVALUATE)[0]!.headers).toMatchObject({ 'accept-api-version': 'protocol=1.0,resource=2.0' });
  });

  it('asks for every request where nothing is cached', async () => {
    const am = await startAccessManager({ policies: [POLICY] });
    const { askAs, questions } = await startPolicyGateway(am, { cache: { enabled: false } });
    const { tokenId } = am.sessions.create('demo');
    for (let i = 0; i < 3; i++) expect((await askAs(tokenId, '/a')).status).toBe(200);
    expect(questions()).toHaveLength(3);
  });

  it('asks in the realm of the service, or in pepRealm, about the policy set of the configuration', async () => {
    const policies = [{ ...POLICY, realm: '/customers', policySet: 'orders' }];
    const am = await startAccessManager({ policies, realms: ['/customers'] });
    const { tokenId } = am.sessions.create('demo');
    const own = await startPolicyGateway(am, { pepRealm: '/customers', application: 'orders' });
    expect((await own.askAs(tokenId, '/a')).status).toBe(200);
    expect(am.callsTo(EVALUATE).at(-1)).toMatchObject({ realm: '/customers' });
    expect(own.questions().at(-1)).toMatchObject({ application: 'orders' });
    const other = await startPolicyGateway(am, { application: 'orders' });
    expect((await other.askAs(tokenId, '/a')).status).toBe(403);
    expect(am.callsTo(EVALUATE).at(-1)).toMatchObject({ realm: '/' });
  });

  it('gives the rest of the chain and the failure handler the decision in contexts.policyDecision', async () => {
    const am = await startAccessManager({ policies: [POLICY] });
    const show =
      '${contexts.policyDecision.attributes} ${contexts.policyDecision.attributes.role[0]} ' +
      '${contexts.policyDecision.actions} ${contexts.policyDecision.advices} ${contexts.policyDecision.resource} ' +
      '${contexts.policyDecision.jsonAttributes.role[1]} ${contexts.policyDecision.jsonAdvices}';
    const failureHandler = { type: 'StaticResponseHandler', config: { status: 418, entity: show } };
    const { askAs, seen } = await startPolicyGateway(am, { failureHandler }, {});
    const { tokenId } = am.sessions.create('demo');
    const denied = await askAs(tokenId, '/a', { method: 'POST' });
    const text = '{role=[gold, x]} gold {GET=true, POST=false} {} http://gw.test/a x {}';
    expect([denied.status, denied.body]).toEqual([418, text]);
    expect(seen).toEqual([]);
  });

  it('gives the failure handler the advices where no SSO filter precedes it', async () => {
    const am = await startAccessManager();
    decide(am, { actions: {}, advices: { AuthLevelConditionAdvice: ['5'] } });
    const entity = "${contexts.policyDecision.advices['AuthLevelConditionAdvice'][0]}";
    const own = await startPolicyGateway(am, {
      failureHandler: { type: 'StaticResponseHandler', config: { status: 403, entity } },
    });
    const { status, body, values } = await own.askAs('t', '/a');
    expect([status, body, values('location')]).toEqual([403, '5', []]);
    const plain = await startPolicyGateway(am);
    const answer = await plain.askAs('t', '/a', { headers: ['X-Authenticate-Response: header'] });
    expect([answer.status, answer.body, answer.values('location'), answer.values('www-authenticate')]).toEqual([
      403,
      '',
      [],
      [],
    ]);
  });

  it('counts and logs denials by reason', async () => {
    const am = await startAccessManager({ policies: [POLICY] });
    const { askAs, ask, counted, logged } = await startPolicyGateway(am);
    await askAs(am.sessions.create('demo').tokenId, '/b');
    await ask('/a');
    am.answer(EVALUATE, () => ({ status: 403 }));
    await askAs('t', '/a');
    const reasons = counted.filter(({ metric }) => metric === 'gw_denied_total').map(({ labels }) => labels['reason']);
    expect(reasons).toEqual(['policy-denied', 'policy-subject', 'policy-undecided']);
    expect(logged).toContainEqual(
      expect.objectContaining({ msg: 'request refused', reason: expect.stringContaining('check its privileges') }),
    );
  });
});

describe('the resource', () => {
  it.each([
    ['/a/%62', 'http://gw.test/a/b'],
    ['/a/%7Eme', 'http://gw.test/a/~me'],
    ['/a//b', 'http://gw.test/a//b'],
    ['/a/b;v=1', 'http://gw.test/a/b;v=1'],
    ['/a?x=%41&x=b', 'http://gw.test/a?x=%41&x=b'],
  ])('of %s is the URI that is forwarded: %s', async (target, resource) => {
    const am = await startAccessManager();
    decide(am, {});
    const { askAs, questions, seen } = await startPolicyGateway(am);
    expect((await askAs('t', target)).status).toBe(200);
    expect(questions()[0]!.resources).toEqual([resource]);
    expect(`http://gw.test${seen[0]!.url}`).toBe(resource);
  });

  it.each([
    ['GW.Test', 'http://gw.test/a'],
    ['gw.test.', 'http://gw.test/a'],
    ['gw.test:80', 'http://gw.test/a'],
    ['gw.test:8080', 'http://gw.test:8080/a'],
    ['[0:0::1]', 'http://[::1]/a'],
  ])('has the host %s in its one spelling: %s', async (host, resource) => {
    const am = await startAccessManager();
    decide(am, {});
    const { askAs, questions } = await startPolicyGateway(am);
    expect((await askAs('t', '/a', { host })).status).toBe(200);
    expect(questions()[0]!.resources).toEqual([resource]);
  });

  it.each(['/a/../b', '/a/%2e%2e/b', '/a/%2E/b', '/a%2fb', '/a%5cb', '/a\\b', '/a%00'])(
    'of the ambiguous path %s is never asked about',
    async (target) => {
      const am = await startAccessManager();
      decide(am, {});
      const { askAs, questions, seen } = await startPolicyGateway(am);
      expect((await askAs('t', target)).status).toBe(400);
      expect([questions(), seen]).toEqual([[], []]);
    },
  );

  it('is the URI as the filter sees it, after it was rewritten', async () => {
    const am = await startAccessManager();
    decide(am, {});
    const before = [{ type: 'UriPathRewriteFilter', config: { mappings: { '/a': '/inner' } } }];
    const { askAs, questions } = await startPolicyGateway(am, {}, { before });
    expect((await askAs('t', '/a/b')).status).toBe(200);
    expect(questions()[0]!.resources).toEqual(['http://gw.test/inner/b']);
  });

  it.each([
    [true, ['http://gw.test/a?x=1', 'http://gw.test/a?x=2']],
    [false, ['http://gw.test/a']],
  ])('of a RequestResourceUriProvider with includeQueryParams %s', async (includeQueryParams, asked) => {
    const am = await startAccessManager();
    decide(am, {});
    const resourceUriProvider = { type: 'RequestResourceUriProvider', config: { includeQueryParams } };
    const { askAs, questions, seen } = await startPolicyGateway(am, { resourceUriProvider, cache: { enabled: true } });
    for (const query of ['x=1', 'x=2', 'x=1']) expect((await askAs('t', `/a?${query}`)).status).toBe(200);
    expect(questions().flatMap(({ resources }) => resources)).toEqual(asked);
    expect(seen.map(({ url }) => url)).toEqual(['/a?x=1', '/a?x=2', '/a?x=1']);
  });

  it('of a RequestResourceUriProvider with useOriginalUri is the URL that the client requested', async () => {
    const am = await startAccessManager();
    decide(am, {});
    const resourceUriProvider = { type: 'RequestResourceUriProvider', config: { useOriginalUri: true } };
    const before = [{ type: 'UriPathRewriteFilter', config: { mappings: { '/a': '/inner' } } }];
    const { askAs, questions, seen } = await startPolicyGateway(am, { resourceUriProvider }, { before });
    expect((await askAs('t', '/a/b?x=1&_txid=t1')).status).toBe(200);
    expect(questions()[0]!.resources).toEqual(['http://gw.test/a/b?x=1']);
    expect(seen.map(({ url }) => url)).toEqual(['/inner/b?x=1']);
  });

  it('does not exist for OPTIONS *: it is refused without a question', async () => {
    const am = await startAccessManager();
    decide(am, { actions: { OPTIONS: true } });
    const { askAs, questions } = await startPolicyGateway(am);
    expect((await askAs('t', '*', { method: 'OPTIONS' })).status).toBe(500);
    expect(questions()).toEqual([]);
  });
});

describe('the subject', () => {
  const claims = "${request.headers['X-Claims'][0]}";

  it.each<[string, JsonObject, JsonObject]>([
    ['a session token', { ssoTokenSubject: 'tok' }, { ssoToken: 'tok' }],
    ['a JWT', { jwtSubject: jwt({ sub: 'demo' }) }, { jwt: jwt({ sub: 'demo' }) }],
    [
      'claims',
      { claimsSubject: { sub: '${request.method}', level: 5, list: ['a'], none: '${null}', iss: 'x' } },
      { claims: { sub: 'GET', level: 5, list: ['a'], iss: 'x' } },
    ],
    [
      'all three together',
      { ssoTokenSubject: 'tok', jwtSubject: 'x', claimsSubject: { sub: 'demo' } },
      { ssoToken: 'tok', jwt: 'x', claims: { sub: 'demo' } },
    ],
    ['one of two that is there', { ssoTokenSubject: "${request.headers['No'][0]}", jwtSubject: 'x' }, { jwt: 'x' }],
  ])('is sent: %s', async (_, config, subject) => {
    const am = await startAccessManager();
    decide(am, {});
    const { ask, questions } = await startPolicyGateway(am, config);
    expect((await ask('/a')).status).toBe(200);
    expect(questions()[0]!.subject).toEqual(subject);
  });

  it.each<[string, JsonObject]>([
    ['no token', { ssoTokenSubject: "${request.headers['No'][0]}" }],
    ['an empty token', { ssoTokenSubject: "${request.headers['Empty'][0]}" }],
    ['an empty JWT', { jwtSubject: '${null}' }],
    ['claims without sub', { claimsSubject: { sub: '${null}', iss: 'x' } }],
    ['claims with an empty sub', { claimsSubject: { sub: "${request.headers['Empty'][0]}" } }],
    ['claims with a number for sub', { claimsSubject: { sub: 5 } }],
    ['an expression that gives no claims', { claimsSubject: '${attributes.none}' }],
    ['a session token beside claims without sub', { ssoTokenSubject: 'tok', claimsSubject: { sub: '${null}' } }],
    ['nothing at all', { ssoTokenSubject: '${null}', jwtSubject: '${null}', claimsSubject: '${null}' }],
  ])('is never that of the agent: a request with %s gets 500 and the access manager no question', async (_, config) => {
    const am = await startAccessManager({ policies: [POLICY] });
    const { ask, questions, seen } = await startPolicyGateway(am, config);
    const { status, body } = await ask('/a', { headers: ['Empty:'] });
    expect([status, body]).toEqual([500, '']);
    expect([questions(), seen]).toEqual([[], []]);
  });

  it('is refused where an expression for claims gives no map', async () => {
    const am = await startAccessManager();
    decide(am, {});
    const { ask, questions } = await startPolicyGateway(am, { claimsSubject: claims });
    expect((await ask('/a', { headers: ['X-Claims: demo'] })).status).toBe(500);
    expect(questions()).toEqual([]);
  });

  it('is not shown in logs', async () => {
    const am = await startAccessManager();
    am.answer(EVALUATE, () => ({ status: 400, body: 'secret-token' }));
    const { askAs, logged } = await startPolicyGateway(am);
    expect((await askAs('secret-token', '/a')).status).toBe(500);
    expect(JSON.stringify(logged)).not.toContain('secret-token');
  });
});

describe('the environment', () => {
  it.each<[JsonObject | string, JsonObject | undefined]>([
    [{ IP: '${contexts.client.remoteAddress}' }, { IP: ['127.0.0.1'] }],
    [{ IP: ['${contexts.client.remoteAddress}', '10.0.0.1'] }, { IP: ['127.0.0.1', '10.0.0.1'] }],
    [
      { n: 5, yes: true, half: 0.5, list: [1, null, 'a'] },
      { n: ['5'], yes: ['true'], half: ['0.5'], list: ['1', 'a'] },
    ],
    [{ map: { a: [1] } }, { map: ['{"a":[1]}'] }],
    [{ H: "${request.headers['X-H']}" }, { H: ['1', '2'] }],
    [{ none: '${null}', list: ['${null}'], empty: [] }, undefined],
    [{ none: '${null}', some: '' }, { some: [''] }],
    ['${attributes.none}', undefined],
  ])('%j is sent as %j', async (environment, sent) => {
    const am = await startAccessManager();
    decide(am, {});
    const { askAs, questions } = await startPolicyGateway(am, { environment });
    expect((await askAs('t', '/a', { headers: ['X-H: 1', 'X-H: 2'] })).status).toBe(200);
    expect(questions()[0]!.environment).toEqual(sent);
  });

  it.each(["${request.headers['X-Token'][0]}", { x: '${1 / 0}' }])(
    'that cannot be made refuses the request: %j',
    async (environment) => {
      const am = await startAccessManager();
      decide(am, {});
      const { askAs, questions } = await startPolicyGateway(am, { environment });
      expect((await askAs('t', '/a')).status).toBe(500);
      expect(questions()).toEqual([]);
    },
  );
});

describe('an access manager that does not decide', () => {
  const R = 'http://gw.test/a';
  const allowed = `{"resource":"${R}","actions":{"GET":true},"attributes":{},"advices":{}}`;

  it.each<[string, AmAnswer]>([
    ['400', { status: 400, body: `[${allowed}]` }],
    ['403', { status: 403, body: `[${allowed}]` }],
    ['404', { status: 404, body: `[${allowed}]` }],
    ['500', { status: 500, body: `[${allowed}]` }],
    ['503', { status: 503, body: '' }],
    ['201', { status: 201, body: `[${allowed}]` }],
    ['a redirect', { status: 302, headers: { Location: '/openam/XUI' }, body: `[${allowed}]` }],
    ['a page', { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<html>Sign in</html>' }],
    ['nothing', { status: 200, body: '' }],
    ['garbage', { status: 200, body: '[{]' }],
    ['another resource', { status: 200, body: `[${allowed.replace('/a"', '/b"')}]` }],
    ['no resource', { status: 200, body: [{ actions: { GET: true } }] }],
    ['two decisions', { status: 200, body: `[${allowed},${allowed}]` }],
    ['a single object', { status: 200, body: allowed }],
    ['a huge list', { status: 200, body: `[${allowed},"${'x'.repeat(2 << 20)}"]` }],
  ])('but answers with %s refuses with 500', async (_, answer) => {
    const am = await startAccessManager({ policies: [POLICY] });
    const failureHandler = { type: 'StaticResponseHandler', config: { status: 200, entity: 'passed' } };
    const { askAs, seen } = await startPolicyGateway(am, { failureHandler, cache: { enabled: true } });
    const forget = am.answer(EVALUATE, () => answer);
    const { tokenId } = am.sessions.create('demo');
    for (let i = 0; i < 2; i++) {
      const { status, body } = await askAs(tokenId, '/a');
      expect([status, body]).toEqual([500, '']);
    }
    expect(am.callsTo(EVALUATE)).toHaveLength(2);
    expect(seen).toEqual([]);
    forget();
    expect((await askAs(tokenId, '/a')).status).toBe(200);
  });

  it('but refuses the token of the agent for good refuses with 500', async () => {
    const am = await startAccessManager({ policies: [POLICY] });
    am.answer(EVALUATE, () => ({ status: 401 }));
    const { askAs, seen } = await startPolicyGateway(am);
    expect((await askAs(am.sessions.create('demo').tokenId, '/a')).status).toBe(500);
    expect(seen).toEqual([]);
  });

  it('because it is away refuses with 500, and decides when it is back', async () => {
    const am = await startAccessManager({ policies: [POLICY] });
    const { askAs, seen } = await startPolicyGateway(am);
    const { tokenId } = am.sessions.create('demo');
    expect((await askAs(tokenId, '/a')).status).toBe(200);
    await am.close();
    expect((await askAs(tokenId, '/a')).status).toBe(500);
    expect(seen).toHaveLength(1);
    await am.reopen();
    expect((await askAs(tokenId, '/a')).status).toBe(200);
  });

  it('because the agent cannot log in refuses with 500', async () => {
    const am = await startAccessManager({ policies: [POLICY], agents: { gateway: 'another' } });
    const { askAs, seen } = await startPolicyGateway(am);
    expect((await askAs(am.sessions.create('demo').tokenId, '/a')).status).toBe(500);
    expect(seen).toEqual([]);
  });
});

describe('the configuration of a PolicyEnforcementFilter', () => {
  const amService = amDeclaration({ url: 'https://am.example.com/openam' });
  const problems = (config: JsonObject) =>
    problemsOf('PolicyEnforcementFilter', config).filter((problem) => !problem.startsWith('insecure '));
  const base = { amService, ssoTokenSubject: '${contexts.ssoToken.value}' };

  it.each<[JsonObject, unknown[]]>([
    [
      {},
      [
        'missing amService: is required',
        expect.stringContaining("one of 'ssoTokenSubject', 'jwtSubject' and 'claimsSubject' is required"),
      ],
    ],
    [
      { amService },
      [expect.stringContaining("one of 'ssoTokenSubject', 'jwtSubject' and 'claimsSubject' is required")],
    ],
    [{ amService, claimsSubject: { iss: 'x' } }, [expect.stringContaining("claimsSubject: must have the claim 'sub'")]],
    [{ ...base, pepRealm: 'a//b' }, [expect.stringContaining('pepRealm: is not a realm')]],
    [
      { ...base, cache: { maximumTimeToCache: 'unlimited' } },
      [expect.stringContaining('cache.maximumTimeToCache: must not be unlimited')],
    ],
    [
      { ...base, cache: { maximumTimeToCache: 'zero' } },
      [expect.stringContaining('cache.maximumTimeToCache: must be longer than zero')],
    ],
    [{ ...base, cache: { maximumSize: 0 } }, [expect.stringContaining('cache.maximumSize')]],
    [
      { ...base, cache: { onNotificationDisconnection: 'CLEAR' } },
      [expect.stringContaining('cache.onNotificationDisconnection')],
    ],
    [{ ...base, authenticateResponseRequestHeader: 'a b' }, [expect.stringContaining('must be the name of a header')]],
    [{ ...base, resourceUriProvider: 'Nobody' }, [expect.stringContaining('resourceUriProvider')]],
    [
      { ...base, environment: 'no expression' },
      [expect.stringContaining('environment: must be a map or an expression')],
    ],
    [{ ...base, unknown: 1 }, [expect.stringContaining('unknown')]],
    [{ amService, ssoTokenSubject: '' }, [expect.stringContaining('ssoTokenSubject: must not be empty')]],
    [
      {
        openamUrl: 'http://am.example.com/openam',
        pepUsername: 'agent',
        pepPassword: 'a-password',
        realm: '/',
        cacheMaxExpiration: '2 minutes',
        ssoTokenSubject: '${contexts.ssoToken.value}',
      },
      [
        'missing amService: is required',
        expect.stringContaining("openamUrl: cannot be given here: declare an AmService with this 'url'"),
        expect.stringContaining("pepUsername: cannot be given here: use 'agent.username' of the AmService"),
        expect.stringContaining("use 'agent.passwordSecretId' of the AmService"),
        expect.stringContaining("realm: cannot be given here: use 'pepRealm'"),
        expect.stringContaining("cacheMaxExpiration: cannot be given here: use 'cache'"),
      ],
    ],
  ])('is refused: %j', (config, expected) => {
    expect(problems(config)).toEqual(expected);
  });

  it('is told that useLegacyAdviceEncoding is deprecated', () => {
    expect(problems({ ...base, useLegacyAdviceEncoding: true })).toContainEqual(
      expect.stringContaining('useLegacyAdviceEncoding: is deprecated'),
    );
  });
});
