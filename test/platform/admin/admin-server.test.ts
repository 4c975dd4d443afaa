import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { jsonAnswer, textAnswer } from '../../../platform/admin/admin-answer.ts';
import { type AdminGuard, closedGuard, loopbackGuard, openGuard } from '../../../platform/admin/admin-guard.ts';
import { AdminServer, type AdminServerOptions } from '../../../platform/admin/admin-server.ts';
import { type AdminPath, AdminTable } from '../../../platform/admin/admin-table.ts';

const faults: string[] = [];
const calls: string[] = [];

const rows = (guard: AdminGuard): AdminPath[] => [
  { method: 'GET', path: '/health', guard: openGuard, answer: () => textAnswer(200, 'alive') },
  { method: 'GET', path: '/status', guard, answer: ({ query }) => jsonAnswer(200, JSON.stringify([...query])) },
  { method: 'DELETE', path: '/status', guard, answer: () => textAnswer(200, 'gone') },
  {
    ...{ method: 'PUT', path: '/routes/{id}', guard, longestBody: 10 },
    answer({ parameters, body }) {
      calls.push(`${parameters['id']} ${body}`);
      return textAnswer(201, body.toString());
    },
  },
  {
    ...{ method: 'POST', path: '/broken', guard },
    answer() {
      throw new Error('password=secret');
    },
  },
];

async function open(guard: AdminGuard = openGuard, more: Partial<AdminServerOptions> = {}): Promise<number> {
  const table = new AdminTable(rows(guard));
  const failed = (error: unknown, path: string): void => void faults.push(`${path} ${error}`);
  const server = new AdminServer({ table: () => table, guard, failed, ...more });
  onTestFinished(() => server.close());
  return (await server.listen({ host: '127.0.0.1', port: 0 })).port;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | readonly string[];
}

interface Got {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

async function ask(port: number, path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Got> {
  const asking = request({ host: '127.0.0.1', port, path, method, headers, agent: false });
  for (const piece of typeof body === 'object' ? body : []) asking.write(piece);
  asking.end(typeof body === 'string' ? body : undefined);
  const [response] = await once(asking, 'response');
  return { status: response.statusCode, text: await text(response), headers: response.headers };
}

describe('an admin server', () => {
  it('answers with the handler of the path, with Cache-Control: no-store', async () => {
    const port = await open();
    const { status, text: body, headers } = await ask(port, '/status?a=1&b');
    expect([status, body]).toEqual([200, '[["a","1"],["b",""]]\n']);
    expect(headers).toMatchObject({ 'content-type': 'application/json;charset=UTF-8', 'cache-control': 'no-store' });
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('answers HEAD like GET, without the body', async () => {
    expect(await ask(await open(), '/health', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  });

  it.each([
    ['POST', '/health', 'GET, HEAD', 'use GET\n'],
    ['OPTIONS', '/status', 'GET, HEAD, DELETE', 'use GET or DELETE\n'],
    ['GET', '/routes/a', 'PUT', 'use PUT\n'],
    ['HEAD', '/routes/a', 'PUT', ''],
  ])('answers %s %s with 405 and Allow: %s', async (method, path, allow, body) => {
    const got = await ask(await open(), path, { method });
    expect(got).toMatchObject({ status: 405, text: body, headers: { allow } });
  });

  it('lists its paths for an unknown one', async () => {
    expect(await ask(await open(), '/other')).toMatchObject({
      status: 404,
      text: 'not found; the paths are /health, /status, /routes/{id} and /broken\n',
    });
  });

  it.each([
    ['127.0.0.1', 'evil.example'],
    ['evil.example', '127.0.0.1'],
    ['127.0.0.1', '127.0.0.1'],
  ])('rejects a request with the Host headers %s and %s', async (...hosts) => {
    const socket = connect(await open(loopbackGuard), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(
      ['GET /status HTTP/1.1', ...hosts.map((host) => `Host: ${host}`), 'Connection: close', '', ''].join('\r\n'),
    );
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 .*send one Host header\n/s);
  });

  it('uses the current table for each request', async () => {
    let path = '/one';
    const table = (): AdminTable =>
      new AdminTable([{ method: 'GET', path, guard: openGuard, answer: () => textAnswer(200, path) }]);
    const port = await open(openGuard, { table });
    expect((await ask(port, '/one')).text).toBe('/one\n');
    path = '/two';
    expect((await ask(port, '/one')).status).toBe(404);
    expect((await ask(port, '/two')).text).toBe('/two\n');
  });

  it('answers 500 when a path fails, and logs the reason only', async () => {
    faults.length = 0;
    const got = await ask(await open(), '/broken', { method: 'POST' });
    expect(got).toMatchObject({ status: 500, text: 'the request failed\n' });
    expect(faults).toEqual(['/broken Error: password=secret']);
  });
});

describe('the guard of an admin server', () => {
  it('does not reveal paths and methods to rejected callers', async () => {
    const port = await open(closedGuard('ask port 9443'));
    const refused = { status: 403, text: 'only health and metrics are served here: ask port 9443\n' };
    expect(await ask(port, '/status')).toMatchObject(refused);
    expect(await ask(port, '/status', { method: 'POST' })).toMatchObject(refused);
    expect(await ask(port, '/other')).toMatchObject(refused);
    expect(await ask(port, '/health')).toMatchObject({ status: 200 });
  });

  it('refuses before a body is read or a handler runs', async () => {
    calls.length = 0;
    const port = await open(closedGuard('no'));
    expect((await ask(port, '/routes/a', { method: 'PUT', body: 'x'.repeat(9) })).status).toBe(403);
    expect(calls).toEqual([]);
  });

  it('requests a token from unknown callers', async () => {
    const port = await open({ admit: async () => ({ status: 401, message: 'who are you' }) });
    expect(await ask(port, '/status')).toMatchObject({
      ...{ status: 401, text: 'who are you\n' },
      headers: { 'www-authenticate': 'Bearer' },
    });
  });

  it('refuses when it fails', async () => {
    const port = await open({ admit: () => Promise.reject(new Error('no answer')) });
    expect((await ask(port, '/status')).status).toBe(500);
  });

  it('sees the method and the path of the request', async () => {
    const seen: string[] = [];
    const port = await open({
      async admit({ method }, path) {
        seen.push(`${method} ${path}`);
        return null;
      },
    });
    await ask(port, '/status?token=x');
    await ask(port, '/routes/a%2Fb', { method: 'PUT' });
    expect(seen).toEqual(['GET /status', 'PUT /routes/a%2Fb']);
  });

  it('admits programs of this machine, and not proxies or pages that speak through one', async () => {
    const port = await open(loopbackGuard);
    expect((await ask(port, '/status')).status).toBe(200);
    expect((await ask(port, '/status', { headers: { 'sec-fetch-site': 'none' } })).status).toBe(200);
    for (const headers of [
      { origin: 'https://evil.test' },
      { via: '1.1 proxy' },
      { host: 'evil.test' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      expect(await ask(port, '/status', { headers })).toMatchObject({
        status: 403,
        text: 'only reachable from this machine\n',
      });
    }
  });
});

describe('the limits of an admin server', () => {
  it('passes a body to a path that accepts one', async () => {
    calls.length = 0;
    const port = await open();
    expect(await ask(port, '/routes/a', { method: 'PUT', body: '0123456789' })).toMatchObject({ status: 201 });
    expect(await ask(port, '/routes/b', { method: 'PUT', body: ['01', '23'] })).toMatchObject({ status: 201 });
    expect(calls).toEqual(['a 0123456789', 'b 0123']);
  });

  it.each([
    ['announced', 'x'.repeat(11)],
    ['sent in pieces', ['x'.repeat(6), 'x'.repeat(6)]],
  ])('refuses a body that is too long as %s, without calling the handler', async (_, body) => {
    calls.length = 0;
    const got = await ask(await open(), '/routes/a', { method: 'PUT', body });
    expect(got).toMatchObject({ status: 413, text: 'a body has at most 10 bytes\n' });
    expect(calls).toEqual([]);
  });

  it('closes the connection of a client whose body it does not read', async () => {
    const port = await open();
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nbegun');
    const answer = await text(socket); // ends when the server closes
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer.toLowerCase()).toContain('connection: close');
  });

  it('delivers its answer to a client that sends a long body first', async () => {
    const port = await open();
    for (let times = 0; times < 20; times++) {
      const socket = connect(port, '127.0.0.1');
      socket.write('PUT /routes/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4194304\r\n\r\n');
      await new Promise((resolve) => socket.write(Buffer.alloc(4_194_304), resolve)); // no answer is read before
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 /);
    }
  });

  it('refuses a request head that is too long', async () => {
    const port = await open(openGuard, { longestHead: 2048 });
    expect((await ask(port, '/health', { headers: { long: 'x'.repeat(3000) } })).status).toBe(431);
    expect((await ask(port, '/health', { headers: { long: 'x'.repeat(1000) } })).status).toBe(200);
  });
});
