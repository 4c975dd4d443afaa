import { beforeAll, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import { catalogue } from '../../../../dataplane/catalogue/catalogue.ts';
import { loadAllParts } from '../../../../dataplane/heap/named-parts.ts';
import { type FilteredGateway, startFiltered } from '../../../support/gateways/filtered-gateway.ts';

beforeAll(() => loadAllParts(catalogue));

const script = (source: JsonValue): JsonObject => ({
  type: 'ScriptableFilter',
  config: { type: 'application/javascript', source },
});

/** The answer of a script that returns the value of an expression, after some statements. */
async function shownBy(statements: readonly string[], expression: string): Promise<unknown> {
  const { ask } = await startFiltered([script([...statements, `return new Response(200, { body: [${expression}] })`])]);
  const answer = await ask('/', { headers: ['X-A: 1', 'X-A: 2', 'X-B: b'] });
  expect(answer.status).toBe(200);
  return (JSON.parse(Buffer.from(answer.body, 'latin1').toString()) as unknown[])[0];
}

const sent = ({ seen }: FilteredGateway, name: string): string[] =>
  seen[0]!.headers.filter(([each]) => each === name).map(([, value]) => value);

it.each<[title: string, statements: string[], expression: string, value: unknown]>([
  ['all lines of a header', [], "request.headers.getAll('x-a')", ['1', '2']],
  ['lines of a header as one', [], "request.headers.get('X-a')", '1, 2'],
  ['no header', [], "[request.headers.get('x-none'), request.headers.has('x-none')]", [null, false]],
  ['a header that was set', ["request.headers.set('x-A', 3)"], "request.headers.getAll('X-A')", ['3']],
  ['a header that was set to several', ["request.headers.set('x-a', [3, 4])"], "request.headers.get('x-a')", '3, 4'],
  ['a header that was set to none', ["request.headers.set('x-a', [])"], "request.headers.has('x-a')", false],
  ['a header that was set to null', ["request.headers.set('x-a', null)"], "request.headers.get('x-a')", null],
  ['a header that was added to', ["request.headers.add('x-a', 3)"], "request.headers.getAll('x-a')", ['1', '2', '3']],
  ['a list that was added', ["request.headers.add('x-b', ['c', 'd'])"], "request.headers.get('x-b')", 'b, c, d'],
  ['an empty list that was added', ["request.headers.add('x-b', [])"], "request.headers.get('x-b')", 'b'],
  [
    'nothing that was added',
    ["request.headers.append('x-b', undefined)"],
    "request.headers.get('x-b')",
    'b, undefined',
  ],
  [
    'a header that was deleted',
    ["const had = request.headers.delete('X-A')"],
    "[had, request.headers.has('x-a')]",
    [true, false],
  ],
  ['no header that was deleted', [], "request.headers.delete('x-none')", false],
  [
    'a header that was deleted and added',
    ["request.headers.delete('x-a')", "request.headers.add('x-a', 9)"],
    "request.headers.get('x-a')",
    '9',
  ],
  ['an empty value', ["request.headers.set('x-a', '')"], "request.headers.getAll('x-a')", ['']],
  [
    'letters of all kinds',
    ["request.headers.set('x-a', 'ä \\u20ac \\ud83d\\ude00')"],
    "request.headers.get('x-a')",
    'ä € 😀',
  ],
  [
    'a long text that was put together',
    ["let text = 'é'; for (let i = 0; i < 12; i++) text += text", "request.headers.set('x-a', text + '!')"],
    "request.headers.get('x-a').length",
    4097,
  ],
  ['half of a letter', ["request.headers.set('x-a', 'a\\ud800')"], "request.headers.get('x-a')", 'a\ufffd'],
  [
    'its own headers',
    ["const own = new Headers({ a: '1' }); own.add('A', 2); own.set('b', 3); own.delete('b')"],
    '[...own]',
    [['A', '1, 2']],
  ],
])('shows %s', async (_title, statements, expression, value) => {
  expect(await shownBy(statements, expression)).toEqual(value);
});

it('lists headers as they were changed', async () => {
  const statements = [
    "request.headers.set('X-A', 3)",
    "request.headers.delete('x-b')",
    "request.headers.add('X-New', 'n')",
  ];
  const lines = await shownBy(statements, "[...request.headers].filter(([name]) => name.startsWith('X-'))");
  expect(lines).toEqual([
    ['X-A', '3'],
    ['X-New', 'n'],
  ]);
});

it.each([
  ['a line feed in a value', "request.headers.set('x-a', 'a\\nb')"],
  ['a carriage return in a value', "request.headers.add('x-a', 'a\\rb')"],
  ['a zero in a value', "request.headers.set('x-a', 'a\\0b')"],
  ['a zero in a long value', "request.headers.set('x-a', 'a'.repeat(3000) + '\\0' + 'b'.repeat(3000))"],
  ['a line feed in a name', "request.headers.set('x-a\\nx-b', 'a')"],
  ['a zero in a name', "request.headers.delete('x-a\\0')"],
  ['a line feed in a list', "request.headers.set('x-a', ['a', 'b\\nc'])"],
  ['a line feed in own headers', "new Headers({ a: 'b\\nc' })"],
])('throws for %s', async (_title, statement) => {
  const caught = [`let thrown = null; try { ${statement} } catch (error) { thrown = String(error) }`];
  expect(await shownBy(caught, 'thrown')).toBe('TypeError: a header has no line breaks and no zeros');
});

it('sends headers as they are when the request is passed on', async () => {
  const gateway = await startFiltered([
    script([
      "request.headers.set('X-A', 'before')",
      'const passed = next(request)',
      "request.headers.set('X-A', 'after')",
      'const response = await passed',
      "response.headers.set('X-Now', request.headers.get('X-A'))",
      'return response',
    ]),
  ]);
  expect((await gateway.ask('/')).values('x-now')).toEqual(['after']);
  expect(sent(gateway, 'x-a')).toEqual(['before']);
});

it('sends the headers of a request that the script made in the place of the one that came', async () => {
  const gateway = await startFiltered([
    script([
      "const own = new Request('GET', 'http://app.test/own', { headers: { 'X-Own': ['1', '2'] } })",
      "own.headers.set('X-More', 'm')",
      'return next(own)',
    ]),
  ]);
  expect((await gateway.ask('/', { headers: ['X-A: a'] })).status).toBe(200);
  expect([sent(gateway, 'x-own'), sent(gateway, 'x-more'), sent(gateway, 'x-a')]).toEqual([['1', '2'], ['m'], []]);
});

it('sends a copy of the request that came, with its changes', async () => {
  const gateway = await startFiltered([
    script([
      "request.headers.set('X-A', 'changed')",
      "request.uri = 'http://app.test/x?entity=own'",
      'return http.send(request)',
    ]),
  ]);
  expect((await gateway.ask('/x?entity=own', { headers: ['X-B: b'] })).body).toBe('own');
  expect([sent(gateway, 'x-a'), sent(gateway, 'x-b')]).toEqual([['changed'], ['b']]);
});

it.each([
  ['a promise', 'return Promise.resolve(new Response(201))', 201],
  ['a promise of a promise', 'return new Promise((done) => done(Promise.resolve(new Response(201))))', 201],
  ['a method then', 'return { then(done) { done(new Response(201)) } }', 201],
  ['a promise that is rejected', "return Promise.reject(new Error('no'))", 500],
  ['a promise that never completes', 'return new Promise(() => {})', 500],
  ['what follows the response', 'return next().then((r) => { r.status = 202; return r })', 202],
  [
    'what follows a failure',
    "return next(5).catch((error) => new Response(error.message === 'next takes a request' ? 203 : 500))",
    203,
  ],
  [
    'a changed response whose promise it returned',
    'const p = next(); p.then((r) => { r.status = 206 }); return p',
    206,
  ],
  ['one of two', 'return Promise.race([next(), new Promise(() => {})])', 200],
  ['an object that only looks like a promise', 'return Object.create(Promise.prototype)', 500],
])('answers %s without await', async (_title, source, status) => {
  const { ask } = await startFiltered([script(source)]);
  expect((await ask('/')).status).toBe(status);
});
