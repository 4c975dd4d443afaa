import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { StrictBackend } from '../../support/backends/strict-backend.ts';
import { ask } from '../../support/clients/answers.ts';
import { startConfigured } from '../../support/gateways/configured-gateway.ts';

let backend: StrictBackend;

beforeAll(async () => {
  backend = await StrictBackend.start();
});
afterAll(() => backend.close());

const NAME = 'Łukasz Müller';
const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

async function start(filters: readonly JsonObject[], handler: JsonObject | string = 'ReverseProxyHandler') {
  const gateway = await startConfigured({
    baseURI: `http://127.0.0.1:${backend.port}`,
    handler: { type: 'Chain', config: { filters: [...filters], handler } },
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

/** Sends a request through filters. @returns the answer, and the header that the backend got. */
async function sent(filters: readonly JsonObject[], lines = '') {
  const { port } = await start(filters);
  const before = backend.requests.length;
  const answer = await ask(port, `GET / HTTP/1.1\r\nHost: h\r\n${lines}`);
  return { answer, user: backend.requests[before]?.headers.find(([name]) => name === 'x-user')?.[1] };
}

const header = (value: string, more: JsonObject = {}): JsonObject => ({
  type: 'HeaderFilter',
  config: { messageType: 'REQUEST', remove: ['X-User'], add: { 'X-User': [value] }, ...more },
});
const assigned = (value: string): JsonObject => ({
  type: 'AssignmentFilter',
  config: { onRequest: [{ target: "${request.headers['X-User']}", value }] },
});
const replaced = (value: string): JsonObject => ({
  type: 'StaticRequestFilter',
  config: { method: 'GET', uri: 'http://127.0.0.1:1/', headers: { 'X-User': [value] } },
});

it.each([NAME, 'José', '名前', 'JosÃ©', 'plain'])('a filter writes the header value %s as UTF-8', async (name) => {
  expect((await sent([header(name)])).user).toBe(bytesOf(name));
  expect((await sent([assigned(name)])).user).toBe(bytesOf(name));
  const { port } = await start([], {
    type: 'StaticResponseHandler',
    config: { status: 200, headers: { 'X-User': [name] } },
  });
  expect((await ask(port, 'GET / HTTP/1.1\r\nHost: h\r\n')).headers.get('x-user')).toBe(bytesOf(name));
});

it('StaticRequestFilter writes header values as UTF-8', async () => {
  const base = { type: 'HeaderFilter', config: { messageType: 'REQUEST' } };
  const rebase = { ...base, baseURI: `http://127.0.0.1:${backend.port}` };
  expect((await sent([replaced(NAME), rebase])).user).toBe(bytesOf(NAME));
});

it.each([bytesOf(NAME), bytesOf('José')])('a copy of the header value %j has its bytes', async (bytes) => {
  const copy = "${request.headers['X-Name'][0]}";
  expect((await sent([header(copy)], `X-Name: ${bytes}\r\n`)).user).toBe(bytes);
  expect((await sent([assigned(copy)], `X-Name: ${bytes}\r\n`)).user).toBe(bytes);
  expect((await sent([header("${request.cookies['n'][0].value}")], `Cookie: n=${bytes}\r\n`)).user).toBe(bytes);
});

it('RFC8187 writes an extended value only for characters outside ASCII', async () => {
  const written = async (value: string) => (await sent([header(value, { encoding: 'RFC8187' })])).user;
  expect(await written(NAME)).toBe("UTF-8''%C5%81ukasz%20M%C3%BCller");
  expect(await written('plain (1)')).toBe('plain (1)');
  expect(await written("utf-8''%41")).toBe("UTF-8''utf-8%27%27%2541");
});

it('REFUSE answers 400 for a request and 500 for a response, and accepts ASCII', async () => {
  const { answer, user } = await sent([header(NAME, { encoding: 'REFUSE' })]);
  expect([answer.status, user]).toEqual([400, undefined]);
  expect((await sent([header('plain', { encoding: 'REFUSE' })])).user).toBe('plain');
  expect((await sent([header(NAME, { encoding: 'REFUSE', messageType: 'RESPONSE' })])).answer.status).toBe(500);
});
