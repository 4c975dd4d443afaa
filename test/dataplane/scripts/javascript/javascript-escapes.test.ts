import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import { EchoBackend } from '../../../support/backends/echo-backend.ts';
import { startFiltered } from '../../../support/gateways/filtered-gateway.ts';

const script = (source: JsonValue): JsonObject => ({
  type: 'ScriptableFilter',
  config: { type: 'text/javascript', source },
});
const POST = { method: 'POST', body: 'content' };

it('passes a request on once at a time', async () => {
  const { ask, logged } = await startFiltered([script('return (await Promise.all([next(), next()]))[0]')]);
  for (let turn = 0; turn < 2; turn++) expect((await ask('/', POST)).status).toBe(500);
  expect(logged.find(({ msg }) => String(msg).startsWith('script failed: '))?.['msg']).toContain(
    'the request was passed on already',
  );
});

it.each([
  ['a loop that reads content again and again', 'for (;;) await request.entity.bytes()', 'time'],
  ['a loop of requests that cannot be sent', "for (;;) try { await http.send('http://a b/') } catch {}", 'time'],
])('ends %s, and lets other requests run meanwhile', async (_title, source, limit) => {
  const { ask, counted } = await startFiltered([
    script(["if (request.uri.path === '/loop') {", source, '}', 'return new Response(204)']),
  ]);
  const looping = ask('/loop');
  expect((await ask('/')).status).toBe(204);
  expect((await looping).status).toBe(500);
  expect(
    counted.filter(({ metric }) => metric === 'gw_script_exceeded_total').map(({ labels }) => labels['limit']),
  ).toEqual([limit]);
});

it.each([['{ length: 3e8 }'], ['5'], ['[1, 2]']])(
  'takes bytes as they are, and not as %s that they say they are',
  async (said) => {
    const { ask } = await startFiltered([
      script([
        'const body = new Uint8Array([97, 98])',
        `Object.defineProperty(body, 'slice', { value: () => (${said}) })`,
        'return new Response(200, { body })',
      ]),
    ]);
    expect(await ask('/')).toMatchObject({ status: 200, body: 'ab' });
  },
);

it.each([
  ['})(); }), (() => { for (;;); })(), (function () { return (async function () {'],
  ['}, async function () {'],
  ['}] + [async function () {'],
  ['} }, { async m() {'],
  ['} async n() {'],
  ['}; async n() {'],
])('refuses a script that ends its function: %s', async (source) => {
  await expect(startFiltered([script(source)])).rejects.toThrow('the script');
});

it('freezes what the objects of all runs share', async () => {
  const { ask } = await startFiltered([
    script([
      'const above = Object.getPrototypeOf',
      'const found = [above(logger), above(http), above([].values().map(String)), above(Iterator.from({ next() {} }))]',
      'return new Response(200, { body: found.map(Object.isFrozen).join() })',
    ]),
  ]);
  expect(await ask('/')).toMatchObject({ body: 'true,true,true,true' });
});

it('counts content that is being sent', async () => {
  const backend = await EchoBackend.start({ host: '127.0.0.1' }, () => undefined);
  onTestFinished(() => backend.close());
  const { ask, counted } = await startFiltered([
    script([
      'const body = new Uint8Array(4e6)',
      `for (let i = 0; i < 20; i++) { http.send('${backend.url}', { method: 'POST', body }); await request.entity.bytes() }`,
      'await new Promise(() => {})',
    ]),
  ]);
  expect((await ask('/')).status).toBe(500);
  expect(
    counted.filter(({ metric }) => metric === 'gw_script_exceeded_total').map(({ labels }) => labels['limit']),
  ).toEqual(['memory']);
});
