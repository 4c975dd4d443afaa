import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ManagedGateway, manageInstance } from '../../support/crest/managed-gateway.ts';

let gateway: ManagedGateway;

beforeAll(async () => {
  gateway = await manageInstance({
    'config/config.json': { handler: { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } } },
  });
});
afterAll(() => gateway.close());

const EVALUATE = 'POST /api/routes?_action=evaluate';

const request = {
  method: 'POST',
  uri: 'http://shop.test/orders?page=2',
  headers: { 'X-Tenant': 'eu' },
  entity: { a: 1 },
};
const evaluated = async (expression: string, properties = {}) => {
  const { status, body } = await gateway.send(EVALUATE, { expression, request, properties });
  expect(status).toBe(200);
  return body;
};

describe('the action evaluate', () => {
  it.each([
    ["${find(request.uri.path, '^/orders')}", 'Boolean', 'true'],
    ['${request.headers["X-Tenant"][0]}', 'String', '"eu"'],
    ['${request.queryParams["page"]}', 'List', '["2"]'],
    ['${request.entity.json.a + 1}', 'Long', '2'],
    ['${area}', 'String', '"north"'],
    ['to ${request.uri.host}', 'String', '"to shop.test"'],
    ["${find('aab', '(?=b)')}", 'Boolean', 'true'],
    ['${response}', 'null', 'null'],
  ])('returns the value and its type: %s', async (expression, type, value) => {
    expect(await evaluated(expression, { area: 'north' })).toMatchObject({ outcome: 'value', type, value });
  });

  it('tells where a text is no expression', async () => {
    expect(await evaluated('${request.method ==}')).toMatchObject({
      outcome: 'invalid',
      message: expect.any(String),
      offset: expect.any(Number),
    });
  });

  it('tells why an evaluation failed', async () => {
    expect(await evaluated('${request.method + 1}')).toMatchObject({ outcome: 'failed', message: expect.any(String) });
  });

  it('has the warnings of the check', async () => {
    const { warnings } = (await evaluated('${request.nothing}')) as { warnings: string[] };
    expect(warnings.join()).toContain('nothing');
  });

  it.each([
    "${env['PATH']}",
    "${system['user.home']}",
    '${openig.instanceDirectory.path}',
    "${read('/etc/hostname')}",
    '&{env}',
  ])('reads nothing of the gateway: %s', async (expression) => {
    const answer = await evaluated(expression);
    expect(answer).toMatchObject({ outcome: 'unavailable', message: expect.any(String) });
    expect(answer).not.toHaveProperty('value');
  });

  it('cuts off a long value', async () => {
    const { body } = await gateway.send(EVALUATE, {
      expression: '${request.entity.string}',
      request: { uri: '/', entity: 'x'.repeat(20_000) },
    });
    expect(String(body['value'])).toMatch(/^"x{8191}…$/);
  });

  it('stops a pattern that takes too long', async () => {
    const { body } = await gateway.send(EVALUATE, {
      expression: "${find(request.entity.string, '^((a+)+)+(?=b)c')}",
      request: { uri: '/', entity: `${'a'.repeat(3000)}!` },
    });
    expect(body['outcome']).toBe('failed');
  });

  it.each<[object, string]>([
    [{}, "'expression' must be a text"],
    [{ expression: 7 }, "'expression' must be a text"],
    [{ expression: 'x'.repeat(16_385) }, 'at most 16384 characters'],
    [{ expression: 'x', other: 1 }, "there is no 'other'"],
    [{ expression: 'x', properties: [] }, "'properties' must be an object"],
    [{ expression: 'x', request: { uri: 'nowhere' } }, "'uri' must be"],
  ])('rejects another body: %j', async (body, message) => {
    const answer = await gateway.send(EVALUATE, body as never);
    expect([answer.status, answer.body['message']]).toEqual([400, expect.stringContaining(message)]);
  });

  it.each<[string, object, string]>([
    ['1,001 header lines', { headers: { a: Array(1001).fill('x') } }, "'headers' must have at most 1000 lines"],
    ['a long header', { headers: { Cookie: 'a=b; '.repeat(30_000) } }, 'at most 131072 characters together'],
    ['a long URI', { uri: `/${'a'.repeat(131_072)}` }, 'at most 131072 characters together'],
    ['a long method', { method: 'A'.repeat(131_072) }, 'at most 131072 characters together'],
  ])('rejects a request that would hold the thread: %s', async (_, more, message) => {
    const answer = await gateway.send(EVALUATE, { expression: '${request.headers}', request: { uri: '/', ...more } });
    expect([answer.status, answer.body['message']]).toEqual([400, expect.stringContaining(message)]);
  });

  it('rejects properties with more values than a document has', async () => {
    const properties = { a: Array(10_001).fill(1) };
    const answer = await gateway.send(EVALUATE, { expression: '${a}', properties });
    expect([answer.status, answer.body['message']]).toEqual([400, "'properties' has more than 10000 values"]);
  });

  it.each(['${request.entity.json}', 'a ${request.entity.json}'])(
    'fails for a value that is nested too deeply: %s',
    async (expression) => {
      const entity = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
      const { status, body } = await gateway.send(EVALUATE, { expression, request: { uri: '/', entity } });
      expect([status, body]).toMatchObject([200, { outcome: 'failed', message: expect.any(String) }]);
    },
  );

  it('tells that a request has no valid host', async () => {
    const { body } = await gateway.send(EVALUATE, {
      expression: '${request.method}',
      request: { uri: 'http://a..b/' },
    });
    expect(body).toMatchObject({ outcome: 'failed', message: 'the sample request has no valid host' });
  });
});
