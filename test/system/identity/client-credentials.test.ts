import { expect, it, onTestFinished, vi } from 'vitest';
import { HttpBackend } from '../../support/backends/http-backend.ts';
import { ProtectedInstance, route } from '../../support/gateways/protected-instance.ts';
import {
  type AuthorizationServer,
  CLIENT,
  startAuthorizationServer,
} from '../../support/identity/authorization-server.ts';
import { withBasic } from '../../support/identity/introspecting-instance.ts';

const patience = { timeout: 30_000, interval: 50 };

/** A service that asks the authorization server itself whom it has to do with. */
async function startService(server: AuthorizationServer) {
  const tokens = new Set<string>();
  const statuses: number[] = [];
  const authorization = `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64')}`;
  const backend = await HttpBackend.start(async (incoming, response) => {
    const token = /^Bearer (\S+)$/.exec(incoming.headers.authorization ?? '')?.[1] ?? '';
    tokens.add(token);
    const asked = { method: 'POST', body: new URLSearchParams({ token }), headers: { authorization } };
    const said = await (await fetch(server.endpoints.introspection, asked)).json();
    const isGood =
      (said as { active: boolean; scope?: string }).active && (said as { scope?: string }).scope === 'read';
    response.statusCode = isGood ? 200 : 401;
    statuses.push(response.statusCode);
    response.end(`answer to ${incoming.url}`);
  });
  onTestFinished(() => backend.close());
  const { host, port } = backend.destination;
  return { url: `http://${host}:${port}`, tokens, statuses };
}

async function start(server: AuthorizationServer, url: string): Promise<ProtectedInstance> {
  const endpointHandler = {
    type: 'Chain',
    config: { filters: [withBasic(server)], handler: 'ForgeRockClientHandler' },
  };
  const filter = {
    type: 'ClientCredentialsOAuth2ClientFilter',
    config: { tokenEndpoint: server.endpoints.token, scopes: ['read'], endpointHandler },
  };
  return ProtectedInstance.start((plain) => ({
    'secrets/of.client': CLIENT.secret,
    'config/routes/service.json': route('service', url, [filter]),
    'config/routes/plain.json': route('plain', plain, []),
  }));
}

const grants = ({ asked }: AuthorizationServer): number => asked.filter((one) => one === 'POST /token').length;

it('a service is sent tokens of the gateway, which are renewed before they end', async () => {
  const server = await startAuthorizationServer({ lifetime: 10 });
  const service = await startService(server);
  const gateway = await start(server, service.url);
  const load = await gateway.load(4, 'service', () => 'the-token-of-the-user');
  await vi.waitFor(() => expect(load.answered).toBeGreaterThan(0), patience);
  const first = service.tokens.size; // one for each unit that has a client
  await vi.waitFor(() => expect(service.tokens.size).toBeGreaterThanOrEqual(2 * first), patience);
  expect(await load.stop()).toEqual([]);
  expect(service.tokens).not.toContain('the-token-of-the-user');
  expect(grants(server)).toBe(service.tokens.size);
  expect(new Set(service.statuses)).toEqual(new Set([200]));
  gateway.hide(...service.tokens);
  expect(await gateway.leaks()).toEqual([]);
});

it('without a token nothing is sent, and one that was revoked is replaced within the request', async () => {
  const server = await startAuthorizationServer();
  const service = await startService(server);
  const gateway = await start(server, service.url);
  await server.close();
  expect(await gateway.ask('/service/1', null)).toMatchObject({ status: 502, body: '' });
  expect(service.statuses).toEqual([]);
  const complaint = 'could not get an access token for a service';
  await vi.waitFor(() => expect(gateway.process.said.map(({ msg }) => msg)).toContain(complaint), patience);
  expect(await gateway.status('/plain/1', null)).toBe(200);

  await server.reopen();
  await vi.waitFor(
    async () => {
      expect(await gateway.status('/service/1', null)).toBe(200);
      expect(service.tokens.size).toBe(2); // one for each unit
    },
    { ...patience, interval: 1 },
  );
  for (const token of service.tokens) await server.revoke(token);
  for (let i = 0; i < 12; i++) expect(await gateway.status('/service/1', null)).toBe(200);
  expect(service.statuses).toContain(401);
  gateway.hide(...service.tokens);
  expect(await gateway.leaks()).toEqual([]);
});
