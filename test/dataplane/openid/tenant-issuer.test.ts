import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { sign } from '../../../dataplane/jose/signature.ts';
import { startTenants, TENANT } from '../../support/gateways/tenant-gateway.ts';
import { metadata, OPENID_PATH, startMetadataServer } from '../../support/identity/metadata-server.ts';
import { newKey } from '../../support/identity/signing-keys.ts';

const key = newKey('ES256', 'signing');
const keySet = { keys: [{ ...key.other.key.export({ format: 'jwk' }), kid: 'signing', use: 'sig' }] };

function protectedBy(issuer: string): JsonObject {
  const accessTokenResolver = { type: 'StatelessAccessTokenResolver', config: { issuer } };
  const filter = {
    type: 'OAuth2ResourceServerFilter',
    config: { accessTokenResolver, scopes: ['read'], requireHttps: false },
  };
  const handler = { type: 'StaticResponseHandler', config: { status: 200, entity: 'passed' } };
  return { handler: { type: 'Chain', config: { filters: [filter], handler } } };
}

describe("the issuer of a tenant's route", () => {
  it.each([
    ['the keys of another origin that the operator allows', true, 200],
    ['no keys of an address that the operator does not allow', false, 401],
  ])('gives %s', async (_, isAllowed, status) => {
    const keys = await startMetadataServer({ '/jwks': (response) => void response.end(JSON.stringify(keySet)) });
    const issuer = await startMetadataServer({ [OPENID_PATH]: metadata({ jwks_uri: `${keys.url}/jwks` }) });
    const places = isAllowed ? [issuer, keys] : [issuer];
    const egress = places.map(({ url }) => new URL(url).host);
    const gateway = await startTenants(
      { shop: { tenant: TENANT, document: protectedBy(issuer.url) } },
      { trust: { egress } },
    );
    const exp = Math.floor(Date.now() / 1000) + 600;
    const token = sign({ kid: 'signing' }, JSON.stringify({ iss: issuer.url, exp, scope: 'read' }), key.own, 'ES256');
    const answer = await gateway.send(`GET / HTTP/1.1\r\nHost: gw.test\r\nAuthorization: Bearer ${token}\r\n`);
    expect(answer.status).toBe(status);
    expect(issuer.asked).toEqual([OPENID_PATH]);
    expect(keys.asked).toEqual(isAllowed ? ['/jwks'] : []);
  });
});
