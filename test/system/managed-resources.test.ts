import { afterEach, describe, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../support/gateways/instance-folder.ts';

let folder: InstanceFolder;
let gateway: GatewayProcess;

afterEach(async () => {
  await gateway.stop();
  folder[Symbol.dispose]();
});

const KEY = Buffer.from('hunter2-hunter2').toString('base64');

async function run(mode: string): Promise<void> {
  folder = new InstanceFolder({
    'config/admin.json': { mode },
    'config/config.json': {
      heap: [
        {
          name: 'audit',
          type: 'AuditService',
          config: {
            config: { handlerForQueries: 'files' },
            eventHandlers: [
              {
                class: 'org.forgerock.audit.handlers.json.JsonAuditEventHandler',
                config: { name: 'files', topics: ['access'], logDirectory: '&{ig.instance.dir}/audit' },
              },
            ],
          },
        },
        { name: 'keys', type: 'Base64EncodedSecretStore', config: { secrets: { signing: KEY } } },
      ],
      auditService: 'audit',
      handler: { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } },
    },
    'config/routes/shop.json': {
      heap: [
        { name: 'own', type: 'FileSystemSecretStore', config: { directory: '&{ig.instance.dir}', format: 'PLAIN' } },
      ],
      handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'open' } },
    },
  });
  gateway = await GatewayProcess.run(folder.path, ['--units', '2']);
}

interface Page {
  readonly results: readonly Readonly<Record<string, unknown>>[];
  readonly pagedResultsCookie: string | null;
  readonly totalPagedResults: number;
}

async function ask(path: string): Promise<{ status: number; text: string; body: Page }> {
  const response = await fetch(`http://127.0.0.1:${gateway.adminPort}/api/${path}`);
  const text = await response.text();
  return { status: response.status, text, body: text === '' ? {} : JSON.parse(text) };
}

describe('resources of a running gateway', () => {
  it('has audit events of the handler for queries, in signed pages', async () => {
    await run('PRODUCTION');
    for (let at = 0; at < 5; at++) await fetch(`http://127.0.0.1:${gateway.port}/shop/${at}`);
    const all = 'audit/access?_queryFilter=true';
    await expect
      .poll(async () => (await ask(`${all}&_countOnly=true`)).body.totalPagedResults, { timeout: 60_000 })
      .toBe(5);
    const sorted = `${all}&_sortKeys=-http/request/path&_pageSize=2&_fields=_id,http/request/path`;
    const paths: unknown[] = [];
    for (let cookie: string | null = ''; cookie !== null; ) {
      const { body } = await ask(`${sorted}&_pagedResultsCookie=${cookie}`);
      paths.push(...body.results.map((one) => String(one['path']).slice(-1)));
      cookie = body.pagedResultsCookie;
    }
    expect(paths).toEqual(['4', '3', '2', '1', '0']);
    const { body } = await ask(`${sorted}&_totalPagedResultsPolicy=EXACT`);
    expect(body.totalPagedResults).toBe(5);
    const [cookie, id] = [body.pagedResultsCookie, String(body.results[0]!['_id'])];
    expect((await ask(`audit/access/${id}`)).body).toMatchObject({ _id: id, eventName: expect.any(String) });
    expect((await ask(`${all}&_pageSize=2&_pagedResultsCookie=${cookie}`)).status).toBe(400);
    const forged = `${Buffer.from('["",0]').toString('base64url')}.${cookie!.split('.')[1]}`;
    expect((await ask(`${sorted}&_pagedResultsCookie=${forged}`)).status).toBe(400);
    expect((await ask('audit/access/none')).status).toBe(404);
    expect((await ask('audit/access?_queryFilter=true&service=none')).status).toBe(404);
    expect((await ask('audit/nosuch?_queryFilter=true')).status).toBe(404);
    expect((await ask('audit')).status).toBe(204);
  });

  it('shows secret stores and audit services without secrets, except in the mode PRODUCTION', async () => {
    await run('EVALUATION');
    const stores = await ask('secret-stores?_queryFilter=true');
    expect(stores.body.results).toEqual([
      {
        ...{ _id: 'gateway.keys', name: 'keys', type: 'Base64EncodedSecretStore', route: null },
        secretIds: ['signing'],
      },
      {
        ...{ _id: 'gateway._router.shop.own', name: 'own', type: 'FileSystemSecretStore', route: 'shop' },
        ...{ secretIds: [], directory: folder.path },
      },
    ]);
    expect(stores.text).not.toContain(KEY);
    const services = await ask('audit-services/gateway.audit');
    expect(services.body).toMatchObject({
      handlerForQueries: 'files',
      eventHandlers: [{ name: 'files', topics: ['access'], enabled: true }],
    });
    expect(services.text).not.toContain('logDirectory');
  });

  it('shows the data plane with its revision in the mode PRODUCTION too', async () => {
    await run('PRODUCTION');
    const { body } = await ask('planes?_queryFilter=true');
    expect(body.results).toMatchObject([
      { revision: expect.any(String), isCurrent: true, problems: [], draining: false },
    ]);
    for (const [path, what] of [
      ['secret-stores', 'secret stores'],
      ['audit-services', 'audit services'],
    ] as const) {
      expect(await ask(`${path}?_queryFilter=true`)).toMatchObject({
        status: 403,
        body: { message: `${what} are shown only in the modes EVALUATION and DEVELOPMENT ('mode' of admin.json)` },
      });
    }
    expect((await ask('?_api')).text).not.toMatch(/secret-stores|audit-services/);
  });
});
