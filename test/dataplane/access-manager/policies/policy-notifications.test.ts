import { afterEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import type { DisconnectionStrategy } from '../../../../dataplane/oauth2/cache/disconnection.ts';
import { startAccessManager } from '../../../support/access-manager/access-manager.ts';
import type { Policy } from '../../../support/access-manager/am-policies.ts';
import { EVALUATE, quickNotifications, startPolicyGateway } from '../../../support/access-manager/policy-gateway.ts';

const POLICY: Policy = { name: 'p', resources: ['http://gw.test/a*'], actions: { GET: true } };
const SESSION = '/agent/session';
const POLICIES = '/agent/policy';

afterEach(() => {
  vi.useRealTimers();
});

/** A gateway whose decisions are evicted by notifications, connected unless told otherwise. */
async function notified(cache: JsonObject = {}, { isConnected = true, config = {} as JsonObject } = {}) {
  const am = await startAccessManager({ policies: [POLICY], users: {} });
  if (!isConnected) am.notifications.refusal = 503;
  const settings = { cache: { enabled: true, ...cache }, ...config };
  const gateway = await startPolicyGateway(am, settings, { service: quickNotifications });
  const token = am.sessions.create('demo').tokenId;
  const other = am.sessions.create('demo').tokenId;
  let fresh = 0;
  const statusOf = async (target: string, as = token): Promise<number> => (await gateway.askAs(as, target)).status;
  const until = async (status: number, target?: string, as?: string): Promise<void> => {
    while ((await statusOf(target ?? `/a/fresh-${fresh++}`, as)) !== status);
  };
  /** Where the answer to a request came from. */
  const source = async (target: string, as = token): Promise<'cached' | 'asked' | 'denied'> => {
    const before = gateway.questions().length;
    const status = await statusOf(target, as);
    if (status === 403) return 'denied';
    return gateway.questions().length === before ? 'cached' : 'asked';
  };
  const lose = async (): Promise<void> => {
    am.notifications.refusal = 503;
    am.notifications.terminate();
    await until(403);
  };
  const regain = async (): Promise<void> => {
    am.notifications.refusal = null;
    await until(200);
  };
  /** Resolves when all events that were sent before have arrived. */
  const settled = async (): Promise<void> => {
    const marker = am.sessions.create('demo').tokenId;
    await source('/a/marker', marker);
    am.notifications.push(SESSION, { tokenId: marker, eventType: 'LOGOUT' });
    while ((await source('/a/marker', marker)) === 'cached');
  };
  if (isConnected) await until(200);
  return { am, ...gateway, token, other, source, until, lose, regain, settled };
}

const strategies: [DisconnectionStrategy | null, string[], string[]][] = [
  ['NEVER_CLEAR', ['cached', 'denied'], ['cached', 'asked', 'cached']],
  ['CLEAR_ON_DISCONNECT', ['denied', 'denied'], ['asked', 'asked', 'cached']],
  [null, ['denied', 'denied'], ['asked', 'asked', 'cached']],
  ['CLEAR_ON_RECONNECT', ['cached', 'denied'], ['asked', 'asked', 'cached']],
];
const named = (strategy: DisconnectionStrategy | null): JsonObject =>
  strategy === null ? {} : { onNotificationDisconnection: strategy };

describe('policy decisions while notifications are lost', () => {
  it.each(strategies)('follow the strategy %s', async (strategy, lost, regained) => {
    const { source, lose, regain, seen } = await notified(named(strategy));
    expect(await source('/a/kept')).toBe('asked');
    for (let round = 0; round < 2; round++) {
      await lose();
      const before = seen.length;
      expect([await source('/a/kept'), await source(`/a/new-${round}`)]).toEqual(lost);
      expect(seen).toHaveLength(before + lost.filter((one) => one === 'cached').length);
      await regain();
      const back = [await source('/a/kept'), await source(`/a/new-${round}`), await source(`/a/new-${round}`)];
      expect(back).toEqual(regained);
    }
  });

  it('go to the failure handler, without a decision', async () => {
    const entity = 'denied ${empty contexts.policyDecision}';
    const failureHandler = { type: 'StaticResponseHandler', config: { status: 403, entity } };
    const { askAs, token, lose, counted } = await notified({}, { config: { failureHandler } });
    await lose();
    const { status, body } = await askAs(token, '/a/x');
    expect([status, body]).toEqual([403, 'denied true']);
    expect(counted).toContainEqual(
      expect.objectContaining({ labels: expect.objectContaining({ reason: 'policy-unheard' }) }),
    );
  });

  it.each(['NEVER_CLEAR', 'CLEAR_ON_RECONNECT'])('end with their ttl, with %s', async (strategy) => {
    const { source, lose } = await notified({ onNotificationDisconnection: strategy, defaultTimeout: '1 hour' });
    expect(await source('/a/kept')).toBe('asked');
    await lose();
    expect(await source('/a/kept')).toBe('cached');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    expect(await source('/a/kept')).toBe('denied');
  });

  it.each(strategies)('are denied before the first connection, with %s', async (strategy) => {
    const { source, regain, questions } = await notified(named(strategy), { isConnected: false });
    expect(await source('/a/x')).toBe('denied');
    expect(questions()).toEqual([]);
    await regain();
    expect([await source('/a/x'), await source('/a/x')]).toEqual(['asked', 'cached']);
  });

  it('are not given for a confirmed transaction either', async () => {
    const { askAs, token, lose } = await notified();
    await lose();
    expect((await askAs(token, '/a/x?_txid=t1')).status).toBe(403);
  });

  it('are asked for as usual where notifications are disabled, or nothing is cached', async () => {
    const am = await startAccessManager({ policies: [POLICY] });
    am.notifications.refusal = 503;
    const token = am.sessions.create('demo').tokenId;
    const disabled = await startPolicyGateway(am, { cache: { enabled: true } });
    const uncached = await startPolicyGateway(am, {}, { service: quickNotifications });
    expect((await disabled.askAs(token, '/a')).status).toBe(200);
    expect((await uncached.askAs(token, '/a')).status).toBe(200);
  });
});

describe('an event about policies', () => {
  it('evicts decisions, so that a changed policy counts', async () => {
    const { am, source, until } = await notified();
    expect([await source('/a/x'), await source('/a/x')]).toEqual(['asked', 'cached']);
    am.policies.set({ ...POLICY, actions: { GET: false } });
    await until(403, '/a/x');
    am.policies.set(POLICY);
    await until(200, '/a/x');
    am.policies.delete('p');
    await until(403, '/a/x');
  });

  it.each([
    ['realm and policy set', { realm: '/', policySet: 'iPlanetAMWebAgentService', policy: 'p', eventType: 'UPDATE' }],
    [
      'another policy set, where the filter names none',
      { realm: '/', policySet: 'x', policy: 'p', eventType: 'UPDATE' },
    ],
    ['no policy set', { realm: '/', policy: 'p', eventType: 'UPDATE' }],
    ['no realm', { policySet: 'iPlanetAMWebAgentService', eventType: 'UPDATE' }],
    ['nothing', { eventType: 'DELETE' }],
  ])('with %s evicts', async (_, body) => {
    const { am, source, settled } = await notified();
    await source('/a/x');
    am.notifications.push(POLICIES, body);
    await settled();
    expect(await source('/a/x')).toBe('asked');
  });

  it.each([
    ['another realm', { realm: '/other', policySet: 'orders', policy: 'p', eventType: 'UPDATE' }, 'cached'],
    [
      'a realm by the name of its directory entry',
      { realm: 'o=root,dc=openam', policySet: 'orders', policy: 'p', eventType: 'UPDATE' },
      'asked',
    ],
    ['another policy set', { realm: '/', policySet: 'invoices', policy: 'p', eventType: 'UPDATE' }, 'cached'],
    [
      'its policy set in another spelling',
      { realm: '', policySet: 'Orders', policy: 'p', eventType: 'UPDATE' },
      'asked',
    ],
  ])('of %s: a decision of the policy set orders is %s', async (_, body, expected) => {
    const am = await startAccessManager({ policies: [{ ...POLICY, policySet: 'orders' }], users: {} });
    const gateway = await startPolicyGateway(
      am,
      { application: 'orders', cache: { enabled: true } },
      { service: quickNotifications },
    );
    const [token, marker] = [am.sessions.create('demo').tokenId, am.sessions.create('demo').tokenId];
    while ((await gateway.askAs(token, '/a/x')).status !== 200);
    const asked = async (as: string): Promise<boolean> => {
      const before = gateway.questions().length;
      await gateway.askAs(as, '/a/x');
      return gateway.questions().length > before;
    };
    await asked(marker);
    am.notifications.push(POLICIES, body);
    am.notifications.push(SESSION, { tokenId: marker, eventType: 'LOGOUT' });
    while (!(await asked(marker)));
    expect(await asked(token)).toBe(expected === 'asked');
  });

  it('keeps an answer out of the cache that was asked for before', async () => {
    const { am, askAs, token, source, settled } = await notified();
    const held = am.hold(/POST \/json\/policies/);
    const before = askAs(token, '/a/x');
    await held.untilWaiting();
    am.notifications.push(POLICIES, { realm: '/', policySet: 'iPlanetAMWebAgentService', eventType: 'UPDATE' });
    held.release();
    expect((await before).status).toBe(200);
    await settled();
    expect(await source('/a/x')).toBe('asked');
  });

  it('is exact while requests run: nothing passes after the first denial', async () => {
    const { am, askAs, token, until } = await notified();
    await until(200, '/a/x');
    let firstDenial = Number.POSITIVE_INFINITY;
    let clock = 0;
    let isOver = false;
    const passed: number[] = [];
    const client = async (): Promise<void> => {
      while (!isOver) {
        const start = clock++;
        const { status } = await askAs(token, '/a/x');
        if (status === 200) passed.push(start);
        else firstDenial = Math.min(firstDenial, clock++);
      }
    };
    const clients = Array.from({ length: 6 }, client);
    for (let i = 0; i < 20; i++) await askAs(token, '/a/x');
    am.policies.set({ ...POLICY, actions: { GET: false } });
    await until(403, '/a/x');
    for (let i = 0; i < 20; i++) expect((await askAs(token, '/a/x')).status).toBe(403);
    isOver = true;
    await Promise.all(clients);
    expect(passed.length).toBeGreaterThan(0);
    expect(passed.filter((start) => start > firstDenial)).toEqual([]);
  });
});

describe('an event about sessions', () => {
  it.each(['LOGOUT', 'DESTROY', 'IDLE_TIMEOUT', 'MAX_TIMEOUT', 'PROPERTY_CHANGED'])(
    '%s evicts the decisions of that session only',
    async (eventType) => {
      const { am, token, other, source } = await notified();
      for (const as of [token, other]) for (const target of ['/a/x', '/a/y']) await source(target, as);
      am.notifications.push(SESSION, { tokenId: token, eventType });
      while ((await source('/a/x')) === 'cached');
      expect(await source('/a/y')).toBe('asked');
      expect([await source('/a/x', other), await source('/a/y', other)]).toEqual(['cached', 'cached']);
    },
  );

  it('that was created evicts nothing', async () => {
    const { am, token, source, settled } = await notified();
    await source('/a/x');
    am.notifications.push(SESSION, { tokenId: token, eventType: 'SESSION_CREATION' });
    am.notifications.push('/agent/session.v2', { sessionuid: 'u', eventType: 'SESSION_CREATION' });
    await settled();
    expect(await source('/a/x')).toBe('cached');
  });

  it('with the id of a session evicts decisions about sessions whose ids are not known', async () => {
    const { am, source, settled } = await notified();
    await source('/a/x');
    am.notifications.push('/agent/session.v2', { sessionuid: 'u', eventType: 'LOGOUT' });
    await settled();
    expect(await source('/a/x')).toBe('asked');
  });

  it('makes a logout count: the access manager no longer knows the subject', async () => {
    const { am, token, source, until } = await notified();
    await source('/a/x');
    am.sessions.end(token);
    await until(500, '/a/x');
    expect(am.callsTo(EVALUATE).length).toBeGreaterThan(1);
  });
});
