import { afterEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { startAccessManager } from '../../../support/access-manager/access-manager.ts';
import type { Policy } from '../../../support/access-manager/am-policies.ts';
import { EVALUATE, startPolicyGateway } from '../../../support/access-manager/policy-gateway.ts';

const MINUTE = 60_000;
const POLICY: Policy = { name: 'p', resources: ['http://gw.test/a*', 'http://gw.test/a*?*'], actions: { GET: true } };

afterEach(() => {
  vi.useRealTimers();
});

async function cached(config: JsonObject = {}, policy: Partial<Policy> = {}, more: JsonObject = {}) {
  const am = await startAccessManager({ policies: [{ ...POLICY, ...policy }], users: {} });
  const gateway = await startPolicyGateway(am, { cache: { enabled: true, ...config }, ...more });
  const token = am.sessions.create('demo').tokenId;
  /** Whether a request was answered without a question; it must have this status. */
  const isCached = async (target = '/a', status = 200, as = token): Promise<boolean> => {
    const before = gateway.questions().length;
    expect((await gateway.askAs(as, target)).status).toBe(status);
    return gateway.questions().length === before;
  };
  return { am, ...gateway, token, isCached };
}

describe('the decision cache', () => {
  it('answers for all methods of a resource from one decision, denials too', async () => {
    const { askAs, token, questions, seen } = await cached();
    for (const [method, status] of [
      ['GET', 200],
      ['POST', 403],
      ['GET', 200],
      ['DELETE', 403],
    ] as const) {
      expect((await askAs(token, '/a', { method })).status).toBe(status);
    }
    expect(questions()).toHaveLength(1);
    expect(seen).toHaveLength(2);
  });

  it('keeps decisions of resources, queries and users apart', async () => {
    const { am, isCached } = await cached({}, { users: ['demo'] });
    const other = am.sessions.create('eve').tokenId;
    expect(await isCached('/a')).toBe(false);
    expect(await isCached('/a', 403, other)).toBe(false);
    expect(await isCached('/a?x=1')).toBe(false);
    expect(await isCached('/a/b')).toBe(false);
    expect(await isCached('/a')).toBe(true);
    expect(await isCached('/a', 403, other)).toBe(true);
  });

  it('keeps decisions of environments apart, whatever a client writes into them', async () => {
    const environment = { A: "${request.headers['A'][0]}", B: "${request.headers['B'][0]}" };
    const condition: Policy['condition'] = (_, { A }) => (A?.[0] === 'good' ? null : {});
    const { askAs, token, questions } = await cached({}, { condition }, { environment });
    const requests = [
      ['A: good', 'B: x'],
      ['A: goodx'],
      ['A: good@B', 'B: x'],
      ['B: goodx'],
      ['A: good1.1:B1:x'],
      ['A: x', 'B: good'],
    ];
    for (const headers of requests) {
      const status = headers[0] === 'A: good' ? 200 : 403;
      expect([headers, (await askAs(token, '/a', { headers })).status]).toEqual([headers, status]);
    }
    expect(questions()).toHaveLength(requests.length);
  });

  it('keeps decisions of subjects apart that only look alike when joined', async () => {
    const more = {
      ssoTokenSubject: "${request.headers['S'][0]}",
      jwtSubject: "${request.headers['J'][0]}",
      claimsSubject: '${null}',
    };
    const { am, ask, questions } = await cached({}, {}, more);
    am.answer(EVALUATE, ({ body }) => {
      const { resources, subject } = JSON.parse(body) as { resources: string[]; subject: { jwt?: string } };
      const actions = { GET: subject.jwt === 'b' };
      return { status: 200, body: [{ resource: resources[0], actions, attributes: {}, advices: {} }] };
    });
    for (const [headers, status] of [
      [['S: a', 'J: b'], 200],
      [['S: ab'], 403],
      [['J: ab'], 403],
      [['S: a@b'], 403],
      [['S: b', 'J: a'], 403],
    ] as const) {
      expect((await ask('/a', { headers })).status).toBe(status);
    }
    expect(questions()).toHaveLength(5);
  });

  it('keeps nothing about a token that the access manager may know in another spelling', async () => {
    const { am, isCached } = await cached();
    am.answer(EVALUATE, ({ body }) => {
      const { resources } = JSON.parse(body) as { resources: string[] };
      return { status: 200, body: [{ resource: resources[0], actions: { GET: true }, attributes: {}, advices: {} }] };
    });
    for (let count = 0; count < 2; count++) expect(await isCached('/a', 200, '%41QIC')).toBe(false);
    expect(await isCached('/a', 200, 'AQIC')).toBe(false);
    expect(await isCached('/a', 200, 'AQIC')).toBe(true);
  });

  it('shares one question between requests at a time', async () => {
    const { am, askAs, token, questions } = await cached();
    await askAs(token, '/a/warm');
    const held = am.hold(EVALUATE);
    const answers = Promise.all(Array.from({ length: 10 }, () => askAs(token, '/a')));
    await held.untilWaiting();
    held.release();
    expect((await answers).map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(questions()).toHaveLength(2);
  });

  it('keeps a decision without an end for defaultTimeout', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { isCached } = await cached({ defaultTimeout: '10 seconds' });
    await isCached();
    vi.setSystemTime(Date.now() + 9999);
    expect(await isCached()).toBe(true);
    vi.setSystemTime(Date.now() + 1);
    expect(await isCached()).toBe(false);
  });

  it('keeps a decision until its ttl, at most for maximumTimeToCache', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const ttl = Date.now() + 2 * MINUTE;
    const { isCached } = await cached({ defaultTimeout: '1 second' }, { ttl });
    await isCached();
    vi.setSystemTime(ttl - 1);
    expect(await isCached()).toBe(true);
    vi.setSystemTime(ttl);
    expect(await isCached()).toBe(false);
    expect(await isCached()).toBe(false);
    const short = await cached({ maximumTimeToCache: '1 minute' }, { ttl: Date.now() + 5 * MINUTE });
    await short.isCached();
    vi.setSystemTime(Date.now() + MINUTE - 1);
    expect(await short.isCached()).toBe(true);
    vi.setSystemTime(Date.now() + 1);
    expect(await short.isCached()).toBe(false);
  });

  it('does not keep decisions with advices, or any with a defaultTimeout of zero', async () => {
    const advised = await cached({}, { condition: () => ({ AuthLevelConditionAdvice: ['5'] }) });
    expect(await advised.isCached('/a', 403)).toBe(false);
    expect(await advised.isCached('/a', 403)).toBe(false);
    const zero = await cached({ defaultTimeout: 'zero' });
    expect(await zero.isCached()).toBe(false);
    expect(await zero.isCached()).toBe(false);
  });

  it('removes the oldest decisions beyond maximumSize', async () => {
    const { isCached } = await cached({ maximumSize: 2 });
    for (const target of ['/a/1', '/a/2', '/a/3']) expect(await isCached(target)).toBe(false);
    expect([await isCached('/a/3'), await isCached('/a/2'), await isCached('/a/1')]).toEqual([true, true, false]);
  });

  it('counts hits, misses and evictions', async () => {
    const { isCached, counted } = await cached({ maximumSize: 1 });
    for (const target of ['/a', '/a', '/a/2']) await isCached(target);
    const found = counted.filter(({ labels }) => labels['content'] === 'policy_decision');
    expect(found.map(({ labels }) => labels['result'] ?? labels['cause'])).toEqual(['miss', 'hit', 'miss', 'size']);
  });

  it('is not shared by filters of other realms or policy sets', async () => {
    const { am, isCached, token } = await cached();
    const other = await startPolicyGateway(am, { application: 'other', cache: { enabled: true } });
    am.policies.policySets.add('other');
    await isCached();
    expect((await other.askAs(token, '/a')).status).toBe(403);
  });
});
