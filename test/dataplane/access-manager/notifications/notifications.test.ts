import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import type { Notifications } from '../../../../dataplane/heap/objects/am-service.ts';
import { type AccessManager, startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { AGENT } from '../../../support/access-manager/am-identities.ts';
import { buildObject } from '../../../support/gateways/built-object.ts';
import { inlineSecrets } from '../../../support/identity/inline-secrets.ts';

/** What a listener heard, in order. */
interface Heard {
  readonly notifications: Notifications;
  readonly events: unknown[];
  readonly logged: Record<string, unknown>[];
  /** Resolves when something was heard so often. */
  until(count: number): Promise<void>;
  end(): void;
}

function listen(am: AccessManager, more: JsonObject = {}): Heard {
  const { object, logged } = buildObject('amService', 'AmService', {
    url: am.url,
    agent: { username: AGENT.username, passwordSecretId: 'agent.password' },
    secretsProvider: inlineSecrets({ 'agent.password': AGENT.password }),
    notifications: { reconnectDelay: '20 milliseconds', ...more },
  });
  const notifications = object.notifications!;
  const events: unknown[] = [];
  let wake = (): void => {};
  const add = (event: unknown): void => {
    events.push(event);
    wake();
  };
  const end = notifications.watch({
    session: (event) => add(['session', event]),
    policy: (event) => add(['policy', event]),
    token: (event) => add(['token', event]),
    lost: () => add('lost'),
    regained: () => add('regained'),
  });
  onTestFinished(end);
  return {
    notifications,
    events,
    logged,
    end,
    until: async (count) => {
      while (events.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

const EVERYTHING = [
  ['session', { tokenId: null, sessionUid: null, type: 'UNCLEAR' }],
  ['policy', { realm: null, policySet: null, policy: null, type: 'UNCLEAR' }],
  ['token', { grantId: null, tokenId: null, type: 'UNCLEAR' }],
];

it('opens no connection before somebody watches', async () => {
  const am = await startAccessManager();
  const { object } = buildObject('amService', 'AmService', {
    url: am.url,
    agent: { username: AGENT.username, passwordSecretId: 'agent.password' },
    secretsProvider: inlineSecrets({ 'agent.password': AGENT.password }),
  });
  expect(object.notifications!.isHeard).toBe(false);
  expect(am.calls).toEqual([]);
});

it('has no notifications where they are disabled', async () => {
  const { object } = buildObject('amService', 'AmService', {
    url: 'https://am.example.com',
    agent: { username: AGENT.username, passwordSecretId: 'agent.password' },
    secretsProvider: inlineSecrets({ 'agent.password': AGENT.password }),
    notifications: { enabled: false },
  });
  expect(object.notifications).toBeNull();
});

it('subscribes as the agent and hears events once all subscriptions are confirmed', async () => {
  const am = await startAccessManager();
  const { events, notifications, until } = listen(am);
  expect(notifications.isHeard).toBe(false);
  await until(1);
  expect(events).toEqual(['regained']);
  expect(notifications.isHeard).toBe(true);
  const [socket] = am.notifications.open;
  expect([...socket!.topics]).toEqual(['/agent/session', '/agent/session.v2', '/agent/policy', '/oauth2/grant']);
});

it.each([false, true])('reads events in order, with the envelope or bare (%s)', async (bare) => {
  const am = await startAccessManager();
  const { events, until } = listen(am);
  await until(1);
  am.notifications.bare = bare;
  am.notifications.push('/agent/session', { tokenId: 't1', eventType: 'SESSION_CREATION' });
  am.notifications.push('/agent/session', { tokenId: 't1', eventType: 'LOGOUT' });
  am.notifications.push('/agent/session.v2', { sessionuid: 'u1', eventType: 'IDLE_TIMEOUT' });
  am.notifications.push('/agent/policy', { realm: '/', policy: 'p', policySet: 's', eventType: 'UPDATE' });
  am.notifications.push('/oauth2/grant', { grantId: 'g', eventType: 'REVOKED' });
  const both = bare ? [['token', { grantId: null, tokenId: 't1', type: 'LOGOUT' }]] : [];
  const expected = [
    'regained',
    ['session', { tokenId: 't1', sessionUid: null, type: 'LOGOUT' }],
    ...both,
    ['session', { tokenId: null, sessionUid: 'u1', type: 'IDLE_TIMEOUT' }],
    ['policy', { realm: '/', policySet: 's', policy: 'p', type: 'UPDATE' }],
    ['token', { grantId: 'g', tokenId: null, type: 'REVOKED' }],
  ];
  await until(expected.length);
  expect(events).toEqual(expected);
});

it('reads topic and fields of token events as configured', async () => {
  const am = await startAccessManager({ tokenTopic: '/revoked' });
  const fields = { tokenTopic: '/revoked', tokenFields: { grantId: ['family'], tokenId: ['token'] } };
  const { events, until } = listen(am, fields);
  await until(1);
  am.notifications.push('/revoked', { family: 'f', token: 't', eventType: 'GONE' });
  await until(2);
  expect(events[1]).toEqual(['token', { grantId: 'f', tokenId: 't', type: 'GONE' }]);
});

describe('a message that cannot be understood clears everything', () => {
  it.each<[string, string | Buffer]>([
    ['no JSON', '{'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a binary message', Buffer.from('{}')],
    ['an unknown event', '{"what":"ever"}'],
    ['an envelope without a body', '{"topic":"/agent/session","timestamp":1}'],
    ['a session event without a session', '{"topic":"/agent/session","body":{"eventType":"LOGOUT"}}'],
    ['a token event without a token', '{"topic":"/oauth2/grant","body":{"grantId":7}}'],
    ['a message that is too long', JSON.stringify({ tokenId: 'x'.repeat(3000) })],
    ['an id that is too long', JSON.stringify({ tokenId: 'x'.repeat(20_000), eventType: 'LOGOUT' })],
  ])('%s', async (what, message) => {
    const am = await startAccessManager();
    const limit = what === 'an id that is too long' ? 100_000 : 2000;
    const { events, until, notifications } = listen(am, { vertx: { maxWebSocketMessageSize: limit } });
    await until(1);
    am.notifications.pushRaw(message);
    await until(4);
    expect(events.slice(1, 4)).toEqual(EVERYTHING);
    expect(notifications.isHeard).toBe(true);
  });
});

it('ignores events of topics that nobody subscribed to', async () => {
  const am = await startAccessManager();
  const { events, until } = listen(am);
  await until(1);
  am.notifications.pushRaw('{"topic":"/agent/config","timestamp":1,"body":{"realm":"/"}}');
  am.notifications.push('/oauth2/grant', { grantId: 'g' });
  await until(2);
  expect(events[1]).toEqual(['token', { grantId: 'g', tokenId: null, type: '' }]);
});

describe('a lost connection', () => {
  it.each(['close', 'terminate'] as const)('is made again after %s', async (how) => {
    const am = await startAccessManager();
    const { events, until, notifications } = listen(am);
    await until(1);
    am.notifications[how]();
    await until(3);
    expect(events).toEqual(['regained', 'lost', 'regained']);
    expect(notifications.isHeard).toBe(true);
    expect(am.callsTo('authIndexValue=Application')).toHaveLength(1);
  });

  it('is made again with a new token where the access manager rejects the old one', async () => {
    const am = await startAccessManager();
    const { until, events } = listen(am);
    await until(1);
    am.notifications.refusal = 503;
    am.notifications.terminate();
    await am.notifications.untilHandshakes(2);
    for (const { tokenId } of am.sessions.all) am.sessions.forget(tokenId);
    am.notifications.refusal = null;
    await until(3);
    expect(events).toEqual(['regained', 'lost', 'regained']);
    expect(am.notifications.handshakes.filter((status) => status === 401)).toHaveLength(1);
  });

  it('is noticed within the heartbeat where it is half-open', async () => {
    const am = await startAccessManager();
    const { until, events } = listen(am, { heartbeatInterval: '300 milliseconds' });
    await until(1);
    am.notifications.isSilent = true;
    await until(2);
    expect(events).toEqual(['regained', 'lost']);
  });

  it('tells of a refused subscription, and does not pretend to hear', async () => {
    const am = await startAccessManager();
    am.notifications.refusedTopics.add('/oauth2/grant');
    const { notifications, logged, events } = listen(am);
    await am.notifications.untilHandshakes(2);
    expect(notifications.isHeard).toBe(false);
    expect(events).toEqual([]);
    expect(JSON.stringify(logged)).toContain('refused the subscription to /oauth2/grant');
  });

  it('does without events by session id where the access manager has none', async () => {
    const am = await startAccessManager();
    am.notifications.refusedTopics.add('/agent/session.v2');
    const { until, notifications } = listen(am);
    await until(1);
    expect(notifications.isHeard).toBe(true);
  });
});

it('keeps a quiet connection alive by PING frames', async () => {
  const am = await startAccessManager();
  const { until, events } = listen(am, { heartbeatInterval: '4 seconds' });
  await until(1);
  await am.notifications.until(() => am.notifications.open[0]!.pings >= 1);
  expect(events).toEqual(['regained']);
});

it('replaces an old connection without a gap', async () => {
  const am = await startAccessManager();
  const { until, events, notifications } = listen(am, { renewalDelay: '50 milliseconds' });
  await until(1);
  await am.notifications.untilHandshakes(4);
  expect(events).toEqual(['regained']);
  expect(notifications.isHeard).toBe(true);
});

it('hears events that arrive on an old connection after the new one took over', async () => {
  const am = await startAccessManager();
  const { until, events } = listen(am, { renewalDelay: '100 milliseconds' });
  await until(1);
  await am.notifications.untilSubscribed('/oauth2/grant', 2);
  am.notifications.refusal = 503;
  const [old, replacement] = am.notifications.open;
  const isRead = once(replacement!.socket, 'pong');
  replacement!.socket.ping();
  await isRead;
  old!.socket.send('{"topic":"/agent/session","timestamp":1,"body":{"tokenId":"late","eventType":"LOGOUT"}}');
  await until(2);
  expect(events[1]).toEqual(['session', { tokenId: 'late', sessionUid: null, type: 'LOGOUT' }]);
});

it('counts an old connection that breaks off after the new one took over as events that were missed', async () => {
  const am = await startAccessManager();
  const { until, events, notifications } = listen(am, { renewalDelay: '100 milliseconds' });
  await until(1);
  await am.notifications.untilSubscribed('/oauth2/grant', 2);
  am.notifications.refusal = 503;
  const [old, replacement] = am.notifications.open;
  const isRead = once(replacement!.socket, 'pong');
  replacement!.socket.ping();
  await isRead;
  old!.socket.terminate();
  await until(3);
  expect(events).toEqual(['regained', 'lost', 'regained']);
  expect(notifications.isHeard).toBe(true);
});

it('closes old connections', async () => {
  const am = await startAccessManager();
  const { until } = listen(am, { renewalDelay: '20 milliseconds' });
  await until(1);
  await am.notifications.untilHandshakes(8);
  expect(am.notifications.open.length).toBeLessThan(5);
});

it('logs an error after the first attempts and goes on', async () => {
  const am = await startAccessManager();
  am.notifications.refusal = 503;
  const { until, logged } = listen(am, { initialConnectionAttempts: 2 });
  await am.notifications.untilHandshakes(3);
  am.notifications.refusal = null;
  await until(1);
  const errors = logged.filter(({ level }) => level === 50);
  expect(errors).toEqual([expect.objectContaining({ attempts: 2 })]);
});

it('closes its connection when nobody watches any more', async () => {
  const am = await startAccessManager();
  const { until, end, notifications } = listen(am);
  await until(1);
  end();
  await am.notifications.untilNoneOpen();
  expect(notifications.isHeard).toBe(false);
});
