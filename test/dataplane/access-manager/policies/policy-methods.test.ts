import { expect, it } from 'vitest';
import { startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { EVALUATE, startPolicyGateway } from '../../../support/access-manager/policy-gateway.ts';

it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'get', 'GETX', 'G-ET', 'CONNECT', 'TRACE'])(
  'a request with the method %s never passes by a decision about GET, fresh or cached',
  async (method) => {
    const am = await startAccessManager();
    am.answer(EVALUATE, ({ body }) => {
      const [resource] = (JSON.parse(body) as { resources: string[] }).resources;
      return { status: 200, body: [{ resource, actions: { GET: true }, attributes: {}, advices: {} }] };
    });
    const { askAs, seen } = await startPolicyGateway(am, { cache: { enabled: true } });
    expect([400, 403, 405]).toContain((await askAs('t', '/a', { method })).status);
    expect((await askAs('t', '/a')).status).toBe(200);
    expect([400, 403, 405]).toContain((await askAs('t', '/a', { method })).status);
    expect(seen.map((request) => request.method)).toEqual(['GET']);
  },
);

it.each(['X-HTTP-Method-Override: GET', 'X-Method-Override: GET', 'X-HTTP-Method: GET'])(
  'the method that counts is that of the request line, whatever %s says',
  async (header) => {
    const policies = [{ name: 'p', resources: ['http://gw.test/a'], actions: { GET: true, DELETE: false } }];
    const am = await startAccessManager({ policies });
    const { askAs, seen } = await startPolicyGateway(am);
    const { tokenId } = am.sessions.create('demo');
    expect((await askAs(tokenId, '/a', { method: 'DELETE', headers: [header] })).status).toBe(403);
    expect(seen).toEqual([]);
  },
);
