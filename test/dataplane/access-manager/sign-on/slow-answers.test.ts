import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { COUNTER, counters } from '../../../../dataplane/engine/wire/counters.ts';
import { type AccessManager, startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { type SignOnGateway, startSignOn } from '../../../support/access-manager/sign-on-gateway.ts';
import { untilAnswers } from '../../../support/clients/answers.ts';
import { untilTrue } from '../../../support/clients/event-loop.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { StoppedClock } from '../../../support/gateways/stopped-clock.ts';

const SESSION = '_action=getSessionInfo';
const DECISION = '_action=evaluate';
const policies: JsonObject = {
  type: 'PolicyEnforcementFilter',
  config: { amService: 'AmService-1', ssoTokenSubject: '${contexts.ssoToken.value}', cache: { enabled: true } },
};
const active = (): number => counters.block[COUNTER.requestsActive]!;

/** An application behind sign-on and policies that are cached. */
async function start(): Promise<{
  am: AccessManager;
  gateway: SignOnGateway;
  send(token: string): Promise<RawClient>;
}> {
  const am = await startAccessManager({
    policies: [{ name: 'all', resources: ['*://*:*/*'], actions: { GET: true } }],
  });
  const gateway = await startSignOn(am, { service: { sessionCache: { enabled: true } }, filters: [policies] });
  const send = async (token: string): Promise<RawClient> => {
    const client = await RawClient.connect(gateway.port);
    onTestFinished(() => client.destroy());
    client.send(`GET /a HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\nCookie: ${am.cookieName}=${token}\r\n\r\n`);
    return client;
  };
  // everything that is asked for once is known, such as the token of the agent
  const first = await send(am.sessions.create('demo').tokenId);
  expect((await untilAnswers(first, 1))[0]?.status).toBe(200);
  first.destroy();
  await untilTrue(() => active() === 0);
  return { am, gateway, send };
}

describe('while the access manager is slow', () => {
  it.each([
    ['a session', SESSION, 'session-unchecked'],
    ['a decision', DECISION, 'policy-undecided'],
  ])(
    'requests for %s share one call, get 500 when it takes too long, and later ones ask again',
    async (_, what, code) => {
      const { am, gateway, send } = await start();
      const { tokenId } = am.sessions.create('demo');
      const before = am.callsTo(what).length;
      const held = am.hold(what);
      const clock = new StoppedClock();
      const clients = await Promise.all(Array.from({ length: 5 }, () => send(tokenId)));
      await held.untilWaiting();
      await untilTrue(() => active() === 5);
      const answers = await clock.passUntil(Promise.all(clients.map((client) => untilAnswers(client, 1))), 1000);
      expect(answers.map(([answer]) => answer?.status)).toEqual([500, 500, 500, 500, 500]);
      expect(gateway.finished.slice(-5).map(({ decision }) => decision?.refusal)).toEqual(Array(5).fill(code));
      expect(am.callsTo(what)).toHaveLength(before + 1);
      held.release();
      expect((await untilAnswers(await send(tokenId), 1))[0]?.status).toBe(200);
      expect(gateway.seen).toHaveLength(2);
    },
  );

  it.each([
    ['a session', SESSION],
    ['a decision', DECISION],
  ])('a client that leaves does not take the answer about %s from others that wait for it', async (_, what) => {
    const { am, gateway, send } = await start();
    const { tokenId } = am.sessions.create('demo');
    const before = am.callsTo(what).length;
    const held = am.hold(what);
    const first = await send(tokenId);
    await held.untilWaiting();
    const others = [await send(tokenId), await send(tokenId)];
    await untilTrue(() => active() === 3);
    first.destroy();
    await untilTrue(() => active() === 2);
    held.release();
    for (const client of others) expect((await untilAnswers(client, 1))[0]?.status).toBe(200);
    expect(am.callsTo(what)).toHaveLength(before + 1);
    expect(gateway.seen).toHaveLength(3);
    expect((await untilAnswers(await send(tokenId), 1))[0]?.status).toBe(200);
    expect(am.callsTo(what)).toHaveLength(before + 1);
  });

  it('clients that all leave keep nothing open', async () => {
    const { am, gateway, send } = await start();
    const held = am.hold(SESSION);
    const clients = await Promise.all(Array.from({ length: 5 }, () => send(am.sessions.create('demo').tokenId)));
    await held.untilWaiting(5);
    for (const client of clients) client.destroy();
    await untilTrue(() => active() === 0);
    held.release();
    await untilTrue(() => counters.block[COUNTER.backendWaiting] === 0);
    expect(gateway.seen).toHaveLength(1);
    expect(gateway.finished.slice(-5).map(({ decision }) => decision)).toEqual(Array(5).fill(null));
  });
});
