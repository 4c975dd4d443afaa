import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { TRACKER, trackerOf } from '../support/access-manager/idle-gateway.ts';
import { amFetch, TOKEN_HEADER, version } from '../support/access-manager/wire-target.ts';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../support/gateways/instance-folder.ts';
import { inlineSecrets } from '../support/identity/inline-secrets.ts';
import { OpenamTarget } from './support/openam-target.ts';

const REALM = 'client-side';
const HOUR = 3_600_000;
const key = randomBytes(32);

let openam: OpenamTarget;
let folder: InstanceFolder;
let gateway: GatewayProcess;

beforeAll(async () => {
  openam = new OpenamTarget(inject('openam'));
  await openam.setClientSideRealm(REALM);
  const { url, agent } = openam;
  const amService = {
    type: 'AmService',
    config: {
      url,
      agent: { username: agent.username, passwordSecretId: 'agent' },
      secretsProvider: inlineSecrets({ agent: agent.password }),
      notifications: { enabled: false },
      sessionCache: { enabled: true },
    },
  };
  const route = (path: string, idleTimeout: string): JsonObject => ({
    condition: `\${request.uri.path == '${path}'}`,
    handler: {
      type: 'Chain',
      config: {
        filters: [
          {
            type: 'AmSessionIdleTimeoutFilter',
            config: {
              amService,
              idleTimeout,
              encryptionSecretId: 'key',
              secretsProvider: {
                type: 'FileSystemSecretStore',
                config: {
                  directory: '&{ig.instance.dir}/secrets',
                  format: { type: 'SecretKeyPropertyFormat', config: { format: 'BASE64', algorithm: 'AES' } },
                },
              },
            },
          },
          { type: 'SingleSignOnFilter', config: { amService, realm: `/${REALM}` } },
        ],
        handler: {
          type: 'StaticResponseHandler',
          config: { status: 200, entity: '${contexts.ssoToken.info.uid} ${contexts.ssoToken.info.realm}' },
        },
      },
    },
  });
  folder = new InstanceFolder({
    'secrets/key': key.toString('base64'),
    'config/routes/hour.json': route('/hour', '1 hour'),
    'config/routes/seconds.json': route('/seconds', '20 seconds'),
  });
  gateway = await GatewayProcess.run(folder.path, ['--units', '2']);
});

afterAll(async () => {
  await gateway?.stop();
  folder?.[Symbol.dispose]();
});

/** Logs the user in, in the realm with client-side sessions. */
async function logIn(): Promise<string> {
  const { username, password } = openam.user;
  const credentials = { 'X-OpenAM-Username': username, 'X-OpenAM-Password': password };
  const { body } = await amFetch(`${openam.url}/json/realms/root/realms/${REALM}/authenticate`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...version('2.0'), ...credentials },
    body: '{}',
  });
  const { tokenId } = body as { readonly tokenId: string };
  expect(tokenId).toContain('.*eyJ'); // a JWT, and not the id of a session that is kept
  return tokenId;
}

/** Asks on a connection of its own, which goes to any unit. */
async function ask(path: string, token: string, tracker: string | null = null): Promise<Response> {
  const cookies = [`${TOKEN_HEADER}=${token}`, ...(tracker === null ? [] : [tracker])];
  const headers = { connection: 'close', cookie: cookies.join('; ') };
  return fetch(`http://127.0.0.1:${gateway.port}${path}`, { headers });
}

it('tracks a client-side session of OpenAM, and ends it at OpenAM when it is idle', async () => {
  const token = await logIn();
  const first = await ask('/hour', token);
  expect([first.status, await first.text()]).toEqual([200, `demo /${REALM}`]);
  expect(first.headers.getSetCookie()).toEqual([expect.stringMatching(`^${TRACKER}=`)]);
  for (let round = 0; round < 8; round++) {
    expect((await ask('/hour', token, trackerOf(key, token, Date.now() - HOUR / 2, HOUR))).status).toBe(200);
  }
  expect((await ask('/hour', token, trackerOf(key, token, Date.now() - HOUR, HOUR))).status).toBe(401);
  // OpenAM has it among the ended ones: no unit accepts it again, with any cookie
  for (let round = 0; round < 8; round++) {
    expect((await ask('/hour', token, trackerOf(key, token, Date.now(), HOUR))).status).toBe(401);
  }
});

it('ends a client-side session whose cookie is missing when the sign-in is longer ago than the time-out', async () => {
  const token = await logIn();
  const first = await ask('/seconds', token);
  expect(first.status).toBe(200);
  // use does not count without the cookie, or users would gain time by deleting it
  await expect.poll(async () => (await ask('/seconds', token)).status, { timeout: 120_000, interval: 500 }).toBe(401);
  expect((await ask('/hour', token)).status).toBe(401);
});
