import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serverInfo } from '../../../cli/actions/server-info.ts';
import { type ManagedGateway, manageInstance } from '../../support/crest/managed-gateway.ts';
import type { FolderContent } from '../../support/gateways/instance-folder.ts';

const PASSWORDS = {
  type: 'Base64EncodedSecretStore',
  config: { secrets: { password: Buffer.from('secret').toString('base64') } },
};
const ROUTES = '/openig/api/system/objects/_router/routes';

function answering(text: string, path: string): Record<string, unknown> {
  return {
    condition: `\${find(request.uri.path, '^/${path}')}`,
    handler: { type: 'StaticResponseHandler', config: { status: 200, entity: text } },
  };
}

/** A valid route with a keystore that is not there. */
function unbuildable(path: string): Record<string, unknown> {
  const store = {
    file: 'none.p12',
    storePasswordSecretId: 'password',
    secretsProvider: PASSWORDS,
    mappings: [{ secretId: 'x', aliases: ['x'] }],
  };
  return { heap: [{ name: 'keys', type: 'KeyStoreSecretStore', config: store }], ...answering('new', path) };
}

async function managed(routes: FolderContent = {}, managesRoutes = true): Promise<ManagedGateway> {
  const files = Object.entries(routes).map(([name, content]) => [`config/routes/${name}`, content]);
  const gateway = await manageInstance(
    {
      'config/config.json': { handler: { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } } },
      'config/routes/.keep': '',
      ...Object.fromEntries(files),
    },
    managesRoutes,
  );
  onTestFinished(() => gateway.close());
  return gateway;
}

const idsIn = (body: Readonly<Record<string, unknown>>): unknown[] =>
  (body['results'] as readonly { readonly _id: string }[]).map(({ _id }) => _id);

describe('reading routes', () => {
  it('lists them in the order in which they are tried, by both paths', async () => {
    const gateway = await managed({
      'a.json': { ...answering('a', 'a'), name: '20' },
      'b.json': { ...answering('b', 'b'), name: '10' },
    });
    for (const path of [ROUTES, '/api/routes']) {
      const { status, body, headers } = await gateway.send(`GET ${path}?_queryFilter=true`);
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('no-cache');
      expect(idsIn(body)).toEqual(['b', 'a']);
    }
  });

  it('filters, sorts, pages and selects fields', async () => {
    const gateway = await managed({
      'a.json': answering('one', 'a'),
      'b.json': answering('two', 'b'),
      'c.json': answering('three', 'c'),
    });
    const filter = encodeURIComponent('/handler/config/entity co "t"');
    const { body } = await gateway.send(
      `GET /api/routes?_queryFilter=${filter}&_sortKeys=-_id&_pageSize=1&_fields=_id`,
    );
    expect(body).toMatchObject({ results: [{ _id: 'c' }], resultCount: 1 });
    const cookie = body['pagedResultsCookie'] as string;
    const next = `GET /api/routes?_queryFilter=${filter}&_sortKeys=-_id&_pageSize=1&_pagedResultsCookie=${cookie}`;
    expect(idsIn((await gateway.send(next)).body)).toEqual(['b']);
  });

  it('shows a route as it is written, with its revision', async () => {
    const document = answering('a', 'a');
    const gateway = await managed({ 'a.json': document });
    const { status, body, headers } = await gateway.send(`GET ${ROUTES}/a`);
    expect({ status, body }).toEqual({ status: 200, body: { _id: 'a', _rev: body['_rev'], ...document } });
    expect(headers.get('etag')).toBe(`"${body['_rev']}"`);
    const again = await gateway.send(`GET ${ROUTES}/a`, undefined, { 'if-none-match': `"${body['_rev']}"` });
    expect(again.status).toBe(304);
    expect((await gateway.send(`GET ${ROUTES}/nope`)).status).toBe(404);
  });
});

describe('changing routes', () => {
  it('serves a created route, keeps it in a file, and says where it is', async () => {
    const gateway = await managed();
    expect((await gateway.get('/a')).status).toBe(404);
    const created = await gateway.send(`PUT ${ROUTES}/a`, answering('new', 'a'), { 'if-none-match': '*' });
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/openig\/api\/.*\/routes\/a$/);
    expect(await gateway.get('/a')).toEqual({ status: 200, text: 'new' });
    const file = JSON.parse(readFileSync(join(gateway.path, 'config/routes/a.json'), 'utf8')) as unknown;
    expect(file).toEqual({ _id: 'a', ...answering('new', 'a') });
    expect(readdirSync(join(gateway.path, 'config/routes'))).toEqual(['.keep', 'a.json']);
    const twice = await gateway.send(`PUT ${ROUTES}/a`, answering('new', 'a'), { 'if-none-match': '*' });
    expect(twice.status).toBe(412);
  });

  it('creates with the id in the body, and refuses a body without one', async () => {
    const gateway = await managed();
    const { status, body } = await gateway.send('POST /api/routes', { _id: 'b', ...answering('b', 'b') });
    expect([status, body['_id']]).toEqual([201, 'b']);
    expect((await gateway.send('POST /api/routes', answering('c', 'c'))).status).toBe(400);
  });

  it('serves an updated and a patched route', async () => {
    const gateway = await managed({ 'x.json': { _id: 'a', ...answering('old', 'a') } });
    const updated = await gateway.send('PUT /api/routes/a', answering('new', 'a'));
    expect(updated.status).toBe(200);
    expect((await gateway.get('/a')).text).toBe('new');
    expect(existsSync(join(gateway.path, 'config/routes/a.json'))).toBe(false);
    const patch = [{ operation: 'replace', field: '/handler/config/entity', value: 'patched' }];
    const rev = String(updated.body['_rev']);
    expect((await gateway.send('PATCH /api/routes/a', patch, { 'if-match': rev })).status).toBe(200);
    expect((await gateway.get('/a')).text).toBe('patched');
    expect((await gateway.send('PATCH /api/routes/a', patch, { 'if-match': rev })).status).toBe(412);
  });

  it('does not serve a deleted route any more', async () => {
    const gateway = await managed({ 'a.json': answering('a', 'a') });
    const { status, body } = await gateway.send('DELETE /api/routes/a');
    expect([status, body['_id']]).toEqual([200, 'a']);
    expect((await gateway.get('/a')).status).toBe(404);
    expect(existsSync(join(gateway.path, 'config/routes/a.json'))).toBe(false);
    expect((await gateway.send('DELETE /api/routes/a')).status).toBe(404);
  });

  it('answers 412 if somebody has edited the file meanwhile', async () => {
    const gateway = await managed({ 'a.json': answering('old', 'a') });
    const file = join(gateway.path, 'config/routes/a.json');
    const etag = (await gateway.send('GET /api/routes/a')).headers.get('etag')!;
    writeFileSync(file, JSON.stringify(answering('edited', 'a')));
    const seen = { 'if-match': etag };
    expect((await gateway.send('PUT /api/routes/a', answering('new', 'a'), seen)).status).toBe(412);
    expect((await gateway.send('DELETE /api/routes/a', undefined, seen)).status).toBe(412);
    expect(readFileSync(file, 'utf8')).toContain('edited');
    writeFileSync(join(gateway.path, 'config/routes/b.json'), 'not read yet');
    expect((await gateway.send('PUT /api/routes/b', answering('new', 'b'), { 'if-none-match': '*' })).status).toBe(412);
    expect(readFileSync(join(gateway.path, 'config/routes/b.json'), 'utf8')).toBe('not read yet');
  });

  it('refuses a document that is not valid, and goes on with the one before', async () => {
    const gateway = await managed({ 'a.json': answering('old', 'a') });
    const before = readFileSync(join(gateway.path, 'config/routes/a.json'), 'utf8');
    const { status, body } = await gateway.send('PUT /api/routes/a', { handler: { type: 'NoSuchHandler' } });
    expect(status).toBe(409);
    expect(body).toMatchObject({ cause: { message: expect.stringContaining('NoSuchHandler') } });
    expect(body['detail']).toMatchObject({ problems: [{ severity: 'error', code: 'unknown-type' }] });
    expect((await gateway.send('PUT /api/routes/b', {})).status).toBe(409);
    expect((await gateway.get('/a')).text).toBe('old');
    expect(readFileSync(join(gateway.path, 'config/routes/a.json'), 'utf8')).toBe(before);
    expect(readdirSync(join(gateway.path, 'config/routes'))).toEqual(['.keep', 'a.json']);
  });

  it('takes back a document that no unit can build, while the one before serves', async () => {
    const gateway = await managed({ 'a.json': answering('old', 'a') });
    const before = readFileSync(join(gateway.path, 'config/routes/a.json'), 'utf8');
    for (const [id, headers] of [
      ['a', {}],
      ['a', { 'if-match': '*' }],
      ['b', { 'if-none-match': '*' }],
    ] as const) {
      const { status, body } = await gateway.send(`PUT /api/routes/${id}`, unbuildable(id), headers);
      expect([id, status]).toEqual([id, 409]);
      expect(body['detail']).toMatchObject({ problems: [{ severity: 'error', code: 'build', path: 'heap[0]' }] });
    }
    expect((await gateway.get('/a')).text).toBe('old');
    expect((await gateway.get('/b')).status).toBe(404);
    expect(readFileSync(join(gateway.path, 'config/routes/a.json'), 'utf8')).toBe(before);
    expect(readdirSync(join(gateway.path, 'config/routes'))).toEqual(['.keep', 'a.json']);
    const patch = [{ operation: 'add', field: 'heap', value: unbuildable('a')['heap'] }];
    expect((await gateway.send('PATCH /api/routes/a', patch)).status).toBe(409);
    expect((await gateway.send('PUT /api/routes/a', answering('new', 'a'))).status).toBe(200);
    expect((await gateway.get('/a')).text).toBe('new');
  });

  it('refuses a new router on a directory that is not below the one of config.json', async () => {
    const gateway = await managed();
    const config = join(gateway.path, 'config');
    const elsewhere = ['/etc', gateway.path, join(gateway.path, 'secrets'), config, '../x', '.', 'a/../..', '..'];
    const outer = (directory: string): Record<string, unknown> => ({
      handler: { type: 'Router', name: 'inner', config: { directory, scanInterval: 'disabled' } },
    });
    for (const directory of elsewhere) {
      const { status, body } = await gateway.send('PUT /api/routes/outer', outer(directory));
      expect([directory, status]).toEqual([directory, 409]);
      expect(body['detail']).toMatchObject({ problems: [{ code: 'not-allowed' }] });
      const judged = await gateway.send('POST /api/routes?_action=validate', outer(directory));
      expect(judged.body).toMatchObject({ valid: false });
    }
    expect(readdirSync(join(config, 'routes'))).toEqual(['.keep']);
    for (const directory of ['nested', './a/b', join(config, 'absolute'), '..nested']) {
      expect((await gateway.send('PUT /api/routes/outer', outer(directory))).status).toBeLessThan(300);
    }
  });

  it('keeps a router on another directory that a file declares', async () => {
    const outer = (directory: string, condition: string): Record<string, unknown> => ({
      condition,
      handler: { type: 'Router', name: 'inner', config: { directory, scanInterval: 'disabled' } },
    });
    const gateway = await managed({ 'outer.json': outer('../elsewhere', '${true}') });
    const { status } = await gateway.send('PUT /api/routes/outer', outer('../elsewhere', '${1 == 1}'));
    expect(status).toBe(200);
  });

  it('refuses a name that another route has, whichever file comes first', async () => {
    const gateway = await managed({ 'm.json': { ...answering('m', 'm'), name: 'taken' } });
    for (const id of ['a', 'z']) {
      const { status } = await gateway.send(`PUT /api/routes/${id}`, { ...answering(id, id), name: 'taken' });
      expect(status).toBe(409);
    }
    expect((await gateway.get('/m')).text).toBe('m');
  });

  it('does not take the file of another route or a broken one for a new route', async () => {
    const gateway = await managed({ 'a.json': { _id: 'b', ...answering('b', 'b') }, 'c.json': '{' });
    for (const id of ['a', 'c']) {
      const before = readFileSync(join(gateway.path, `config/routes/${id}.json`), 'utf8');
      for (const headers of [{}, { 'if-none-match': '*' }]) {
        const { status, body } = await gateway.send(`PUT /api/routes/${id}`, answering('new', 'new'), headers);
        expect([status, body['message']]).toEqual([409, expect.stringContaining(`'${id}.json'`)]);
      }
      expect(readFileSync(join(gateway.path, `config/routes/${id}.json`), 'utf8')).toBe(before);
    }
  });

  it('means the route that serves if two files have its id', async () => {
    const gateway = await managed({
      'a.json': { _id: 'x', name: 'later', ...answering('serves', 'x') },
      'b.json': { _id: 'x', name: 'earlier', ...answering('refused', 'x') },
    });
    expect((await gateway.get('/x')).text).toBe('serves');
    expect((await gateway.send('GET /api/routes/x')).body).toMatchObject({ name: 'later' });
    expect((await gateway.send('DELETE /api/routes/x')).body).toMatchObject({ name: 'later' });
    expect(readdirSync(join(gateway.path, 'config/routes'))).toEqual(['.keep', 'b.json']);
    expect((await gateway.get('/x')).text).toBe('refused');
  });

  it('refuses an id that no file can have as its name', async () => {
    const gateway = await managed();
    for (const _id of ['a\ud800', 'a\u2028b', 'a\u2029b']) {
      expect((await gateway.send('POST /api/routes', { _id, ...answering('x', 'x') })).status).toBe(400);
    }
    expect(readdirSync(join(gateway.path, 'config/routes'))).toEqual(['.keep']);
  });

  it.each(['default', '..', '.hidden', 'a%2Fb', 'x'.repeat(201)])('refuses the id %s', async (id) => {
    const gateway = await managed();
    expect((await gateway.send(`PUT /api/routes/${id}`, answering('x', 'x'))).status).not.toBe(201);
    expect(readdirSync(join(gateway.path, 'config/routes'))).toEqual(['.keep']);
  });

  it('refuses an id in the body that is not the one of the path', async () => {
    const gateway = await managed();
    expect((await gateway.send('PUT /api/routes/a', { _id: 'b', ...answering('a', 'a') })).status).toBe(400);
  });

  it('takes changes one after the other', async () => {
    const gateway = await managed({ 'a.json': { ...answering('0', 'a'), baseURI: 'http://a.test' } });
    const puts = Array.from({ length: 12 }, (_, at) =>
      gateway.send('PUT /api/routes/a', { _id: 'a', ...answering(String(at), 'a') }, { 'if-match': '*' }),
    );
    expect((await Promise.all(puts)).map(({ status }) => status)).toEqual(puts.map(() => 200));
    const { body } = await gateway.send('GET /api/routes/a');
    const served = (await gateway.get('/a')).text;
    expect(body).toMatchObject({ handler: { config: { entity: served } } });
  });
});

it('passes on a question mark in a filter', async () => {
  const gateway = await managed({ 'a.json': answering('why?', 'a'), 'b.json': answering('why', 'b') });
  const { body } = await gateway.send('GET /api/routes?_queryFilter=/handler/config/entity+co+"y?"');
  expect(idsIn(body)).toEqual(['a']);
});

it('does not take a path with an empty step for another one', async () => {
  const gateway = await managed({ 's.json': answering('s', 's') });
  for (const path of ['/api//routes', '/api//routes/s', '//api/routes/s', '/api/routes//s']) {
    expect([path, (await gateway.send(`DELETE ${path}`)).status]).toEqual([path, 404]);
  }
  expect((await gateway.get('/s')).text).toBe('s');
});

it('tells why a file cannot be written', async () => {
  const gateway = await managed();
  rmSync(join(gateway.path, 'config/routes'), { recursive: true });
  writeFileSync(join(gateway.path, 'config/routes'), 'not a directory');
  const { status, body } = await gateway.send('PUT /api/routes/a', answering('a', 'a'));
  expect(status).toBe(500);
  expect(body).toMatchObject({ code: 500, cause: { message: expect.stringMatching(/EEXIST|ENOTDIR/) } });
});

describe('the action validate', () => {
  it('tells the problems of a document and changes nothing', async () => {
    const gateway = await managed({ 'a.json': answering('a', 'a') });
    const good = await gateway.send('POST /api/routes?_action=validate', answering('b', 'b'));
    expect(good).toMatchObject({ status: 200, body: { valid: true, problems: [] } });
    const bad = await gateway.send('POST /api/routes/a?_action=validate', { handler: 'nowhere' });
    expect(bad).toMatchObject({
      status: 200,
      body: { valid: false, problems: [{ code: 'reference', path: 'handler' }] },
    });
    expect((await gateway.get('/a')).text).toBe('a');
    expect((await gateway.send('POST /api/routes?_action=other', {})).status).toBe(501);
  });
});

describe('access', () => {
  it('is refused in production, and the server still tells its version', async () => {
    const gateway = await managed({ 'a.json': answering('a', 'a') }, false);
    for (const line of ['GET /api/routes?_queryFilter=true', `GET ${ROUTES}/a`, `DELETE ${ROUTES}/a`]) {
      expect(await gateway.send(line)).toMatchObject({ status: 403, body: { code: 403, reason: 'Forbidden' } });
    }
    expect((await gateway.send(`PUT ${ROUTES}/b`, answering('b', 'b'))).status).toBe(403);
    expect((await gateway.send('GET /openig/api/info')).body).toEqual(serverInfo());
  });

  it('is refused to pages of the web and to clients of a proxy', async () => {
    const gateway = await managed();
    const headers = [
      { origin: 'http://evil.example' },
      { 'x-forwarded-for': '192.0.2.1' },
      { 'x-real-ip': '192.0.2.1' },
      { 'x-forwarded-host': 'gateway.example' },
    ];
    for (const header of headers) {
      expect((await gateway.send(`PUT ${ROUTES}/a`, answering('a', 'a'), header)).status).toBe(403);
    }
    expect(readdirSync(join(gateway.path, 'config/routes'))).toEqual(['.keep']);
  });

  it('is limited to documents of one mebibyte', async () => {
    const gateway = await managed();
    for (let times = 0; times < 20; times++) {
      const { status, body } = await gateway.send(`PUT ${ROUTES}/a`, { x: 'x'.repeat(1 << 20) });
      expect([status, body['code']]).toEqual([413, 413]);
    }
  });
});

describe('the tree of endpoints', () => {
  it.each([
    ['/openig', 204],
    ['/openig/api', 204],
    ['/openig/api/', 204],
    ['/openig/api/system', 204],
    ['/openig/api/system/objects', 204],
    ['/openig/api/system/objects/_router', 204],
    ['/openig/api/system/objects/nosuch', 404],
    ['/openig/api/nosuch', 404],
    ['/openig/api/info/x', 404],
    ['/openig/api/info', 200],
    ['/api/info?_fields=version', 200],
  ])('answers %s with %i', async (path, status) => {
    expect((await (await managed()).send(`GET ${path}`)).status).toBe(status);
  });

  it('has the routes of a router inside of a route', async () => {
    const gateway = await managed({
      'outer.json': {
        condition: "${find(request.uri.path, '^/in')}",
        handler: { type: 'Router', name: 'inner', config: { directory: 'nested', scanInterval: 'disabled' } },
      },
    });
    const inner = `${ROUTES}/outer/objects/inner/routes`;
    expect(idsIn((await gateway.send(`GET ${inner}?_queryFilter=true`)).body)).toEqual([]);
    expect((await gateway.send(`PUT ${inner}/n1`, answering('nested', 'in'))).status).toBe(201);
    expect((await gateway.get('/in')).text).toBe('nested');
    expect(existsSync(join(gateway.path, 'config/nested/n1.json'))).toBe(true);
    expect((await gateway.send(`GET ${ROUTES}/none/objects/inner/routes`)).status).toBe(404);
  });

  it('finds a route by its id before another one by the form of its id in paths', async () => {
    const outer = (name: string): Record<string, unknown> => ({
      handler: { type: 'Router', name: 'inner', config: { directory: name, scanInterval: 'disabled' } },
      condition: `\${find(request.uri.path, '^/${name}')}`,
    });
    const gateway = await managed({
      '1.json': { _id: 'My Route', ...outer('one'), name: '1' },
      '2.json': { _id: 'my-route', ...outer('two'), name: '2' },
    });
    const put = `PUT ${ROUTES}/my-route/objects/inner/routes/n`;
    expect((await gateway.send(put, answering('n', 'two'))).status).toBe(201);
    expect(existsSync(join(gateway.path, 'config/two/n.json'))).toBe(true);
  });
});
