import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { problemsOf, startFiltered } from '../../support/gateways/filtered-gateway.ts';

const extracting = (messageType: string, bindings: JsonValue, more: JsonObject = {}): JsonValue => ({
  type: 'EntityExtractFilter',
  config: { messageType, target: '${attributes.e}', bindings, ...more },
});
const telling = (entity: string): JsonValue => ({ type: 'StaticResponseHandler', config: { status: 200, entity } });
const named = [{ key: 'n', pattern: 'n=(\\S+)', template: '$1' }];

describe('EntityExtractFilter', () => {
  it('stops at thousands of lines that are each slow to match', async () => {
    const { ask } = await startFiltered([extracting('REQUEST', [{ key: 'n', pattern: '(?:a?){900}b' }])]);
    const body = `${'a'.repeat(999)}\n`.repeat(900);
    expect((await ask('/t', { method: 'POST', body })).status).toBe(500);
  });

  it.each([
    ['xx n=abc yy', { pattern: 'n=(\\w+)', template: '$1' }, 'abc'],
    ['xx n=abc yy', { pattern: 'n=(\\w+)' }, 'n=abc'],
    ['xx n=abc yy', { pattern: 'n=(\\w)(\\w)', template: '<$2$1\\$>' }, '<ba$>'],
    ['xx n=abc yy', { pattern: 'zzz(.)', template: '$1' }, ''],
    ['a=1\r\nb=2\nc=3', { pattern: '^b=(.)$', template: '$1' }, '2'],
    ['k=1\nk=2', { pattern: '^k=(.)', template: '$1' }, '1'],
    ['a\nb', { pattern: 'a\\sb' }, ''],
    ['', { pattern: '.' }, ''],
  ])('finds in %j with %j: %j', async (body, binding, found) => {
    const { ask } = await startFiltered(
      [extracting('REQUEST', [{ key: 'n', ...binding }])],
      telling('<${attributes.e.n}>'),
    );
    expect((await ask('/t', { method: 'POST', body })).body).toBe(`<${found}>`);
  });

  it('extracts several values, and passes the request on unchanged', async () => {
    const { ask, seen } = await startFiltered([
      extracting('request', [...named, { key: 'none', pattern: 'zzz' }, { key: 'x', pattern: '^x+' }]),
      {
        type: 'HeaderFilter',
        config: {
          messageType: 'RESPONSE',
          add: { 'X-E': ['${attributes.e.n} ${attributes.e.x} ${attributes.e.none == null}'] },
        },
      },
    ]);
    const answer = await ask('/t', { method: 'POST', body: 'xx n=abc yy' });
    expect(answer.values('x-e')).toEqual(['abc xx true']);
    expect(seen[0]!.body).toBe('xx n=abc yy');
  });

  it('searches the response and passes it on unchanged', async () => {
    const { ask } = await startFiltered([
      { type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-E': ['${attributes.e.n}'] } } },
      extracting('RESPONSE', named),
    ]);
    const answer = await ask(`/t?entity=${encodeURIComponent('a n=abc\n')}`);
    expect(answer.values('x-e')).toEqual(['abc']);
    expect(answer.body).toBe('a n=abc\n');
    expect((await ask('/t?status=204')).values('x-e')).toEqual([]);
  });

  const latin = Buffer.from('n=é', 'latin1');
  const utf8 = Buffer.from('n=é', 'utf8');
  it.each([
    ['text/plain; charset=ISO-8859-1', null, latin, 'é'],
    ['text/plain; charset="utf-8"', null, utf8, 'é'],
    ['text/plain', null, utf8, 'é'],
    ['text/plain; charset=utf-8', 'ISO-8859-1', latin, 'é'],
    ['text/plain; charset=nosuch', 'UTF-8', utf8, 'é'],
  ])('reads content of %s, with charset %s', async (type, charset, bytes, found) => {
    const filter = extracting('REQUEST', named, charset === null ? {} : { charset });
    const { ask } = await startFiltered([filter], telling('<${attributes.e.n}>'));
    const answer = await ask('/t', {
      method: 'POST',
      headers: [`Content-Type: ${type}`],
      body: bytes.toString('latin1'),
    });
    expect(Buffer.from(answer.body, 'latin1').toString()).toBe(`<${found}>`);
  });

  it.each([
    ['gzip', gzipSync('n=abc'), 'abc'],
    ['X-GZIP', gzipSync('n=abc'), 'abc'],
    ['deflate', deflateSync('n=abc'), 'abc'],
    ['br', brotliCompressSync('n=abc'), 'abc'],
    ['deflate, gzip', gzipSync(deflateSync('n=abc')), 'abc'],
    ['identity', Buffer.from('n=abc'), 'abc'],
  ])('decodes the content coding %s', async (coding, bytes, found) => {
    const { ask } = await startFiltered([extracting('REQUEST', named)], telling('<${attributes.e.n}>'));
    const headers = [`Content-Encoding: ${coding}`];
    const answer = await ask('/t', { method: 'POST', headers, body: bytes.toString('latin1') });
    expect(answer.body).toBe(`<${found}>`);
  });

  it.each([
    [['Content-Encoding: gzip'], Buffer.from('n=abc'), 415],
    [['Content-Encoding: unknown'], Buffer.from('n=abc'), 415],
    [['Content-Encoding: gzip'], gzipSync(`${' '.repeat(2 << 20)}n=abc`), 413],
    [['Content-Type: text/plain; charset=nosuch'], Buffer.from('n=abc'), 415],
    [['Content-Type: text/plain; charset=utf-8'], latin, 415],
  ])('refuses a request that it cannot read: %j %o', async (headers, bytes, status) => {
    const { ask } = await startFiltered([extracting('REQUEST', named)], telling('x'));
    expect((await ask('/t', { method: 'POST', headers, body: bytes.toString('latin1') })).status).toBe(status);
  });

  it('refuses a response that it cannot read', async () => {
    const { ask } = await startFiltered([extracting('RESPONSE', named)]);
    expect((await ask('/t?h.Content-Encoding=gzip&entity=n%3Dabc')).status).toBe(502);
  });

  it('refuses a request that is too large to be read', async () => {
    const { ask } = await startFiltered([extracting('REQUEST', named)], telling('x'));
    expect((await ask('/t', { method: 'POST', body: ' '.repeat((1 << 20) + 1) })).status).toBe(413);
  });

  const whole = { messageType: 'REQUEST', target: '${attributes.e}', bindings: named };
  it.each([
    [{}, [expect.stringMatching(/ messageType: /), 'missing target: is required', 'missing bindings: is required']],
    [{ ...whole, charset: 'klingon' }, ["value charset: there is no charset 'klingon'"]],
    [{ ...whole, bindings: [{ pattern: 'a' }] }, ['missing bindings[0].key: is required']],
    [{ ...whole, bindings: [{ key: 'a' }] }, [expect.stringMatching(/bindings\[0\]\.pattern: /)]],
    [
      { ...whole, bindings: [{ key: 'a', pattern: '(' }] },
      [expect.stringMatching(/^pattern bindings\[0\]\.pattern: /)],
    ],
    [
      { ...whole, bindings: [{ key: 'a', pattern: 'a', template: 1 }] },
      ['value bindings[0].template: must be a string, not a number'],
    ],
    ...(
      [
        ['(a)', '$2', 'the pattern has no group 2'],
        ['(?<n>a)', '${m}', "the pattern has no group 'm'"],
        ['(?x)a # b', '$1', 'the pattern has no group 1'],
        ['a', '$', 'after a $ comes the number of a group or its {name}'],
      ] as const
    ).map(([pattern, template, reason]): [JsonObject, string[]] => [
      { ...whole, bindings: [{ key: 'a', pattern, template }] },
      [`pattern bindings[0].template: the replacement '${template}' is not usable: ${reason}`],
    ]),
    [{ ...whole, bindings: [{ key: 'a', pattern: '(?<n>a)(?=b)(c)', template: '${n}$2\\$' }] }, []],
  ])('validates the configuration %j', (config, problems) => {
    expect(problemsOf('EntityExtractFilter', config)).toEqual(problems);
  });
});
