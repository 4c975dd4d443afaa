import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject, JsonValue } from '../../contract/document/json-value.ts';
import { AdmissionServer } from '../../controller/admission/admission-server.ts';
import { ClusterApi } from '../../controller/cluster/api/api-client.ts';
import { AdmissionRegistration } from '../../controller/cluster/identity/admission-registration.ts';
import { injectObject } from '../../controller/injection/inject-object.ts';
import { withAdditions } from '../../controller/injection/pod-patch.ts';
import { readSidecarSettings } from '../../controller/injection/sidecar-settings.ts';
import { webhookInjector } from '../../controller/injection/webhook-injector.ts';
import { type RenderedObject, renderObjects } from '../support/cluster/chart.ts';
import { type TestCluster, theCluster } from '../support/cluster/cluster.ts';
import { certificateAuthority } from '../support/identity/certificates.ts';
import { watchedDirectory } from '../support/state/temporary-files.ts';

const patience = { timeout: 30_000, interval: 100 };
const cluster: TestCluster = theCluster();
const authority = certificateAuthority('injector');

/** What kubectl says on both outputs, and whether it was content. */
function kubectl(words: readonly string[], input?: JsonValue): Promise<{ ok: boolean; said: string; json: string }> {
  return new Promise((resolve) => {
    const all = ['--kubeconfig', cluster.kubeconfig, ...words];
    const child = execFile(cluster.kubectl, all, { maxBuffer: 1 << 24 }, (error, stdout, stderr) => {
      resolve({ ok: error === null, said: stdout + stderr, json: stdout });
    });
    child.stdin?.on('error', () => {}); // it may end without reading
    child.stdin?.end(input === undefined ? '' : JSON.stringify(input));
  });
}

async function must(words: readonly string[], input?: JsonValue): Promise<void> {
  expect(await kubectl(words, input)).toMatchObject({ ok: true });
}

/** A namespace whose Pods can be created without the controllers that Kubernetes has for that. */
async function namespace(labels: Record<string, string> = {}): Promise<string> {
  const name = await cluster.namespace('injection');
  await must(['create', 'serviceaccount', 'default', '-n', name]);
  const words = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  if (words.length > 0) await must(['label', 'namespace', name, ...words]);
  return name;
}

/** What the chart has for sidecars of these namespaces, with controllers in the first. */
async function ofChart(own: string, namespaces: readonly string[]) {
  const values = [{ sidecars: { enabled: true, namespaces } }];
  const objects = await renderObjects({ namespace: own, values });
  const find = (kind: string, name: RegExp): RenderedObject =>
    objects.find((one) => one.kind === kind && name.test(one.metadata.name)) ?? expect.fail(`there is no ${kind}`);
  const configuration = find('MutatingWebhookConfiguration', /./);
  const settings = find('ConfigMap', /-sidecar$/) as RenderedObject & { data: Record<string, string> };
  return {
    webhooks: configuration['webhooks'] as (JsonObject & { namespaceSelector: JsonObject })[],
    settings: settings.data['sidecar.json'] ?? '',
  };
}

interface Setting {
  readonly own: string;
  readonly shop: string;
  readonly settings: string;
  readonly server: AdmissionServer;
  readonly configuration: string;
  readonly webhooks: readonly JsonObject[];
}

/** The webhooks of the chart for a namespace of the test's own, answered by a server of ours. */
async function setting(labels: Record<string, string> = {}): Promise<Setting> {
  const [own, shop] = [await namespace(), await namespace(labels)];
  const { webhooks: rendered, settings } = await ofChart(own, [shop]);
  const file = join(watchedDirectory().path, 'sidecar.json');
  writeFileSync(file, settings);
  const { chain: certificate, key } = authority.issue({ names: ['127.0.0.1'] });
  const server = new AdmissionServer({
    judge: { judge: () => null },
    injector: webhookInjector({
      file,
      namespace: own,
      authorities: () => authority.certificate,
      failed: (error) => expect.fail(error.message),
    }),
    certificate: { certificate, key },
    observer: { reviewed() {}, failed() {} },
  });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  const webhooks = rendered.map((webhook) => ({
    ...webhook,
    clientConfig: { url: `https://127.0.0.1:${port}/inject` },
    // tests share the cluster: those of others must not come here
    namespaceSelector: within(webhook.namespaceSelector, [own, shop, 'kube-system']),
  }));
  await must(['apply', '--server-side', '-f', '-'], configurationOf(shop, webhooks));
  const api = new ClusterApi({ kubeconfig: cluster.kubeconfig });
  const failures: Error[] = [];
  const registration = new AdmissionRegistration(api, {
    kind: 'MutatingWebhookConfiguration',
    name: shop,
    wanted: null,
    caBundle: () => authority.certificate,
    isLeader: () => true,
    interval: 60_000,
    observer: { registered() {}, registrationFailed: (error) => failures.push(error) },
  });
  onTestFinished(async () => {
    await registration.close();
    await kubectl(['delete', 'mutatingwebhookconfiguration', shop]);
    await kubectl(['delete', 'pods', '--all', '-n', shop, '--wait=false', '--force']);
    await server.close();
    await api.close();
  });
  await registration.check();
  expect(failures).toEqual([]);
  await vi.waitFor(async () => {
    const { json } = await create(shop, { labels: { 'gatewarden.io/inject': 'true' } }, '--dry-run=server');
    expect(sidecarsOf(JSON.parse(json))).toHaveLength(1);
  }, patience);
  return { own, shop, settings, server, configuration: shop, webhooks };
}

function within(selector: JsonObject, names: readonly string[]): JsonObject {
  const known = (selector['matchExpressions'] ?? []) as readonly JsonValue[];
  const ours = { key: 'kubernetes.io/metadata.name', operator: 'In', values: names };
  return { ...selector, matchExpressions: [...known, ours] };
}

function configurationOf(name: string, webhooks: readonly JsonObject[]): JsonObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name },
    webhooks,
  };
}

interface Wish {
  readonly name?: string;
  readonly labels?: JsonObject;
  readonly annotations?: JsonObject;
  readonly spec?: JsonObject;
}

let made = 0;

function pod(place: string, { name = `web-${made++}`, labels = {}, annotations = {}, spec = {} }: Wish): JsonObject {
  const container = {
    name: 'app',
    image: 'app:1',
    ports: [{ containerPort: 8080 }],
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    },
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: place, labels, annotations },
    spec: { containers: [container], ...spec },
  };
}

function create(place: string, wish: Wish, ...words: string[]) {
  return kubectl(['create', '-f', '-', '-o', 'json', ...words], pod(place, wish));
}

interface StoredContainer extends JsonObject {
  readonly name: string;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly: boolean }[];
}

interface StoredPod {
  readonly metadata: { readonly name: string; readonly labels: Record<string, string> };
  readonly spec: {
    readonly containers: readonly StoredContainer[];
    readonly initContainers?: readonly StoredContainer[];
    readonly volumes: readonly JsonObject[];
  };
}

/** The Pod as it is stored. */
async function stored(place: string, name: string): Promise<StoredPod> {
  const { json } = await kubectl(['get', 'pod', name, '-n', place, '-o', 'json']);
  return JSON.parse(json);
}

function sidecarsOf({ spec }: StoredPod): readonly StoredContainer[] {
  return (spec.initContainers ?? []).filter(({ name }) => name === 'gatewarden');
}

const asks = { 'gatewarden.io/inject': 'true' };

describe('the injector, called by a real API server with the registration of the chart', () => {
  it('injects a sidecar into a Pod that asks for it, with warnings', async () => {
    const { shop } = await setting();
    const { ok, said } = await create(shop, { name: 'web', labels: asks });
    expect(ok).toBe(true);
    expect(said).toMatch(/Warning: gatewarden: .* clients can bypass the sidecar on port 8080/);
    const { metadata, spec } = await stored(shop, 'web');
    expect(metadata.labels).toEqual({ ...asks, 'gatewarden.io/sidecar': 'true' });
    const [sidecar] = sidecarsOf(await stored(shop, 'web'));
    expect(sidecar).toMatchObject({
      restartPolicy: 'Always',
      env: [
        { name: 'GATEWARDEN_CA', value: authority.certificate },
        {
          name: 'GATEWARDEN_ZONE',
          valueFrom: { fieldRef: { fieldPath: "metadata.labels['topology.kubernetes.io/zone']" } },
        },
      ],
      ports: [{ name: 'gatewarden', containerPort: 15_080 }, { containerPort: 15_090 }],
    });
    expect(spec.containers.map(({ name }) => name)).toEqual(['app']);
    const quiet = await create(shop, { labels: asks, annotations: { 'gatewarden.io/app-listens': 'loopback' } });
    expect(quiet).toMatchObject({ ok: true, said: expect.not.stringContaining('Warning') });
  });

  it('keeps the token of the application for the API server out of the sidecar', async () => {
    const { shop } = await setting();
    await create(shop, { name: 'web', labels: asks });
    const { spec } = await stored(shop, 'web');
    const apiToken = '/var/run/secrets/kubernetes.io/serviceaccount';
    const mounts = (container: StoredContainer | undefined) =>
      container?.volumeMounts.filter(({ mountPath }) => mountPath === apiToken).map(({ name }) => name) ?? [];
    expect(mounts(spec.containers[0])).toEqual([expect.stringMatching(/^kube-api-access-/)]);
    expect(mounts(spec.initContainers?.[0])).toEqual(['gatewarden-no-api-token']);
    expect(spec.volumes).toContainEqual({ name: 'gatewarden-no-api-token', emptyDir: { sizeLimit: '1Mi' } });
  });

  it('injects Pods of a labelled namespace, except Pods that opt out', async () => {
    const { shop } = await setting(asks);
    await create(shop, { name: 'plain' });
    await create(shop, { name: 'out', labels: { 'gatewarden.io/inject': 'false' } });
    await create(shop, { name: 'node', spec: { hostNetwork: true } });
    expect(sidecarsOf(await stored(shop, 'plain'))).toHaveLength(1);
    expect(sidecarsOf(await stored(shop, 'out'))).toHaveLength(0);
    // whoever labels a namespace does not mean these
    expect(sidecarsOf(await stored(shop, 'node'))).toHaveLength(0);
  });

  it('does not change other Pods, updates, kube-system and the controllers', async () => {
    const { own, shop } = await setting();
    await create(shop, { name: 'plain' });
    expect(sidecarsOf(await stored(shop, 'plain'))).toHaveLength(0);
    await must(['label', 'pod', 'plain', '-n', shop, 'gatewarden.io/inject=true']);
    expect(sidecarsOf(await stored(shop, 'plain'))).toHaveLength(0);
    await kubectl(['create', 'serviceaccount', 'default', '-n', 'kube-system']);
    const system = `injection-${shop}`;
    await must(['create', '-f', '-'], pod('kube-system', { name: system, labels: asks }));
    onTestFinished(() => must(['delete', 'pod', system, '-n', 'kube-system', '--force']));
    expect(sidecarsOf(await stored('kube-system', system))).toHaveLength(0);
    await must(['create', '-f', '-'], pod(own, { name: 'controller', labels: asks }));
    expect(sidecarsOf(await stored(own, 'controller'))).toHaveLength(0);
  });

  it.each<[string, Wish, RegExp[]]>([
    ['with hostNetwork', { spec: { hostNetwork: true } }, [/→ spec\.hostNetwork: a Pod with hostNetwork/]],
    [
      'with bad annotations',
      { annotations: { 'gatewarden.io/port': '80', 'gatewarden.io/log-level': 'loud' } },
      [/annotations\["gatewarden\.io\/port"\]: must be a port/, /"gatewarden\.io\/log-level"\]: must be error or warn/],
    ],
    [
      'whose port is not known',
      { annotations: {}, spec: { containers: [{ name: 'a', image: 'b' }] } },
      [/port of the application is not known/],
    ],
    [
      'with a container of that name',
      { spec: { initContainers: [{ name: 'gatewarden', image: 'x' }] } },
      [/spec\.initContainers\[0\]\.name: is reserved for the sidecar/],
    ],
    ['that says neither yes nor no', { labels: { 'gatewarden.io/inject': 'maybe' } }, [/must be "true" or "false"/]],
  ])('refuses a Pod %s', async (_, wish, reasons) => {
    const { shop } = await setting();
    const { ok, said } = await create(shop, { labels: asks, ...wish });
    expect(ok).toBe(false);
    expect(said).toContain('admission webhook "pods.inject.gatewarden.io" denied the request');
    for (const reason of reasons) expect(said).toMatch(reason);
  });

  it('rejects a Pod of a namespace in which sidecars are not admitted', async () => {
    const { own, configuration, webhooks } = await setting();
    const other = await namespace();
    const wider = webhooks.map((one) => ({ ...one, namespaceSelector: within({}, [other, own]) }));
    await must(['apply', '--server-side', '--force-conflicts', '-f', '-'], configurationOf(configuration, wider));
    await vi.waitFor(async () => {
      const { ok, said } = await create(other, { labels: asks }, '--dry-run=server');
      expect(ok).toBe(false);
      expect(said).toContain(`sidecars are not admitted in the namespace ${other}`);
    }, patience);
  });

  it('changes nothing in a dry run, and shows the result', async () => {
    const { shop } = await setting();
    const { json } = await create(shop, { name: 'dry', labels: asks }, '--dry-run=server');
    expect(sidecarsOf(JSON.parse(json))).toHaveLength(1);
    expect(await kubectl(['get', 'pod', 'dry', '-n', shop])).toMatchObject({ ok: false });
  });

  it('accepts Pods with generateName', async () => {
    const { shop } = await setting();
    const { metadata, ...rest } = pod(shop, { labels: asks }) as JsonObject & { metadata: JsonObject };
    const { name: _, ...others } = metadata;
    const nameless = { ...rest, metadata: { ...others, generateName: 'job-' } };
    const { json } = await kubectl(['create', '-f', '-', '-o', 'json'], nameless);
    expect(sidecarsOf(JSON.parse(json))).toHaveLength(1);
  });

  it('injects once, even if it is called repeatedly', async () => {
    const { shop, webhooks } = await setting();
    const again = `${shop}-again`;
    const caBundle = Buffer.from(authority.certificate).toString('base64');
    const careless = webhooks.map(({ matchConditions: _, ...webhook }) => ({
      ...webhook,
      clientConfig: { ...(webhook['clientConfig'] as JsonObject), caBundle },
    }));
    await must(['apply', '--server-side', '-f', '-'], configurationOf(again, careless));
    onTestFinished(() => must(['delete', 'mutatingwebhookconfiguration', again]));
    await create(shop, { name: 'web', labels: asks });
    const first = await stored(shop, 'web');
    expect(sidecarsOf(first)).toHaveLength(1);
    expect(first.spec.volumes.map(({ name }) => name)).toHaveLength(4);
    // as somebody would who moves a Pod, with what an older version has put in
    const moved = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'moved', namespace: shop, labels: asks } };
    const image = { ...first.spec.initContainers?.[0], image: 'gatewarden:0.1' } as JsonObject;
    await must(['create', '-f', '-'], { ...moved, spec: { ...first.spec, initContainers: [image] } });
    expect(sidecarsOf(await stored(shop, 'moved'))).toMatchObject([{ image: 'gatewarden:0.1' }]);
  });

  it('fails only for Pods that ask for a sidecar when it is unreachable', async () => {
    const { shop, server } = await setting();
    await server.close();
    const refused = await create(shop, { labels: asks });
    expect(refused).toMatchObject({ ok: false, said: expect.stringContaining('failed calling webhook') });
    expect(await create(shop, { labels: { 'gatewarden.io/inject': 'false' } })).toMatchObject({ ok: true });
    expect(await create(shop, {})).toMatchObject({ ok: true });
  });

  it('produces Pods that a restricted namespace admits', async () => {
    const { shop } = await setting({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    const bare = await create(shop, {
      labels: asks,
      spec: { containers: [{ name: 'a', image: 'b', ports: [{ containerPort: 80 }] }] },
    });
    expect(bare).toMatchObject({ ok: false, said: expect.stringContaining('violates PodSecurity "restricted') });
    expect(bare.said).not.toMatch(/gatewarden" must|"gatewarden"/);
    expect(await create(shop, { name: 'web', labels: asks })).toMatchObject({ ok: true });
    expect(sidecarsOf(await stored(shop, 'web'))).toHaveLength(1);
  });
});

describe('gatewarden inject', () => {
  let shop: string;
  beforeAll(async () => {
    shop = await namespace();
  });

  it('changes a manifest as the webhook changes a Pod', async () => {
    const { shop: asked, settings } = await setting();
    const terms = { settings: readSidecarSettings(settings, 'sidecar.json'), authorities: authority.certificate };
    const wish = { labels: asks, annotations: { 'gatewarden.io/cpu-limit': '1' } };
    await create(asked, { name: 'online', ...wish });
    const plain = pod(asked, { name: 'offline', ...wish });
    const injection = injectObject(plain, { ...terms, namespace: asked });
    if (injection?.outcome !== 'injected') expect.fail(JSON.stringify(injection));
    await must(['create', '--validate=strict', '-f', '-'], withAdditions(plain, injection.additions));
    const [online, offline] = [await stored(asked, 'online'), await stored(asked, 'offline')];
    expect(offline.spec.initContainers).toEqual(online.spec.initContainers);
    expect(offline.metadata.labels).toEqual(online.metadata.labels);
    const own = ({ spec }: StoredPod) => spec.volumes.filter(({ name }) => String(name).startsWith('gatewarden-'));
    expect(own(offline)).toEqual(own(online));
  });

  it.each([
    ['Deployment', 'apps/v1', { selector: { matchLabels: { app: 'a' } } }],
    ['StatefulSet', 'apps/v1', { selector: { matchLabels: { app: 'a' } }, serviceName: 'a' }],
    ['DaemonSet', 'apps/v1', { selector: { matchLabels: { app: 'a' } } }],
    ['ReplicaSet', 'apps/v1', { selector: { matchLabels: { app: 'a' } } }],
    ['Job', 'batch/v1', {}],
    ['CronJob', 'batch/v1', { schedule: '* * * * *' }],
  ])('produces a %s that the API server accepts', async (kind, apiVersion, rest) => {
    const { metadata, spec } = pod(shop, { labels: { app: 'a' } }) as JsonObject & { metadata: JsonObject };
    const restartPolicy = apiVersion === 'batch/v1' ? { restartPolicy: 'OnFailure' } : {};
    const { labels } = metadata;
    const template = { metadata: { labels: labels ?? {} }, spec: { ...(spec as JsonObject), ...restartPolicy } };
    const own = kind === 'CronJob' ? { jobTemplate: { spec: { template } } } : { template };
    const object = { apiVersion, kind, metadata: { name: 'a', namespace: shop }, spec: { ...rest, ...own } };
    const settings = readSidecarSettings('{"image":"a","controllers":["a:1"]}', 'sidecar.json');
    const injection = injectObject(object, { namespace: shop, settings, authorities: authority.certificate });
    if (injection?.outcome !== 'injected') expect.fail(JSON.stringify(injection));
    const whole = withAdditions(object, injection.additions);
    await must(['create', '--dry-run=server', '--validate=strict', '-f', '-'], whole);
  });
});
