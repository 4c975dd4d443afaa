import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { theCluster } from '../../support/cluster/cluster.ts';
import { sayingHandler } from '../../support/cluster/deployed-routes.ts';
import { CREST_WORDS, type CrestClient, crestClient } from '../../support/crest/cluster-client.ts';
import { routesUser } from '../../support/crest/cluster-users.ts';
import { DeployedGateway } from '../../support/gateways/deployed-gateway.ts';

const cluster = theCluster();
let gateway: DeployedGateway;
/** Of two controllers, one of which leads. */
let client: CrestClient;
let other: CrestClient;
let shop: string;
let token: string;

beforeAll(async () => {
  shop = await cluster.namespace('shop');
  gateway = await DeployedGateway.prepare({ access: cluster, namespaces: [shop] });
  const first = await gateway.startController([...CREST_WORDS, '--webhook', '127.0.0.1:0', '--api-rate', '10000']);
  const second = await gateway.startController([...CREST_WORDS, '--api-rate', '10000']);
  await first.process.line(({ msg }) => msg === 'admission webhook registered');
  client = await crestClient(gateway, first);
  other = await crestClient(gateway, second);
  token = await routesUser(cluster, 'editor', [shop]);
});

afterAll(async () => {
  await Promise.all([client?.close(), other?.close()]);
  await gateway?.stop();
});

const at = (name: string): string => `/api/routes/${shop}.${name}`;
const saying = (text: string, more: object = {}) => ({ handler: sayingHandler(text), ...more });
const ifMatch = (revision: unknown) => ({ 'if-match': `"${String(revision)}"` });
const inCluster = async (name: string): Promise<RouteObject> =>
  JSON.parse(await cluster.run(['get', 'routes.gatewarden.io', name, '-n', shop, '-o', 'json'])) as RouteObject;

interface RouteObject {
  readonly metadata: { readonly resourceVersion: string; readonly annotations?: Record<string, string> };
  readonly spec: { readonly heap?: readonly { readonly name: string }[] } & Record<string, unknown>;
}

describe('a Route over Common REST', () => {
  it('is created, read, updated, patched and deleted, with the resourceVersion as its revision', async () => {
    const created = await client.ask(token, 'PUT', at('life'), { body: saying('one') });
    expect(created).toMatchObject({ status: 201, body: { _id: `${shop}.life`, handler: sayingHandler('one') } });
    expect(created.headers['location']).toBe(`${client.origin}${at('life')}`);
    const read = await client.ask(token, 'GET', at('life'));
    const { metadata, spec } = await inCluster('life');
    expect(spec).toEqual(saying('one'));
    expect(BigInt(String(read.body['_rev']))).toBeLessThanOrEqual(BigInt(metadata.resourceVersion));
    const updated = await client.ask(token, 'PUT', at('life'), { body: { ...read.body, ...saying('two') } });
    expect(updated).toMatchObject({ status: 200, body: { handler: sayingHandler('two') } });
    expect(updated.headers['etag']).toBe(`"${String(updated.body['_rev'])}"`);
    const body = [{ operation: 'add', field: 'name', value: 'patched' }];
    const patched = await client.ask(token, 'PATCH', at('life'), { body });
    expect(patched).toMatchObject({ status: 200, body: { name: 'patched', handler: sayingHandler('two') } });
    expect((await inCluster('life')).spec).toEqual({ ...saying('two'), name: 'patched' });
    const renaming = [{ operation: 'replace', field: '_id', value: `${shop}.other` }];
    expect((await client.ask(token, 'PATCH', at('life'), { body: renaming })).status).toBe(400);
    const removed = await client.ask(token, 'DELETE', at('life'));
    expect(removed).toMatchObject({ status: 200, body: { name: 'patched' } });
    expect((await client.ask(token, 'GET', at('life'))).status).toBe(404);
    expect((await client.ask(token, 'DELETE', at('life'))).status).toBe(404);
  });

  it('is not created twice, and not without an id that is one', async () => {
    const body = { _id: `${shop}.twice`, ...saying('one') };
    expect((await client.ask(token, 'POST', '/api/routes?_action=create', { body })).status).toBe(201);
    expect((await client.ask(token, 'POST', '/api/routes?_action=create', { body })).status).toBe(412);
    const headers = { 'if-none-match': '*' };
    expect((await client.ask(token, 'PUT', at('twice'), { body: saying('two'), headers })).status).toBe(412);
    expect((await client.ask(token, 'POST', '/api/routes', { body: saying('one') })).status).toBe(400);
    expect((await client.ask(token, 'PUT', '/api/routes/orders', { body: saying('one') })).status).toBe(400);
    expect((await client.ask(token, 'PUT', at('Twice'), { body: saying('one') })).status).toBe(400);
    expect((await client.ask(token, 'PUT', '/api/routes/default.orders', { body: saying('one') })).status).toBe(403);
    expect((await client.ask(token, 'PUT', at('twice'), { body })).status).toBe(200);
    expect((await client.ask(token, 'PUT', at('other'), { body })).status).toBe(400);
  });

  it('is changed under If-Match only while its document is that of the revision', async () => {
    const { body } = await client.ask(token, 'PUT', at('matched'), { body: saying('one') });
    await gateway.untilReason(shop, 'route/matched', 'Accepted', 'Accepted');
    await cluster.run(['annotate', 'routes.gatewarden.io', 'matched', '-n', shop, 'owner=ann']);
    const first = await client.ask(token, 'PUT', at('matched'), {
      body: saying('two'),
      headers: ifMatch(body['_rev']),
    });
    expect(first.status).toBe(200); // the status and the annotation are no changes of the document
    expect((await inCluster('matched')).metadata.annotations).toMatchObject({ owner: 'ann' });

    const patch = JSON.stringify({ spec: { name: 'kubectl' } });
    await cluster.run(['patch', 'routes.gatewarden.io', 'matched', '-n', shop, '--type=merge', '-p', patch]);
    const headers = ifMatch(first.body['_rev']);
    const operations = [{ operation: 'add', field: 'name', value: 'late' }];
    for (const answer of [
      await client.ask(token, 'PUT', at('matched'), { body: saying('three'), headers }),
      await client.ask(token, 'PATCH', at('matched'), { body: operations, headers }),
      await client.ask(token, 'DELETE', at('matched'), { headers }),
      await other.ask(token, 'DELETE', at('matched'), { headers }),
      await client.ask(token, 'DELETE', at('matched'), { headers: ifMatch('1') }),
      await client.ask(token, 'DELETE', at('matched'), { headers: ifMatch('99999999999999999999') }),
      await client.ask(token, 'DELETE', at('matched'), { headers: ifMatch('nonsense') }),
    ]) {
      expect(answer).toMatchObject({ status: 412, body: { code: 412, reason: 'Precondition Failed' } });
    }
    expect((await inCluster('matched')).spec['name']).toBe('kubectl');
    const now = await client.ask(token, 'GET', at('matched'));
    expect((await client.ask(token, 'DELETE', at('matched'), { headers: ifMatch(now.body['_rev']) })).status).toBe(200);
  });

  it('loses no change when kubectl and Common REST make them at once', async () => {
    await client.ask(token, 'PUT', at('contested'), { body: saying('one', { heap: [] }) });
    const added = (name: string) => ({ name, ...sayingHandler(name) });
    const byPatch = async (name: string): Promise<void> => {
      const body = [{ operation: 'add', field: 'heap/-', value: added(name) }];
      expect((await client.ask(token, 'PATCH', at('contested'), { body })).status).toBe(200);
    };
    const byUpdate = async (name: string): Promise<void> => {
      for (;;) {
        const { body } = await other.ask(token, 'GET', at('contested'));
        const heap = [...(body['heap'] as object[]), added(name)];
        const headers = ifMatch(body['_rev']);
        const { status } = await other.ask(token, 'PUT', at('contested'), { body: { ...body, heap }, headers });
        if (status === 200) return;
        expect(status).toBe(412);
      }
    };
    const byKubectl = async (name: string): Promise<void> => {
      const patch = JSON.stringify([{ op: 'add', path: '/spec/heap/-', value: added(name) }]);
      await cluster.run(['patch', 'routes.gatewarden.io', 'contested', '-n', shop, '--type=json', '-p', patch]);
    };
    const names: string[] = [];
    const series = async (prefix: string, count: number, add: (name: string) => Promise<void>): Promise<void> => {
      for (let i = 0; i < count; i++) {
        names.push(`${prefix}-${i}`);
        await add(`${prefix}-${i}`);
      }
    };
    await Promise.all([series('patch', 12, byPatch), series('update', 12, byUpdate), series('kubectl', 6, byKubectl)]);
    const { spec } = await inCluster('contested');
    expect(spec.heap!.map(({ name }) => name).sort()).toEqual(names.sort());
  });

  it('is rejected with all its problems, and stays as it was', async () => {
    await client.ask(token, 'PUT', at('sound'), { body: saying('one') });
    const bad = {
      condition: '${nonsense(}',
      handler: { type: 'StaticResponseHandler', config: { status: 'ok', colour: 'red' } },
    };
    for (const [method, name, body] of [
      ['PUT', 'sound', bad],
      ['PUT', 'unsound', bad],
      ['PATCH', 'sound', [{ operation: 'replace', field: 'handler', value: bad.handler }]],
    ] as const) {
      const answer = await client.ask(token, method, at(name), { body });
      expect(answer).toMatchObject({ status: 409, body: { code: 409, reason: 'Conflict' } });
      const { detail, cause } = answer.body as { detail: { problems: { path: string }[] }; cause: { message: string } };
      const paths = detail.problems.map(({ path }) => path);
      expect(paths).toContain('handler.config.colour');
      expect(paths).toContain('handler.config.status');
      expect(cause.message).toContain('there is no field');
    }
    expect((await client.ask(token, 'GET', at('sound'))).body).toMatchObject(saying('one'));
    expect((await client.ask(token, 'GET', at('unsound'))).status).toBe(404);
    const asked = await client.ask(token, 'POST', `${at('sound')}?_action=validate`, { body: bad });
    expect(asked.body).toMatchObject({ valid: false });
    const fine = await client.ask(token, 'POST', `${at('sound')}?_action=validate`);
    expect(fine.body).toMatchObject({ valid: true, problems: [] });
  });
});

describe('several controllers', () => {
  it('show each other what was written, and read the page cookies of each other', async () => {
    for (const name of ['page-a', 'page-b', 'page-c', 'page-d']) {
      const { body } = await client.ask(token, 'PUT', at(name), { body: saying(name) });
      await expect.poll(async () => (await other.ask(token, 'GET', at(name))).body['_rev']).toBeDefined();
      expect(body['_id']).toBe(`${shop}.${name}`);
    }
    const filter = encodeURIComponent(`_id sw "${shop}.page-"`);
    const page = (of: CrestClient, cookie: string | null) =>
      of.ask(token, 'GET', `/api/routes?_queryFilter=${filter}&_sortKeys=-_id&_pageSize=2&_fields=_id${cookie ?? ''}`);
    const first = await client.ask(token, 'GET', `/api/routes?_queryFilter=${filter}&_sortKeys=-_id&_pageSize=2`);
    const ids = ({ body }: { body: object }) => (body as { results: { _id: string }[] }).results.map(({ _id }) => _id);
    expect(ids(first)).toEqual([`${shop}.page-d`, `${shop}.page-c`]);
    const cookie = `&_pagedResultsCookie=${encodeURIComponent(String(first.body['pagedResultsCookie']))}`;
    expect(ids(await page(other, cookie))).toEqual([`${shop}.page-b`, `${shop}.page-a`]);
    expect(ids(await page(client, cookie))).toEqual([`${shop}.page-b`, `${shop}.page-a`]);
    const forged = await page(other, `${cookie.slice(0, -2)}xx`);
    expect(forged.status).toBe(400);
  });
});
