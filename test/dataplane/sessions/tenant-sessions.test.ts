import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { startTenants, type TenantGateway } from '../../support/gateways/tenant-gateway.ts';
import { keyFolder } from '../../support/identity/key-folder.ts';

const TRUST = {
  tenants: [
    { name: 'a', hosts: ['a.test'] },
    { name: 'b', hosts: ['b.test'] },
  ],
  egress: [],
  sharedObjects: ['shared'],
};

/** Answers with the value in its session, after it put the host there if the query is `set`. */
function route(session?: JsonValue): JsonObject {
  const remember = {
    type: 'AssignmentFilter',
    config: {
      onRequest: [
        { condition: "${request.uri.query == 'set'}", target: '${session.value}', value: '${request.uri.host}' },
      ],
    },
  };
  const answer = { type: 'StaticResponseHandler', config: { status: 200, entity: 'saw ${session.value}' } };
  return {
    handler: { type: 'Chain', config: { filters: [remember], handler: answer } },
    ...(session !== undefined && { session }),
  };
}

async function visit({ send }: TenantGateway, host: string, query = '', cookie = ''): Promise<[string, string]> {
  const line = cookie === '' ? '' : `Cookie: ${cookie}\r\n`;
  const answer = await send(`GET /${query} HTTP/1.1\r\nHost: ${host}\r\n${line}`);
  return [answer.body, /^set-cookie: ([^;]*)/im.exec(answer.head)?.[1] ?? ''];
}

const SESSIONS: [string, JsonObject, JsonValue | undefined][] = [
  ['the default manager', {}, undefined],
  ['a shared manager with one key for all', { heap: [{ name: 'shared', type: 'JwtSession', config: {} }] }, 'shared'],
  ['the object Session of the operator', { heap: [{ name: 'Session', type: 'JwtSession', config: {} }] }, undefined],
];

it.each(SESSIONS)('keeps sessions of tenants apart under %s', async (_, base, session) => {
  const document = route(session);
  const gateway = await startTenants(
    { a: { tenant: 'a', document }, b: { tenant: 'b', document } },
    { base, trust: TRUST },
  );
  expect(gateway.problems).toEqual([]);
  const [, cookie] = await visit(gateway, 'a.test', '?set');
  expect(await visit(gateway, 'a.test', '', cookie)).toEqual(['saw a.test', '']);
  const [name = '', value = ''] = cookie.split(/=(.*)/s);
  const [, other] = await visit(gateway, 'b.test', '?set');
  const otherName = other.split('=')[0]!;
  expect(otherName).not.toBe(name);
  expect((await visit(gateway, 'b.test', '', cookie))[0]).toBe('saw ');
  expect((await visit(gateway, 'b.test', '', `${otherName}=${value}`))[0]).toBe('saw ');
  expect((await visit(gateway, 'b.test', '', other))[0]).toBe('saw b.test');
});

it('opens no session of another tenant, though both have the same key and the same cookie name', async () => {
  const key = randomBytes(32);
  const secretsProvider = keyFolder({ k: { bytes: key, algorithm: 'AES' } });
  const manager = { type: 'JwtSession', config: { authenticatedEncryptionSecretId: 'k', secretsProvider: 'shared' } };
  const base = { heap: [{ name: 'shared', ...secretsProvider }] };
  const document = route(manager);
  const gateway = await startTenants(
    { a: { tenant: 'a', document }, b: { tenant: 'b', document } },
    { base, trust: TRUST },
  );
  expect(gateway.problems).toEqual([]);
  const [, cookie] = await visit(gateway, 'a.test', '?set');
  expect(cookie).toMatch(/^openig-jwt-session=/);
  expect((await visit(gateway, 'a.test', '', cookie))[0]).toBe('saw a.test');
  expect((await visit(gateway, 'b.test', '', cookie))[0]).toBe('saw ');
});

it('hides a session manager of the operator from tenants unless it is shared', async () => {
  const base = { heap: [{ name: 'own', type: 'JwtSession', config: {} }] };
  const { problems } = await startTenants({ a: { tenant: 'a', document: route('own') } }, { base, trust: TRUST });
  expect(JSON.stringify(problems)).toContain("there is no object 'own'");
});
