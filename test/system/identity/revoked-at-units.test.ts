import { expect, it, onTestFinished, vi } from 'vitest';
import { startAccessManager } from '../../support/access-manager/access-manager.ts';
import { amDeclaration } from '../../support/access-manager/policy-gateway.ts';
import { GatewayProcess } from '../../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';

const patience = { timeout: 60_000, interval: 50 };
const CLIENTS = 8;
/** Requests of each client after it is known that a revocation has taken effect somewhere. */
const AFTERWARDS = 10;

/** Several units that cache the tokens of an access manager. */
async function start() {
  const am = await startAccessManager();
  const amService = amDeclaration(am, { notifications: { reconnectDelay: '50 milliseconds' } });
  const introspecting = { amService, providerHandler: 'ForgeRockClientHandler' };
  const filter = {
    type: 'OAuth2ResourceServerFilter',
    config: {
      requireHttps: false,
      scopes: ['read'],
      accessTokenResolver: { type: 'TokenIntrospectionAccessTokenResolver', config: introspecting },
      cache: { enabled: true, amService },
    },
  };
  const handler = { type: 'StaticResponseHandler', config: { status: 200 } };
  const route = { handler: { type: 'Chain', config: { filters: [filter], handler } } };
  const folder = new InstanceFolder({ 'config/routes/app.json': route });
  onTestFinished(() => folder[Symbol.dispose]());
  const gateway = await GatewayProcess.run(folder.path, ['--units', '3']);
  onTestFinished(async () => void (await gateway.stop()));
  /** Uses a token on a connection of its own, which goes to any unit. */
  const use = async (token: string): Promise<number> => {
    const headers = { connection: 'close', authorization: `Bearer ${token}` };
    const response = await fetch(`http://127.0.0.1:${gateway.port}/`, { headers });
    await response.text();
    return response.status;
  };
  /** A new token that all units accept. */
  const issue = async (token: string): Promise<void> => {
    am.oauth2.tokens.set(token, { scope: 'read', authGrantId: `grant of ${token}` });
    await vi.waitFor(async () => {
      const statuses = await Promise.all(Array.from({ length: 3 * CLIENTS }, () => use(token)));
      expect(new Set(statuses)).toEqual(new Set([200]));
    }, patience);
  };
  return { am, gateway, use, issue };
}

it('no unit accepts a revoked token once any unit has applied the revocation, under load', async () => {
  const { am, gateway, use, issue } = await start();
  const rounds = 5;
  let stale = 0;
  let answers = 0;
  for (let round = 0; round < rounds; round++) {
    const token = `token-${round}`;
    await issue(token);
    const asked = am.callsTo('/oauth2/introspect').length;
    /** When the first answer came that was not from a cache. */
    let appliedAt = Number.POSITIVE_INFINITY;
    const client = async (): Promise<void> => {
      for (let after = 0; after < AFTERWARDS; ) {
        const begunAt = performance.now();
        const status = await use(token);
        answers++;
        if (status === 401) appliedAt = Math.min(appliedAt, performance.now());
        if (begunAt > appliedAt) {
          after++;
          if (status !== 401) stale++;
        }
      }
    };
    const clients = Array.from({ length: CLIENTS }, client);
    am.revokeGrant(`grant of ${token}`);
    await Promise.all(clients);
    expect(am.callsTo('/oauth2/introspect').length).toBeGreaterThan(asked);
  }
  expect(answers).toBeGreaterThanOrEqual(rounds * CLIENTS * AFTERWARDS);
  expect(stale).toBe(0);
  // one log-in and one connection for all units, and every revocation was confirmed by all of them
  expect(am.callsTo('authIndexValue=Application')).toHaveLength(1);
  expect(am.notifications.handshakes).toEqual([101]);
  await vi.waitFor(async () => {
    const { text } = await gateway.admin('/metrics');
    const counts = [...text.matchAll(/^gw_am_notifications_applied_seconds_count\{.*\} (\d+)$/gm)];
    expect(counts.reduce((sum, [, count]) => sum + Number(count), 0)).toBeGreaterThanOrEqual(rounds);
    expect(text).toMatch(/^gw_am_notifications_connected\{.*\} 1$/m);
    expect(text).toMatch(/^gw_am_agent_login_failing\{.*\} 0$/m);
  }, patience);
});

it('another unit takes the connection over when its owner ends, and revocations take effect again', async () => {
  const { am, gateway, use, issue } = await start();
  await issue('before');
  for (const unit of [0, 1, 2]) {
    expect((await gateway.admin(`/units/${unit}/restart`, 'POST')).status).toBeLessThan(300);
    const token = `after-${unit}`;
    await issue(token);
    am.revokeGrant(`grant of ${token}`);
    await vi.waitFor(async () => expect(await use(token)).toBe(401), patience);
  }
  await vi.waitFor(() => expect(am.notifications.handshakes.length).toBeGreaterThan(1), patience);
  await issue('afterwards');
  am.revokeGrant('grant of afterwards');
  await vi.waitFor(async () => {
    const statuses = await Promise.all(Array.from({ length: 3 * CLIENTS }, () => use('afterwards')));
    expect(new Set(statuses)).toEqual(new Set([401]));
  }, patience);
  expect(am.callsTo('authIndexValue=Application').length).toBeLessThanOrEqual(2);
});
