import { describe, expect, it, vi } from 'vitest';
import { crdChart, type RenderedObject } from '../support/chart.ts';
import { ownCluster, type TestCluster } from '../support/cluster.ts';
import { InstalledRelease } from '../support/installed-release.ts';
import { routeManifest } from '../support/route-manifest.ts';

describe('a release', { timeout: 300_000 }, () => {
  it('has the rights that it needs, keeps what was written through upgrades, and leaves nothing', async () => {
    const cluster = await ownCluster();
    const release = new InstalledRelease(cluster);
    await cluster.run(['create', 'namespace', 'gatewarden']);
    await cluster.run(['create', 'namespace', 'shop']);
    const before = await everything(cluster);

    await release.install();
    const controller = await release.startController();
    await controller.process.line(({ msg }) => msg === 'this controller leads');
    await vi.waitFor(async () => expect(await written(release)).not.toContain(''), { timeout: 60_000, interval: 200 });
    const plane = await release.startPlane('default', controller);
    const programmed = async (name: string): Promise<void> => {
      await cluster.run(['apply', '-f', '-'], JSON.stringify(routeManifest('shop', name, `this is ${name}`)));
      const route = `routes.gatewarden.io/${name}`;
      await cluster.run(['wait', route, '-n', 'shop', '--for=condition=Programmed', '--timeout=60s']);
      const answer = await fetch(`http://127.0.0.1:${plane.port}/${name}`);
      expect(await answer.text()).toBe(`this is ${name}`);
    };
    await programmed('one');
    await vi.waitFor(async () => expect(await cluster.run(['get', 'events', '-n', 'shop'])).toContain('Programmed'), {
      timeout: 30_000,
      interval: 200,
    });

    const filled = await written(release);
    await release.upgrade([{ controller: { logLevel: 'debug', replicas: 3 }, trust: { onInvalid: 'Refuse' } }]);
    expect(await written(release)).toEqual(filled);
    expect((await release.get('deployment', 'gatewarden-controller'))['spec']).toMatchObject({ replicas: 3 });
    await programmed('two');
    await release.helm(['rollback', 'gatewarden', '1']);
    expect(await written(release)).toEqual(filled);
    expect((await release.get('deployment', 'gatewarden-controller'))['spec']).toMatchObject({ replicas: 2 });
    await programmed('three');
    await release.helm(['upgrade', 'gatewarden-crds', crdChart]);
    await programmed('four');

    const said = [...controller.process.said, ...plane.process.said].map((line) => JSON.stringify(line));
    expect(said.filter((line) => /forbidden|Forbidden|403/.test(line))).toEqual([]);

    await plane.process.stop();
    await cluster.run(['delete', 'pod', plane.pod, '-n', 'gatewarden', '--force', '--grace-period=0']);
    await release.helm(['uninstall', 'gatewarden']);
    await release.helm(['uninstall', 'gatewarden-crds']);
    await cluster.run(['get', 'routes.gatewarden.io/one', '-n', 'shop']);
    await controller.process.stop();
    const definitions = ['routes', 'secretstores', 'auditservices'].map((name) => `${name}.gatewarden.io`);
    await cluster.run(['delete', 'crd', ...definitions]);
    await vi.waitFor(async () => expect(await everything(cluster)).toEqual(before), {
      timeout: 60_000,
      interval: 500,
    });
  });
});

/** What controllers have written into the objects of the chart, as texts; an empty text stands for nothing. */
async function written(release: InstalledRelease): Promise<string[]> {
  const secret = await release.get('secret', 'gatewarden-certificates');
  const authority = await release.get('configmap', 'gatewarden-authority');
  const lease = await release.get('lease', 'gatewarden-controller');
  const webhook = await release.get('validatingwebhookconfiguration', 'gatewarden');
  const { holderIdentity = '' } = (lease['spec'] ?? {}) as { holderIdentity?: string };
  return [content(secret), content(authority), holderIdentity, ...bundles(webhook)];
}

function content(object: RenderedObject): string {
  return object['data'] === undefined ? '' : JSON.stringify(object['data']);
}

function bundles(configuration: RenderedObject): string[] {
  const webhooks = configuration['webhooks'] as readonly { readonly clientConfig: { readonly caBundle?: string } }[];
  return webhooks.map(({ clientConfig }) => clientConfig.caBundle ?? '');
}

/** Every object that the API server can list, but Events, which go by themselves. */
async function everything(cluster: TestCluster): Promise<string[]> {
  const kinds = (await cluster.run(['api-resources', '--verbs=list', '-o', 'name'])).trim().split('\n');
  const listed = kinds.filter((kind) => !/^(?:events|componentstatuses)(?:\.|$)/.test(kind));
  const path = 'jsonpath={range .items[*]}{.kind} {.metadata.namespace}/{.metadata.name}{"\\n"}{end}';
  const text = await cluster.run(['get', listed.join(','), '--all-namespaces', '--ignore-not-found', '-o', path]);
  return [...new Set(text.trim().split('\n'))].toSorted();
}
