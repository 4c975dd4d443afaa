import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { type ConfiguredGateway, startConfigured } from '../../support/gateways/configured-gateway.ts';

const rate = { numberOfRequests: 3, duration: '1 hour' };
const passed = { type: 'StaticResponseHandler', config: { status: 200 } };

function throttle(name: string, requestGroupingPolicy = ''): JsonObject {
  return { name, type: 'ThrottlingFilter', config: { requestGroupingPolicy, rate } };
}

async function statuses({ url }: ConfiguredGateway, path: string): Promise<string> {
  const all: number[] = [];
  for (let i = 0; i < 4; i++) all.push((await fetch(`${url}${path}`)).status);
  return all.join(' ');
}

it.each([
  ['have the same name', [throttle('T'), throttle('T')]],
  [
    'have names and partitions that look the same when joined',
    [throttle('T', '3 3600000000000 x'), throttle('T 3 3600000000000', 'x')],
  ],
])('filters that %s count separately', async (_, filters) => {
  const gateway = await startConfigured({ handler: { type: 'Chain', config: { filters, handler: passed } } });
  onTestFinished(() => gateway.close());
  expect(await statuses(gateway, '/')).toBe('200 200 200 429');
});

it('filters of different routes count separately, even with dots in route names', async () => {
  const route = (path: string, name: string): JsonObject => ({
    condition: `\${request.uri.path == '${path}'}`,
    heap: [throttle(name)],
    handler: { type: 'Chain', config: { filters: [name], handler: passed } },
  });
  const routes = { a: route('/a', 'b.c'), 'a.b': route('/b', 'c') };
  const gateway = await startConfigured({ handler: { type: 'Router', name: '_router' } }, { routes });
  onTestFinished(() => gateway.close());
  expect(await statuses(gateway, '/a')).toBe('200 200 200 429');
  expect(await statuses(gateway, '/b')).toBe('200 200 200 429');
});
