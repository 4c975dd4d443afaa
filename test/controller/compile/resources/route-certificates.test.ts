import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import type { ServerCertificate } from '../../../../contract/snapshot.ts';
import type { Compilation } from '../../../../controller/compile/compiler.ts';
import { publishedCompilation } from '../../../../controller/published-compilation.ts';
import { CompiledCluster, verdictIn } from '../../../support/cluster/compiled-cluster.ts';
import { proxied } from '../../../support/gateways/proxied-route.ts';
import { type Certified, certificateAuthority } from '../../../support/identity/certificates.ts';

const ca = certificateAuthority('certificates');
const one = ca.issue({ names: ['shop.test', '*.shop.test'] });
const other = ca.issue({ names: ['shop.test'] });
const TYPE = 'kubernetes.io/tls';
const trust = {
  tenants: [
    { name: 'shop', namespaces: ['shop', 'store'], hosts: ['shop.test', '*.shop.test'] },
    { name: 'pay', namespaces: ['pay'], hosts: ['pay.test', 'pay.shop.test'] },
  ],
  groups: [{ name: 'edge' }, { name: 'inside' }],
};

const pair = ({ chain, key }: Certified): Record<string, string> => ({ 'tls.crt': chain, 'tls.key': key });

function wanting(hosts: readonly string[], secretName = 'web', more: JsonObject = {}): JsonObject {
  return { ...proxied, ...more, tls: [{ hosts: [...hosts], secretName }] };
}

function prepared(): CompiledCluster {
  return new CompiledCluster()
    .base('trust', trust)
    .secret('shop/web', pair(one), TYPE)
    .route('shop/a', wanting(['shop.test', '*.shop.test']));
}

function certificates({ snapshot }: Compilation): ServerCertificate[] {
  return (snapshot?.resources ?? []).filter((resource) => resource.type === 'server-certificate');
}

function reasons(compilation: Compilation, route: string): string[] {
  return verdictIn(compilation, route).certificates!.faults.map(({ reason, path }) => `${reason} ${path.join('.')}`);
}

describe('the certificates of a Route', () => {
  it('are resources of the snapshot, and no part of the route', () => {
    const cluster = prepared();
    const compilation = cluster.compile();
    const claim = '2026-01-01T00:00:00Z shop/a';
    expect(certificates(compilation)).toMatchObject([
      {
        key: 'Certificate/shop/web',
        tenant: 'shop',
        hosts: { 'shop.test': claim, '*.shop.test': claim },
        chain: one.chain,
        privateKey: one.key,
        sources: [{ uid: 'Secret/shop/web' }],
      },
    ]);
    const { route, accepted, resolvedRefs, certificates: facts } = verdictIn(compilation, 'shop/a');
    expect(route?.document).not.toHaveProperty('tls');
    expect([accepted.status, resolvedRefs.status]).toEqual([true, true]);
    expect(facts).toMatchObject({ faults: [], shown: [{ secret: 'shop/web' }] });
    expect([...compilation.resources!.wantedSecrets]).toEqual(['shop/web']);
  });

  it('change without the route, and stay the same objects while nothing changes', () => {
    const cluster = prepared();
    const before = cluster.compile();
    const same = cluster.touch('shop/a').compile();
    expect(certificates(same)[0]).toBe(certificates(before)[0]);
    expect(same.resources!.wantedSecrets).toBe(before.resources!.wantedSecrets);
    const after = cluster.secret('shop/web', pair(other), TYPE).compile();
    expect(verdictIn(after, 'shop/a').route).toBe(verdictIn(same, 'shop/a').route);
    expect(certificates(after)[0]!.hash).not.toBe(certificates(before)[0]!.hash);
    expect(after.snapshot!.revision).not.toBe(before.snapshot!.revision);
    expect(reasons(after, 'shop/a')).toEqual(['HostNotCovered tls.0.hosts.1']);
  });

  it('are gone with the last Route that names them', () => {
    const cluster = prepared();
    cluster.compile();
    cluster.routes.delete('shop/a');
    expect(certificates(cluster.compile())).toEqual([]);
  });

  it.each<[what: string, change: (cluster: CompiledCluster) => void, reason: string]>([
    ['a Secret that is not there', (all) => all.secret('shop/web', undefined), 'SecretNotFound tls.0.secretName'],
    ['a Secret without consent', (all) => all.secret('shop/web', null, TYPE), 'SecretNotAllowed tls.0.secretName'],
    ['a Secret not read yet', (all) => all.secrets.delete('shop/web'), 'Pending tls.0.secretName'],
    ['another type', (all) => all.secret('shop/web', pair(one)), 'CertificateInvalid tls.0.secretName'],
    [
      'no tls.key',
      (all) => all.secret('shop/web', { 'tls.crt': one.chain }, TYPE),
      'CertificateInvalid tls.0.secretName',
    ],
    [
      'the key of another certificate',
      (all) => all.secret('shop/web', { ...pair(one), 'tls.key': other.key }, TYPE),
      'CertificateInvalid tls.0.secretName',
    ],
    [
      'a weak key',
      (all) =>
        all.secret('shop/web', pair(ca.issue({ names: ['shop.test'], keyType: 'rsa', modulusLength: 1024 })), TYPE),
      'CertificateInvalid tls.0.secretName',
    ],
    [
      'text that is no PEM',
      (all) => all.secret('shop/web', { 'tls.crt': 'x', 'tls.key': 'y' }, TYPE),
      'CertificateInvalid tls.0.secretName',
    ],
    [
      'a name in the subject only',
      (all) => all.secret('shop/web', pair(ca.issue({ commonName: 'shop.test' })), TYPE),
      'HostNotCovered tls.0.hosts.0',
    ],
  ])('are not shown with %s, and the Route serves on', (_, change, reason) => {
    const cluster = prepared();
    change(cluster.route('shop/a', wanting(['shop.test'])));
    const compilation = cluster.compile();
    expect(reasons(compilation, 'shop/a')).toEqual([reason]);
    expect(certificates(compilation)).toEqual([]);
    const { serves, problems } = verdictIn(compilation, 'shop/a');
    expect(serves).toBe('this');
    expect(JSON.stringify(problems)).not.toContain(one.key.split('\n')[1]);
  });

  it.each([
    ['shop/a', 'pay.test'],
    // below its wildcard, and granted to another tenant
    ['shop/a', 'pay.shop.test'],
    ['shop/a', '*.test'],
    ['pay/a', 'shop.test'],
    ['pay/a', '*.shop.test'],
    ['other/a', 'shop.test'],
  ])('of %s are not shown for %s, which it was not granted', (route, host) => {
    const [namespace] = route.split('/');
    const names = ['pay.test', '*.test', 'shop.test', '*.shop.test', 'pay.shop.test'];
    const compilation = prepared()
      .secret(`${namespace}/stolen`, pair(ca.issue({ names })), TYPE)
      .route(route, wanting([host], 'stolen'))
      .compile();
    expect(reasons(compilation, route)[0]).toMatch(/^HostNotGranted tls/);
    expect(certificates(compilation).filter(({ key }) => key.endsWith('stolen'))).toEqual([]);
  });

  it('are withdrawn with the grant', () => {
    const cluster = prepared();
    expect(certificates(cluster.compile())).toHaveLength(1);
    const compilation = cluster.base('trust', { ...trust, tenants: trust.tenants.slice(1) }).compile();
    expect(certificates(compilation)).toEqual([]);
    expect(reasons(compilation, 'shop/a')).toEqual(['HostNotGranted tls']);
  });

  it('of the older Route win where two name one host, and the younger one is told', () => {
    const compilation = prepared()
      .secret('store/web', pair(other), TYPE)
      .route('store/b', wanting(['shop.test']), { created: '2025-01-01T00:00:00Z' })
      .compile();
    expect(reasons(compilation, 'store/b')).toEqual([]);
    expect(reasons(compilation, 'shop/a')).toEqual(['HostConflict tls.0.hosts.0']);
    const [first] = verdictIn(compilation, 'shop/a').certificates!.faults;
    expect(first!.message).toContain('the Secret store/web, which the older Route store/b names');
    const claims = certificates(compilation).map(({ hosts }) => hosts['shop.test']);
    expect(claims).toEqual(['2026-01-01T00:00:00Z shop/a', '2025-01-01T00:00:00Z store/b']);
  });

  it.each([
    [{ matchLabels: { 'gatewarden.io/group': 'inside' } }, []],
    [{ matchLabels: { 'gatewarden.io/group': 'edge' } }, ['HostConflict tls.0.hosts.0']],
    [{ matchLabels: { zone: 'a' } }, ['HostConflict tls.0.hosts.0']],
    [{}, ['HostConflict tls.0.hosts.0']],
  ])('conflict only where one data plane may serve both: %j', (dataPlanes, expected) => {
    const compilation = prepared()
      .secret('store/web', pair(other), TYPE)
      .route('store/b', wanting(['shop.test'], 'web', { dataPlanes }), { created: '2027-01-01T00:00:00Z' })
      .compile();
    expect(reasons(compilation, 'store/b')).toEqual(expected);
  });

  it('of a Route that takes no traffic are not shown', () => {
    const compilation = prepared()
      .route('shop/a', wanting(['shop.test'], 'web', { condition: '${' }))
      .compile();
    expect(certificates(compilation)).toEqual([]);
  });

  it('are published with the routes that name them', () => {
    const cluster = prepared().route('shop/b', wanting(['shop.test']));
    const published = publishedCompilation(cluster.compile(), { seen: null, versionOf: () => null });
    expect([...published!.certificateUsers!]).toEqual([
      ['Certificate/shop/web', new Set(['["gateway._router","shop.a"]', '["gateway._router","shop.b"]'])],
    ]);
  });
});

describe('the field tls of a Route', () => {
  it.each([
    [[{ hosts: [], secretName: 'web' }], 'spec.tls[0].hosts'],
    [[{ hosts: ['SHOP.test'], secretName: 'web' }], 'spec.tls[0].hosts[0]'],
    [[{ hosts: ['*'], secretName: 'web' }], 'spec.tls[0].hosts[0]'],
    [[{ hosts: ['shop.test'], secretName: 'a/b' }], 'spec.tls[0].secretName'],
    [[{ hosts: ['shop.test'] }], 'spec.tls[0].secretName'],
    [[{ hosts: ['shop.test'], secretName: 'web', key: 1 }], 'spec.tls[0].key'],
    [{}, 'spec.tls'],
  ])('%j is refused', (tls, path) => {
    const { accepted } = prepared()
      .route('shop/a', { ...proxied, tls } as unknown as JsonObject)
      .verdict('shop/a');
    expect(accepted).toMatchObject({ status: false, reason: 'Invalid' });
    expect(accepted.message).toContain(path);
  });

  it('is told of at admission where its Secret or host will not do', () => {
    const cluster = prepared();
    cluster.compile();
    const resource = { ...cluster.routes.get('shop/a')!, spec: wanting(['pay.test', 'shop.test']) };
    const opinion = cluster.compiler.judgeOne({ operation: 'set', resource });
    expect(opinion).toMatchObject({
      problems: [],
      notes: ['spec.tls[0].hosts[0]: the host pay.test is not granted to the tenant shop'],
    });
  });
});
