import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { problemsOf, send, serve } from '../../support/gateways/served.ts';

const answering = (entity: string): JsonValue => ({ type: 'StaticResponseHandler', config: { status: 200, entity } });
const dispatching = (...bindings: JsonValue[]): JsonValue => ({ type: 'DispatchHandler', config: { bindings } });
const under = (path: string): string => `\${matches(request.uri.path, '^${path}')}`;

describe('compatibility with OpenIG', () => {
  const two = dispatching(
    { condition: under('/t/a'), handler: answering('A ${request.uri}') },
    { condition: under('/t/b'), baseURI: 'http://other.example:99/zz?x=1', handler: answering('B ${request.uri}') },
  );
  const last = dispatching({ condition: under('/t/b'), handler: answering('B') }, { handler: answering('last') });
  const nothing = dispatching({ condition: '${request.nosuch.deep}', handler: answering('x') });

  it.each([
    ['the first binding that is true', two, '/t/a?q=1', 200, 'A http://gw.test/t/a?q=1'],
    ['a base with a path replaces the path, not the query', two, '/t/b?q=1', 200, 'B http://other.example:99/zz?q=1'],
    ['a base with a path and no query to keep', two, '/t/b', 200, 'B http://other.example:99/zz'],
    ['no binding is true', two, '/t/c', 404, ''],
    ['a condition', last, '/t/b', 200, 'B'],
    ['a binding without a condition', last, '/t/c', 200, 'last'],
    ['a condition that is null', nothing, '/t', 404, ''],
    ['a condition that is a boolean', dispatching({ condition: true, handler: answering('x') }), '/t', 200, 'x'],
    ['no binding at all', dispatching(), '/t', 404, ''],
  ])('%s', async (_case, handler, path, status, body) => {
    expect(await send(await serve(handler), `GET ${path}`)).toMatchObject({ status, body });
  });
});

it.each([
  ['http://other.example', 'http://other.example/a/b?c=d'],
  ['http://other.example/', 'http://other.example/a/b?c=d'],
  ['https://other.example:8443', 'https://other.example:8443/a/b?c=d'],
  ['http://[::1]:81', 'http://[::1]:81/a/b?c=d'],
])('a base %s sends requests to %s', async (baseURI, uri) => {
  const gateway = await serve(dispatching({ baseURI, handler: answering('to ${request.uri}') }));
  expect((await send(gateway, 'GET /a/b?c=d')).body).toBe(`to ${uri}`);
});

it('logs that the query of a base has no effect', async () => {
  const gateway = await serve(dispatching({ baseURI: 'http://other.example?x=1', handler: answering('x') }));
  expect(gateway.logged).toMatchObject([
    { baseURI: 'http://other.example/?x=1', msg: 'query of a baseURI ignored; the query of the request is kept' },
  ]);
});

it('reads the body of a request before a condition uses it', async () => {
  const condition = "${request.entity.string == 'open'}";
  const gateway = await serve(dispatching({ condition, handler: answering('opened') }));
  expect((await send(gateway, 'POST /', [], 'open')).body).toBe('opened');
  expect((await send(gateway, 'POST /', [], 'shut')).status).toBe(404);
});

it.each([
  [{}, ['missing handler.config.bindings: is required']],
  [{ bindings: [{}] }, ['missing handler.config.bindings[0].handler: is required']],
  [
    { bindings: [{ condition: 'notbool', handler: answering('x') }] },
    ["value handler.config.bindings[0].condition: must be true, false or an expression, not 'notbool'"],
  ],
  [
    { bindings: [{ baseURI: 'other.example', handler: answering('x') }] },
    ["value handler.config.bindings[0].baseURI: is not an absolute URL: 'other.example'"],
  ],
  [
    { bindings: [{ baseURI: 'ftp://other.example', handler: answering('x') }] },
    ['value handler.config.bindings[0].baseURI: must have the scheme http or https, not ftp'],
  ],
  [
    { bindings: [{ baseUri: 'http://x', handler: answering('x') }] },
    ["unknown-field handler.config.bindings[0].baseUri: there is no field 'baseUri' here"],
  ],
])('%j is refused', (config, problems) => {
  expect(problemsOf({ type: 'DispatchHandler', config })).toEqual(problems);
});
