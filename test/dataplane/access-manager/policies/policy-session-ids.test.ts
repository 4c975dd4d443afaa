import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { startAccessManager } from '../../../support/access-manager/access-manager.ts';
import type { HeldSession } from '../../../support/access-manager/am-sessions.ts';
import {
  amDeclaration,
  quickNotifications,
  startPolicyGateway,
} from '../../../support/access-manager/policy-gateway.ts';

/**
 * A gateway that caches decisions, behind a SingleSignOnFilter. Its access manager tells the id of a session, unless its
 * version says otherwise.
 */
async function signedOn({ version = '7.5.0', config = {} as JsonObject } = {}) {
  const am = await startAccessManager({
    version,
    policies: [{ name: 'p', resources: ['http://gw.test/a*'], actions: { GET: true } }],
  });
  const before = [{ type: 'SingleSignOnFilter', config: { amService: amDeclaration(am) } }];
  const settings = { cache: { enabled: true }, ...config };
  const gateway = await startPolicyGateway(am, settings, { before, service: quickNotifications });
  const [one, other, marker] = ['demo', 'demo', 'demo'].map((name) => am.sessions.create(name)) as [
    HeldSession,
    HeldSession,
    HeldSession,
  ];
  const ask = (user: HeldSession, target = '/a', subject = user) =>
    gateway.askAs(subject.tokenId, target, { headers: [`Cookie: ${am.cookieName}=${user.tokenId}`] });
  /** Where the answer comes from; the subject is the user unless named. */
  const source = async (user: HeldSession, target = '/a', subject = user): Promise<'cached' | 'asked'> => {
    const asked = gateway.questions().length;
    expect((await ask(user, target, subject)).status).toBe(200);
    return gateway.questions().length === asked ? 'cached' : 'asked';
  };
  const end = ({ uid }: Pick<HeldSession, 'uid'>): void =>
    am.notifications.push('/agent/session.v2', { sessionuid: uid, eventType: 'PROPERTY_CHANGED' });
  /** Resolves when all events that were sent before were applied: they are applied in order. */
  const settled = async (): Promise<void> => {
    await ask(marker);
    am.notifications.push('/agent/session', { tokenId: marker.tokenId, eventType: 'PROPERTY_CHANGED' });
    while ((await source(marker)) === 'cached');
  };
  while ((await ask(marker)).status !== 200);
  return { am, one, other, ask, source, end, settled };
}

describe('an event with the id of a session', () => {
  it('evicts the decisions of that session, and no others', async () => {
    const { one, other, source, end, settled } = await signedOn();
    for (const user of [one, other]) for (const target of ['/a/x', '/a/y']) await source(user, target);
    end(one);
    await settled();
    expect([await source(one, '/a/x'), await source(one, '/a/y')]).toEqual(['asked', 'asked']);
    expect([await source(other, '/a/x'), await source(other, '/a/y')]).toEqual(['cached', 'cached']);
  });

  it('that is cached for nobody evicts nothing', async () => {
    const { one, source, end, settled } = await signedOn();
    await source(one);
    end({ uid: 'unknown' });
    await settled();
    expect(await source(one)).toBe('cached');
  });

  it('evicts decisions about another token than that of the sign-on, whose id is not known', async () => {
    const { one, other, source, end, settled } = await signedOn();
    await source(one);
    await source(one, '/a', other);
    end({ uid: 'unknown' });
    await settled();
    expect([await source(one), await source(one, '/a', other)]).toEqual(['cached', 'asked']);
  });

  it('evicts the decisions of all sessions where the access manager does not tell their ids', async () => {
    const { one, other, source, end, settled } = await signedOn({ version: '16.0.5' });
    for (const user of [one, other]) await source(user);
    end(one);
    await settled();
    expect([await source(one), await source(other)]).toEqual(['asked', 'asked']);
  });

  it('keeps an answer out of the cache that was asked for before', async () => {
    const { am, one, other, ask, source, end } = await signedOn();
    await source(other);
    const held = am.hold('POST /json/policies');
    const before = ask(one);
    await held.untilWaiting();
    end(one);
    am.notifications.push('/agent/session', { tokenId: other.tokenId, eventType: 'PROPERTY_CHANGED' });
    const repeated: Promise<unknown>[] = [];
    while (held.waiting < 2) {
      const answer = ask(other);
      repeated.push(answer);
      await Promise.race([answer, held.untilWaiting(2)]);
    }
    held.release();
    expect((await before).status).toBe(200);
    await Promise.all(repeated);
    expect([await source(one), await source(other)]).toEqual(['asked', 'cached']);
  });
});

it('an event without any id of a session evicts all decisions', async () => {
  const { am, one, source, settled } = await signedOn();
  await source(one);
  am.notifications.push('/agent/session.v2', { eventType: 'LOGOUT' });
  await settled();
  expect(await source(one)).toBe('asked');
});
