import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { definitionNames } from '../../crds/definitions.ts';
import { repositoryRoot } from '../house/source-file.ts';
import { statusFor } from '../support/cluster/access-matrix.ts';
import { chart, crdChart, type RenderedObject, valueSet } from '../support/cluster/chart.ts';
import { ownCluster, type TestCluster } from '../support/cluster/cluster.ts';
import { manifestList, routeManifest } from '../support/cluster/route-manifest.ts';
import { InstalledRelease, type ReleasedPlane } from '../support/gateways/installed-release.ts';
import type { LoggingProcess } from '../support/gateways/logging-process.ts';
import { watchedDirectory } from '../support/state/temporary-files.ts';

const patience = { timeout: 60_000, interval: 200 };

describe('a release', () => {
  it('has the required rights, keeps data through upgrades, and leaves nothing behind', async () => {
    const { cluster, release } = await prepared();
    const before = await everything(cluster);
    await release.install([], olderDefinitions());
    expect(await everything(cluster)).toContain('Secret gatewarden/gatewarden-certificates');

    const controller = await release.startController();
    await controller.process.line(({ msg }) => msg === 'this controller is the leader');
    await vi.waitFor(async () => expect(await written(release)).not.toContain(''), patience);
    const plane = await release.startPlane('default', controller);
    await serves(cluster, plane, 'one');
    const events = (): Promise<string> => cluster.run(['get', 'events', '-n', 'shop']);
    await vi.waitFor(async () => expect(await events()).toContain('Programmed'), patience);

    const filled = await written(release);
    await release.upgrade([{ controller: { logLevel: 'debug', replicas: 3 }, trust: { onInvalid: 'Refuse' } }]);
    expect(await written(release)).toEqual(filled);
    expect((await release.get('deployment', 'gatewarden-controller'))['spec']).toMatchObject({ replicas: 3 });
    await serves(cluster, plane, 'two');
    await release.helm(['rollback', 'gatewarden', '1']);
    expect(await written(release)).toEqual(filled);
    expect((await release.get('deployment', 'gatewarden-controller'))['spec']).toMatchObject({ replicas: 2 });
    await serves(cluster, plane, 'three');

    expect(await cluster.run(['get', 'crd', 'routes.gatewarden.io', '-o', 'json'])).not.toContain('gwr');
    await release.helm(['upgrade', 'gatewarden-crds', crdChart]);
    expect(await cluster.run(['get', 'crd', 'routes.gatewarden.io', '-o', 'json'])).toContain('gwr');
    await serves(cluster, plane, 'four');
    expect(refusals(controller.process, plane.process)).toEqual([]);

    await plane.process.stop();
    await cluster.run(['delete', 'pod', plane.pod, '-n', 'gatewarden', '--force', '--grace-period=0']);
    // the controller runs on, and must not bring back what helm takes away
    await release.helm(['uninstall', 'gatewarden']);
    await release.helm(['uninstall', 'gatewarden-crds']);
    await cluster.run(['get', 'routes.gatewarden.io/one', '-n', 'shop']);
    await controller.process.stop();
    await cluster.run(['delete', 'crd', ...definitionNames]);
    await vi.waitFor(async () => expect(await everything(cluster)).toEqual(before), patience);
  });

  it('serves only its own data planes, and each only its own Routes', async () => {
    const { cluster, release } = await prepared();
    await release.install([{ webhook: { enabled: false } }]);
    const controller = await release.startController();
    const plane = await release.startPlane('default', controller);
    await serves(cluster, plane, 'one');

    const own = await release.token('gatewarden-default', []);
    for (const path of ['secrets', 'secrets/gatewarden-certificates', 'configmaps', 'pods']) {
      const url = `/api/v1/namespaces/gatewarden/${path}`;
      // the token that a plane shows to controllers is good for nothing else, and its ServiceAccount has no rights
      expect(await statusFor(cluster, url, plane.token), path).toBe(401);
      expect(await statusFor(cluster, url, own), path).toBe(403);
    }
    const stranger = await release.startStranger('default', 'default', controller);
    const refused = await stranger.line(({ msg }) => msg.startsWith('no controller connected'));
    expect(refused['reason']).toContain('the ServiceAccount gatewarden/default belongs to no group');
    expect(stranger.said.filter(({ msg }) => msg === 'listening')).toEqual([]);
  });

  it('reads only the Secrets of tenants that the values name', async () => {
    const { cluster, release } = await prepared();
    await release.install([valueSet('tenants'), { webhook: { enabled: false } }]);
    const controller = await release.startController();
    await controller.process.line(({ msg }) => msg === 'this controller is the leader');
    const names = ['issuer-keys', 'unnamed'];
    await cluster.run(['apply', '-f', '-'], JSON.stringify(manifestList(names.flatMap(storedSecret))));
    const reason = (route: string): Promise<string> => {
      const path = 'jsonpath={.status.conditions[?(@.type=="ResolvedRefs")].reason}';
      return cluster.run(['get', `routes.gatewarden.io/${route}`, '-n', 'shop', '-o', path]);
    };
    await vi.waitFor(async () => expect(await reason('issuer-keys')).toBe('ResolvedRefs'), patience);
    await vi.waitFor(async () => expect(await reason('unnamed')).toBe('SecretNotFound'), patience);
  });

  it('registers both webhooks with sidecars', async () => {
    const { release } = await prepared();
    await release.install([valueSet('sidecars')]);
    const controller = await release.startController();
    await controller.process.line(({ msg }) => msg === 'this controller is the leader');
    const all = async (): Promise<string[]> => {
      const injector = await release.get('mutatingwebhookconfiguration', 'gatewarden');
      return [...(await written(release)), ...bundles(injector)];
    };
    await vi.waitFor(async () => expect(await all()).not.toContain(''), patience);
    const filled = await all();
    await release.upgrade([valueSet('sidecars'), { sidecars: { port: 17080, timeoutSeconds: 3 } }]);
    expect(await all()).toEqual(filled);
    expect(refusals(controller.process)).toEqual([]);
  });

  it('is installed and removed by the commands of its page', async () => {
    const { cluster, release } = await prepared();
    const before = await everything(cluster);
    const page = readFileSync(join(chart, 'README.md'), 'utf8');
    // nothing gets ready without nodes, and `helm test` needs a Pod that runs
    const commands = [...page.matchAll(/^\$ (helm|kubectl) (?!test )(.*)$/gm)].map(([, program = '', rest = '']) => {
      const words = rest.split(' ').filter((word) => word !== '--wait');
      return [program, ...words.map((word) => (word.startsWith('helm/') ? join(repositoryRoot, word) : word))];
    });
    expect(commands.length).toBeGreaterThan(6);
    for (const [program = '', ...words] of commands) {
      if (program === 'helm') await release.helm(words);
      else await cluster.run(words);
      await cluster.run(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=300s']).catch(() => {});
    }
    await vi.waitFor(async () => expect(await everything(cluster)).toEqual(before), patience);
  });
});

async function prepared(): Promise<{ cluster: TestCluster; release: InstalledRelease }> {
  const cluster = await ownCluster();
  for (const name of ['gatewarden', 'shop', 'bank']) await cluster.run(['create', 'namespace', name]);
  await cluster.run(['create', 'serviceaccount', 'default', '-n', 'gatewarden']);
  return { cluster, release: new InstalledRelease(cluster) };
}

/** The chart of the definitions as a version before this one could have been. */
function olderDefinitions(): string {
  const folder = watchedDirectory().path;
  cpSync(crdChart, folder, { recursive: true });
  const file = join(folder, 'templates', 'route.yaml');
  const text = readFileSync(file, 'utf8');
  const older = text.replace(/^ *shortNames:\n *- gwr\n/m, '');
  if (older === text) throw new Error('Routes have no short name that an older version could have lacked');
  writeFileSync(file, older);
  return folder;
}

/** Applies a Route and calls it. */
async function serves(cluster: TestCluster, plane: ReleasedPlane, name: string): Promise<void> {
  await cluster.run(['apply', '-f', '-'], JSON.stringify(routeManifest('shop', name, `this is ${name}`)));
  const route = `routes.gatewarden.io/${name}`;
  await cluster.run(['wait', route, '-n', 'shop', '--for=condition=Programmed', '--timeout=300s']);
  const answer = await fetch(`http://127.0.0.1:${plane.port}/${name}`);
  expect(await answer.text()).toBe(`this is ${name}`);
}

/** A Secret of the namespace shop, a store for it and a Route that needs it, all of one name. */
function storedSecret(name: string): object[] {
  const metadata = { name, namespace: 'shop' };
  const labels = { 'gatewarden.io/secret-store': 'allowed' };
  const config = { username: 'gateway', passwordSecretId: 'password', secretsProvider: name };
  const filters = [{ type: 'HttpBasicAuthenticationClientFilter', config }];
  const handler = { type: 'Chain', config: { filters, handler: 'ReverseProxyHandler' } };
  const apiVersion = 'gatewarden.io/v1alpha1';
  const store = { type: 'FileSystemSecretStore', config: { format: 'PLAIN' }, secrets: [{ name }] };
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata: { ...metadata, labels }, stringData: { password: 'x' } },
    { apiVersion, kind: 'SecretStore', metadata, spec: store },
    { apiVersion, kind: 'Route', metadata, spec: { baseURI: 'http://orders.shop.svc', handler } },
  ];
}

/** Lines that tell of a right that is missing. */
function refusals(...processes: readonly LoggingProcess[]): string[] {
  const lines = processes.flatMap(({ said }) => said.map((line) => JSON.stringify(line)));
  return lines.filter((line) => /forbidden|\b403\b/i.test(line));
}

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
