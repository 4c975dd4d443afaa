import { expect, it } from 'vitest';
import { startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { startSignOn } from '../../../support/access-manager/sign-on-gateway.ts';
import { accessService } from '../../../support/audit/access-service.ts';
import { Browser } from '../../../support/clients/browser.ts';
import { CookieJar } from '../../../support/clients/cookie-jar.ts';
import { startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { inBothLanguages } from '../../../support/scripts/twin-scripts.ts';
import { sessionRoute, startSessions } from '../../../support/state/session-gateway.ts';

inBothLanguages(
  'logs the request with its client and all its contexts',
  {
    groovy: `
      def names = []
      for (def at = context; at != null; at = at.parent) names << at.contextName
      logger.info('{} {} from {}', request.method, request.uri.path, contexts.client.remoteAddress)
      logger.info('contexts: ' + names.join(' '))
      logger.info("transaction \${contexts.transactionId.transactionId.value == context.id}, original \${contexts.router.originalUri.path}")
      if (logger.isDebugEnabled()) logger.debug('headers: {}', request.headers.keySet())
      next.handle(context, request).thenOnResult { response -> logger.info('answered with {}', response.status) }`,
    javascript: `
      logger.info(request.method + ' ' + request.uri.path + ' from ' + contexts.client.remoteAddress)
      logger.info('contexts: ' + Object.keys(contexts).join(' '))
      logger.info(\`transaction \${contexts.transactionId.transactionId.value === contexts.root.id}, original \${new Uri(contexts.router.originalUri).path}\`)
      logger.debug('headers: ' + [...request.headers.keys()].join(' '))
      const response = await next()
      logger.info(\`answered with [Status: \${response.status} \${response.reason}]\`)
      return response`,
  },
  async (scripted) => {
    const { ask, logged } = await startFiltered([scripted('ScriptableFilter')]);
    await ask('/orders/7?status=201');
    const lines = logged.map(({ msg }) => String(msg));
    expect(lines).toContain('GET /orders/7 from 127.0.0.1');
    expect(lines).toContain('transaction true, original /orders/7');
    expect(lines).toContain('answered with [Status: 201 Created]');
    const names = lines.find((line) => line.startsWith('contexts: '))!.split(' ');
    for (const name of ['root', 'client', 'transactionId', 'router']) {
      expect(names).toContain(name);
    }
  },
);

inBothLanguages(
  'shares attributes with the next script and with expressions',
  {
    groovy: `
      attributes.user = [name: 'ada', roles: ['admin', 'author']]
      contexts.attributes.attributes.put('seen', true)
      next.handle(context, request)`,
    javascript: `
      attributes.user = { name: 'ada', roles: ['admin', 'author'] }
      attributes.seen = true
      return next()`,
  },
  async (scripted) => {
    const second = scripted('ScriptableFilter', {
      groovy:
        "if (attributes.seen && attributes['user'].roles.any { it == 'admin' }) attributes.level = 9\nnext.handle(context, request)",
      javascript: "if (attributes.seen && attributes.user.roles.includes('admin')) attributes.level = 9\nreturn next()",
    });
    const header = { 'X-User': ['${attributes.user.name} ${attributes.level}'] };
    const { ask, seen } = await startFiltered([
      scripted('ScriptableFilter'),
      second,
      { type: 'HeaderFilter', config: { messageType: 'REQUEST', add: header } },
    ]);
    await ask('/');
    expect(seen[0]!.headers).toContainEqual(['x-user', 'ada 9']);
  },
);

inBothLanguages(
  'keeps the answer of a service in the session',
  {
    groovy: `
      if (!session.profile) {
        return http.send(new Request().setMethod('GET').setUri(service)).thenAsync { answer ->
          session.profile = answer.entity.json
          request.headers['X-Profile'] = session.profile.name + ' fetched'
          next.handle(context, request)
        }
      }
      request.headers['X-Profile'] = session['profile'].name + ' kept'
      next.handle(context, request).then { response ->
        def answer = new Response(Status.OK)
        answer.entity = 'kept'
        answer
      }`,
    javascript: `
      if (!session.profile) {
        session.profile = await (await http.send(service)).entity.json()
        request.headers.set('X-Profile', session.profile.name + ' fetched')
        return next(request)
      }
      request.headers.set('X-Profile', session.profile.name + ' kept')
      await next(request)
      return new Response(200, { body: 'kept' })`,
  },
  async (scripted) => {
    const profile = {
      name: 'profile',
      type: 'StaticResponseHandler',
      config: { status: 200, headers: { 'Content-Type': ['application/json'] }, entity: '{"name":"ada"}' },
    };
    const filter = scripted('ScriptableFilter', undefined, {
      args: { service: 'http://profile.test/' },
      clientHandler: profile,
    });
    const { visit } = await startSessions({ app: sessionRoute({ type: 'InMemorySessionManager' }, [filter]) });
    const jar = new CookieJar();
    expect((await visit('/', jar)).body).not.toBe('kept');
    expect((await visit('/', jar)).body).toBe('kept');
    expect((await visit('/')).body).not.toBe('kept');
  },
);

inBothLanguages(
  'counts in globals, which all requests share',
  {
    groovy: `
      globals.compute('hits') { key, value -> (value ?: 0) + 1 }
      def response = new Response(Status.OK)
      response.entity = "hit \${globals.hits}".toString()
      return response`,
    javascript: `
      globals.hits = (globals.hits ?? 0) + 1
      return new Response(200, { body: 'hit ' + globals.hits })`,
  },
  async (scripted) => {
    const { ask } = await startFiltered([], scripted('ScriptableHandler'));
    expect([await ask('/'), await ask('/'), await ask('/')].map(({ body }) => body)).toEqual([
      'hit 1',
      'hit 2',
      'hit 3',
    ]);
  },
);

inBothLanguages(
  'reads arguments and properties of the route',
  {
    groovy: `
      def response = new Response(Status.valueOf("\${status}" as Integer))
      assert names.size() == 2
      response.entity = title + ' ' + names.collect { key, value -> key + '=' + value }.join(',') + ' ' + colour
      return response`,
    javascript: `
      if (Object.keys(names).length !== 2) throw new Error('two names are needed')
      const list = Object.entries(names).map(([key, value]) => key + '=' + value).join(',')
      return new Response(Number(status), { body: title + ' ' + list + ' ' + colour })`,
  },
  async (scripted) => {
    const args = { title: 'tea', status: 418, names: { '1': 'thee', '2': 'chai' } };
    const { ask } = await startFiltered([], scripted('ScriptableHandler', undefined, { args }), {
      document: { properties: { colour: 'green' } },
    });
    expect(await ask('/')).toMatchObject({ status: 418, body: 'tea 1=thee,2=chai green' });
  },
);

inBothLanguages(
  'tells the application who signed on',
  {
    groovy: `
      String sub = contexts.ssoToken.info.uid
      String trusted = (new groovy.json.JsonBuilder(['id': sub, 'roles': ['user']])).toString()
      request.getHeaders().add('X-User', sub + ' ' + trusted);
      return next.handle(context, request)`,
    javascript: `
      const sub = contexts.ssoToken.info.uid
      request.headers.add('X-User', sub + ' ' + JSON.stringify({ id: sub, roles: ['user'] }))
      return next(request)`,
  },
  async (scripted) => {
    const am = await startAccessManager();
    const { app, seen } = await startSignOn(am, { filters: [scripted('ScriptableFilter')] });
    const { tokenId } = am.sessions.create('demo');
    await new Browser().fetch(`${app}/a`, { headers: { Cookie: `${am.cookieName}=${tokenId}` } });
    expect(seen.map(({ user }) => user)).toEqual([expect.stringContaining('demo {"id":"demo","roles":["user"]}')]);
  },
);

it('finds the session of the sign-on by its class', async () => {
  const source = [
    'package scripts.groovy',
    'import org.forgerock.openig.openam.SsoTokenContext',
    'def token = context.asContext(SsoTokenContext.class)',
    "request.headers['X-User'] = token.universalId + '|' + token.getInfo().uid + '|' + token.value.length()",
    'next.handle(context, request)',
  ];
  const am = await startAccessManager();
  const script = { type: 'ScriptableFilter', config: { type: 'application/x-groovy', source } };
  const { app, seen } = await startSignOn(am, { filters: [script] });
  const { tokenId } = am.sessions.create('demo');
  await new Browser().fetch(`${app}/a`, { headers: { Cookie: `${am.cookieName}=${tokenId}` } });
  expect(seen.map(({ user }) => user)).toEqual([
    expect.stringMatching(new RegExp(`^id=demo,.*[|]demo[|]${tokenId.length}`)),
  ]);
});

it('sets the user of the audit event', async () => {
  const source = [
    'import org.forgerock.services.context.RequestAuditContext',
    'def audit = context.asContext(RequestAuditContext.class)',
    "if (audit.userId == null) audit.setUserId(request.headers.getFirst('X-User'))",
    "request.headers['X-Age'] = String.valueOf(System.currentTimeMillis() - audit.requestReceivedTime < 60000)",
    'next.handle(context, request)',
  ];
  const script = { type: 'ScriptableFilter', config: { type: 'application/x-groovy', source } };
  const { ask, audited, seen } = await startFiltered([script], undefined, {
    document: { auditService: accessService() },
  });
  expect((await ask('/', { headers: ['X-User: bonnie'] })).status).toBe(200);
  expect(await audited.event(0)).toMatchObject({ userId: 'bonnie' });
  expect(seen[0]!.headers).toContainEqual(['x-age', 'true']);
});
