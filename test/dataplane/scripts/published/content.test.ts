import { expect } from 'vitest';
import { type SeenRequest, startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { inBothLanguages } from '../../../support/scripts/twin-scripts.ts';

const FORM = 'Content-Type: application/x-www-form-urlencoded';
const headerOf = (seen: readonly SeenRequest[], name: string): string[] =>
  seen.at(-1)!.headers.flatMap(([each, value]) => (each === name ? [value] : []));

inBothLanguages(
  'replays a form login',
  {
    groovy: `
      Request login = new Request()
      login.uri = 'http://app.test/login?h.set-cookie=sid%3D7'
      login.method = 'POST'
      Form form = new Form()
      form.add('user', 'ada')
      form.add('password', 'love & lace')
      form.toRequestEntity(login)
      return http.send(context, login).thenAsync({ answer ->
        def sid = answer.headers['Set-Cookie'].values[0].split(';')[0]
        request.headers['Cookie'] = sid
        answer.close()
        next.handle(context, request)
      } as AsyncFunction)`,
    javascript: `
      const form = new URLSearchParams({ user: 'ada', password: 'love & lace' })
      const answer = await http.send('http://app.test/login?h.set-cookie=sid%3D7', { method: 'POST', body: form })
      request.headers.set('Cookie', answer.headers.getAll('Set-Cookie')[0].split(';')[0])
      return next(request)`,
  },
  async (scripted) => {
    const { ask, seen } = await startFiltered([scripted('ScriptableFilter')]);
    expect(await ask('/page?entity=page')).toMatchObject({ status: 200, body: 'page' });
    expect(seen[0]).toMatchObject({ method: 'POST', body: 'user=ada&password=love+%26+lace' });
    expect(seen[0]!.headers).toContainEqual(['content-type', expect.stringContaining('x-www-form-urlencoded')]);
    expect(headerOf(seen, 'cookie')).toEqual(['sid=7']);
  },
);

inBothLanguages(
  'reads, changes and sends on a form',
  {
    groovy: `
      def form = new Form().fromRequestEntity(request)
      if (!form.containsKey('client_id')) form.add('client_id', 'app')
      form.putSingle('scope', form.getFirst('scope').toUpperCase())
      form.remove('debug')
      request.setEntity(form)
      next.handle(context, request)`,
    javascript: `
      const form = await request.entity.form()
      if (!form.has('client_id')) form.append('client_id', 'app')
      form.set('scope', form.get('scope').toUpperCase())
      form.delete('debug')
      request.entity = form
      return next()`,
  },
  async (scripted) => {
    const { ask, seen } = await startFiltered([scripted('ScriptableFilter')]);
    await ask('/', { method: 'POST', headers: [FORM], body: 'scope=read+write&debug=1&x=%C3%BC' });
    expect([...new URLSearchParams(seen[0]!.body)].sort()).toEqual([
      ['client_id', 'app'],
      ['scope', 'READ WRITE'],
      ['x', 'ü'],
    ]);
  },
);

inBothLanguages(
  'changes path and query of the URI',
  {
    groovy: `
      def form = new Form().fromRequestQuery(request)
      form.remove('secret')
      form.add('via', 'the gateway')
      form.toRequestQuery(request)
      request.uri.path = '/v2' + request.uri.path
      next.handle(context, request)`,
    javascript: `
      request.queryParams.delete('secret')
      request.queryParams.append('via', 'the gateway')
      request.uri.path = '/v2' + request.uri.path
      return next(request)`,
  },
  async (scripted) => {
    const { ask, seen } = await startFiltered([scripted('ScriptableFilter')]);
    await ask('/orders?id=7&secret=x');
    const { pathname, searchParams } = new URL(seen[0]!.url, 'http://app.test');
    expect(pathname).toBe('/v2/orders');
    expect([...searchParams]).toEqual([
      ['id', '7'],
      ['via', 'the gateway'],
    ]);
  },
);

inBothLanguages(
  'sends requests to another host by a prefix of the path',
  {
    groovy: `
      if (request.uri.path.startsWith('/api/')) {
        request.uri = "http://app.test/moved\${request.uri.path.substring(4)}".toString()
      }
      next.handle(context, request)`,
    javascript: `
      if (request.uri.path.startsWith('/api/')) request.uri = 'http://app.test/moved' + request.uri.path.slice(4)
      return next(request)`,
  },
  async (scripted) => {
    const { ask, seen } = await startFiltered([scripted('ScriptableFilter')]);
    await ask('/api/orders');
    await ask('/page');
    expect(seen.map(({ url }) => url)).toEqual(['/moved/orders', '/page']);
  },
);

inBothLanguages(
  'reads a cookie, and sets one with attributes',
  {
    groovy: `
      import org.forgerock.http.header.SetCookieHeader
      import org.forgerock.http.protocol.Cookie
      String before = request.cookies['lang'] == null ? 'none' : request.cookies['lang'][0].value
      Cookie cookie = new Cookie()
      cookie.setName('lang')
      cookie.setValue(request.queryParams['lang'][0])
      cookie.setPath('/')
      cookie.setHttpOnly(true)
      SetCookieHeader header = new SetCookieHeader([cookie])
      next.handle(context, request).thenOnResult { response ->
        response.headers['X-Before'] = before
        response.headers['Set-Cookie'] = header.values
      }`,
    javascript: `
      const before = request.cookies.lang ?? 'none'
      const value = request.queryParams.get('lang')
      const response = await next()
      response.headers.set('X-Before', before)
      response.headers.set('Set-Cookie', \`lang=\${value}; Path=/; HttpOnly\`)
      return response`,
  },
  async (scripted) => {
    const { ask } = await startFiltered([scripted('ScriptableFilter')]);
    const first = await ask('/?lang=de');
    expect(first.values('x-before')).toEqual(['none']);
    expect(first.values('set-cookie')).toEqual(['lang=de; Path=/; HttpOnly']);
    expect((await ask('/?lang=fr', { headers: ['Cookie: a=b; lang=de'] })).values('x-before')).toEqual(['de']);
  },
);

inBothLanguages(
  'changes JSON on both ways',
  {
    groovy: `
      def order = request.entity.json
      order.items.each { it.total = it.price * it.count }
      order.remove('internal')
      request.entity.json = order
      next.handle(context, request).then { response ->
        def body = response.entity.json
        body.links = [self: request.uri.path]
        response.entity.json = body
        return response
      }`,
    javascript: `
      const order = await request.entity.json()
      for (const item of order.items) item.total = item.price * item.count
      delete order.internal
      request.entity = order
      const response = await next(request)
      const body = await response.entity.json()
      body.links = { self: request.uri.path }
      response.entity = body
      return response`,
  },
  async (scripted) => {
    const { ask, seen } = await startFiltered([scripted('ScriptableFilter')]);
    const body = JSON.stringify({ items: [{ price: 3, count: 2 }], internal: true });
    const answer = await ask(`/orders?entity=${encodeURIComponent('{"id":7}')}`, {
      method: 'POST',
      headers: ['Content-Type: application/json'],
      body,
    });
    expect(JSON.parse(seen[0]!.body)).toEqual({ items: [{ price: 3, count: 2, total: 6 }] });
    expect(JSON.parse(answer.body)).toEqual({ id: 7, links: { self: '/orders' } });
  },
);
