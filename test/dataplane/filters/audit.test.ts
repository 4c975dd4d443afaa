import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { problemsOf, startFiltered } from '../../support/gateways/filtered-gateway.ts';

const properties = { amount: { type: 'number', minimum: 0 }, path: { type: 'string' }, item: { type: 'object' } };
const schema: JsonObject = { type: 'object', properties, additionalProperties: false };

const service = (topic: JsonObject = {}): JsonObject => ({
  type: 'AuditService',
  config: {
    config: { topics: { orders: { schema, ...topic } } },
    eventHandlers: [
      {
        class: 'SyslogAuditEventHandler',
        config: {
          ...{ name: 'syslog', topics: ['orders'], protocol: 'UDP', host: '127.0.0.1', port: 514 },
          facility: 'LOCAL0',
        },
      },
    ],
  },
});

const filter = (config: JsonObject, topic: JsonObject = {}): JsonObject => ({
  type: 'AuditFilter',
  config: { auditService: service(topic), topic: 'orders', ...config },
});

const EVENT = {
  eventName: 'ORDER',
  amount: "${integer(request.headers['x-amount'][0])}",
  path: '${request.uri.path}',
};

describe('AuditFilter', () => {
  it('publishes an event of expressions when the response has come back', async () => {
    const event = {
      eventName: 'ORDER',
      amount: '${response.status.code}',
      item: { list: ['${request.method}', 1, null] },
    };
    const { ask, audited } = await startFiltered([filter({ event })]);
    expect((await ask('/o?status=201')).status).toBe(201);
    const published = await audited.event(0);
    expect(published).toMatchObject({ eventName: 'ORDER', amount: 201, item: { list: ['GET', 1, null] } });
    expect(Object.keys(published)).toEqual(['timestamp', 'transactionId', 'eventName', 'amount', 'item', '_id']);
    expect(audited.json[0]!.topic).toBe('orders');
  });

  it('publishes before the request is passed on, and only where the condition is true', async () => {
    const condition = "${request.method == 'POST'}";
    const { ask, audited, seen } = await startFiltered([filter({ event: EVENT, condition, messageType: 'REQUEST' })]);
    await ask('/get', { headers: ['X-Amount: 1'] });
    await ask('/post', { method: 'POST', headers: ['X-Amount: 2'], body: 'x' });
    expect(audited.json).toHaveLength(1);
    expect(await audited.event(0)).toMatchObject({ amount: 2, path: '/post' });
    expect(seen).toHaveLength(2);
  });

  it('logs a rejected event with its path, and lets the request go on', async () => {
    const { ask, audited, logged } = await startFiltered([filter({ event: EVENT })]);
    expect((await ask('/', { headers: ['X-Amount: -1'] })).status).toBe(200);
    expect(audited.json).toEqual([]);
    expect(logged).toContainEqual(
      expect.objectContaining({ msg: 'audit event rejected', topic: 'orders', reason: 'amount: must be >= 0' }),
    );
  });

  it.each(['REQUEST', 'RESPONSE'])('refuses a request whose required event is rejected: %s', async (messageType) => {
    const { ask, audited, seen } = await startFiltered([filter({ event: EVENT, required: true, messageType })]);
    expect((await ask('/', { headers: ['X-Amount: -1'] })).status).toBe(500);
    expect(seen).toHaveLength(messageType === 'REQUEST' ? 0 : 1);
    expect((await ask('/', { headers: ['X-Amount: 1'] })).status).toBe(200);
    expect(audited.json).toHaveLength(1);
  });

  it.each([
    ['REQUEST', '${true}', 503],
    ['REQUEST', '${false}', 200],
    ['RESPONSE', '${response.status.code == 200}', 503],
  ])(
    'refuses requests while the service has no room for events: %s, condition %s',
    async (messageType, condition, status) => {
      const { ask, audited, seen } = await startFiltered([filter({ event: { amount: 1 }, messageType, condition })]);
      audited.refusesTraffic = true;
      expect((await ask('/')).status).toBe(status);
      expect(seen).toHaveLength(status === 503 ? 0 : 1);
      expect(audited.json).toEqual([]);
      audited.refusesTraffic = false;
      expect((await ask('/')).status).toBe(200);
    },
  );

  it('rejects an event that is no map, misses a required field or has an unknown topic', async () => {
    const noMap = filter({ event: '${request.method}' });
    const missing = filter({ event: { path: '/' } }, { required: ['amount'] });
    const unknown = filter({ event: EVENT, topic: 'nosuch' });
    const { ask, audited, logged } = await startFiltered([noMap, missing, unknown]);
    expect((await ask('/', { headers: ['X-Amount: 1'] })).status).toBe(200);
    expect(audited.json).toEqual([]);
    const reasons = logged.filter(({ msg }) => msg === 'audit event rejected').map(({ reason }) => reason);
    expect(reasons.sort()).toEqual([
      'amount: is required',
      'the event is not a map',
      "there is no custom topic 'nosuch': its custom topics are orders",
    ]);
  });

  it('records only what the policies of the topic include', async () => {
    const filterPolicies = { field: { includeIf: ['/amount', '/item'], excludeIf: ['/item/secret'] } };
    const event = { amount: 1, path: '/', item: { secret: 's3cr3t', name: 'a' } };
    const { ask, audited } = await startFiltered([filter({ event }, { filterPolicies })]);
    await ask('/');
    const { timestamp: _, transactionId: __, _id, ...fields } = await audited.event(0);
    expect(fields).toEqual({ amount: 1, item: { name: 'a' } });
  });

  it('takes names of the language in the content of a client for names only', async () => {
    const { ask, audited } = await startFiltered([filter({ event: { item: '${request.entity.json}' } })]);
    const body = '{"__proto__":{"admin":true},"constructor":1,"toString":null}';
    await ask('/', { method: 'POST', body });
    const { item } = (await audited.event(0)) as { item: object };
    expect(audited.json[0]!.json).toContain(`"item":${body}`);
    expect(Object.keys(item)).toEqual(['__proto__', 'constructor', 'toString']);
    expect((Object.prototype as { admin?: boolean }).admin).toBeUndefined();
  });

  it.each([
    ['too long', JSON.stringify('a'.repeat(70_000)), 'must have at most 65536 characters'],
    ['too deep', `${'['.repeat(50)}${']'.repeat(50)}`, 'is nested more than 32 levels deep'],
    ['too many values', `[${Array(3000).fill(1).join()}]`, 'must have at most 2000 values'],
  ])('rejects an event whose content a client makes %s', async (_, content, reason) => {
    const { ask, audited, logged } = await startFiltered([filter({ event: { item: '${request.entity.json}' } })]);
    expect((await ask('/', { method: 'POST', body: `{"a":${content}}` })).status).toBe(200);
    expect(audited.json).toEqual([]);
    expect(JSON.stringify(logged)).toContain(reason);
  });

  it.each<[string, JsonObject, string]>([
    ['no service', { topic: 'a', event: {} }, 'missing auditService: is required'],
    ['no event', { auditService: service(), topic: 'a' }, 'missing event: '],
    ['a list', { auditService: service(), topic: 'a', event: [] }, 'value event: must be a map or an expression'],
    ['a bad expression', { auditService: service(), topic: 'a', event: { b: '${' } }, 'expression event: '],
    ['an unknown field', { auditService: service(), topic: 'a', event: {}, zz: 1 }, "zz: there is no field 'zz'"],
    [
      'a condition that never holds',
      { auditService: service(), topic: 'a', event: {}, condition: false },
      'never true',
    ],
  ])('reports %s', (_, config, problem) => {
    expect(problemsOf('AuditFilter', config).join('\n')).toContain(problem);
  });
});
