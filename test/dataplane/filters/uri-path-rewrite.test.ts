import { describe, expect, it } from 'vitest';
import { problemsOf, startFiltered } from '../../support/gateways/filtered-gateway.ts';

const rewrite = (mappings: Record<string, string>, more: Record<string, string> = {}) => ({
  type: 'UriPathRewriteFilter',
  config: { mappings, ...more },
});

describe('UriPathRewriteFilter', () => {
  it.each([
    [{ '/from': '/to' }, '/from', '/to'],
    [{ '/from': '/to' }, '/from/', '/to/'],
    [{ '/from': '/to' }, '/from/a%20b?q=/from', '/to/a%20b?q=/from'],
    [{ '/from': '/to' }, '/fromage', '/fromage'],
    [{ '/from': '/to' }, '/x/from', '/x/from'],
    [{ '/from/': '/to/' }, '/from', '/to'],
    [{ '/from/': '/to/' }, '/from/a', '/to/a'],
    [{ '/from': '/' }, '/from', '/'],
    [{ '/from': '/' }, '/from/a', '/a'],
    [{ '/from': '/' }, '/from?q', '/?q'],
    [{ '/': '/to' }, '/', '/to/'],
    [{ '/': '/to' }, '/a/b', '/to/a/b'],
    [{ '/a': '/1', '/a/b': '/2', '/': '/3' }, '/a/b/c', '/2/c'],
    [{ '/a': '/1', '/a/b': '/2', '/': '/3' }, '/a/bc', '/1/bc'],
    [{ '/a': '/1', '/a/b': '/2', '/': '/3' }, '/ab', '/3/ab'],
    [{ '/a b/é': '/c d' }, '/a%20b/%C3%A9/x', '/c%20d/x'],
    [{ '/a%7eb': '/c' }, '/a~b', '/c'],
    [{ "/${'from'}": "${'/to'}" }, '/from/x', '/to/x'],
  ])('%j sends %s to %s', async (mappings, asked, sent) => {
    const { ask, seen } = await startFiltered([rewrite(mappings)]);
    expect((await ask(asked)).status).toBe(200);
    expect(seen[0]!.url).toBe(sent);
  });

  it('does not change OPTIONS *', async () => {
    const { ask, seen } = await startFiltered([rewrite({ '/': '/to' })]);
    await ask('*', { method: 'OPTIONS' });
    expect(seen[0]!.url).toBe('*');
  });

  it.each([
    ['/to', '/from'],
    ['/to/x?a=/to#/to', '/from/x?a=/to#/to'],
    ['/top', '/top'],
    ['to/x', 'to/x'],
    ['http://gw.test/to/x', 'http://gw.test/from/x'],
    ['http://gw.test:80/to', 'http://gw.test:80/from'],
    ['HTTPS://GW.test/to', 'HTTPS://GW.test/from'],
    ['http://to/to', 'http://to/to'],
    ['//gw.test/to/to', '//gw.test/from/to'],
    ['http://APP/to/x', 'http://APP/from/x'],
    ['http://gw.test', 'http://gw.test'],
    ['ftp://gw.test/to', 'ftp://gw.test/to'],
    ['http://gw.test:81/to', 'http://gw.test:81/to'],
    ['/deep/er/x', '/d/x'],
  ])('maps %s of the response back to %s', async (header, expected) => {
    const { ask, backend } = await startFiltered([rewrite({ '/from': '/to', '/second': '/to', '/d': '/deep/er' })]);
    const withBackend = (text: string): string => text.replace('http://APP', backend.url);
    const value = encodeURIComponent(withBackend(header));
    const answer = await ask(`/other?h.location=${value}&h.content-location=${value}`);
    expect(answer.values('location')).toEqual([withBackend(expected)]);
    expect(answer.values('content-location')).toEqual([withBackend(expected)]);
  });

  it.each([
    [{ '/': '/app' }, '/app//evil.example/', '/.//evil.example/'],
    [{ '/': '/app' }, 'http://gw.test/app//x', 'http://gw.test//x'],
    [{ '/': '/app' }, '/app/x//y', '/x//y'],
  ])('%j does not change the host of %s', async (mappings, header, expected) => {
    const { ask } = await startFiltered([rewrite(mappings)]);
    const { values } = await ask(`/a?h.location=${encodeURIComponent(header)}`);
    expect(values('location')).toEqual([expected]);
    expect(new URL(values('location')[0]!, 'http://gw.test/a').host).toBe('gw.test');
  });

  it('recognizes the application by the Host that was sent to it', async () => {
    const { ask } = await startFiltered([
      rewrite({ '/from': '/to' }),
      { type: 'HeaderFilter', config: { messageType: 'REQUEST', add: { Host: ['inner.example'] } } },
    ]);
    const answer = await ask('/from?h.location=http://inner.example/to/x');
    expect(answer.values('location')).toEqual(['http://inner.example/from/x']);
  });

  it('sends responses with malformed headers to the failure handler', async () => {
    const bare = await startFiltered([rewrite({ '/from': '/to' })]);
    const answer = await bare.ask('/from?h.location=::bad&entity=body');
    expect([answer.status, answer.body]).toEqual([500, '']);
    const failure = { type: 'StaticResponseHandler', config: { status: 502, entity: 'bad' } };
    const config = { mappings: { '/from': '/to' }, failureHandler: failure };
    const handled = await startFiltered([{ type: 'UriPathRewriteFilter', config }]);
    const second = await handled.ask('/from?h.content-location=http://a%20b/&entity=body');
    expect([second.status, second.body]).toEqual([502, 'bad']);
  });

  const path = "must be a path that starts with '/' and has no query, '.' or '..', not";
  it.each([
    [{}, ['missing mappings: is required']],
    [{ mappings: {} }, ['value mappings: must have at least one entry']],
    [{ mappings: { from: '/to' } }, [`value mappings.from: ${path} 'from'`]],
    [{ mappings: { '/from': 'http://to' } }, [`value mappings["/from"]: ${path} 'http://to'`]],
    [{ mappings: { '/from': '/to?q' } }, [`value mappings["/from"]: ${path} '/to?q'`]],
    [{ mappings: { '/from': '/a/../b' } }, [`value mappings["/from"]: ${path} '/a/../b'`]],
    [{ mappings: { '/from': '/%zz' } }, [`value mappings["/from"]: ${path} '/%zz'`]],
    [{ mappings: { '/from': 1 } }, ['value mappings["/from"]: must be a string, not a number']],
    [
      { mappings: { '/a': '/1', '/a/': '/2' } },
      ['value mappings["/a/"]: is the same path as \'/a\', which leads elsewhere'],
    ],
    [{ mappings: { '/a': '/1', '/a/': '/1/' } }, []],
  ])('validates the configuration %j', (config, problems) => {
    expect(problemsOf('UriPathRewriteFilter', config)).toEqual(problems);
  });
});
