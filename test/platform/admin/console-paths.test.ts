import { once } from 'node:events';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openGuard } from '../../../platform/admin/admin-guard.ts';
import { AdminServer } from '../../../platform/admin/admin-server.ts';
import { AdminTable } from '../../../platform/admin/admin-table.ts';
import { ConsoleFiles } from '../../../platform/admin/console-files.ts';
import { consolePaths } from '../../../platform/admin/console-paths.ts';

const PACKED = {
  'index.html': { type: 'text/html; charset=utf-8', text: '<!doctype html>' },
  'icon.svg': { type: 'image/svg+xml', text: '<svg/>' },
  'assets/console-1a2b.js': { type: 'text/javascript; charset=utf-8', text: 'start()' },
};

interface Served {
  readonly port: number;
  readonly file: string;
}

async function serve(packed: unknown = PACKED): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'gatewarden-console-'));
  const file = join(folder, 'console.json');
  if (packed !== null) writeFileSync(file, JSON.stringify(packed));
  const table = new AdminTable(consolePaths(new ConsoleFiles(pathToFileURL(file)), openGuard));
  const server = new AdminServer({ table: () => table, guard: openGuard, failed() {} });
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  return { file, port: (await server.listen({ host: '127.0.0.1', port: 0 })).port };
}

async function ask({ port }: Served, path: string, headers: Record<string, string> = {}, method = 'GET') {
  const asking = request({ host: '127.0.0.1', port, path, method, headers, agent: false }).end();
  const [response] = await once(asking, 'response');
  return { status: response.statusCode as number, headers: response.headers, body: await buffer(response) };
}

describe('the paths of the console', () => {
  it.each(['/console/', '/console/routes', '/console/routes/10-hello?filter=a', '/console/any/thing'])(
    'give the page for %s',
    async (path) => {
      const { status, headers, body } = await ask(await serve(), path);
      expect([status, body.toString()]).toEqual([200, '<!doctype html>']);
      expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
    },
  );

  it('give files with a hash in their names for ever, and compressed', async () => {
    const served = await serve();
    const { status, headers, body } = await ask(served, '/console/assets/console-1a2b.js', {
      'accept-encoding': 'gzip, br',
    });
    expect([status, gunzipSync(body).toString()]).toEqual([200, 'start()']);
    expect(headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'private, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    const plain = await ask(served, '/console/assets/console-1a2b.js', { 'accept-encoding': 'gzip;q=0, br' });
    expect([plain.body.toString(), plain.headers['content-encoding']]).toEqual(['start()', undefined]);
  });

  it('answer 304 to a client that has the same file', async () => {
    const served = await serve();
    const { headers } = await ask(served, '/console/');
    const again = await ask(served, '/console/', { 'if-none-match': `W/"other", ${headers['etag']}` });
    expect([again.status, again.body.length, again.headers['etag']]).toEqual([304, 0, headers['etag']]);
    expect((await ask(served, '/console/', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('have a strict policy on every answer', async () => {
    const served = await serve();
    const none = await serve(null);
    const answers = [
      await ask(served, '/console/'),
      await ask(served, '/console'),
      await ask(served, '/console/icon.svg'),
      await ask(served, '/console/assets/missing.js'),
      await ask(none, '/console/'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 308, 200, 404, 503]);
    for (const { headers } of answers) {
      const policy = headers['content-security-policy'];
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
      expect(policy).not.toContain('unsafe');
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    }
  });

  it.each([
    '/console/../package.json',
    '/console/%2e%2e/package.json',
    '/console/assets/../../console.json',
    '/console/assets/%2e%2e/index.html',
    '/console/..%2fconsole.json',
    '/console//etc/passwd',
    '/console/assets/console-1a2b.js%00.html',
    '/console/__proto__',
    '/console/assets/constructor',
  ])('reach no other file by %s', async (path) => {
    const { status, body } = await ask(await serve(), path);
    expect([200, 404]).toContain(status);
    expect(['<!doctype html>', 'not found\n', 'not found; the paths are /console\n']).toContain(body.toString());
  });

  it('answer GET and HEAD only', async () => {
    const served = await serve();
    expect((await ask(served, '/console/', {}, 'HEAD')).body.length).toBe(0);
    expect((await ask(served, '/console/', {}, 'POST')).status).toBe(405);
  });

  it('say how to build the console, and find it when it is built', async () => {
    const served = await serve(null);
    const { status, body } = await ask(served, '/console/');
    expect([status, body.toString()]).toEqual([503, "the console is not built: run 'npm run console'\n"]);
    writeFileSync(served.file, JSON.stringify(PACKED));
    expect((await ask(served, '/console/')).status).toBe(200);
    writeFileSync(served.file, JSON.stringify({ 'index.html': { type: 'text/html', text: 'newer' } }));
    utimesSync(served.file, new Date(0), new Date(1000));
    expect((await ask(served, '/console/')).body.toString()).toBe('newer');
  });
});
