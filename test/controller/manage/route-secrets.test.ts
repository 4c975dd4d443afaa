import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ManagedGateway, manageInstance } from '../../support/crest/managed-gateway.ts';

const PASSWORD = 'hunter2-in-clear';
const STORE = Buffer.from('a-secret-of-a-store').toString('base64');

/** A route with secrets in three places. */
function route(password = PASSWORD): Record<string, unknown> {
  return {
    name: 'shop',
    condition: "${find(request.uri.path, '^/shop')}",
    heap: [{ name: 'keys', type: 'Base64EncodedSecretStore', config: { secrets: { 'a.key': STORE } } }],
    handler: {
      type: 'Chain',
      config: {
        filters: [
          { type: 'HttpBasicAuthFilter', config: { username: 'u', password, failureHandler: status(401) } },
          { type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-Api-Key': [`key-${password}`] } } },
        ],
        handler: status(200),
      },
    },
  };
}

function status(code: number): Record<string, unknown> {
  return { type: 'StaticResponseHandler', config: { status: code, entity: 'open' } };
}

async function managed(): Promise<ManagedGateway> {
  const gateway = await manageInstance({
    'config/config.json': { handler: { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } } },
    'config/routes/shop.json': route(),
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

const SECRETS = [PASSWORD, STORE, `key-${PASSWORD}`];
const fileOf = (gateway: ManagedGateway): unknown =>
  JSON.parse(readFileSync(join(gateway.path, 'config/routes/shop.json'), 'utf8'));
const PASSWORD_FIELD = '/handler/config/filters/0/config/password';

describe('secrets in the document of a route', () => {
  it('are shown by no read, query, change, action or selection of fields', async () => {
    const gateway = await managed();
    const shown = (await gateway.send('GET /api/routes/shop')).body;
    const patch = [{ operation: 'add', field: '/properties', value: { a: 'b' } }];
    const texts = [
      await gateway.send('GET /api/routes/shop'),
      await gateway.send('GET /api/routes?_queryFilter=true'),
      await gateway.send(`GET /api/routes/shop?_fields=${PASSWORD_FIELD},/heap`),
      await gateway.send(`GET /api/routes/shop?_fields=${PASSWORD_FIELD}&_mimeType=text/plain`),
      await gateway.send(`GET /api/routes?_queryFilter=true&_fields=/&_sortKeys=${PASSWORD_FIELD}&_pageSize=1`),
      await gateway.send('PATCH /api/routes/shop', patch),
      await gateway.send('PUT /api/routes/shop', shown),
      await gateway.send('POST /api/routes/shop?_action=validate'),
      await gateway.send('DELETE /api/routes/shop'),
      await gateway.send('PUT /api/routes/shop', route()),
    ];
    expect(texts.map(({ status: code }) => code)).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 200, 201]);
    for (const { text, headers } of texts) {
      for (const secret of SECRETS) expect(`${text}${JSON.stringify([...headers])}`).not.toContain(secret);
    }
  });

  it('are kept by a client that sends back what it read, also with other changes around them', async () => {
    const gateway = await managed();
    const { body } = await gateway.send('GET /api/routes/shop');
    const { _rev, ...read } = body;
    expect((await gateway.send('PUT /api/routes/shop', body)).status).toBe(200);
    expect(fileOf(gateway)).toEqual({ _id: 'shop', ...route() });
    const config = (read['handler'] as { config: { filters: unknown[] } }).config;
    config.filters.unshift({ type: 'HeaderFilter', config: { messageType: 'REQUEST', remove: ['X-Other'] } });
    expect((await gateway.send('PUT /api/routes/shop', { ...read, name: 'other' })).status).toBe(200);
    expect(JSON.stringify(fileOf(gateway))).toContain(`"password":"${PASSWORD}"`);
    expect(fileOf(gateway)).toMatchObject({ name: 'other', heap: route()['heap'] });
    const validated = await gateway.send('POST /api/routes/shop?_action=validate', { ...read, _id: 'shop' });
    expect(validated.status).toBe(400);
    const newest = (await gateway.send('GET /api/routes/shop')).body;
    expect((await gateway.send('POST /api/routes/shop?_action=validate', newest)).body).toMatchObject({ valid: true });
  });

  it('can be replaced, and the placeholder of the one before is rejected then', async () => {
    const gateway = await managed();
    const before = await gateway.send('GET /api/routes/shop');
    const patch = [{ operation: 'replace', field: PASSWORD_FIELD, value: 'another' }];
    const { status: code, headers } = await gateway.send('PATCH /api/routes/shop', patch);
    expect(code).toBe(200);
    expect(headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(JSON.stringify(fileOf(gateway))).toContain('"password":"another"');
    expect(await gateway.send('PUT /api/routes/shop', before.body)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^handler\.config\.filters\[0\]\.config\.password: the placeholder/) },
    });
  });

  it('cannot be sent back after a restart, and the answer says what to do', async () => {
    const before = await managed();
    const { body, headers } = await before.send('GET /api/routes/shop');
    const after = await managed();
    const file = fileOf(after);
    expect(await after.send('PUT /api/routes/shop', body)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/the gateway started; read the route again, or send the secret$/) },
    });
    const match = { 'if-match': headers.get('etag')! };
    expect((await after.send('PUT /api/routes/shop', body, match)).status).toBe(412);
    expect(fileOf(after)).toEqual(file);
    const again = (await after.send('GET /api/routes/shop')).body;
    expect((await after.send('PUT /api/routes/shop', again)).status).toBe(200);
  });

  it('cannot be moved or copied to a field that is shown, nor to another route', async () => {
    const gateway = await managed();
    const { body } = await gateway.send('GET /api/routes/shop');
    const placeholder = (
      body['handler'] as ReturnType<typeof route> & { config: { filters: { config: { password: string } }[] } }
    ).config.filters[0]!.config.password;
    const before = fileOf(gateway);
    for (const operation of ['copy', 'move']) {
      const patch = [{ operation, from: PASSWORD_FIELD, field: '/name' }];
      expect((await gateway.send('PATCH /api/routes/shop', patch)).status).toBe(400);
    }
    for (const name of [placeholder, `Basic ${placeholder}`]) {
      expect((await gateway.send('PUT /api/routes/shop', { ...body, name })).status).toBe(400);
    }
    const { _id, _rev, ...copy } = body;
    expect((await gateway.send('PUT /api/routes/other', copy)).status).toBe(400);
    expect(fileOf(gateway)).toEqual(before);
  });

  it('can be guessed neither by filters and patches nor by the revision', async () => {
    const gateway = await managed();
    const other = await managed();
    const revisions = await Promise.all(
      [gateway, other].map(async (one) => (await one.send('GET /api/routes/shop')).body['_rev']),
    );
    expect(readFileSync(join(gateway.path, 'config/routes/shop.json'))).toEqual(
      readFileSync(join(other.path, 'config/routes/shop.json')),
    );
    expect(revisions[0]).not.toBe(revisions[1]);
    const count = async (filter: string): Promise<unknown> =>
      (await gateway.send(`GET /api/routes?_queryFilter=${encodeURIComponent(filter)}`)).body['resultCount'];
    for (const text of [PASSWORD, PASSWORD.slice(0, 3)]) {
      for (const operator of ['eq', 'sw', 'co', 'ge']) {
        const value = operator === 'ge' ? '~'.repeat(3) : text;
        expect(await count(`${PASSWORD_FIELD} ${operator} "${value}"`)).toBe(0);
      }
    }
    expect(await count(`${PASSWORD_FIELD} pr`)).toBe(1);
    const patch = (value: string) => [{ operation: 'remove', field: PASSWORD_FIELD, value }];
    const answers = await Promise.all(
      [PASSWORD, 'wrong'].map((value) => gateway.send('PATCH /api/routes/shop', patch(value))),
    );
    expect(answers[0]!.text).toBe(answers[1]!.text);
  });
});
