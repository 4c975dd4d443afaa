import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { ask } from '../../support/clients/answers.ts';
import { checkConfigured, startConfigured } from '../../support/gateways/configured-gateway.ts';
import { startTenants, type TenantRoute } from '../../support/gateways/tenant-gateway.ts';

const PLACE = '/.well-known/oauth-protected-resource';

function protecting(resourceMetadata: JsonObject, more: JsonObject = {}): JsonObject {
  const accessTokenResolver = {
    type: 'ConfirmationKeyVerifierAccessTokenResolver',
    config: {
      delegate: {
        type: 'TokenIntrospectionAccessTokenResolver',
        config: { endpoint: 'https://as.example/introspect', providerHandler: 'ForgeRockClientHandler' },
      },
      ...more,
    },
  };
  const filter = {
    type: 'OAuth2ResourceServerFilter',
    config: { accessTokenResolver, scopes: ['read'], requireHttps: false, resourceMetadata },
  };
  return {
    type: 'Chain',
    config: { filters: [filter], handler: { type: 'StaticResponseHandler', config: { status: 200 } } },
  };
}

function metadata(resource: string): JsonObject {
  return { resource, authorizationServers: ['https://as.example'] };
}

function orders(host = 'api.example', tenant?: string): TenantRoute {
  const document = {
    condition: "${find(request.uri.path, '^/orders')}",
    handler: protecting(metadata(`https://${host}/orders`)),
  };
  return tenant === undefined ? { document } : { document, tenant };
}

const OPEN: TenantRoute = {
  document: { name: '00-open', handler: { type: 'StaticResponseHandler', config: { status: 202 } } },
};

describe('resourceMetadata', () => {
  it('is served without a token at the URL of the challenge', async () => {
    const gateway = await startTenants({ orders: orders() });
    const refused = await gateway.get('/orders/7', 'api.example');
    const url = /resource_metadata="([^"]+)"/.exec(refused.head)?.[1];
    expect([refused.status, url]).toEqual([401, `https://api.example${PLACE}/orders`]);
    const answer = await gateway.get(new URL(url!).pathname, 'api.example');
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      200,
      {
        resource: 'https://api.example/orders',
        authorization_servers: ['https://as.example'],
        bearer_methods_supported: ['header'],
      },
    ]);
    expect(answer.head).toMatch(/^content-type: application\/json\r$/im);
  });

  it('is served before a route without a condition that comes first', async () => {
    const gateway = await startTenants({ orders: orders(), open: OPEN });
    expect((await gateway.get(`${PLACE}/orders`, 'api.example')).status).toBe(200);
    expect((await gateway.get(PLACE, 'api.example')).status).toBe(202);
    expect((await gateway.get(`${PLACE}/orders/7`, 'api.example')).status).toBe(202);
    expect((await gateway.get(`${PLACE}/orders`, 'other.example')).status).toBe(202);
  });

  it('is added and removed together with its route', async () => {
    const gateway = await startTenants({ open: OPEN });
    const status = async (): Promise<number> => (await gateway.get(`${PLACE}/orders`, 'api.example')).status;
    expect(await status()).toBe(202);
    gateway.change({ orders: orders() });
    expect(await status()).toBe(200);
    gateway.change({ orders: orders('elsewhere.example') });
    expect(await status()).toBe(202);
    gateway.change({ orders: null });
    expect((await gateway.get(`${PLACE}/orders`, 'elsewhere.example')).status).toBe(202);
  });

  it('of a tenant is served at hosts of this tenant only', async () => {
    const tenants = [
      { name: 'shop', hosts: ['shop.example'] },
      { name: 'bank', hosts: ['bank.example'] },
    ];
    const gateway = await startTenants(
      { a: orders('shop.example', 'shop'), b: orders('bank.example', 'shop') },
      { trust: { tenants } },
    );
    expect((await gateway.get(`${PLACE}/orders`, 'shop.example')).status).toBe(200);
    expect((await gateway.get(`${PLACE}/orders`, 'bank.example')).status).toBe(404);
  });

  it('needs a token for any method but GET and HEAD', async () => {
    const gateway = await startTenants({ orders: orders() });
    const asked = async (method: string): Promise<number> =>
      (await ask(gateway.port, `${method} ${PLACE}/orders HTTP/1.1\r\nHost: api.example\r\n`)).status;
    expect(await Promise.all(['GET', 'HEAD', 'POST', 'DELETE'].map(asked))).toEqual([200, 200, 401, 401]);
  });

  it('of a filter in config.json is served where requests reach the filter', async () => {
    const handler = protecting(
      {
        ...metadata('https://api.example'),
        scopesSupported: ['read', 'write'],
        resourceName: 'Orders',
        resourceDocumentation: 'https://docs.example/orders',
      },
      { dpop: {} },
    );
    const gateway = await startConfigured({ handler });
    const answer = await ask(gateway.port, `GET ${PLACE} HTTP/1.1\r\nHost: api.example\r\n`);
    expect(JSON.parse(answer.body)).toMatchObject({
      resource: 'https://api.example',
      scopes_supported: ['read', 'write'],
      resource_name: 'Orders',
      resource_documentation: 'https://docs.example/orders',
      dpop_signing_alg_values_supported: expect.arrayContaining(['ES256']),
    });
    await gateway.close();
  });

  it.each<[JsonObject, string]>([
    [metadata('/orders'), 'resource'],
    [metadata('https://api.example/?a=b'), 'resource'],
    [metadata('https://user@api.example/'), 'resource'],
    [metadata('ftp://api.example/'), 'resource'],
    [{ resource: 'https://api.example', authorizationServers: [] }, 'authorizationServers'],
    [{ resource: 'https://api.example' }, 'authorizationServers'],
    [{ ...metadata('https://api.example'), scopes: [] }, 'scopes'],
  ])('is refused as %j', (given, field) => {
    const problems = checkConfigured({ handler: protecting(given) });
    expect(problems.length).toBeGreaterThan(0);
    expect(JSON.stringify(problems)).toContain(field);
  });
});
