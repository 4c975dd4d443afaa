import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { CompiledCluster } from '../../../support/cluster/compiled-cluster.ts';
import { compiledFront } from '../../../support/crest/compiled-front.ts';

const RIGHTS = {
  operator: ['* * *'],
  shopkeeper: ['* secretstores shop', '* auditservices shop'],
  router: ['* routes *'],
  reader: ['get secretstores shop/keys'],
};

const HIDDEN = 'aHVudGVyMg==';

const CONDITION = {
  ...{ type: 'Accepted', status: 'True', reason: 'Accepted', message: 'valid' },
  ...{ observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z' },
};

function cluster(): CompiledCluster {
  const made = new CompiledCluster()
    .store('shop/keys', {
      type: 'FileSystemSecretStore',
      config: { format: 'PLAIN', leaseExpiry: '5 minutes', mappings: [{ secretId: 'verify' }] },
      secrets: [{ name: 'issuer', items: [{ key: 'verify' }] }],
      allowedNamespaces: ['bank'],
    })
    .store('shop/values', {
      type: 'Base64EncodedSecretStore',
      config: { secrets: { inline: HIDDEN }, password: HIDDEN },
      secrets: [{ name: 'other', items: [{ key: 'k', secretId: 'mounted' }] }],
    })
    .store('bank/remote', {
      type: 'JwkSetSecretStore',
      config: { jwkUrl: `https://user:${HIDDEN}@id.test/keys?token=${HIDDEN}` },
    })
    .auditService('shop/trail', {
      config: { handlerForQueries: 'db' },
      eventHandlers: [
        {
          class: 'org.forgerock.audit.handlers.jdbc.JdbcAuditEventHandler',
          config: {
            name: 'db',
            topics: ['access'],
            connectionPool: { jdbcUrl: 'jdbc:postgresql:x', password: HIDDEN },
          },
        },
      ],
    });
  made.secretStores.set('shop/keys', { ...made.secretStores.get('shop/keys')!, status: { conditions: [CONDITION] } });
  return made;
}

const idsIn = ({ status, body }: { status: number; body: JsonObject }): unknown =>
  status === 200 ? (body['results'] as { _id: string }[]).map(({ _id }) => _id) : status;

describe('SecretStores over Common REST', () => {
  it('have their type, secret ids, sources, lease and conditions', async () => {
    const { ask } = await compiledFront(cluster(), RIGHTS);
    const { body } = await ask('reader', 'GET /api/secret-stores/shop.keys');
    expect(body).toEqual({
      ...{ _id: 'shop.keys', _rev: expect.any(String), namespace: 'shop', name: 'keys', generation: 1 },
      ...{ type: 'FileSystemSecretStore', leaseExpiry: '5 minutes', secretIds: ['verify'] },
      secrets: [{ name: 'issuer', items: [{ key: 'verify' }] }],
      ...{ allowedNamespaces: ['bank'], conditions: [CONDITION] },
    });
    const values = await ask('operator', 'GET /api/secret-stores/shop.values');
    expect(values.body['secretIds']).toEqual(['inline', 'mounted']);
  });

  it('never contain a secret, in a read, a query or one field', async () => {
    const { ask } = await compiledFront(cluster(), RIGHTS);
    for (const line of [
      'GET /api/secret-stores/shop.values',
      'GET /api/secret-stores?_queryFilter=true',
      'GET /api/secret-stores/shop.values?_fields=config,spec,config/secrets,/',
      'GET /api/audit-services/shop.trail',
      'GET /api/audit-services?_queryFilter=true',
    ]) {
      const { status, text } = await ask('operator', line);
      expect([line, status]).toEqual([line, 200]);
      expect(text).not.toContain(HIDDEN);
      expect(text).not.toContain('jdbc:postgresql');
    }
    const guess = `GET /api/secret-stores?_queryFilter=${encodeURIComponent(`/config/secrets/inline eq "${HIDDEN}"`)}`;
    expect(idsIn(await ask('operator', guess))).toEqual([]);
  });

  it('are found by their type and conditions', async () => {
    const { ask } = await compiledFront(cluster(), RIGHTS);
    const found = async (filter: string) =>
      idsIn(await ask('operator', `GET /api/secret-stores?_queryFilter=${encodeURIComponent(filter)}`));
    expect(await found('type eq "JwkSetSecretStore"')).toEqual(['bank.remote']);
    expect(await found('/conditions/0/status eq "True"')).toEqual(['shop.keys']);
    expect(await found('secretIds eq "mounted"')).toEqual(['shop.values']);
  });

  it('are shown to callers who may get or list them, whatever they may do with Routes', async () => {
    const { ask } = await compiledFront(cluster(), RIGHTS);
    const all = 'GET /api/secret-stores?_queryFilter=true';
    expect(idsIn(await ask('operator', all))).toEqual(['bank.remote', 'shop.keys', 'shop.values']);
    expect(idsIn(await ask('shopkeeper', all))).toEqual(['shop.keys', 'shop.values']);
    expect(idsIn(await ask('router', all))).toBe(403);
    expect(idsIn(await ask('reader', all))).toBe(403);
    const [hidden, missing] = [
      await ask('shopkeeper', 'GET /api/secret-stores/bank.remote'),
      await ask('shopkeeper', 'GET /api/secret-stores/bank.absent'),
    ];
    expect([hidden.status, missing.text.replace('absent', 'remote')]).toEqual([403, hidden.text]);
    expect((await ask('operator', 'GET /api/secret-stores/bank.absent')).status).toBe(404);
    expect((await ask('operator', 'GET /api/secret-stores/nodots')).body['message']).toContain('SecretStore id');
  });

  it.each(['PUT', 'POST', 'PATCH', 'DELETE'])('reject %s with 501, because a read leaves parts out', async (method) => {
    const { ask } = await compiledFront(cluster(), RIGHTS);
    const path = method === 'POST' ? '?_action=create' : '/shop.keys';
    const body = method === 'PATCH' ? [{ operation: 'remove', field: 'type' }] : {};
    const sent = method === 'DELETE' ? undefined : body;
    for (const collection of ['secret-stores', 'audit-services']) {
      expect((await ask('operator', `${method} /api/${collection}${path}`, sent)).status).toBe(501);
    }
  });
});

describe('AuditServices over Common REST', () => {
  it('have their handlers and their topics', async () => {
    const { ask } = await compiledFront(cluster(), RIGHTS);
    const { body } = await ask('shopkeeper', 'GET /api/audit-services/shop.trail');
    expect(body).toMatchObject({
      ...{ _id: 'shop.trail', type: 'AuditService', handlerForQueries: 'db', conditions: [] },
      eventHandlers: [{ name: 'db', topics: ['access'], enabled: true }],
    });
    expect((await ask('router', 'GET /api/audit-services/shop.trail')).status).toBe(403);
  });

  it('do not answer queries for events at a controller, which says where they are', async () => {
    const { ask } = await compiledFront(cluster(), RIGHTS);
    for (const line of [
      'GET /api/audit/access?_queryFilter=true',
      'GET /api/audit/access/1',
      'GET /openig/api/audit/access?_queryFilter=true',
    ]) {
      const { status, body } = await ask('operator', line);
      expect([status, body['code']]).toEqual([501, 501]);
      expect(body['message']).toContain('query the database or service that the AuditService writes to');
    }
  });
});

describe('the descriptors of a controller', () => {
  it('have all resources, are valid, and fit the answers', async () => {
    const { ask } = await compiledFront(cluster(), RIGHTS);
    const { body } = await ask('operator', 'GET /api?_api');
    expect(await new Validator().validate(structuredClone(body) as Record<string, unknown>)).toMatchObject({
      valid: true,
    });
    const paths = Object.keys(body['paths'] as object);
    for (const path of ['/info', '/routes/{id}', '/secret-stores', '/secret-stores/{id}', '/audit-services/{id}']) {
      expect(paths).toContain(path);
    }
    expect(paths.filter((path) => path.startsWith('/audit/'))).toEqual([]);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const fits = (label: string, value: unknown): unknown =>
      ajv.compile({ $ref: `#/components/schemas/${label}`, components: body['components'] })(value) || ajv.errors;
    for (const [label, path] of [
      ['SecretStore', 'secret-stores/shop.keys'],
      ['SecretStore', 'secret-stores/shop.values'],
      ['SecretStorePage', 'secret-stores?_queryFilter=true'],
      ['AuditService', 'audit-services/shop.trail'],
    ] as const) {
      expect(fits(label, (await ask('operator', `GET /api/${path}`)).body)).toBe(true);
    }
    const item = (body['paths'] as Record<string, JsonObject>)['/secret-stores/{id}']!;
    expect(Object.keys(item)).toEqual(['parameters', 'get']);
  });

  it('tell the actions of Routes, with the body of explain', async () => {
    const { ask } = await compiledFront(cluster(), RIGHTS);
    const { text } = await ask('operator', 'GET /api/routes?_crestapi');
    expect(text).toContain('"explain"');
    expect((await ask('operator', 'GET /api/routes?_api')).text).toContain('"dataPlane"');
    expect((await ask('operator', 'GET /api/secret-stores?_crestapi')).status).toBe(200);
  });
});
