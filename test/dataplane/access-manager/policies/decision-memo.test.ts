import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { startAccessManager } from '../../../support/access-manager/access-manager.ts';
import type { Policy } from '../../../support/access-manager/am-policies.ts';
import { quickNotifications, startPolicyGateway } from '../../../support/access-manager/policy-gateway.ts';
import { connections, type OneConnection } from '../../../support/clients/one-connection.ts';

const POLICY: Policy = { name: 'p', resources: ['http://gw.test/a*', 'http://gw.test/a*?*'], actions: { GET: true } };

async function start(connect: (port: number) => OneConnection, policy: Partial<Policy> = {}, config: JsonObject = {}) {
  const am = await startAccessManager({ policies: [{ ...POLICY, ...policy }], users: {} });
  const gateway = await startPolicyGateway(am, { cache: { enabled: true }, ...config });
  const token = am.sessions.create('demo').tokenId;
  const client = connect(gateway.port);
  /** Status, and whether the access manager was asked. */
  const source = async (target: string, as = token, more: Readonly<Record<string, string>> = {}, method = 'GET') => {
    const before = gateway.questions().length;
    const status = await client.status(target, { 'X-Token': as, ...more }, method);
    return `${status} ${gateway.questions().length === before ? 'cached' : 'asked'}`;
  };
  return { am, gateway, token, source };
}

describe.each(connections)('decisions for one connection of %s', (_, connect) => {
  it('are asked for again wherever the path, the query, the subject or the environment differs', async () => {
    const condition: Policy['condition'] = (_context, { E }) => (E?.[0] === 'bad' ? {} : null);
    const environment = { E: "${request.headers['E']}" };
    const { am, token, source } = await start(connect, { users: ['demo'], condition }, { environment });
    const eve = am.sessions.create('eve').tokenId;
    const questions: [string, string, Record<string, string>, number][] = [
      ['/a', token, {}, 200],
      ['/a?x', token, {}, 200],
      ['/a/b', token, {}, 200],
      ['/a', eve, {}, 403],
      ['/a', token, { E: 'bad' }, 403],
      ['/a', token, { E: 'good' }, 200],
    ];
    for (const [target, as, more, status] of questions) expect(await source(target, as, more)).toBe(`${status} asked`);
    for (let round = 0; round < 3; round++) {
      for (const [target, as, more, status] of questions) {
        for (let again = 0; again < 3; again++) expect(await source(target, as, more)).toBe(`${status} cached`);
      }
    }
  });

  it('hold for each method by itself', async () => {
    const { token, source } = await start(connect);
    await source('/a');
    for (let round = 0; round < 3; round++) {
      expect(await source('/a', token, {}, 'GET')).toBe('200 cached');
      expect(await source('/a', token, {}, 'POST')).toBe('403 cached');
    }
  });

  it('end with their time', async () => {
    const { source } = await start(connect, {}, { cache: { enabled: true, maximumTimeToCache: '1 minute' } });
    await source('/a');
    for (let round = 0; round < 3; round++) expect(await source('/a')).toBe('200 cached');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    try {
      expect(await source('/a')).toBe('200 asked');
      expect(await source('/a')).toBe('200 cached');
    } finally {
      vi.useRealTimers();
    }
  });

  it('end when other decisions take their place in the cache', async () => {
    const { source } = await start(connect, {}, { cache: { enabled: true, maximumSize: 1 } });
    await source('/a');
    for (let round = 0; round < 3; round++) expect(await source('/a')).toBe('200 cached');
    expect(await source('/a/b')).toBe('200 asked');
    expect(await source('/a')).toBe('200 asked');
  });

  it('end with an event about a policy or about their session', async () => {
    const am = await startAccessManager({ policies: [POLICY], users: {} });
    const { port, questions } = await startPolicyGateway(
      am,
      { cache: { enabled: true } },
      { service: quickNotifications },
    );
    const client = connect(port);
    const token = am.sessions.create('demo').tokenId;
    const status = (): Promise<number> => client.status('/a', { 'X-Token': token });
    while ((await status()) !== 200); // until it is connected
    for (const push of [
      () => am.notifications.push('/agent/policy', { realm: '/', policySet: null, policy: 'p', eventType: 'UPDATE' }),
      () => am.notifications.push('/agent/session', { tokenId: token, eventType: 'PROPERTY_CHANGED' }),
    ]) {
      for (let round = 0; round < 3; round++) expect(await status()).toBe(200);
      const before = questions().length;
      push();
      while (questions().length === before) expect(await status()).toBe(200);
    }
  });

  it('end when notifications are lost', async () => {
    const am = await startAccessManager({ policies: [POLICY], users: {} });
    const { port } = await startPolicyGateway(am, { cache: { enabled: true } }, { service: quickNotifications });
    const client = connect(port);
    const token = am.sessions.create('demo').tokenId;
    const status = (): Promise<number> => client.status('/a', { 'X-Token': token });
    while ((await status()) !== 200);
    for (let round = 0; round < 3; round++) expect(await status()).toBe(200);
    am.notifications.refusal = 503;
    am.notifications.terminate();
    while ((await status()) !== 403);
    expect(await status()).toBe(403);
  });
});
