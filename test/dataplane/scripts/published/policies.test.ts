import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { EVALUATE, startPolicyGateway } from '../../../support/access-manager/policy-gateway.ts';
import { startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { tokenText } from '../../../support/identity/token-text.ts';
import { inBothLanguages, type Scripted, type Twins } from '../../../support/scripts/twin-scripts.ts';

const bearer = (token: string): string => `Authorization: Bearer ${token}`;

/** Asks an introspection endpoint, which answers with what the query tells it to. */
const introspection: Twins = {
  groovy: `
    import org.forgerock.http.oauth2.AccessTokenException
    import org.forgerock.json.JsonValue

    def call = new Request()
    call.uri = endpoint + (token == 'dead' ? '%7B%22active%22:false%7D' : '%7B%22active%22:true,%22sub%22:%22ada%22,%22status%22:%22' + token + '%22,%22scope%22:%22read%20mail%22,%22exp%22:4102444800%7D')
    call.method = 'POST'
    def form = new Form()
    form.add('token', token)
    form.toRequestEntity(call)
    return http.send(context, call).then { answer ->
      def found = answer.entity.json
      if (answer.status != Status.OK || !found.active) throw new AccessTokenException('the token is not active')
      def scopes = found.scope.split(' ') as Set
      return new AccessTokenInfo(new JsonValue(found), token, scopes, found.exp * 1000L)
    }`,
  javascript: `
    const told = token === 'dead' ? { active: false } : { active: true, sub: 'ada', status: token, scope: 'read mail', exp: 4102444800 }
    const answer = await http.send(endpoint + encodeURIComponent(JSON.stringify(told)), { method: 'POST', body: new URLSearchParams({ token }) })
    const found = await answer.entity.json()
    if (answer.status !== 200 || !found.active) throw new Error('the token is not active')
    return { token, info: found, scopes: found.scope.split(' '), expiresAt: found.exp * 1000 }`,
};

const guard = (scripted: Scripted, scopes: unknown): JsonObject => ({
  type: 'OAuth2ResourceServerFilter',
  config: {
    requireHttps: false,
    accessTokenResolver: scripted('ScriptableAccessTokenResolver', introspection, {
      args: { endpoint: 'http://app.test/introspect?entity=' },
    }),
    scopes: scopes as JsonObject,
  },
});

inBothLanguages(
  'resolves access tokens at an introspection endpoint, and reads their claims behind it',
  {
    groovy: `
      def info = contexts.oauth2.accessToken.info
      def response = new Response(Status.OK)
      response.entity.json = json(object(
        field('user', info['sub']),
        field('scopes', contexts.oauth2.accessToken.scopes.sort()),
        field('token', contexts.oauth2.accessToken.token)))
      return response`,
    javascript: `
      const { info, scopes, token } = contexts.oauth2.accessToken
      return new Response(200, { body: { user: info.sub, scopes: [...scopes].sort(), token } })`,
  },
  async (scripted) => {
    const { ask, seen } = await startFiltered([guard(scripted, ['read'])], scripted('ScriptableHandler'));
    const answer = await ask('/', { headers: [bearer('gold')] });
    expect(JSON.parse(answer.body)).toEqual({ user: 'ada', scopes: ['mail', 'read'], token: 'gold' });
    expect(seen[0]).toMatchObject({ method: 'POST', body: 'token=gold' });
    const refused = await ask('/', { headers: [bearer('dead')] });
    expect(refused.status).toBe(401);
    expect(refused.values('www-authenticate')[0]).toContain('invalid_token');
  },
);

inBothLanguages(
  'requires scopes by method and path',
  {
    groovy: `
      def needed = ['read'] as Set
      if (request.method != 'GET') needed += 'write'
      if (request.uri.path =~ '^/mail') needed << 'mail'
      return needed`,
    javascript: `
      const needed = new Set(['read'])
      if (request.method !== 'GET') needed.add('write')
      if (/^\\/mail/.test(request.uri.path)) needed.add('mail')
      return needed`,
  },
  async (scripted) => {
    const { ask } = await startFiltered([guard(scripted, scripted('ScriptableResourceAccess'))]);
    const headers = [bearer('gold')];
    expect((await ask('/mail', { headers })).status).toBe(200);
    const refused = await ask('/mail', { method: 'DELETE', headers });
    expect(refused.status).toBe(403);
    expect(refused.values('www-authenticate')[0]).toContain('insufficient_scope');
  },
);

inBothLanguages(
  'limits requests by the status in the access token',
  {
    groovy: `
      if (contexts.oauth2.accessToken.info.status == status) {
        return new ThrottlingRate(rate, duration)
      } else {
        return null
      }`,
    javascript: `
      return contexts.oauth2.accessToken.info.status === status ? { requests: rate, duration } : null`,
  },
  async (scripted) => {
    const policy = scripted('ScriptableThrottlingPolicy', undefined, {
      args: { status: 'gold', rate: 2, duration: '1 hour' },
    });
    const { ask } = await startFiltered([
      guard(scripted, ['read']),
      {
        type: 'ThrottlingFilter',
        config: {
          requestGroupingPolicy: '${contexts.oauth2.accessToken.info.status}',
          throttlingRatePolicy: {
            type: 'DefaultRateThrottlingPolicy',
            config: {
              delegateThrottlingRatePolicy: policy,
              defaultRate: { numberOfRequests: 1, duration: '1 hour' },
            },
          },
        },
      },
    ]);
    const statuses = async (token: string) => {
      const found: number[] = [];
      for (let count = 0; count < 3; count++) found.push((await ask('/', { headers: [bearer(token)] })).status);
      return found;
    };
    expect(await statuses('gold')).toEqual([200, 200, 429]);
    expect(await statuses('iron')).toEqual([200, 429, 429]);
  },
);

inBothLanguages(
  'limits requests by a header',
  {
    groovy: `
      switch (request.headers['X-Plan']?.firstValue) {
        case 'free': return new ThrottlingRate(1, '1 hour')
        case ~/team-.*/: return newResultPromise(new ThrottlingRate(2, org.forgerock.util.time.Duration.duration('1 hour')))
        default: return null
      }`,
    javascript: `
      const plan = request.headers.get('X-Plan')
      if (plan === 'free') return { requests: 1, duration: '1 hour' }
      return plan?.startsWith('team-') ? { requests: 2, duration: '1 hour' } : null`,
  },
  async (scripted) => {
    const { ask } = await startFiltered([
      {
        type: 'ThrottlingFilter',
        config: {
          requestGroupingPolicy: "${empty request.headers['X-Plan'] ? 'none' : request.headers['X-Plan'][0]}",
          throttlingRatePolicy: scripted('ScriptableThrottlingPolicy'),
        },
      },
    ]);
    const statuses = async (...headers: string[]) => {
      const found: number[] = [];
      for (let count = 0; count < 3; count++) found.push((await ask('/', { headers })).status);
      return found;
    };
    expect(await statuses('X-Plan: free')).toEqual([200, 429, 429]);
    expect(await statuses('X-Plan: team-blue')).toEqual([200, 200, 429]);
    expect(await statuses()).toEqual([200, 200, 200]);
  },
);

inBothLanguages(
  'checks claims of a JWT with rules of its own',
  {
    groovy: `
      builder.claim('subname', JsonValue::asString, isEqualTo('ada'))
             .claim('level', JsonValue::asInteger, isGreaterThan(2))
             .claim('iss', JsonValue::asString, find(~/^https:/))`,
    javascript: `
      const wrong = []
      if (claims.subname !== 'ada') wrong.push('subname')
      if (!(claims.level > 2)) wrong.push('level')
      if (!/^https:/.test(claims.iss)) wrong.push('iss')
      return wrong`,
  },
  async (scripted) => {
    const config = {
      jwt: "${request.headers['X-Token'][0]}",
      customizer: scripted('ScriptableJwtValidatorCustomizer'),
    };
    const { ask } = await startFiltered([{ type: 'JwtValidationFilter', config }]);
    const good = { subname: 'ada', level: 3, iss: 'https://id.test' };
    const judge = async (claims: object) =>
      (await ask('/', { headers: [`X-Token: ${tokenText({ alg: 'RS256' }, claims)}`] })).status;
    expect(await judge(good)).toBe(200);
    for (const wrong of [{ subname: 'bob' }, { level: 2 }, { iss: 'http://id.test' }]) {
      expect(await judge({ ...good, ...wrong })).not.toBe(200);
    }
  },
);

inBothLanguages(
  'asks for a decision about the original URL with the parameters of the changed request',
  {
    groovy: `
      package scripts.groovy
      import org.forgerock.http.routing.UriRouterContext
      import org.forgerock.http.util.Uris
      def router = context.asContext(UriRouterContext.class)
      URI originalUri = router.getOriginalUri();
      URI requestUri = request.getUri().asURI();
      URI pathAndParams = new URI(null, null, requestUri.getPath(), requestUri.getQuery(), requestUri.getFragment());
      String rebasedUri = Uris.rebase(pathAndParams, originalUri).toASCIIString();
      logger.trace("rebased to '{}'", rebasedUri);
      return rebasedUri;`,
    javascript: `
      const { scheme, host } = new Uri(contexts.router.originalUri)
      return \`\${scheme}://\${host}\${request.uri.rawPath}\${request.uri.rawQuery ? '?' + request.uri.rawQuery : ''}\``,
  },
  async (scripted) => {
    const am = await startAccessManager();
    am.answer(EVALUATE, ({ body }) => {
      const [resource] = (JSON.parse(body) as { resources: string[] }).resources;
      return { status: 200, body: [{ resource, actions: { GET: true }, attributes: {}, advices: {} }] };
    });
    const target = '${request.uri.query}';
    const before = [{ type: 'AssignmentFilter', config: { onRequest: [{ target, value: 'id=7' }] } }];
    const { askAs, questions } = await startPolicyGateway(
      am,
      { resourceUriProvider: scripted('ScriptableResourceUriProvider') },
      { before },
    );
    expect((await askAs('t', '/home?id=7&debug=1', { host: 'shop.test' })).status).toBe(200);
    expect(questions().map(({ resources }) => resources)).toEqual([['http://shop.test/home?id=7']]);
  },
);

it('publishes an audit event of its own topic behind the response', async () => {
  const source = `
    import static org.forgerock.json.resource.Requests.newCreateRequest;
    import static org.forgerock.json.resource.ResourcePath.resourcePath;
    SCRIPT_NAME = '[audit] '
    def String transactionId() { return contexts.transactionId.transactionId.value; }
    def JsonValue auditEvent(String eventName) {
      return json(object(field('eventName', eventName), field('transactionId', transactionId()), field('timestamp', clock.instant().toEpochMilli())));
    }
    def auditEventRequest(String topicName, JsonValue auditEvent) { return newCreateRequest(resourcePath('/' + topicName), auditEvent); }
    next.handle(context, request).thenOnResult(response -> {
      if (!response.status.isSuccessful()) {
        logger.info(SCRIPT_NAME + 'Error response, skipping audit')
        return
      }
      JsonValue event = auditEvent('CONSENT').add('path', request.uri.path)
      auditService.handleCreate(context, auditEventRequest('consents', event));
    })`.split('\n');
  const topic = { schema: { type: 'object', properties: { path: { type: 'string' } }, additionalProperties: true } };
  const records = {
    name: 'records',
    type: 'AuditService',
    config: {
      config: { topics: { consents: topic } },
      eventHandlers: [{ class: 'JsonStdoutAuditEventHandler', config: { name: 'out', topics: ['consents'] } }],
    },
  };
  const args = { auditService: "${heap['records']}", clock: "${heap['Clock']}" };
  const filter = { type: 'ScriptableFilter', config: { type: 'application/x-groovy', source, args } };
  const { ask, audited, logged } = await startFiltered([filter], undefined, { document: { heap: [records] } });
  expect((await ask('/orders?status=500')).status).toBe(500);
  expect(logged.map(({ msg }) => msg)).toContain('[audit] Error response, skipping audit');
  expect((await ask('/orders')).status).toBe(200);
  expect(await audited.event(0)).toMatchObject({ eventName: 'CONSENT', path: '/orders' });
});
