import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { type ManagedGateway, manageInstance } from '../../support/crest/managed-gateway.ts';

const shop = {
  condition: "${find(request.uri.path, '^/shop')}",
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'open' } },
};

async function managed(managesRoutes = true): Promise<ManagedGateway> {
  const inner = { type: 'Router', name: 'inner', config: { directory: 'nested', scanInterval: 'disabled' } };
  const gateway = await manageInstance(
    {
      'config/config.json': { handler: { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } } },
      'config/routes/outer.json': { condition: "${find(request.uri.path, '^/in')}", handler: inner },
    },
    managesRoutes,
  );
  onTestFinished(() => gateway.close());
  return gateway;
}

const validated = async (api: JsonObject): Promise<unknown> =>
  new Validator().validate(structuredClone(api) as Record<string, unknown>);

describe('the OpenAPI descriptor', () => {
  it.each([
    ['/openig?_api', ['/info', '/routes', '/routes/{id}', '/system/objects/_router/routes']],
    ['/api?_api', ['/system/objects/_router/routes/outer/objects/inner/routes/{id}']],
    ['/openig/api/system/objects?_api', ['/system/objects/_router/routes/{id}']],
    ['/api/routes?_api', ['/', '/{id}']],
    ['/openig/api/info?_api', ['/']],
    ['/openig/metrics/api?_api', ['/', '/{id}']],
  ])('of %s is valid', async (path, paths) => {
    const gateway = await managed();
    const { status, body, headers } = await gateway.send(`GET ${path}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json;charset=UTF-8']);
    expect(Object.keys(body['paths'] as object)).toEqual(expect.arrayContaining(paths));
    expect(await validated(body as JsonObject)).toMatchObject({ valid: true });
    const ids = Object.values(body['paths'] as Record<string, JsonObject>).flatMap((item) =>
      Object.values(item).flatMap((one) => (one as JsonObject)['operationId'] ?? []),
    );
    expect(new Set(ids).size).toBe(ids.length);
    const { schemas } = body['components'] as { schemas: object };
    const names = Object.keys(schemas).map((name) => name.toLowerCase());
    expect(new Set(names).size).toBe(names.length);
  });

  it('leaves out the routes in the mode PRODUCTION', async () => {
    const { body } = await (await managed(false)).send('GET /api?_api');
    const paths = Object.keys(body['paths'] as object);
    expect(paths).toContain('/info');
    expect(paths.filter((path) => /routes|stores|services/.test(path))).toEqual([]);
  });

  it('has the schema of route documents, which judges them', async () => {
    const { body } = await (await managed()).send('GET /api/routes?_api');
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const judge = ajv.compile({ $ref: '#/components/schemas/Route', components: body['components'] });
    expect(judge({ _id: 'shop', ...shop })).toBe(true);
    expect(judge({ handler: { type: 'StaticResponseHandler', config: { status: 'no' } } })).toBe(false);
    expect(judge({ handler: { type: 'NoSuchHandler' } })).toBe(false);
  });
});

describe('the native descriptor', () => {
  it('of the server info is the one that clients of OpenIG know', async () => {
    const { body } = await (await managed()).send('GET /openig/api/info?_crestapi');
    expect(body).toMatchObject({
      id: 'frapi:openig:server-info',
      definitions: { 'server-info': { type: 'object', required: ['version', 'revision', 'branch', 'timestamp'] } },
      services: {
        'server-info': {
          resourceSchema: { $ref: '#/definitions/server-info' },
          read: { supportedLocales: [], stability: 'STABLE' },
          mvccSupported: false,
        },
      },
      paths: { '': { '0.0': { $ref: '#/services/server-info' } } },
    });
  });

  it('of routes has the operations of the collection and of its items', async () => {
    const { body } = await (await managed()).send('GET /api/routes?_crestapi&_prettyPrint=true');
    const { services } = body as { services: Record<string, JsonObject> };
    expect(services['route']).toMatchObject({
      mvccSupported: true,
      create: { mode: 'ID_FROM_SERVER' },
      queries: [{ type: 'FILTER' }],
      actions: [{ name: 'validate' }, { name: 'explain' }, { name: 'evaluate' }],
      items: { create: { mode: 'ID_FROM_CLIENT' }, read: {}, update: {}, delete: {}, patch: {} },
    });
    expect(JSON.stringify(body)).not.toContain('#/$defs/');
  });
});
