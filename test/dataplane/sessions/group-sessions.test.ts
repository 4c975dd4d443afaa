import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { sessionKeys } from '../../support/channel/session-keys-resource.ts';
import { startTenants, type TenantGateway } from '../../support/gateways/tenant-gateway.ts';

const HOUR = 60 * 60 * 1000;
const TRUST = {
  tenants: [
    { name: 'a', hosts: ['a.test'] },
    { name: 'b', hosts: ['b.test'] },
  ],
  egress: [],
  sharedObjects: [],
};

const key = (): string => randomBytes(32).toString('base64url');

/** `?set` keeps a text in the session; the answer has it. */
function remembering(entity = 'saw ${session.value}', more: JsonObject = {}): JsonObject {
  const onRequest = [{ condition: "${request.uri.query == 'set'}", target: '${session.value}', value: 'kept' }];
  const filters: JsonValue[] = [{ type: 'AssignmentFilter', config: { onRequest } }];
  const handler = { type: 'StaticResponseHandler', config: { status: 200, entity } };
  return { handler: { type: 'Chain', config: { filters, handler } }, ...more };
}

/** A data plane with these keys. */
function plane(keys: readonly string[] | null, document = remembering()): Promise<TenantGateway> {
  const operators = { ...document, condition: "${request.uri.host == 'gw.test'}" };
  const routes = { op: { document: operators }, a: { tenant: 'a', document }, b: { tenant: 'b', document } };
  return startTenants(routes, { trust: TRUST, resources: keys === null ? [] : [sessionKeys(...keys)] });
}

function rotate(gateway: TenantGateway, ...keys: readonly string[]): void {
  expect(gateway.change({}, { set: [sessionKeys(...keys)], remove: [] })).toEqual([]);
}

interface Answer {
  readonly body: string;
  /** The cookie that was set, as the client sends it back. */
  readonly cookie: string;
  readonly line: string;
}

async function visit(gateway: TenantGateway, query = '', cookie = '', host = 'gw.test'): Promise<Answer> {
  const line = cookie === '' ? '' : `Cookie: ${cookie}\r\n`;
  const answer = await gateway.send(`GET /${query} HTTP/1.1\r\nHost: ${host}\r\n${line}`);
  const set = /^set-cookie: (.*)$/im.exec(answer.head)?.[1]?.trim() ?? '';
  return { body: answer.body, cookie: set.split(';')[0]!, line: set };
}

afterEach(() => {
  vi.restoreAllMocks();
});

it('a session that begins at one data plane goes on at others with the same keys', async () => {
  const keys = [key()];
  const [one, two] = [await plane(keys), await plane(keys)];
  const { cookie, line } = await visit(one, '?set');
  expect((await visit(two, '', cookie)).body).toBe('saw kept');
  expect(line).toMatch(/^IG_SESSIONID=eyJ\S+; Path=\/; SameSite=Lax; HttpOnly$/);
  expect((await visit(await plane([key()]), '', cookie)).body).toBe('saw ');
  expect((await visit(await plane(null), '', cookie)).body).toBe('saw ');
});

it('a rotation in three steps loses no session at any of two data planes that are a step apart', async () => {
  const [old, active, next] = [key(), key(), key()];
  const steps = [[old], [old, active], [active, old], [active, next, old], [next, active]];
  const [ahead, behind] = [await plane(steps[0]!), await plane(steps[0]!)];
  for (const [at, keys] of steps.entries()) {
    rotate(ahead, ...keys);
    for (const [from, to] of [
      [ahead, behind],
      [behind, ahead],
    ] as const) {
      const { cookie } = await visit(from, '?set');
      expect((await visit(to, '', cookie)).body, `step ${at}`).toBe('saw kept');
    }
    rotate(behind, ...keys);
  }
});

it('a rotation builds no route and no object', async () => {
  const [first, second] = [key(), key()];
  const gateway = await plane([first]);
  const { builtRoutes, builtObjects } = gateway.configuration;
  const { cookie } = await visit(gateway, '?set');
  rotate(gateway, second, first);
  expect((await visit(gateway, '', cookie)).body).toBe('saw kept');
  rotate(gateway, second);
  expect((await visit(gateway, '', cookie)).body).toBe('saw ');
  expect(gateway.configuration).toMatchObject({ builtRoutes, builtObjects });
});

it('sessions stay sealed when config.json is replaced', async () => {
  const gateway = await plane([key()]);
  const { cookie } = await visit(gateway, '?set');
  gateway.replaceBase({ properties: { changed: true } });
  expect((await visit(gateway, '', cookie)).body).toBe('saw kept');
});

it('sessions are in memory until keys arrive, and a data plane says when that changes', async () => {
  const gateway = await plane(null);
  const { cookie } = await visit(gateway, '?set');
  expect(cookie).toMatch(/^IG_SESSIONID=[\w-]{32}$/);
  expect((await visit(gateway, '', cookie)).body).toBe('saw kept');
  rotate(gateway, key());
  expect((await visit(gateway, '', cookie)).body).toBe('saw ');
  expect((await visit(gateway, '?set', cookie)).cookie).toMatch(/^IG_SESSIONID=eyJ/);
  gateway.change({}, { set: [], remove: ['session-keys'] });
  expect((await visit(gateway, '?set')).cookie).toMatch(/^IG_SESSIONID=[\w-]{32}$/);
  const messages = gateway.log.map((line) => (JSON.parse(line) as { readonly msg: string }).msg);
  expect(messages).toEqual([
    'default sessions are sealed with the keys of the plane group',
    'no session keys; default sessions are kept in memory, and other data planes do not know them',
  ]);
});

it('a session ends twelve hours after it began, used or not', async () => {
  const now = Date.now();
  const clock = vi.spyOn(Date, 'now').mockReturnValue(now);
  const gateway = await plane([key()]);
  const { cookie } = await visit(gateway, '?set');
  clock.mockReturnValue(now + 12 * HOUR - 60_000);
  expect((await visit(gateway, '', cookie)).body).toBe('saw kept');
  clock.mockReturnValue(now + 12 * HOUR + 1000);
  expect((await visit(gateway, '', cookie)).body).toBe('saw ');
});

it('a session manager of config.json or of a route takes the place of the keys of the group', async () => {
  const group = key();
  const document = remembering(undefined, { session: { type: 'JwtSession', config: {} } });
  const gateway = await startTenants({ op: { document } }, { resources: [sessionKeys(group)], trust: { tenants: [] } });
  const { cookie } = await visit(gateway, '?set');
  expect(cookie).toMatch(/^openig-jwt-session=/);
});

describe('tenants', () => {
  it('do not open sessions of each other or of the operator, although the key is the same', async () => {
    const gateway = await plane([key()]);
    const own = {
      op: await visit(gateway, '?set'),
      a: await visit(gateway, '?set', '', 'a.test'),
      b: await visit(gateway, '?set', '', 'b.test'),
    };
    const hosts = { op: 'gw.test', a: 'a.test', b: 'b.test' };
    for (const [from, { cookie }] of Object.entries(own)) {
      const value = cookie.slice(cookie.indexOf('=') + 1);
      for (const [to, host] of Object.entries(hosts)) {
        const name = own[to as keyof typeof own].cookie.split('=')[0]!;
        const seen = (await visit(gateway, '', `${name}=${value}`, host)).body;
        expect(`${from} at ${to}: ${seen}`).toBe(`${from} at ${to}: ${from === to ? 'saw kept' : 'saw '}`);
      }
    }
  });

  const secrets = [
    '${session}',
    '${contexts.session}',
    '${contexts}',
    '${heap}',
    "${heap['Session']}",
    '${system}',
    '${env}',
    '${attributes}',
    '${contexts.session.keys}',
    "${read('session-keys')}",
    "${read('/session-keys.json')}",
    '${Session}',
    "${properties['session-keys']}",
    '&{session-keys}',
    '&{session.keys}',
  ];

  it.each(secrets)('do not read the keys with %s', async (expression) => {
    const [first, second] = [key(), key()];
    const document = remembering(`saw ${expression}`);
    const gateway = await plane([first, second], document);
    const { cookie } = await visit(gateway, '?set', '', 'a.test');
    const { body } = await visit(gateway, '', cookie, 'a.test');
    const all = [body, ...gateway.log, JSON.stringify(gateway.problems)].join('\n');
    for (const one of [first, second]) {
      expect(all).not.toContain(one);
      expect(all).not.toContain(Buffer.from(one, 'base64url').toString('base64'));
      expect(all).not.toContain(Buffer.from(one, 'base64url').toString('hex'));
    }
  });

  it('do not get the keys as a shared object', async () => {
    const group = key();
    const gateway = await plane([group]);
    const document = remembering(undefined, {
      session: { type: 'JwtSession', config: { authenticatedEncryptionSecretId: 'k', secretsProvider: 'keys' } },
    });
    const problems = gateway.change({ stolen: { tenant: 'a', document, resources: { keys: 'session-keys' } } });
    expect(problems).toMatchObject([{ route: { id: 'stolen' }, keepsServing: false }]);
    expect(JSON.stringify([problems, gateway.log])).not.toContain(group);
  });

  it.each([
    ['a store by the name of the keys', { secretsProvider: 'session-keys' }],
    ['the object Session as a store', { secretsProvider: 'Session' }],
    [
      'a store of files',
      { secretsProvider: { type: 'FileSystemSecretStore', config: { directory: '/', format: 'PLAIN' } } },
    ],
  ])('do not seal with the keys through %s', async (_, config) => {
    const gateway = await plane([key()]);
    const session = { type: 'JwtSession', config: { authenticatedEncryptionSecretId: 'session-keys', ...config } };
    const problems = gateway.change({ stolen: { tenant: 'a', document: remembering(undefined, { session }) } });
    expect(problems).toMatchObject([{ route: { id: 'stolen' }, keepsServing: false }]);
  });
});
