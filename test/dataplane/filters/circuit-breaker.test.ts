import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { problemsOf, startFiltered } from '../../support/gateways/filtered-gateway.ts';

const config = { maxFailures: 2, openDuration: '1 hour' };
const breaker = (more: JsonObject = {}): JsonValue => ({
  type: 'CircuitBreakerFilter',
  config: { ...config, ...more },
});
/** Goes where nobody listens for paths with `no` in them, and to the backend otherwise. */
const dispatch = (type: string): JsonValue => ({
  type: 'DispatchHandler',
  config: {
    bindings: [
      { condition: "${find(request.uri.path, 'no')}", handler: type, baseURI: 'http://127.0.0.1:1' },
      { handler: type, baseURI: 'http://app.test' },
    ],
  },
});

async function statuses(
  filters: readonly JsonValue[],
  handler: JsonValue,
  paths: readonly string[],
): Promise<number[]> {
  const { ask } = await startFiltered(filters, handler);
  const all: number[] = [];
  for (const path of paths) all.push((await ask(path)).status);
  return all;
}

it.each([
  ['ReverseProxyHandler', 502],
  ['ClientHandler', 500],
])('opens when %s gets no responses', async (type, failed) => {
  const openHandler = { type: 'StaticResponseHandler', config: { status: 218 } };
  const paths = ['/no', '/', '/no', '/no', '/', '/no'];
  expect(await statuses([breaker({ openHandler })], dispatch(type), paths)).toEqual([
    ...[failed, 200, failed, failed],
    ...[218, 218],
  ]);
});

it('counts failures among the last requests', async () => {
  const filter = breaker({ slidingCounter: { size: 3 } });
  const paths = ['/no', '/', '/no', '/'];
  expect(await statuses([filter], dispatch('ReverseProxyHandler'), paths)).toEqual([502, 200, 502, 500]);
});

it('opens when a later object throws', async () => {
  const openHandler = { type: 'StaticResponseHandler', config: { status: 218 } };
  const inner = {
    type: 'Chain',
    config: { filters: [breaker({ maxFailures: 1 })], handler: dispatch('ClientHandler') },
  };
  const all = await statuses([breaker({ openHandler })], inner, ['/no', '/', '/']);
  expect(all).toEqual([500, 500, 218]); // the second one finds the inner circuit open
});

it.each(['500', '503', '404'])('responses do not count as failures: %s', async (status) => {
  const paths = Array.from({ length: 4 }, () => `/?status=${status}`);
  expect(await statuses([breaker()], dispatch('ReverseProxyHandler'), paths)).toEqual(paths.map(() => Number(status)));
});

it('passes all requests on when it is disabled', async () => {
  const paths = ['/no', '/no', '/no', '/'];
  expect(await statuses([breaker({ enabled: false })], dispatch('ReverseProxyHandler'), paths)).toEqual([
    ...[502, 502, 502],
    200,
  ]);
});

it('stays open when the configuration is rebuilt without a change of the filter', async () => {
  const gateway = await startFiltered([breaker()], dispatch('ReverseProxyHandler'));
  const document = (status: number, more: JsonObject = {}): JsonObject => ({
    handler: {
      type: 'Chain',
      config: {
        filters: [breaker(more)],
        handler: { type: 'StaticResponseHandler', config: { status } },
      },
    },
  });
  for (const path of ['/no', '/no']) await gateway.ask(path);
  const apply = (revision: string, base: JsonObject): void => {
    const update = { revision, base: { document: base, hash: revision }, set: [], remove: [], defaultSlots: {} };
    expect(gateway.configuration.apply(update)).toEqual([]);
  };
  apply('2', document(201));
  expect((await gateway.ask('/')).status).toBe(500);
  apply('3', document(202, { maxFailures: 3 }));
  expect((await gateway.ask('/')).status).toBe(202);
  apply('4', document(203));
  expect((await gateway.ask('/')).status).toBe(203);
});

describe('configurations', () => {
  it.each([
    [config, []],
    [{}, ['missing maxFailures: is required', 'missing openDuration: is required']],
    [
      { ...config, slidingCounter: { size: 2 } },
      ["value slidingCounter.size: must be greater than 'maxFailures', which is 2, not 2"],
    ],
    [{ ...config, maxFailures: 'many' }, ["value maxFailures: must be a whole number, not 'many'"]],
  ] as const)('with %j have the expected problems', (given, problems) => {
    expect(problemsOf('CircuitBreakerFilter', given as JsonObject)).toEqual(problems);
  });
});
