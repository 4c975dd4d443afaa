import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { type AccessManager, startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { quickNotifications } from '../../../support/access-manager/policy-gateway.ts';
import { amServiceFor } from '../../../support/access-manager/sign-on-gateway.ts';
import { ScriptedBackend } from '../../../support/backends/scripted-backend.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { clientFrame, frame, framesIn } from '../../../support/clients/websocket-frames.ts';
import { afterHead, switching, UPGRADE } from '../../../support/clients/websocket-upgrade.ts';
import { startConfigured } from '../../../support/gateways/configured-gateway.ts';

const ALLOWED = { name: 'sockets', resources: ['*://*:*/socket'], actions: { GET: true } };
const policies: JsonObject = {
  type: 'PolicyEnforcementFilter',
  config: {
    amService: 'AmService-1',
    ssoTokenSubject: '${contexts.ssoToken.value}',
    cache: { enabled: true },
  },
};

/** An application with websockets behind filters. Each frame comes back. */
async function startSockets(am: AccessManager, filters: readonly JsonObject[], service: JsonObject = {}) {
  const backend = await ScriptedBackend.start(
    switching(async (peer) => {
      for (
        let count = 1;
        await peer.until((text) => framesIn(text).length === count).then(() => !peer.ended);
        count++
      ) {
        peer.send(frame({ payload: `echo ${framesIn(peer.received).at(-1)!.payload}` }));
      }
    }),
  );
  const signOn = { type: 'SingleSignOnFilter', config: { amService: 'AmService-1' } };
  const handler = { type: 'ReverseProxyHandler', config: { websocket: { enabled: true } } };
  const route = {
    heap: [amServiceFor(am.url, service)],
    handler: { type: 'Chain', config: { filters: [signOn, ...filters], handler } },
    baseURI: `http://127.0.0.1:${backend.port}`,
  };
  const gateway = await startConfigured({}, { routes: { app: route } });
  onTestFinished(async () => {
    await gateway.close();
    await backend.close();
  });
  const open = async (token: string | null): Promise<RawClient> => {
    const client = await RawClient.connect(gateway.port);
    onTestFinished(() => client.destroy());
    const cookie = token === null ? '' : `Cookie: ${am.cookieName}=${token}\r\n`;
    client.send(`GET /socket HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\n${cookie}${UPGRADE}\r\n`);
    await client.until((text) => text.includes('\r\n\r\n'));
    return client;
  };
  return { backend, gateway, open };
}

/** Sends a text over an open websocket, and waits for its echo. */
async function say(client: RawClient, text: string): Promise<void> {
  client.send(clientFrame({ payload: text }));
  await client.until((all) => all.endsWith(`echo ${text}`));
}

const statusOf = (client: RawClient): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(client.text)?.[1]);

describe('an upgrade to a WebSocket', () => {
  it('passes a SingleSignOnFilter and a PolicyEnforcementFilter with a session that a policy allows', async () => {
    const am = await startAccessManager({ policies: [ALLOWED] });
    const { open } = await startSockets(am, [policies]);
    const client = await open(am.sessions.create('demo').tokenId);
    expect(statusOf(client)).toBe(101);
    await say(client, 'hello');
    expect(framesIn(afterHead(client.text)).map(({ payload }) => String(payload))).toEqual(['echo hello']);
  });

  it.each([
    ['without a session', null],
    ['with an invalid session', 'AQIC-made-up'],
  ])('gets 401 %s, and never reaches the application', async (_, token) => {
    const am = await startAccessManager();
    const { backend, open, gateway } = await startSockets(am, []);
    expect(statusOf(await open(token))).toBe(401);
    expect(gateway.finished.at(-1)?.decision).toMatchObject({ refusal: 'sign-in-needed' });
    expect(backend.peers).toHaveLength(0);
  });

  it('gets 403 where no policy allows it, and never reaches the application', async () => {
    const am = await startAccessManager({ policies: [{ ...ALLOWED, actions: { GET: false } }] });
    const { backend, open, gateway } = await startSockets(am, [policies]);
    expect(statusOf(await open(am.sessions.create('demo').tokenId))).toBe(403);
    expect(gateway.finished.at(-1)?.decision).toMatchObject({ refusal: 'policy-denied' });
    expect(backend.peers).toHaveLength(0);
  });

  it('that passed stays open when its session ends, while new ones get 401', async () => {
    const am = await startAccessManager({ policies: [ALLOWED] });
    const cached = { ...quickNotifications, sessionCache: { enabled: true } };
    const { open } = await startSockets(am, [policies], cached);
    await am.notifications.untilSubscribed('/agent/session');
    const { tokenId } = am.sessions.create('demo');
    const client = await open(tokenId);
    await say(client, 'before');
    am.sessions.end(tokenId);
    expect(statusOf(await open(tokenId))).toBe(401);
    await say(client, 'after');
    expect(client.closed).toBe(false);
  });
});
