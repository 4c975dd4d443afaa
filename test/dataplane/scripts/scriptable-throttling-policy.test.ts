import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { type FilteredGateway, startFiltered } from '../../support/gateways/filtered-gateway.ts';
import { refusals } from '../../support/gateways/refused-objects.ts';

const policy = (source: JsonValue, more: JsonObject = {}): JsonObject => ({
  type: 'ScriptableThrottlingPolicy',
  config: { type: 'application/x-groovy', source, ...more },
});

const throttled = (throttlingRatePolicy: JsonValue): Promise<FilteredGateway> =>
  startFiltered([
    {
      type: 'ThrottlingFilter',
      config: { requestGroupingPolicy: "${request.headers['X-User'][0]}", throttlingRatePolicy },
    },
  ]);

async function statuses({ ask }: FilteredGateway, count: number, ...headers: string[]): Promise<number[]> {
  const seen: number[] = [];
  for (let i = 0; i < count; i++) seen.push((await ask('/', { headers })).status);
  return seen;
}

it.each<[string, JsonValue]>([
  ['a rate', "new ThrottlingRate(2, '1 hour')"],
  ['a promise of a rate', "newResultPromise(new ThrottlingRate(2, '1 hour'))"],
  ['a rate of arguments', 'new ThrottlingRate(requests, duration)'],
])('limits requests with %s', async (_title, source) => {
  const imports = 'import static org.forgerock.util.promise.Promises.newResultPromise\n';
  const gateway = await throttled(policy(`${imports}${String(source)}`, { args: { requests: 2, duration: '1 h' } }));
  expect(await statuses(gateway, 4, 'X-User: a')).toEqual([200, 200, 429, 429]);
  expect(await statuses(gateway, 1, 'X-User: b')).toEqual([200]);
});

it('chooses the rate by the request', async () => {
  const gateway = await throttled(
    policy([
      "def plan = request.headers['X-Plan']?.firstValue",
      'attributes.plan = plan',
      "plan == 'gold' ? new ThrottlingRate(3, '1 hour') : new ThrottlingRate(1, '1 hour')",
    ]),
  );
  expect(await statuses(gateway, 4, 'X-User: a', 'X-Plan: gold')).toEqual([200, 200, 200, 429]);
  expect(await statuses(gateway, 2, 'X-User: b')).toEqual([200, 429]);
});

it('limits nothing where the script returns null', async () => {
  const gateway = await throttled(policy('null'));
  expect(await statuses(gateway, 5, 'X-User: a')).toEqual([200, 200, 200, 200, 200]);
});

it.each([
  ['an exception', "throw new IllegalStateException('no rate today')", /no rate today/],
  ['another result', "'10 per second'", /ThrottlingRate/],
  ['a promise of another result', 'http.send(new Request().setMethod("GET").setUri("http://app.test/"))', /Rate/],
  ['no requests', "new ThrottlingRate(0, '1 second')", null],
  ['an unlimited duration', "new ThrottlingRate(1, 'unlimited')", /unlimited/],
  ['a duration that is too short', "new ThrottlingRate(1, '10 ns')", null],
  ['a loop without end', 'while (true) {}', /budget/],
])('gives 500 for %s, and asks no backend', async (_title, source, logged) => {
  const gateway = await throttled(policy(source));
  expect(await statuses(gateway, 1, 'X-User: a')).toEqual([500]);
  if (logged !== null)
    expect(gateway.logged.map(({ msg }) => String(msg))).toContainEqual(expect.stringMatching(logged));
  expect(gateway.seen.filter(({ url }) => url === '/')).toHaveLength(source.includes('http.send') ? 1 : 0);
});

it('gives 500 for more requests than a document may allow', async () => {
  const gateway = await throttled({
    type: 'ScriptableThrottlingPolicy',
    config: { type: 'application/javascript', source: "return { requests: 2 ** 31, duration: '1 second' }" },
  });
  expect(await statuses(gateway, 1, 'X-User: a')).toEqual([500]);
});

it('does not change the request', async () => {
  const gateway = await throttled(policy("request.headers['X-Changed'] = '1'; request.uri.path = '/other'; null"));
  expect((await gateway.ask('/here', { headers: ['X-User: a'] })).status).toBe(200);
  expect(gateway.seen.map(({ url }) => url)).toEqual(['/here']);
  expect(gateway.seen[0]!.headers.map(([name]) => name)).not.toContain('x-changed');
});

it('stands in a DefaultRateThrottlingPolicy', async () => {
  const gateway = await throttled({
    type: 'DefaultRateThrottlingPolicy',
    config: {
      delegateThrottlingRatePolicy: policy("request.uri.path == '/free' ? new ThrottlingRate(9, '1 hour') : null"),
      defaultRate: { numberOfRequests: 1, duration: '1 hour' },
    },
  });
  expect(await statuses(gateway, 2, 'X-User: a')).toEqual([200, 429]);
});

it.each<[JsonObject, readonly unknown[]]>([
  [{}, [/^config\.type: is required/, /one of 'file' and 'source' is required/]],
  [{ type: 'application/x-groovy' }, [/one of 'file' and 'source' is required/]],
  [{ type: 'application/x-groovy', file: 'a.groovy', source: 'null' }, [/file/]],
  [{ type: 'text/x-python', source: 'null' }, [/^config\.type: must be 'application\/x-groovy'/]],
  [{ type: 'application/x-groovy', source: 'def x =' }, [/^config\.source: the script, line 1, column \d+: /]],
  [
    { type: 'application/x-groovy', source: '1 +', unknown: 1, clientHandler: 'Nobody' },
    [/unknown/, /^config\.source: the script, line 1, /, /Nobody/],
  ],
])('configuration %j', (config, problems) => {
  const found = refusals({ type: 'ScriptableThrottlingPolicy', config });
  expect(found).toHaveLength(problems.length);
  for (const problem of problems) expect(found).toContainEqual(expect.stringMatching(problem as RegExp));
});
