import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RouteVersions } from '../../../controller/manage/route-versions.ts';
import { type ManagedGateway, manageInstance } from '../../support/crest/managed-gateway.ts';
import { watchedDirectory } from '../../support/state/temporary-files.ts';

const ROUTES = '/openig/api/system/objects/_router/routes';

const answering = (entity: string): Record<string, unknown> => ({
  condition: "${request.uri.path == '/a'}",
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity } },
});

const withPassword = (password: string): Record<string, unknown> => ({
  heap: [{ name: 'store', type: 'Base64EncodedSecretStore', config: { secrets: { key: password } } }],
  ...answering('secret'),
});

async function managed(routes: Readonly<Record<string, unknown>> = {}, managesRoutes = true): Promise<ManagedGateway> {
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

type Shown = Readonly<Record<string, unknown>> & { readonly document: Readonly<Record<string, unknown>> };

async function versionsOf(gateway: ManagedGateway, id: string, root = '/api/routes'): Promise<readonly Shown[]> {
  const { status, body } = await gateway.send(`GET ${root}/${id}/versions?_queryFilter=true`);
  expect(status).toBe(200);
  return body['results'] as readonly Shown[];
}

const textOf = ({ document }: Shown): unknown =>
  (document['handler'] as { readonly config: { readonly entity: string } }).config.entity;

describe('versions of a route', () => {
  it('are kept for every change over HTTP, with the version that a file had before', async () => {
    const gateway = await managed({ 'a.json': answering('one') });
    await gateway.send('PUT /api/routes/a', answering('two'));
    await gateway.send('PATCH /api/routes/a', [
      { operation: 'replace', field: '/handler/config/entity', value: 'three' },
    ]);
    await gateway.send('DELETE /api/routes/a');
    await gateway.send('PUT /api/routes/a', answering('four'));
    const versions = await versionsOf(gateway, 'a');
    expect(versions.map((version) => [version['number'], version['operation'], textOf(version)])).toEqual([
      [1, 'file', 'one'],
      [2, 'update', 'two'],
      [3, 'patch', 'three'],
      [4, 'delete', 'three'],
      [5, 'create', 'four'],
    ]);
    expect(versions.map(({ transactionId }) => typeof transactionId)).toEqual(['object', ...Array(4).fill('string')]);
    expect(await versionsOf(gateway, 'a', ROUTES)).toEqual(versions);
    const times = versions.map(({ at }) => Date.parse(String(at)));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(await versionsOf(gateway, 'never')).toEqual([]);
  });

  it('have one more for a file that somebody edited in between', async () => {
    const gateway = await managed();
    await gateway.send('PUT /api/routes/a', answering('one'));
    const path = join(gateway.path, 'config/routes/a.json');
    writeFileSync(path, JSON.stringify(answering('edited')));
    gateway.managed.reread(path);
    await expect.poll(async () => (await gateway.send('GET /api/routes/a')).text).toContain('edited');
    await gateway.send('PUT /api/routes/a', answering('two'));
    expect((await versionsOf(gateway, 'a')).map(textOf)).toEqual(['one', 'edited', 'two']);
  });

  it('have none for a change that is refused or changes nothing', async () => {
    const gateway = await managed();
    await gateway.send('PUT /api/routes/a', answering('one'));
    expect((await gateway.send('PUT /api/routes/a', { handler: 'missing' })).status).toBe(409);
    expect((await gateway.send('PUT /api/routes/a', answering('one'))).status).toBe(200);
    expect(await versionsOf(gateway, 'a')).toHaveLength(1);
  });

  it('are at most 20', async () => {
    const gateway = await managed();
    for (let at = 1; at <= 22; at++) await gateway.send('PUT /api/routes/a', answering(`text ${at}`));
    const versions = await versionsOf(gateway, 'a');
    expect(versions).toHaveLength(20);
    expect([versions[0]?.['number'], versions.at(-1)?.['number']]).toEqual([3, 22]);
  });

  it('hide secrets, and bring them back when they are deployed again', async () => {
    const [first, second] = ['Zmlyc3Q=', 'c2Vjb25k'];
    const gateway = await managed({ 'a.json': withPassword(first) });
    await gateway.send('PUT /api/routes/a', withPassword(second));
    const versions = await versionsOf(gateway, 'a');
    expect(JSON.stringify(versions)).not.toMatch(/Zmlyc3Q|c2Vjb25k/);
    const { document } = versions[0]!;
    const now = (await gateway.send('GET /api/routes/a')).body;
    expect(versions[1]!.document['heap']).toEqual(now['heap']);
    expect(document['heap']).not.toEqual(now['heap']);
    expect((await gateway.send('POST /api/routes/a?_action=validate', document)).body['valid']).toBe(true);
    expect((await gateway.send('PUT /api/routes/a', document)).status).toBe(200);
    expect(readFileSync(join(gateway.path, 'config/routes/a.json'), 'utf8')).toContain(first);
    expect((await gateway.send('PUT /api/routes/b', document)).status).toBe(400);
    const folder = join(gateway.path, 'history');
    const [name] = readdirSync(folder);
    expect([statSync(folder).mode & 0o777, statSync(join(folder, name!)).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it('never hold up a change: a directory that cannot be written is logged', async () => {
    const gateway = await managed();
    writeFileSync(join(gateway.path, 'history'), 'a file');
    expect((await gateway.send('PUT /api/routes/a', answering('one'))).status).toBe(201);
    expect(gateway.logged.some(({ msg }) => msg === 'versions of a route not kept')).toBe(true);
    expect(await versionsOf(gateway, 'a')).toEqual([]);
  });

  it('begin anew where their file holds something else', async () => {
    const gateway = await managed();
    await gateway.send('PUT /api/routes/a', answering('one'));
    const [name] = readdirSync(join(gateway.path, 'history'));
    writeFileSync(join(gateway.path, 'history', name!), '{"router": 1}');
    mkdirSync(join(gateway.path, 'history', 'folder'));
    await gateway.send('PUT /api/routes/a', answering('two'));
    expect((await versionsOf(gateway, 'a')).map(textOf)).toEqual(['one', 'two']);
  });

  it('are those of 1,000 routes at most, beside files that the gateway did not write', async () => {
    const gateway = await managed();
    const folder = join(gateway.path, 'history');
    mkdirSync(join(folder, 'folder.json'), { recursive: true });
    symlinkSync('nowhere', join(folder, 'link.json'));
    for (let at = 0; at < 1000; at++) writeFileSync(join(folder, `${at}.json`), '{}');
    utimesSync(join(folder, '7.json'), 1, 1);
    await gateway.send('PUT /api/routes/a', answering('one'));
    expect((await versionsOf(gateway, 'a')).map(textOf)).toEqual(['one']);
    const names = readdirSync(folder);
    expect(names).toHaveLength(1002);
    expect(names).not.toContain('7.json');
    expect(gateway.logged.some(({ msg }) => msg === 'versions of a route not kept')).toBe(false);
  });

  it('have so many bytes at most in all, and those of routes that were changed longest ago go first', () => {
    const directory = join(watchedDirectory().path, 'history');
    const failures: unknown[] = [];
    const versions = new RouteVersions({ directory, mostBytes: 10_000, failed: (error) => failures.push(error) });
    const router = 'gateway._router';
    const change = (id: string, entity: string): void => {
      const made = { operation: 'create', transactionId: null, before: null } as const;
      versions.add({ router, id }, { ...made, document: { entity } });
    };
    for (const id of ['a', 'b', 'c']) change(id, id.repeat(3000));
    const nameOf = (id: string): string =>
      readdirSync(directory).find((name) => readFileSync(join(directory, name), 'utf8').includes(`"route": "${id}"`))!;
    utimesSync(join(directory, nameOf('a')), 1, 1);
    utimesSync(join(directory, nameOf('b')), 2, 2);
    writeFileSync(join(directory, `${nameOf('c')}.0123456789ab`), 'left behind');
    utimesSync(join(directory, `${nameOf('c')}.0123456789ab`), 1, 1);
    change('d', 'd'.repeat(5000));
    const left = ['a', 'b', 'c', 'd'].filter((id) => versions.of({ router, id }).length > 0);
    expect(left).toEqual(['c', 'd']);
    expect(readdirSync(directory)).toHaveLength(2);
    expect(failures).toEqual([]);
  });

  it('bring a deleted route back, with its secrets', async () => {
    const gateway = await managed();
    const deleted = async (): Promise<readonly Record<string, unknown>[]> => {
      const { status, body } = await gateway.send('GET /api/deleted-routes?_queryFilter=true');
      expect(status).toBe(200);
      return body['results'] as readonly Record<string, unknown>[];
    };
    expect(await deleted()).toEqual([]);
    const secret = Buffer.from('first').toString('base64');
    await gateway.send('PUT /api/routes/a', withPassword(secret));
    await gateway.send('PUT /api/routes/b', answering('stays'));
    await gateway.send('DELETE /api/routes/a');
    const [found, ...others] = await deleted();
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      route: 'a',
      router: 'gateway._router',
      versions: expect.stringMatching(/versions$/),
    });
    const { body } = await gateway.send(`GET /api/${String(found!['versions'])}?_queryFilter=true&_sortKeys=-number`);
    const [newest] = body['results'] as readonly Shown[];
    expect(JSON.stringify(newest)).not.toContain(secret);
    expect((await gateway.send('PUT /api/routes/a', newest!.document)).status).toBe(201);
    expect(readFileSync(join(gateway.path, 'config/routes/a.json'), 'utf8')).toContain(secret);
    expect(await deleted()).toEqual([]);
  });

  it.each(['..%2F..%2Fconfig%2Fconfig', '%2Fetc%2Fpasswd', '..%5C..%5Ca', '%00', 'a%2Fversions'])(
    'are read and written in their directory only, whatever the id: %s',
    async (id) => {
      const gateway = await managed();
      const before = readdirSync(gateway.path, { recursive: true }).toSorted();
      const written = await gateway.send(`PUT /api/routes/${id}`, answering('one'));
      expect(written.status).toBeGreaterThanOrEqual(400);
      const { body } = await gateway.send(`GET /api/routes/${id}/versions?_queryFilter=true`);
      expect(body['results'] ?? []).toEqual([]);
      expect(readdirSync(gateway.path, { recursive: true }).toSorted()).toEqual(before);
    },
  );

  it('cannot be read in the mode PRODUCTION, and cannot be changed', async () => {
    const production = await managed({ 'a.json': answering('one') }, false);
    expect((await production.send('GET /api/routes/a/versions?_queryFilter=true')).status).toBe(404);
    const gateway = await managed();
    await gateway.send('PUT /api/routes/a', answering('one'));
    expect((await gateway.send('GET /api/routes/a/versions/1')).body['number']).toBe(1);
    expect((await gateway.send('PUT /api/routes/a/versions/1', {})).status).toBe(501);
    expect((await gateway.send('DELETE /api/routes/a/versions/1')).status).toBe(501);
  });
});
