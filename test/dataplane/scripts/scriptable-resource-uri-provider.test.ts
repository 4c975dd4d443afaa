import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { type AccessManager, startAccessManager } from '../../support/access-manager/access-manager.ts';
import { EVALUATE, type PolicyGateway, startPolicyGateway } from '../../support/access-manager/policy-gateway.ts';

const provider = (source: JsonValue, more: JsonObject = {}): JsonObject => ({
  type: 'ScriptableResourceUriProvider',
  config: { type: 'application/x-groovy', source, ...more },
});

/** An access manager that allows every resource. */
async function allowing(): Promise<AccessManager> {
  const am = await startAccessManager();
  am.answer(EVALUATE, ({ body }) => {
    const [resource] = (JSON.parse(body) as { resources: string[] }).resources;
    return { status: 200, body: [{ resource, actions: { GET: true }, attributes: {}, advices: {} }] };
  });
  return am;
}

const started = async (source: JsonValue, more: JsonObject = {}): Promise<PolicyGateway> =>
  startPolicyGateway(await allowing(), { resourceUriProvider: provider(source), ...more });

it('asks about the URL that the script returns', async () => {
  const { askAs, questions, seen } = await started([
    "def id = request.queryParams['id']?.get(0)",
    "\"http://api.test${request.uri.path}${id == null ? '' : '?id=' + id}\".toString()",
  ]);
  expect((await askAs('t', '/a?debug=1&id=7')).status).toBe(200);
  expect((await askAs('t', '/a?debug=1')).status).toBe(200);
  expect(questions().map(({ resources }) => resources)).toEqual([['http://api.test/a?id=7'], ['http://api.test/a']]);
  expect(seen.map(({ url }) => url)).toEqual(['/a?debug=1&id=7', '/a?debug=1']);
});

it('keeps decisions by the URL that the script returns', async () => {
  const { askAs, questions } = await started("'http://api.test' + request.uri.path", { cache: { enabled: true } });
  for (const target of ['/a?x=1', '/a?x=2', '/b']) expect((await askAs('t', target)).status).toBe(200);
  expect(questions().map(({ resources }) => resources)).toEqual([['http://api.test/a'], ['http://api.test/b']]);
});

it.each([
  ['null', 'null'],
  ['an empty text', "''"],
  ['a GString', '"http://api.test/${1}"'],
  ['a URI', "new URI('http://api.test/')"],
  ['an exception', "throw new RuntimeException('no URL')"],
  ['a loop without end', 'while (true) {}'],
])('gives 500 for %s, without a question', async (_title, source) => {
  const { askAs, questions, seen } = await started(source);
  expect((await askAs('t', '/a')).status).toBe(500);
  expect(questions()).toEqual([]);
  expect(seen).toEqual([]);
});
