import { expect } from 'vitest';
import { type SeenRequest, startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { inBothLanguages } from '../../../support/scripts/twin-scripts.ts';

const FORM = 'Content-Type: application/x-www-form-urlencoded';
const headerOf = (seen: readonly SeenRequest[], name: string): string[] =>
  seen.at(-1)!.headers.flatMap(([each, value]) => (each === name ? [value] : []));

inBothLanguages(
  'answers by path and by the credentials in headers',
  {
    groovy: `
      import org.forgerock.http.protocol.Response
      import org.forgerock.http.protocol.Status
      response = new Response()
      switch (request.uri.path) {
        case '/sign-in':
          def isKnown = request.headers.Username?.values?.getAt(0) == 'ada' && request.headers['Password']?.firstValue == 'lovelace'
          response.status = isKnown ? Status.OK : Status.FORBIDDEN
          response.entity = isKnown ? '<p>Hello, Ada</p>' : '<p>Go away</p>'
          break
        default:
          response.status = Status.UNAUTHORIZED
          response.entity = "<p>Please <a href='/sign-in'>sign in</a></p>"
      }
      return response`,
    javascript: `
      if (request.uri.path !== '/sign-in') return new Response(401, { body: "<p>Please <a href='/sign-in'>sign in</a></p>" })
      const known = request.headers.get('Username') === 'ada' && request.headers.get('Password') === 'lovelace'
      return new Response(known ? 200 : 403, { body: known ? '<p>Hello, Ada</p>' : '<p>Go away</p>' })`,
  },
  async (scripted) => {
    const { ask } = await startFiltered([], scripted('ScriptableHandler'));
    const ada = ['Username: ada', 'Password: lovelace'];
    expect(await ask('/sign-in', { headers: ada })).toMatchObject({ status: 200, body: '<p>Hello, Ada</p>' });
    expect(await ask('/sign-in', { headers: ['Username: bob'] })).toMatchObject({
      status: 403,
      body: '<p>Go away</p>',
    });
    expect(await ask('/other')).toMatchObject({ status: 401, body: expect.stringContaining("href='/sign-in'") });
  },
);

inBothLanguages(
  'hands requests to one of two handlers of the heap by a field of the form',
  {
    groovy: `
      def role = request.entity.form['role']?.getAt(0)
      return (role == 'admin' ? admins : users).handle(context, request)`,
    javascript: `
      const role = (await request.entity.form()).get('role')
      return (role === 'admin' ? admins : users).send(request)`,
  },
  async (scripted) => {
    const named = (name: string) => ({
      name,
      type: 'StaticResponseHandler',
      config: { status: 200, entity: name },
    });
    const args = { admins: "${heap['admins']}", users: "${heap['users']}" };
    const { ask } = await startFiltered([], scripted('ScriptableHandler', undefined, { args }), {
      document: { heap: [named('admins'), named('users')] },
    });
    const post = (body: string) => ask('/', { method: 'POST', headers: [FORM], body });
    expect(await post('role=admin&x=1')).toMatchObject({ status: 200, body: 'admins' });
    expect(await post('role=guest')).toMatchObject({ status: 200, body: 'users' });
    expect(await post('')).toMatchObject({ status: 200, body: 'users' });
  },
);

inBothLanguages(
  'asks for a password with 401 and a challenge, and refuses a wrong one with 403',
  {
    groovy: `
      import static org.forgerock.util.promise.Promises.newResultPromise;
      import java.nio.charset.Charset;
      import org.forgerock.util.encode.Base64;

      String given = request.getHeaders().getFirst("Authorization");
      if (given == null) {
          Response response = new Response(Status.UNAUTHORIZED);
          response.getHeaders().put("WWW-Authenticate", "Basic realm=\\"" + realm + "\\"");
          return newResultPromise(response);
      }
      String wanted = "Basic " + Base64.encode((username + ":" + password).getBytes(Charset.defaultCharset()))
      if (!wanted.equals(given)) {
          return newResultPromise(new Response(Status.FORBIDDEN));
      }
      request.headers.remove('Authorization')
      return next.handle(context, request);`,
    javascript: `
      const given = request.headers.get('Authorization')
      if (given === null) return new Response(401, { headers: { 'WWW-Authenticate': \`Basic realm="\${realm}"\` } })
      if (given !== 'Basic ' + base64.encode(username + ':' + password)) return new Response(403)
      request.headers.delete('Authorization')
      return next()`,
  },
  async (scripted) => {
    const args = { realm: 'shop', username: 'ada', password: 'lovelace' };
    const { ask, seen } = await startFiltered([scripted('ScriptableFilter', undefined, { args })]);
    const challenged = await ask('/');
    expect(challenged.status).toBe(401);
    expect(challenged.values('www-authenticate')).toEqual(['Basic realm="shop"']);
    expect((await ask('/', { headers: [`Authorization: Basic ${btoa('ada:nothing')}`] })).status).toBe(403);
    expect(seen).toEqual([]);
    expect((await ask('/', { headers: [`Authorization: Basic ${btoa('ada:lovelace')}`] })).status).toBe(200);
    expect(headerOf(seen, 'authorization')).toEqual([]);
  },
);

inBothLanguages(
  'adds the credentials of a user, found by the email address in the query',
  {
    groovy: `
      def found = credentials[request.form?.mail[0]]
      request.headers.add('Username', found.username)
      request.headers.add('Password', found.password)
      def pair = (found.username + ':' + found.password).getBytes().encodeBase64()
      request.headers.add('Authorization', "Basic \${pair}" as String)
      next.handle(context, request)`,
    javascript: `
      const found = credentials[request.queryParams.get('mail')]
      request.headers.add('Username', found.username)
      request.headers.add('Password', found.password)
      request.headers.add('Authorization', \`Basic \${base64.encode(found.username + ':' + found.password)}\`)
      return next(request)`,
  },
  async (scripted) => {
    const args = { credentials: { 'ada@shop.test': { username: 'ada', password: 'lovelace' } } };
    const { ask, seen } = await startFiltered([scripted('ScriptableFilter', undefined, { args })]);
    expect((await ask('/?mail=ada@shop.test')).status).toBe(200);
    expect(headerOf(seen, 'username')).toEqual(['ada']);
    expect(headerOf(seen, 'password')).toEqual(['lovelace']);
    expect(headerOf(seen, 'authorization')).toEqual([`Basic ${btoa('ada:lovelace')}`]);
    expect((await ask('/?mail=nobody@shop.test')).status).toBe(500);
  },
);

inBothLanguages(
  'allows only the methods in its arguments',
  {
    groovy: `
      if (allowed.contains(request.method)) {
        next.handle(context, request)
      } else {
        def response = new Response(Status.METHOD_NOT_ALLOWED)
        response.headers.add('Allow', allowed)
        return response
      }`,
    javascript: `
      if (allowed.includes(request.method)) return next()
      const response = new Response(405)
      for (const method of allowed) response.headers.add('Allow', method)
      return response`,
  },
  async (scripted) => {
    const { ask } = await startFiltered([
      scripted('ScriptableFilter', undefined, { args: { allowed: ['GET', 'HEAD'] } }),
    ]);
    expect((await ask('/')).status).toBe(200);
    const refused = await ask('/', { method: 'DELETE' });
    expect(refused.status).toBe(405);
    expect(refused.values('allow').join(', ')).toBe('GET, HEAD');
  },
);

inBothLanguages(
  'changes headers of the request and of the response',
  {
    groovy: `
      request.headers['X-Added'] = 'one'
      request.headers.put('X-List', ['a', 'b'])
      request.headers.remove('X-Removed')
      request.headers.each { name, header -> logger.info('{}: {}', name, header.values) }
      next.handle(context, request).thenOnResult { response ->
        response.headers['X-Code'] = response.status.code.toString()
        response.headers.remove('Server')
        response.headers.put('X-Length', String.valueOf(response.entity.bytes.length))
      }`,
    javascript: `
      request.headers.set('X-Added', 'one')
      for (const each of ['a', 'b']) request.headers.add('X-List', each)
      request.headers.delete('X-Removed')
      request.headers.forEach((value, name) => logger.info(name + ': ' + value))
      const response = await next(request)
      response.headers.set('X-Code', String(response.status))
      response.headers.delete('Server')
      response.headers.set('X-Length', String((await response.entity.bytes()).length))
      return response`,
  },
  async (scripted) => {
    const { ask, seen, logged } = await startFiltered([scripted('ScriptableFilter')]);
    const answer = await ask('/?h.server=old&entity=four', { headers: ['X-Removed: r'] });
    expect(headerOf(seen, 'x-added')).toEqual(['one']);
    expect(headerOf(seen, 'x-list').join(', ')).toBe('a, b');
    expect(headerOf(seen, 'x-removed')).toEqual([]);
    expect(answer.values('x-code')).toEqual(['200']);
    expect(answer.values('x-length')).toEqual(['4']);
    expect(answer.values('server')).toEqual([]);
    expect(logged.map(({ msg }) => String(msg).toLowerCase())).toContainEqual(expect.stringContaining('x-added: '));
  },
);

inBothLanguages(
  'answers with JSON errors of one shape',
  {
    groovy: `
      import groovy.json.JsonOutput
      def refuse(Status status, String reason) {
        def response = new Response(status)
        response.headers['Content-Type'] = 'application/json'
        response.entity = JsonOutput.toJson([code: status.code, reason: reason])
        return response
      }
      def version = request.headers.getFirst('X-Version')
      if (version == null) return refuse(Status.BAD_REQUEST, 'no version')
      if (!(version ==~ /v\\d+/)) return refuse(Status.NOT_ACCEPTABLE, "unknown \${version}")
      next.handle(context, request)`,
    javascript: `
      const refuse = (code, reason) => new Response(code, { body: { code, reason } })
      const version = request.headers.get('X-Version')
      if (version === null) return refuse(400, 'no version')
      if (!/^v\\d+$/.test(version)) return refuse(406, 'unknown ' + version)
      return next()`,
  },
  async (scripted) => {
    const { ask } = await startFiltered([scripted('ScriptableFilter')]);
    const read = async (...headers: string[]) => {
      const { status, body } = await ask('/?entity=ok', { headers });
      return [status, body === 'ok' ? body : JSON.parse(body)];
    };
    expect(await read()).toEqual([400, { code: 400, reason: 'no version' }]);
    expect(await read('X-Version: 2')).toEqual([406, { code: 406, reason: 'unknown 2' }]);
    expect(await read('X-Version: v2')).toEqual([200, 'ok']);
  },
);

inBothLanguages(
  'ends a session with a redirect to the provider',
  {
    groovy: `
      import java.net.URLEncoder
      session.clear()
      def target = provider + '?post_logout_redirect_uri=' + URLEncoder.encode(after, 'UTF-8')
      def response = new Response(Status.FOUND)
      response.headers['Location'] = target
      return newResultPromise(response)`,
    javascript: `
      for (const name of Object.keys(session)) delete session[name]
      const target = provider + '?post_logout_redirect_uri=' + encodeURIComponent(after)
      return new Response(302, { headers: { Location: target } })`,
  },
  async (scripted) => {
    const args = { provider: 'https://id.test/logout', after: 'https://shop.test/?bye=1' };
    const { ask } = await startFiltered([], scripted('ScriptableHandler', undefined, { args }));
    const answer = await ask('/logout');
    expect(answer.status).toBe(302);
    expect(answer.values('location')).toEqual([
      'https://id.test/logout?post_logout_redirect_uri=https%3A%2F%2Fshop.test%2F%3Fbye%3D1',
    ]);
  },
);
