import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { startFiltered } from '../../support/gateways/filtered-gateway.ts';

const POST = { method: 'POST', body: 'content' };

const languages = {
  Groovy: {
    type: 'application/x-groovy',
    read: 'request.entity.string',
    twice: [
      'next.handle(context, request).get()',
      "request.headers['X-Turn'] = '2'",
      'next.handle(context, request)',
    ].join('\n'),
    caught: [
      'next.handle(context, request).get()',
      'try { next.handle(context, request).get() } catch (e) { def r = new Response(Status.ACCEPTED); r.entity = e.message; r }',
    ].join('\n'),
  },
  JavaScript: {
    type: 'application/javascript',
    read: 'await request.entity.text()',
    twice: "await next(); request.headers.set('X-Turn', '2'); return next()",
    caught: 'await next(); try { return await next() } catch (e) { return new Response(202, { body: e.message }) }',
  },
};

const again = 'the content of the request was sent already; read it before the first call of next';

describe.each(Object.entries(languages))('in %s', (_name, { type, read, twice, caught }) => {
  const script = (source: JsonValue): JsonObject => ({ type: 'ScriptableFilter', config: { type, source } });

  it('passes a request without content on a second time', async () => {
    const { ask, seen } = await startFiltered([script(twice)]);
    expect((await ask('/')).status).toBe(200);
    expect(seen.map(({ headers }) => headers.find(([name]) => name === 'x-turn')?.[1])).toEqual([undefined, '2']);
  });

  it('sends content a second time that the script has read', async () => {
    const { ask, seen } = await startFiltered([script(`${read}\n${twice}`)]);
    expect((await ask('/', POST)).status).toBe(200);
    expect(seen.map(({ body }) => body)).toEqual(['content', 'content']);
  });

  it('gives the script an exception where the content was sent already', async () => {
    const { ask, seen } = await startFiltered([script(caught)]);
    expect(await ask('/', POST)).toMatchObject({ status: 202, body: again });
    expect(seen.map(({ body }) => body)).toEqual(['content']);
  });

  it('answers 500 if the script does not catch it, and logs the reason', async () => {
    const { ask, logged } = await startFiltered([script(twice)]);
    expect((await ask('/', POST)).status).toBe(500);
    expect(logged.map(({ msg }) => msg).find((msg) => String(msg).startsWith('script failed'))).toContain(again);
  });

  it('sends content that the first turn did not take', async () => {
    const handler = {
      type: 'DispatchHandler',
      config: {
        bindings: [
          {
            condition: "${request.headers['X-Turn'][0] == '2'}",
            handler: 'ReverseProxyHandler',
            baseURI: 'http://app.test',
          },
          { handler: { type: 'StaticResponseHandler', config: { status: 503 } } },
        ],
      },
    };
    const { ask, seen } = await startFiltered([script(twice)], handler);
    expect((await ask('/', POST)).status).toBe(200);
    expect(seen.map(({ body }) => body)).toEqual(['content']);
  });
});
