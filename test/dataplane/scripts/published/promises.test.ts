import { expect } from 'vitest';
import { type SeenRequest, startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { inBothLanguages } from '../../../support/scripts/twin-scripts.ts';

const headerOf = (seen: readonly SeenRequest[], name: string): string[] =>
  seen.at(-1)!.headers.flatMap(([each, value]) => (each === name ? [value] : []));

const entity = (value: unknown): string => `entity=${encodeURIComponent(JSON.stringify(value))}`;

inBothLanguages(
  'asks a service before it passes the request on',
  {
    groovy: `
      def call = new Request()
      call.setUri(service)
      call.setMethod('GET')
      return http.send(call)
      .thenOnResult { response ->
        def result = response.entity.json
        logger.info('answer: ' + result)
        attributes.team = result.team
        response.close()
      }
      .thenAsync({
        request.headers['X-Team'] = attributes.team
        next.handle(context, request)
      } as AsyncFunction)`,
    javascript: `
      const response = await http.send(service)
      const result = await response.entity.json()
      logger.info('answer: ' + JSON.stringify(result))
      attributes.team = result.team
      request.headers.set('X-Team', result.team)
      return next(request)`,
  },
  async (scripted) => {
    const args = { service: `http://app.test/team?${entity({ team: 'blue' })}` };
    const { ask, seen } = await startFiltered([scripted('ScriptableFilter', undefined, { args })]);
    expect(await ask('/page?entity=page')).toMatchObject({ status: 200, body: 'page' });
    expect(seen.map(({ url }) => url.split('?')[0])).toEqual(['/team', '/page']);
    expect(headerOf(seen, 'x-team')).toEqual(['blue']);
  },
);

inBothLanguages(
  'validates a session cookie, reads the profile, and refuses with 401 otherwise',
  {
    groovy: `
      import org.forgerock.http.protocol.Request
      import org.forgerock.http.protocol.Response
      import org.forgerock.http.protocol.Status
      import org.forgerock.util.AsyncFunction
      import static org.forgerock.http.protocol.Response.newResponsePromise

      def refusal() {
          Response response = new Response(Status.UNAUTHORIZED)
          response.entity.json = [code: 401, reason: 'Unauthorized']
          return newResponsePromise(response)
      }

      if (null == request.cookies['sid']) return refusal()
      String sid = request.cookies['sid'][0].value
      Request validation = new Request()
      validation.uri = "\${am}/sessions?status=\${sid == 'good' ? 200 : 401}&entity=%7B%22valid%22:\${sid == 'good'},%22uid%22:%22ada%22%7D"
      validation.method = 'POST'
      return http.send(context, validation).thenAsync({ answer ->
          def data = answer.entity.json
          if (!(data['valid'] && null != data['uid'])) return refusal()
          Request profile = new Request()
          profile.uri = "\${am}/users/\${data.uid}?entity=%7B%22mail%22:%5B%22ada@shop.test%22%5D%7D"
          profile.method = 'GET'
          return http.send(context, profile).thenAsync({ found ->
              if (binding.hasVariable('attributesToSend') && !(attributesToSend.empty)) {
                  attributesToSend.each { name ->
                      def values = found.entity.json[name]
                      if (null != values) request.headers.add("X-User-\${name}".toString(), values[0])
                  }
              }
              return next.handle(context, request)
          } as AsyncFunction)
      } as AsyncFunction)`,
    javascript: `
      const refusal = () => new Response(401, { body: { code: 401, reason: 'Unauthorized' } })
      const { sid } = request.cookies
      if (sid === undefined) return refusal()
      const good = sid === 'good'
      const answer = await http.send(\`\${am}/sessions?status=\${good ? 200 : 401}&entity=%7B%22valid%22:\${good},%22uid%22:%22ada%22%7D\`, { method: 'POST' })
      const data = await answer.entity.json()
      if (!data.valid || data.uid === null) return refusal()
      const found = await http.send(\`\${am}/users/\${data.uid}?entity=%7B%22mail%22:%5B%22ada@shop.test%22%5D%7D\`)
      const profile = await found.entity.json()
      for (const name of attributesToSend) if (profile[name]) request.headers.add('X-User-' + name, profile[name][0])
      return next(request)`,
  },
  async (scripted) => {
    const args = { am: 'http://app.test/am', attributesToSend: ['mail', 'phone'] };
    const { ask, seen } = await startFiltered([scripted('ScriptableFilter', undefined, { args })]);
    expect((await ask('/')).status).toBe(401);
    expect(seen).toEqual([]);
    expect((await ask('/', { headers: ['Cookie: sid=bad'] })).status).toBe(401);
    expect(await ask('/?entity=in', { headers: ['Cookie: sid=good'] })).toMatchObject({ status: 200, body: 'in' });
    expect(headerOf(seen, 'x-user-mail')).toEqual(['ada@shop.test']);
    expect(headerOf(seen, 'x-user-phone')).toEqual([]);
    expect(seen.map(({ method, url }) => `${method} ${url.split('?')[0]}`)).toEqual([
      'POST /am/sessions',
      'POST /am/sessions',
      'GET /am/users/ada',
      'GET /',
    ]);
  },
);

inBothLanguages(
  'reads the resource first, and changes it only for its owner',
  {
    groovy: `
      Request readRequest = new Request(request)
          .setMethod("GET")
          .setUri('http://app.test/documents/7?entity=%7B%22owner%22:%22ada%22%7D')

      readRequest.getHeaders().remove('if-match')
      readRequest.getHeaders().add('X-Copied', request.getHeaders().get('X-User').firstValue)

      return http.send(readRequest).thenAsync( new AsyncFunction() {
          Promise apply (response) {
              if (response.status == Status.OK) {
                  if (response.entity.json['owner'] != request.headers.getFirst('X-User')) {
                      return denied.handle(context, request)
                  }
                  return next.handle(context, request)
              } else {
                  return Response.newResponsePromise(new Response(Status.BAD_GATEWAY))
              }
          }
      })`,
    javascript: `
      const user = request.headers.get('X-User')
      const read = await http.send('http://app.test/documents/7?entity=%7B%22owner%22:%22ada%22%7D', { headers: { 'X-Copied': user } })
      if (read.status !== 200) return new Response(502)
      return (await read.entity.json()).owner === user ? next(request) : denied.send(request)`,
  },
  async (scripted) => {
    const denied = { name: 'denied', type: 'StaticResponseHandler', config: { status: 403, entity: 'not yours' } };
    const { ask, seen } = await startFiltered(
      [scripted('ScriptableFilter', undefined, { args: { denied: "${heap['denied']}" } })],
      undefined,
      { document: { heap: [denied] } },
    );
    const put = (user: string) =>
      ask('/documents/7', { method: 'PUT', headers: [`X-User: ${user}`, 'If-Match: "1"'], body: 'new' });
    expect((await put('ada')).status).toBe(200);
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'PUT']);
    expect(seen[0]!.headers.map(([name]) => name)).not.toContain('if-match');
    expect(seen[0]!.headers).toContainEqual(['x-copied', 'ada']);
    expect(seen[1]).toMatchObject({ body: 'new' });
    expect(await put('bob')).toMatchObject({ status: 403, body: 'not yours' });
    expect(seen).toHaveLength(3);
  },
);

inBothLanguages(
  'asks several services and joins their answers',
  {
    groovy: `
      import org.forgerock.util.promise.Promises
      def calls = ['a', 'b', 'c'].collect { name ->
        http.send(new Request().setMethod('GET').setUri("http://app.test/\${name}?entity=\${name.toUpperCase()}"))
      }
      Promises.when(calls).then { answers ->
        def response = new Response(Status.OK)
        response.entity = answers.collect { it.entity.string }.join('-')
        response
      }`,
    javascript: `
      const answers = await Promise.all(['a', 'b', 'c'].map((name) => http.send(\`http://app.test/\${name}?entity=\${name.toUpperCase()}\`)))
      return new Response(200, { body: (await Promise.all(answers.map((each) => each.entity.text()))).join('-') })`,
  },
  async (scripted) => {
    const { ask, seen } = await startFiltered([], scripted('ScriptableHandler'));
    expect(await ask('/')).toMatchObject({ status: 200, body: 'A-B-C' });
    expect(seen.map(({ url }) => url.slice(0, 2)).sort()).toEqual(['/a', '/b', '/c']);
  },
);

inBothLanguages(
  'replaces errors of the backend, and tries again once',
  {
    groovy: `
      next.handle(context, request).thenAsync { first ->
        if (!first.status.isServerError()) return newResultPromise(first)
        logger.warn('status {} on the first try', first.status.code)
        request.uri.query = 'status=200&entity=second'
        return next.handle(context, request)
      }.then { response ->
        response.headers['X-Tries'] = 'done'
        response
      }.thenCatch { e -> new Response(Status.INTERNAL_SERVER_ERROR) }`,
    javascript: `
      let response = await next()
      if (response.status >= 500) {
        logger.warn(\`status \${response.status} on the first try\`)
        request.uri.query = 'status=200&entity=second'
        response = await next(request)
      }
      response.headers.set('X-Tries', 'done')
      return response`,
  },
  async (scripted) => {
    const { ask, seen, logged } = await startFiltered([scripted('ScriptableFilter')]);
    const answer = await ask('/?status=503');
    expect(answer).toMatchObject({ status: 200, body: 'second' });
    expect(answer.values('x-tries')).toEqual(['done']);
    expect(seen).toHaveLength(2);
    expect(logged.map(({ msg }) => msg)).toContain('status 503 on the first try');
    expect((await ask('/?status=404')).status).toBe(404);
    expect(seen).toHaveLength(3);
  },
);

inBothLanguages(
  'handles exceptions of its own functions',
  {
    groovy: `
      def parse(String text) {
        try {
          return Integer.parseInt(text)
        } catch (NumberFormatException e) {
          throw new IllegalArgumentException("not a number: \${text}", e)
        } finally {
          logger.debug('parsed')
        }
      }
      try {
        request.headers['X-Number'] = String.valueOf(parse(request.queryParams.n[0]) + 1)
      } catch (IllegalArgumentException e) {
        def response = new Response(Status.BAD_REQUEST)
        response.entity = e.message
        return response
      }
      next.handle(context, request)`,
    javascript: `
      const parse = (text) => {
        if (!/^-?\\d+$/.test(text)) throw new RangeError('not a number: ' + text)
        return Number(text)
      }
      try {
        request.headers.set('X-Number', String(parse(request.queryParams.get('n')) + 1))
      } catch (error) {
        return new Response(400, { body: error.message })
      }
      return next(request)`,
  },
  async (scripted) => {
    const { ask, seen } = await startFiltered([scripted('ScriptableFilter')]);
    expect((await ask('/?n=41')).status).toBe(200);
    expect(headerOf(seen, 'x-number')).toEqual(['42']);
    expect(await ask('/?n=x')).toMatchObject({ status: 400, body: 'not a number: x' });
  },
);

inBothLanguages(
  'waits for a blocking promise, which OpenIG scripts do although they should not',
  {
    groovy: `
      def response = next.handle(context, request).get()
      response.headers['X-Blocking'] = 'yes'
      return response`,
    javascript: `
      const response = await next(request)
      response.headers.set('X-Blocking', 'yes')
      return response`,
  },
  async (scripted) => {
    const { ask } = await startFiltered([scripted('ScriptableFilter')]);
    expect((await ask('/')).values('x-blocking')).toEqual(['yes']);
  },
);
