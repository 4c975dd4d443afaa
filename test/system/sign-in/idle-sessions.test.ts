import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { type AccessManager, startAccessManager } from '../../support/access-manager/access-manager.ts';
import { isHeld, TRACKER, trackerOf } from '../../support/access-manager/idle-gateway.ts';
import { amDeclaration } from '../../support/access-manager/policy-gateway.ts';
import { GatewayProcess } from '../../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';
import { keyFolder } from '../../support/identity/key-folder.ts';

const HOUR = 3_600_000;
const INFO = '_action=getSessionInfo';

interface Setting {
  readonly am: AccessManager;
  readonly planes: readonly GatewayProcess[];
  /** Asks on a connection of its own, which goes to any unit. */
  ask(plane: GatewayProcess, path: string, cookies: readonly string[]): Promise<Response>;
}

/** Two instances with two units each, whose sessions are cached. @param keys of each instance */
async function start(keys: readonly [Buffer, Buffer]): Promise<Setting> {
  const am = await startAccessManager();
  const amService = amDeclaration(am, { sessionCache: { enabled: true } });
  const signOn = { type: 'SingleSignOnFilter', config: { amService } };
  const route = (path: string, filters: JsonObject[]): JsonObject => ({
    condition: `\${request.uri.path == '${path}'}`,
    handler: {
      type: 'Chain',
      config: { filters, handler: { type: 'StaticResponseHandler', config: { status: 200 } } },
    },
  });
  const planes: GatewayProcess[] = [];
  for (const key of keys) {
    const secretsProvider = keyFolder({ key: { bytes: key, algorithm: 'AES' } });
    const idle = {
      type: 'AmSessionIdleTimeoutFilter',
      config: { amService, idleTimeout: '1 hour', encryptionSecretId: 'key', secretsProvider },
    };
    const folder = new InstanceFolder({
      'config/routes/idle.json': route('/idle', [idle]),
      'config/routes/signed-on.json': route('/signed-on', [idle, signOn]),
      'config/routes/untracked.json': route('/untracked', [signOn]),
    });
    onTestFinished(() => folder[Symbol.dispose]());
    const plane = await GatewayProcess.run(folder.path, ['--units', '2']);
    onTestFinished(async () => void (await plane.stop()));
    planes.push(plane);
  }
  const ask: Setting['ask'] = async (plane, path, cookies) => {
    const headers = { connection: 'close', cookie: cookies.join('; ') };
    const response = await fetch(`http://127.0.0.1:${plane.port}${path}`, { headers });
    await response.text();
    return response;
  };
  return { am, planes, ask };
}

const setTracker = (response: Response): string =>
  response.headers
    .getSetCookie()
    .filter((line) => line.startsWith(TRACKER))
    .map((line) => line.slice(0, line.indexOf(';')))[0]!;

it('every unit of every instance with the key goes on with the cookie of one, and ends an idle session', async () => {
  const key = randomBytes(32);
  const { am, planes, ask } = await start([key, key]);
  const { tokenId } = am.sessions.create('demo', { isClientSide: true });
  const session = `${am.cookieName}=${tokenId}`;
  const first = await ask(planes[0]!, '/idle', [session]);
  const tracker = setTracker(first);
  expect(tracker).toMatch(/^x-ig-activity-tracker=./);
  for (let round = 0; round < 8; round++) {
    for (const plane of planes) expect((await ask(plane, '/idle', [session, tracker])).status).toBe(200);
  }
  expect(am.callsTo(INFO)).toHaveLength(1);

  // all units of the second instance have the session in their caches
  for (let round = 0; round < 8; round++) {
    expect((await ask(planes[1]!, '/signed-on', [session, tracker])).status).toBe(200);
  }
  const idleCookie = trackerOf(key, tokenId, Date.now() - HOUR, HOUR);
  const ended = await ask(planes[1]!, '/signed-on', [session, idleCookie]);
  expect(ended.status).toBe(401);
  expect(ended.headers.getSetCookie()).toEqual([expect.stringMatching(/^x-ig-activity-tracker=; .*Max-Age=0/)]);
  expect(isHeld(am, tokenId)).toBe(false);
  for (let round = 0; round < 8; round++) {
    expect((await ask(planes[1]!, '/signed-on', [session, tracker])).status).toBe(401);
  }
});

it('a session in use goes on at instances with other keys, at every unit, whatever is cached of it', async () => {
  const { am, planes, ask } = await start([randomBytes(32), randomBytes(32)]);
  const session = am.sessions.create('demo', { isClientSide: true });
  const cookie = `${am.cookieName}=${session.tokenId}`;
  session.latestAccess = Date.now() - 2 * HOUR;
  // all units have the session in their caches, as it was before it was used again
  for (let round = 0; round < 8; round++) {
    for (const plane of planes) expect((await ask(plane, '/untracked', [cookie])).status).toBe(200);
  }
  session.latestAccess = Date.now();
  for (let round = 0; round < 8; round++) {
    for (const plane of planes) expect((await ask(plane, '/signed-on', [cookie])).status).toBe(200);
  }
  const trackers = await Promise.all(planes.map(async (plane) => setTracker(await ask(plane, '/signed-on', [cookie]))));
  session.latestAccess = Date.now() - 2 * HOUR; // from here on only the cookies tell
  for (const plane of planes) expect((await ask(plane, '/signed-on', [cookie, ...trackers])).status).toBe(200);
  for (const plane of planes) {
    expect((await ask(plane, '/signed-on', [cookie, ...trackers.toReversed()])).status).toBe(200);
  }
  expect(isHeld(am, session.tokenId)).toBe(true);
  expect((await ask(planes[1]!, '/signed-on', [cookie, trackers[0]!])).status).toBe(401);
  expect(isHeld(am, session.tokenId)).toBe(false);
});
