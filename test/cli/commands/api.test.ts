import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type ManagedGateway, manageInstance } from '../../support/crest/managed-gateway.ts';
import { gatewarden, runProgram } from '../../support/programs/run-program.ts';

let gateway: ManagedGateway;

beforeEach(async () => {
  gateway = await manageInstance({
    'config/config.json': { handler: { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } } },
    'config/routes/.keep': '',
  });
});

afterEach(() => gateway.close());

const shop = {
  condition: "${find(request.uri.path, '^/shop')}",
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'open' } },
};

function file(content: unknown): string {
  const path = join(gateway.path, 'body.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const api = (...words: readonly string[]) =>
  runProgram(gatewarden, ['api', ...words, '--server', `http://127.0.0.1:${gateway.adminPort}`]);

describe('gatewarden api', () => {
  it('creates, reads, patches, queries and deletes routes', async () => {
    const made = await api('put', 'routes/shop', '--data', file(shop), '--create-only');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(made.stdout)).toMatchObject({ _id: 'shop', condition: shop.condition });
    expect((await gateway.get('/shop')).text).toBe('open');
    const read = JSON.parse((await api('get', 'routes/shop', '--fields', 'condition')).stdout) as { _rev: string };
    expect(read).toEqual({ _id: 'shop', _rev: read._rev, condition: shop.condition });
    const patch = file([{ operation: 'replace', field: '/handler/config/entity', value: 'closed' }]);
    expect((await api('patch', 'routes/shop', '--data', patch, '--if-match', read._rev)).code).toBe(0);
    expect((await gateway.get('/shop')).text).toBe('closed');
    expect((await api('create', '/openig/api/routes', '--data', file({ _id: 'a b', ...shop }))).code).toBe(0);
    const found = await api('query', 'routes', '--filter', '_id co "b"', '--sort=-_id', '--page-size', '1');
    expect(JSON.parse(found.stdout)).toMatchObject({ results: [{ _id: 'a b' }], pagedResultsCookie: null });
    expect((await api('delete', 'routes/a b')).code).toBe(0);
    expect((await gateway.send('GET /api/routes/a%20b')).status).toBe(404);
  });

  it('requests all pages', async () => {
    for (const id of ['a', 'b', 'c']) await gateway.send(`PUT /api/routes/${id}`, { ...shop, name: id });
    const { stdout } = await api('query', 'routes', '--page-size', '2', '--fields', '_id');
    expect(stdout.match(/"_id": "\w"/g)).toEqual(['"_id": "a"', '"_id": "b"', '"_id": "c"']);
  });

  it('asks a resource for an action', async () => {
    await gateway.send('PUT /api/routes/shop', shop);
    const { stdout } = await api('action', 'routes', 'explain', '--data', file({ uri: '/shop/1' }));
    expect(JSON.parse(stdout)).toMatchObject({ route: 'shop' });
  });

  it('prints the message of the server and the problems of a document', async () => {
    const refused = await api('put', 'routes/shop', '--data', file({ handler: 'nowhere' }));
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^gatewarden api: 409 Conflict: the route 'shop' is not valid; nothing was changed\n {2}error: handler: .*nowhere.* \[reference\]\n$/,
      ),
    });
    expect(await api('get', 'routes/none')).toMatchObject({
      code: 1,
      stderr: "gatewarden api: 404 Not Found: there is no route 'none'\n",
    });
    expect(await api('query', 'routes', '--filter', 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^gatewarden api: 400 Bad Request: /),
    });
  });

  it.each([
    [['put', 'routes/a'], 'put needs a document: --data FILE\n', 1],
    [['get', 'routes/a', '--data', 'x'], 'get takes no --data\n', 1],
    [['action', 'routes'], 'the name of the action is missing: gatewarden api action PATH ACTION\n', 1],
    [['delete', 'routes/a/../b'], "PATH must not have the steps '.' and '..'\n", 1],
    [['get', './routes'], "PATH must not have the steps '.' and '..'\n", 1],
    [['get', 'routes', 'x'], "unexpected argument 'x'\n", 1],
    [['fetch', 'routes'], "OPERATION must be get, query, create, put, patch, delete, action, not 'fetch'\n", 2],
  ] as const)('refuses %j', async (words, message, code) => {
    expect(await api(...words)).toMatchObject({ code, stdout: '', stderr: `gatewarden api: ${message}` });
  });

  /** Runs the command with a server that always gives the same answer. */
  async function answeredWith(status: number, body: string, ...words: readonly string[]) {
    let asked = 0;
    const server = createServer((_, response) => {
      asked++;
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { ...(await runProgram(gatewarden, ['api', ...words, '--server', url])), asked };
  }

  const STEERING = ['\u001b[2J', '\u009b31m', '\u007f', '\u202e', '\u2028', '\u{e0041}'];
  const steers = (text: string): boolean => /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);

  it.each([
    ['a message', { code: 400, reason: 'Bad', message: STEERING.join('a') }],
    ['a cause', { code: 400, message: 'x', cause: { message: STEERING.join('a') } }],
    [
      'a problem',
      { code: 409, detail: { problems: [{ severity: STEERING[0], path: STEERING[1], message: STEERING[2] }] } },
    ],
    ['something else', STEERING],
  ])('shows %s of the server without characters that steer a terminal', async (_, body) => {
    for (const text of [JSON.stringify(body), STEERING.join('\n')]) {
      const { code, stderr } = await answeredWith(400, text, 'get', 'routes/a');
      expect(code).toBe(1);
      expect(steers(stderr)).toBe(false);
    }
  });

  it('escapes characters of a result that steer a terminal', async () => {
    const { code, stdout } = await answeredWith(200, JSON.stringify({ name: STEERING }), 'get', 'routes/a');
    expect(code).toBe(0);
    expect(steers(stdout)).toBe(false);
    expect(JSON.parse(stdout)).toEqual({ name: STEERING });
  });

  it.each([
    ['', '401 Unauthorized'],
    ['sign in first', '401 Unauthorized: sign in first'],
  ])('names the status of a server that answers with the text %j', async (text, line) => {
    const { code, stderr } = await answeredWith(401, text, 'get', 'routes/a');
    expect({ code, stderr }).toEqual({ code: 1, stderr: `gatewarden api: ${line}\n` });
  });

  it('stops when a server returns the same page cookie again', async () => {
    const page = JSON.stringify({ results: [], pagedResultsCookie: 'again' });
    const { code, stderr, asked } = await answeredWith(200, page, 'query', 'routes', '--page-size', '1');
    expect({ code, asked }).toEqual({ code: 1, asked: 2 });
    expect(stderr).toBe('gatewarden api: the server repeats its pages: it returned the same page cookie twice\n');
    const empty = JSON.stringify({ results: [], pagedResultsCookie: '' });
    expect(await answeredWith(200, empty, 'query', 'routes', '--page-size', '1')).toMatchObject({ code: 0, asked: 1 });
  });

  it('sends the token of a file or a variable over https only, and never prints it', async () => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const refused = await runProgram(gatewarden, ['api', 'get', 'info', '--server', url], {
      env: { ...process.env, GATEWARDEN_TOKEN: 'hunter2' },
    });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('a token is sent over https only') });
    expect(JSON.stringify([refused, seen])).not.toContain('hunter2');
  });
});
