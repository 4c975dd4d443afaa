import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { CompiledCluster } from '../../../support/cluster/compiled-cluster.ts';
import { proxied } from '../../../support/gateways/proxied-route.ts';

const SECRET = 'operators-only-4711';

/** An audit service of an operator whose configuration tenants must not see. */
const audit: JsonObject = {
  name: 'AuditService',
  type: 'AuditService',
  config: {
    eventHandlers: [
      {
        class: 'SplunkAuditEventHandler',
        config: {
          name: 'splunk',
          topics: ['access'],
          connection: { host: `${SECRET}.example.com`, useSSL: true },
          authzTokenSecretId: 'token',
          secretsProvider: {
            type: 'Base64EncodedSecretStore',
            config: { secrets: { token: Buffer.from(SECRET).toString('base64') } },
          },
        },
      },
    ],
  },
};

const config = (more: JsonObject = {}): JsonObject => ({
  heap: [{ name: '_router', type: 'Router' }, audit, { name: 'plain', type: 'NoOpAuditService' }],
  auditService: 'AuditService',
  handler: '_router',
  ...more,
});

const cluster = (more: JsonObject = {}, trust: JsonObject = {}): CompiledCluster =>
  new CompiledCluster().base('config', config(more)).base('trust', trust);

const auditFilter = (auditService: string): JsonObject => ({
  type: 'Chain',
  config: {
    filters: [{ type: 'AuditFilter', config: { auditService, topic: 'orders', event: {} } }],
    handler: 'ReverseProxyHandler',
  },
});

/** The base that the sidecars of all Routes get. */
function sidecarBase(of: CompiledCluster): string {
  const { resources, snapshot } = of.compile();
  return JSON.stringify(resources!.sidecarBase!.of(snapshot!.routes.values(), false));
}

describe('the audit service of an operator in config.json', () => {
  it.each<[string, JsonObject]>([
    ['a Route', { ...proxied, auditService: 'AuditService' }],
    ['an AuditFilter of a Route', { ...proxied, handler: auditFilter('AuditService') }],
  ])('does not exist for %s, and no message shows anything of it', (_, spec) => {
    const verdict = cluster().route('shop/a', spec).verdict('shop/a');
    expect(JSON.stringify(verdict)).toMatch(/AuditService/);
    expect(verdict.resolvedRefs.status).toBe(false);
    expect(JSON.stringify(verdict)).not.toContain(SECRET);
  });

  it('can be used by Routes where the operator shares it, and its configuration stays hidden', () => {
    const verdict = cluster({}, { sharedObjects: ['AuditService'] })
      .route('shop/a', { ...proxied, auditService: 'AuditService' })
      .verdict('shop/a');
    expect([verdict.accepted.status, verdict.resolvedRefs.status]).toEqual([true, true]);
    expect(JSON.stringify(verdict)).not.toContain(SECRET);
  });

  it('does not reach sidecars, neither the object nor the field that names it', () => {
    const base = sidecarBase(cluster().route('shop/a', proxied));
    expect(base).not.toContain(SECRET);
    expect(base).not.toContain(Buffer.from(SECRET).toString('base64'));
    expect(base).not.toContain('auditService');
  });

  it('does not reach sidecars where it is declared in place', () => {
    const { name: _, ...inline } = audit;
    const base = sidecarBase(cluster({ auditService: inline }).route('shop/a', proxied));
    expect(base).not.toContain(SECRET);
  });

  it('reaches sidecars whose Routes use it, because it is shared', () => {
    const shared = cluster({}, { sharedObjects: ['AuditService'] });
    const base = sidecarBase(shared.route('shop/a', { ...proxied, auditService: 'AuditService' }));
    expect(base).toContain(`${SECRET}.example.com`);
  });
});
