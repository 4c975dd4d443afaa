import { afterEach, expect, it } from 'vitest';
import { CookieJar } from '../support/clients/cookie-jar.ts';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../support/gateways/instance-folder.ts';
import { SESSION_FILTERS } from '../support/state/session-gateway.ts';

let folder: InstanceFolder;
let gateway: GatewayProcess | undefined;

afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  folder[Symbol.dispose]();
});

/** Connections at a time: the kernel gives each of them to any unit. */
const CONNECTIONS = 40;

/** Two units behind one port. */
async function start(session: object | undefined): Promise<void> {
  const handler = { type: 'StaticResponseHandler', config: { status: 200 } };
  const route = { handler: { type: 'Chain', config: { filters: SESSION_FILTERS, handler } }, session };
  folder = new InstanceFolder({ 'config/routes/app.json': route });
  gateway = await GatewayProcess.run(folder.path, ['--units', '2', '--access-log', '-']);
}

/** Asks on a connection of its own. @returns the value that the unit saw */
async function visit(target: string, jar: CookieJar): Promise<string> {
  const headers: [string, string][] = [['Connection', 'close']];
  for (const line of jar.header) headers.push(['Cookie', line.slice('Cookie: '.length)]);
  const response = await fetch(`http://127.0.0.1:${gateway!.port}${target}`, { headers });
  await response.text();
  expect(response.status).toBe(200);
  jar.take(response.headers.getSetCookie());
  return response.headers.get('x-value') ?? '';
}

/** The different values that many connections with the same cookies see. */
async function seenByAll(target: string, jar: CookieJar): Promise<string[]> {
  const cookies = (): CookieJar => {
    const copy = new CookieJar();
    for (const name of jar.names) copy.set(name, jar.get(name)!);
    return copy;
  };
  const values = await Promise.all(Array.from({ length: CONNECTIONS }, () => visit(target, cookies())));
  return [...new Set(values)];
}

/** The units that answered requests for a path, by what the access log has so far. */
function loggedUnits(path: string): unknown[] {
  const whole = gateway!.stdout.split('\n').slice(0, -1);
  const lines = whole.filter((line) => line.includes(path));
  return [...new Set(lines.map((line) => (JSON.parse(line) as { readonly unit: number }).unit))].sort();
}

/** The units that answered requests for a path; the gateway is stopped for it. */
async function unitsOf(path: string): Promise<unknown[]> {
  await gateway!.stop();
  return loggedUnits(path);
}

it.each([
  ['InMemorySessionManager', 'IG_SESSIONID', { type: 'InMemorySessionManager' }],
  ['the default manager', 'IG_SESSIONID', undefined],
])('units share the sessions of %s, their changes and their end', async (_, cookie, session) => {
  await start(session);
  const [jar, other] = [new CookieJar(), new CookieJar()];
  expect(await visit('/?set=one', jar)).toBe('one');
  expect(await visit('/?set=another', other)).toBe('another');
  expect(jar.names).toEqual([cookie]);
  expect(await seenByAll('/first', jar)).toEqual(['one']);
  expect(await seenByAll('/first', other)).toEqual(['another']);

  await visit('/?set=two', jar);
  expect(await seenByAll('/changed', jar)).toEqual(['two']);

  const ended = new CookieJar();
  ended.set(cookie, jar.get(cookie)!);
  await visit('/?clear=1', jar);
  expect(jar.names).toEqual([]);
  expect(await seenByAll('/ended', ended)).toEqual(['']);
  expect(await seenByAll('/first', other)).toEqual(['another']);
  expect([await unitsOf('/first'), await unitsOf('/changed'), await unitsOf('/ended')]).toEqual([
    [0, 1],
    [0, 1],
    [0, 1],
  ]);
});

it('units share the temporary key of encrypted sessions, also after a unit died', async () => {
  await start({ type: 'AuthenticatedEncryptedJwtSessionManager' });
  const jar = new CookieJar();
  await visit('/?set=one', jar);
  expect(await seenByAll('/first', jar)).toEqual(['one']);
  await expect.poll(() => loggedUnits('/first')).toEqual([0, 1]); // lines that a unit has not handed over die with it
  expect((await gateway!.admin('/units/0/restart', 'POST')).status).toBe(202);
  await expect.poll(() => gateway!.figure('gatewarden_unit_restarts_total')).toBe(1);
  await expect.poll(() => gateway!.figure('gatewarden_units')).toBe(2);
  expect(await seenByAll('/restarted', jar)).toEqual(['one']);
  expect(await unitsOf('/restarted')).toEqual([0, 1]);
});
