import { describe, expect, it } from 'vitest';
import { checkManifests } from '../../../cli/actions/check-manifests.ts';
import { dataPlaneChecker } from '../../../cli/actions/checker.ts';
import { verdictText } from '../../../cli/output/verdict-text.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { readReview } from '../../../controller/admission/admission-request.ts';
import { type AdmissionVerdict, admissionVerdict } from '../../../controller/admission/admission-verdict.ts';
import { compilerJudge } from '../../../controller/admission/compiler-judge.ts';
import { type Compilation, Compiler } from '../../../controller/compile/compiler.ts';
import { nothingGood } from '../../../controller/compile/last-good.ts';
import type { SourceFile } from '../../../controller/compile/source-file.ts';
import { Manifests } from '../../../controller/source/manifests.ts';
import { toSyslog } from '../../support/audit/audit-resources.ts';
import { review } from '../../support/cluster/admission-review.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';

type Manifest = JsonObject & { readonly kind: string; readonly metadata: JsonObject };

function manifest(kind: string, at: string, fields: JsonObject): Manifest {
  const [namespace = '', name = ''] = at.split('/');
  const apiVersion = ['Secret', 'ConfigMap'].includes(kind) ? 'v1' : 'gatewarden.io/v1alpha1';
  const labels = kind === 'Secret' ? { 'gatewarden.io/secret-store': 'allowed' } : {};
  return { apiVersion, kind, metadata: { namespace, name, labels }, ...fields };
}

const route = (at: string, spec: JsonObject): Manifest =>
  manifest('Route', at, { spec: { handler: 'ReverseProxyHandler', baseURI: 'http://10.0.0.1:80', ...spec } });

/** A Route that takes its password out of a store. */
const using = (at: string, store: string): Manifest =>
  route(at, {
    handler: {
      type: 'Chain',
      config: {
        filters: [
          {
            type: 'ClientSecretBasicAuthenticationFilter',
            config: { clientId: 'me', clientSecretId: 'password', secretsProvider: store },
          },
        ],
        handler: 'ReverseProxyHandler',
      },
    },
  });

const secret = manifest('Secret', 'platform/passwords', { data: { password: 'cGFzc3dvcmQ=' } });
const store = (allowedNamespaces: readonly string[] = ['shop'], type = 'FileSystemSecretStore'): Manifest =>
  manifest('SecretStore', 'platform/passwords', {
    spec: { type, secrets: [{ name: 'passwords' }], allowedNamespaces },
  });

const fileOf = (manifests: readonly Manifest[]): SourceFile => ({
  path: '/m/all.json',
  content: Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests })),
});

/** A compiler that has seen these objects. */
function cluster(manifests: readonly Manifest[]): {
  compile(): Compilation;
  ask(to: Manifest, from?: Manifest | null): AdmissionVerdict;
  remove(gone: Manifest): AdmissionVerdict;
} {
  const reach = operatorReach({}, {}, '/instance');
  const tokens = { reach, files: new Map<string, string>(), instanceUrl: null, allowed: new Map<string, string>() };
  const compiler = new Compiler({ checker: dataPlaneChecker(reach), tokens, configDirectory: '/c' });
  const { resources, base } = new Manifests({ namespace: 'shop', base: null }).read([fileOf(manifests)]);
  const { config, admin, strays } = base;
  const directories = new Map([['/c/routes', []]]);
  const state = { config, admin, strays, resources, directories, faults: new Map<string, string>(), epoch: 0 };
  const judge = compilerJudge(compiler);
  const asked = (about: Manifest, fields: JsonObject): AdmissionVerdict => {
    const { namespace = '', name = '' } = about.metadata;
    const kind = { group: 'gatewarden.io', kind: about.kind };
    return admissionVerdict(readReview(JSON.stringify(review({ kind, namespace, name, ...fields }))), judge);
  };
  return {
    compile: () => compiler.compile(state, nothingGood),
    ask: (to, from = null) =>
      asked(to, { operation: from === null ? 'CREATE' : 'UPDATE', object: to, oldObject: from }),
    remove: (gone) => asked(gone, { operation: 'DELETE', object: null, oldObject: gone }),
  };
}

function seen(...manifests: Manifest[]): ReturnType<typeof cluster> {
  const one = cluster(manifests);
  one.compile();
  return one;
}

const passes = { denial: null, warnings: [] };

describe('compilerJudge', () => {
  it('admits a valid object', () => {
    expect(seen().ask(route('shop/orders', { condition: "${find(request.uri.path, '^/orders')}" }))).toEqual(passes);
    expect(seen(secret, store()).ask(using('shop/orders', 'platform/passwords'))).toEqual(passes);
    expect(seen(secret).ask(store())).toEqual(passes);
  });

  it.each<[string, Manifest]>([
    ['a field that does not exist', route('shop/orders', { handler: { type: 'Chain', config: { filter: [] } } })],
    ['several errors', route('shop/orders', { condition: '${', heap: [{ name: 'a', type: 'Nothing' }] })],
    ['what tenants may not do', route('shop/orders', { condition: "${env['HOME'] != null}" })],
    ['a wrong selector', route('shop/orders', { dataPlanes: { matchLabels: { a: 7 } } })],
    ['a store of no known type', store(['shop'], 'Nothing')],
  ])('reports for %s the same as gatewarden check', (_, wrong) => {
    const { denial } = seen(secret).ask(wrong);
    const { verdicts } = checkManifests([fileOf([secret, wrong])], { namespace: 'shop', base: null, system: {} });
    const printed = verdictText(verdicts).split('\n');
    expect(denial?.code).toBe(422);
    expect(denial?.message.split('\n').toSorted()).toEqual(
      printed.filter((line) => /^error: | {2}hint: /.test(line)).toSorted(),
    );
  });

  it('admits a Route before the store that it needs, with a warning', () => {
    const { denial, warnings } = seen().ask(using('shop/orders', 'passwords'));
    expect(denial).toBeNull();
    expect(warnings).toEqual([expect.stringMatching(/^spec\.handler\..*there is no SecretStore shop\/passwords/)]);
  });

  it('warns of deprecated fields', () => {
    const { denial, warnings } = seen().ask(route('shop/orders', { monitor: true }));
    expect(denial).toBeNull();
    expect(warnings.join()).toContain('spec.monitor');
  });

  it('warns of a condition that only the administrative path fulfils', () => {
    const { denial, warnings } = seen().ask(
      route('shop/orders', { condition: "${find(request.uri.path, '^/openig/orders')}" }),
    );
    expect(denial).toBeNull();
    expect(warnings).toEqual([expect.stringMatching(/^spec\.condition: tests the administrative path '\/openig'/)]);
  });

  it.each<[string, (one: ReturnType<typeof cluster>) => AdmissionVerdict]>([
    ['is deleted', (one) => one.remove(store())],
    ['withdraws its grant', (one) => one.ask(store([]), store())],
  ])('keeps a store that a Route uses when it %s', (_, change) => {
    const { denial } = change(seen(secret, store(), using('shop/orders', 'platform/passwords')));
    expect(denial).toMatchObject({ code: 403, message: expect.stringContaining('in use: Route shop/orders would') });
    expect(change(seen(secret, store(), route('shop/orders', {})))).toEqual(passes);
  });

  it('admits a change of a store that breaks no Route', () => {
    const one = seen(secret, store(), using('shop/orders', 'platform/passwords'));
    expect(one.ask(store(['shop', 'bills']), store())).toEqual(passes);
  });

  it('admits an AuditService, and a Route that names it', () => {
    const audit = manifest('AuditService', 'shop/audit', { spec: toSyslog('syslog.example.com') });
    const { denial } = seen().ask(audit);
    expect(denial).toBeNull();
    expect(seen(audit).ask(route('shop/orders', { auditService: 'audit' }))).toEqual(passes);
    const { warnings } = seen().ask(route('shop/orders', { auditService: 'audit' }));
    expect(warnings).toEqual([expect.stringContaining('there is no AuditService shop/audit')]);
  });

  it('rejects an AuditService with a directory of the data plane', () => {
    const spec = toSyslog('syslog.example.com', 514, { spool: { directory: '/var/spool' } });
    const { denial } = seen().ask(manifest('AuditService', 'shop/audit', { spec }));
    expect(denial?.message).toContain('spec.eventHandlers[0].config.spool.directory');
  });

  it('keeps an AuditService that a Route uses from its deletion', () => {
    const audit = manifest('AuditService', 'shop/audit', { spec: toSyslog('syslog.example.com') });
    const { denial } = seen(audit, route('shop/orders', { auditService: 'audit' })).remove(audit);
    expect(denial).toMatchObject({ code: 403, message: expect.stringContaining('in use: Route shop/orders would') });
  });

  it('refuses a Route of no tenant', () => {
    const trust = { tenants: [{ name: 'shop', namespaces: ['shop'], hosts: ['*'] }] };
    const base = manifest('ConfigMap', 'gatewarden/gatewarden', { data: { 'trust.json': JSON.stringify(trust) } });
    expect(seen(base).ask(route('shop/orders', {}))).toEqual(passes);
    expect(seen(base).ask(route('bills/all', {})).denial?.message).toContain('belongs to no tenant');
  });

  it('rejects a name that is already used', () => {
    const one = seen(route('shop/orders', { name: 'orders' }));
    expect(one.ask(route('bills/orders', { name: 'orders' })).denial?.message).toContain('the Route shop/orders');
    expect(one.ask(route('shop/orders', { name: 'orders', condition: '${true}' }), route('shop/orders', {}))).toEqual(
      passes,
    );
  });

  it('admits everything before the first compilation', () => {
    expect(cluster([]).ask(route('shop/orders', { handler: 7 }))).toMatchObject({ denial: null });
  });

  it('does not change the state of the compiler', () => {
    const one = cluster([secret, store(), using('shop/orders', 'platform/passwords')]);
    const before = one.compile().snapshot;
    one.remove(store());
    one.ask(store([]), store());
    one.ask(route('shop/orders', { handler: 7 }), using('shop/orders', 'platform/passwords'));
    expect(one.compile().snapshot).toEqual(before);
  });
});
