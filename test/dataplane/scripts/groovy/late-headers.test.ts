import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { startFiltered } from '../../../support/gateways/filtered-gateway.ts';

const filter = (source: readonly string[]): JsonObject => ({
  type: 'ScriptableFilter',
  config: { type: 'application/x-groovy', source: [...source] },
});
const PASS = 'next.handle(context, request)';
const HEADERS = ['X-One: 1', 'X-Two: 2', 'X-Many: a', 'x-many: b', 'X-MANY: c'];

/** Headers that the backend got, of those that begin with `x-`. */
async function sentOn(source: readonly string[]): Promise<string[]> {
  const { ask, seen, logged } = await startFiltered([filter(source)]);
  const { status } = await ask('/', { headers: HEADERS });
  expect([status, logged.filter(({ msg }) => String(msg).startsWith('script failed'))]).toEqual([200, []]);
  const [{ headers }] = seen as [(typeof seen)[0]];
  return headers.filter(([name]) => /^x-(?:one|two|many|new|found)$/.test(name)).map((line) => line.join('='));
}

it('passes on headers that the script did not ask for', async () => {
  expect(await sentOn(["request.headers['X-New'] = request.headers['X-ONE'].firstValue", PASS])).toEqual([
    'x-one=1',
    'x-two=2',
    'x-many=a',
    'x-many=b',
    'x-many=c',
    'x-new=1',
  ]);
});

it.each([
  ['removes', "request.headers.remove('x-many')"],
  ['sets to null', "request.headers['X-Many'] = null"],
  ['reads and removes', "assert request.headers['x-one'].firstValue == '1'; request.headers.remove('X-Many')"],
  ['lists and removes', "assert request.headers.size() > 2; request.headers.remove('X-Many')"],
])('takes away a header that a script %s', async (_title, source) => {
  expect(await sentOn([source, PASS])).toEqual(['x-one=1', 'x-two=2']);
});

it('takes away all headers that a script clears, also those that it did not ask for', async () => {
  expect(
    await sentOn([
      "def host = request.headers['Host']",
      'request.headers.clear()',
      "request.headers['Host'] = host",
      PASS,
    ]),
  ).toEqual([]);
});

it('has all lines of a name, whatever was asked for before', async () => {
  const found = "request.headers['X-Found'] = ";
  expect(await sentOn([`${found} request.headers['x-Many'].values.join('+')`, PASS])).toContain('x-found=a+b+c');
  expect(
    await sentOn([
      "request.headers['X-Two']",
      `${found} request.headers.collect { it.value.values }.flatten().findAll { it.size() == 1 }.sort().join('+')`,
      PASS,
    ]),
  ).toContain('x-found=1+2+a+b+c');
});

it('lists each header once after some were read, changed and added', async () => {
  const source = [
    "request.headers['X-Two'] = '3'",
    "request.headers['X-New'] = 'n'",
    "request.headers.remove('X-One')",
    "request.headers['X-Found'] = request.headers.keySet()*.toLowerCase().findAll { it.startsWith('x-') }.join('+')",
    PASS,
  ];
  expect(await sentOn(source)).toContain('x-found=x-many+x-new+x-two');
});

it('changes headers of a response that the script did not list', async () => {
  const { ask } = await startFiltered([
    filter([
      `${PASS}.thenOnResult { it.headers.remove('X-A'); it.headers['X-B'] = it.headers['X-B'].firstValue + '!' }`,
    ]),
  ]);
  const answer = await ask('/?h.X-A=1&h.X-B=2&h.X-C=3');
  expect([answer.values('x-a'), answer.values('x-b'), answer.values('x-c')]).toEqual([[], ['2!'], ['3']]);
});

it('has no headers of a message whose exchange is over', async () => {
  const { ask } = await startFiltered([
    filter([
      'if (globals.kept) return new Response(Status.OK).tap { r -> r.entity.string = "${globals.kept.headers[\'X-Two\']}" }',
      'globals.kept = request',
      PASS,
    ]),
  ]);
  expect((await ask('/', { headers: HEADERS })).status).toBe(200);
  expect(await ask('/')).toMatchObject({ status: 200, body: 'null' });
});
