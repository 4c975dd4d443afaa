import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { ActivityTokens, sessionHash } from '../../../dataplane/access-manager/sign-on/activity-tokens.ts';
import { directCipher } from '../../../dataplane/jose/direct-cipher.ts';
import { fixedSessionKeys } from '../../../dataplane/sessions/session-keys.ts';
import { startAccessManager } from '../../support/access-manager/access-manager.ts';
import { isHeld, TRACKER } from '../../support/access-manager/idle-gateway.ts';
import { amDeclaration } from '../../support/access-manager/policy-gateway.ts';
import { GatewayProcess } from '../../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';
import { plainExchange } from '../../support/gateways/plain-exchange.ts';
import { keyFolder } from '../../support/identity/key-folder.ts';

const HOUR = 3_600_000;
const INFO = '_action=getSessionInfo';
const method = 'A256GCM';

/** The cookie of a session that was last used at a time, as a gateway with this key writes it. */
function cookieOf(key: Buffer, token: string, seenAt: number): string {
  const keys = fixedSessionKeys(directCipher(method, createSecretKey(key))!);
  const cookie = { name: TRACKER, path: '/', httpOnly: true, secure: false, sameSite: 'LAX' } as const;
  const tokens = new ActivityTokens({ cookie, keys, realm: '', method });
  const [line = ''] = tokens.lines({ seenAt, idleTimeout: HOUR, session: sessionHash(token) }, plainExchange());
  return line.slice(0, line.indexOf(';'));
}

it('every unit of every instance with the key goes on with the cookie of one, and ends an idle session', async () => {
  const am = await startAccessManager();
  const key = randomBytes(32);
  const amService = amDeclaration(am, { sessionCache: { enabled: true } });
  const idle = {
    type: 'AmSessionIdleTimeoutFilter',
    config: {
      amService,
      idleTimeout: '1 hour',
      encryptionSecretId: 'key',
      secretsProvider: keyFolder({ key: { bytes: key, algorithm: 'AES' } }),
    },
  };
  const signOn = { type: 'SingleSignOnFilter', config: { amService } };
  const route = (path: string, filters: JsonObject[]): JsonObject => ({
    condition: `\${request.uri.path == '${path}'}`,
    handler: {
      type: 'Chain',
      config: { filters, handler: { type: 'StaticResponseHandler', config: { status: 200 } } },
    },
  });
  const start = async (): Promise<GatewayProcess> => {
    const folder = new InstanceFolder({
      'config/routes/idle.json': route('/idle', [idle]),
      'config/routes/signed-on.json': route('/signed-on', [idle, signOn]),
    });
    onTestFinished(() => folder[Symbol.dispose]());
    const plane = await GatewayProcess.run(folder.path, ['--units', '2']);
    onTestFinished(async () => void (await plane.stop()));
    return plane;
  };
  const planes = [await start(), await start()];
  /** On a connection of its own, which goes to any unit. */
  const ask = async (plane: GatewayProcess, path: string, cookies: readonly string[]): Promise<Response> => {
    const headers = { connection: 'close', cookie: cookies.join('; ') };
    const response = await fetch(`http://127.0.0.1:${plane.port}${path}`, { headers });
    await response.text();
    return response;
  };
  const { tokenId } = am.sessions.create('demo');
  const session = `${am.cookieName}=${tokenId}`;
  const first = await ask(planes[0]!, '/idle', [session]);
  const [tracker = ''] = first.headers.getSetCookie().map((line) => line.slice(0, line.indexOf(';')));
  expect(tracker).toMatch(/^x-ig-activity-tracker=./);
  for (let round = 0; round < 8; round++) {
    for (const plane of planes) expect((await ask(plane, '/idle', [session, tracker])).status).toBe(200);
  }
  expect(am.callsTo(INFO)).toHaveLength(1);

  // all units of the second instance have the session in their caches
  for (let round = 0; round < 8; round++) {
    expect((await ask(planes[1]!, '/signed-on', [session, tracker])).status).toBe(200);
  }
  const idleCookie = cookieOf(key, tokenId, Date.now() - HOUR);
  const ended = await ask(planes[1]!, '/signed-on', [session, idleCookie]);
  expect(ended.status).toBe(401);
  expect(ended.headers.getSetCookie()).toEqual([expect.stringMatching(/^x-ig-activity-tracker=; .*Max-Age=0/)]);
  expect(isHeld(am, tokenId)).toBe(false);
  for (let round = 0; round < 8; round++) {
    expect((await ask(planes[1]!, '/signed-on', [session, tracker])).status).toBe(401);
  }
});
