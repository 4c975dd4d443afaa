import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { dataPlaneChecker } from '../../cli/actions/checker.ts';
import type { JsonObject } from '../../contract/document/json-value.ts';
import type { Problem } from '../../contract/problem.ts';
import type { AdmissionJudge } from '../../controller/admission/admission-judge.ts';
import type { AdmissionRequest } from '../../controller/admission/admission-request.ts';
import { AdmissionServer } from '../../controller/admission/admission-server.ts';
import { compilerJudge } from '../../controller/admission/compiler-judge.ts';
import { ClusterApi } from '../../controller/cluster/api/api-client.ts';
import { ClusterSource } from '../../controller/cluster/cluster-source.ts';
import { admissionConfiguration } from '../../controller/cluster/identity/admission-configuration.ts';
import { AdmissionRegistration } from '../../controller/cluster/identity/admission-registration.ts';
import { type Compilation, Compiler } from '../../controller/compile/compiler.ts';
import { nothingGood } from '../../controller/compile/last-good.ts';
import { repositoryRoot } from '../house/source-file.ts';
import { kubeconfigText } from '../support/cluster/api-server.ts';
import { type TestCluster, theCluster } from '../support/cluster/cluster.ts';
import { operatorReach } from '../support/gateways/operator-reach.ts';
import { certificateAuthority } from '../support/identity/certificates.ts';
import { watchedDirectory } from '../support/state/temporary-files.ts';

/** The condition of a Route that nobody lets in. */
const bad = '${bad';
const patience = { timeout: 30_000, interval: 100 };
const cluster: TestCluster = theCluster();

beforeAll(async () => {
  await cluster.run(['apply', '--server-side', '--force-conflicts', '-f', `${repositoryRoot}/crds`]);
  await cluster.run([
    'wait',
    '--for=condition=Established',
    'crd',
    'routes.gatewarden.io',
    'secretstores.gatewarden.io',
  ]);
});

/** What kubectl says on both outputs, and whether it was content. */
function kubectl(words: readonly string[], input?: JsonObject): Promise<{ ok: boolean; said: string }> {
  return new Promise((resolve) => {
    const all = ['--kubeconfig', cluster.kubeconfig, ...words];
    const child = execFile(cluster.kubectl, all, (error, stdout, stderr) => {
      resolve({ ok: error === null, said: stdout + stderr });
    });
    child.stdin?.on('error', () => {}); // it may end without reading
    child.stdin?.end(input === undefined ? '' : JSON.stringify(input));
  });
}

function manifest(kind: string, namespace: string, name: string, spec: JsonObject, annotations: JsonObject = {}) {
  return { apiVersion: 'gatewarden.io/v1alpha1', kind, metadata: { name, namespace, annotations }, spec };
}

const secretStore = (namespace: string, annotations?: JsonObject): JsonObject =>
  manifest('SecretStore', namespace, 'keys', { type: 'FileSystemSecretStore' }, annotations);

/** Finds fault with what the condition of a Route says. Stores that are deleted or get grants break a Route. */
const judge: AdmissionJudge & { readonly asked: AdmissionRequest[] } = {
  asked: [],
  judge(request) {
    this.asked.push(request);
    const { kind, namespace, operation, object } = request;
    const spec = (object?.['spec'] ?? {}) as JsonObject;
    const path = ['spec', 'condition'];
    const told: Record<string, Problem[]> = {
      [bad]: [
        { code: 'expression', severity: 'error', path, message: 'is no expression' },
        { code: 'missing', severity: 'error', path: ['spec', 'handler'], message: 'is missing', hint: 'add one' },
      ],
      old: [{ code: 'deprecated-field', severity: 'warning', path, message: 'is deprecated' }],
    };
    const breaks = kind === 'SecretStore' && (operation === 'DELETE' || spec['allowedNamespaces'] !== undefined);
    const problems = told[String(spec['condition'])] ?? [];
    return { problems, notes: [], breaks: breaks ? [`${namespace}/orders`] : [] };
  },
};

interface Setting {
  readonly namespace: string;
  readonly server: AdmissionServer;
  readonly registration: AdmissionRegistration;
  readonly configuration: string;
  readonly written: unknown[];
  /** Takes a certificate of another authority, and hands out both authorities. */
  rotate(): Promise<void>;
  /** Hands out the last authority only. */
  forget(): Promise<void>;
}

/** A webhook that judges one namespace of the test's own. */
async function setting(
  failurePolicy: 'Ignore' | 'Fail' = 'Ignore',
  beforehand: (namespace: string) => Promise<unknown> = async () => {},
  judgeOf: (namespace: string) => Promise<AdmissionJudge> = async () => judge,
): Promise<Setting> {
  const namespace = await cluster.namespace('admission');
  await beforehand(namespace);
  let authority = certificateAuthority('webhook');
  const issue = () => {
    const { chain, key } = authority.issue({ names: ['127.0.0.1'] });
    return { certificate: chain, key };
  };
  const observer = { reviewed() {}, failed() {} };
  const server = new AdmissionServer({ judge: await judgeOf(namespace), observer, certificate: issue() });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  const api = new ClusterApi({ kubeconfig: cluster.kubeconfig });
  const written: unknown[] = [];
  let bundle = authority.certificate;
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
  const configured = { name: namespace, failurePolicy, namespaceSelector };
  const target = { origin: `https://127.0.0.1:${port}` };
  const registration = new AdmissionRegistration(api, {
    kind: 'ValidatingWebhookConfiguration',
    name: namespace,
    wanted: (authorities) => admissionConfiguration({ ...configured, target }, authorities),
    caBundle: () => bundle,
    isLeader: () => true,
    interval: 60_000,
    observer: { registered: () => written.push('registered'), registrationFailed: (error) => written.push(error) },
  });
  onTestFinished(async () => {
    await registration.close();
    await kubectl(['delete', 'validatingwebhookconfiguration', namespace]);
    await server.close();
    await api.close();
  });
  registration.start();
  await vi.waitFor(async () => expect((await create(namespace, bad, '--dry-run=server')).ok).toBe(false), patience);
  const handOut = async (authorities: string): Promise<void> => {
    bundle = authorities;
    await registration.check();
  };
  const rotate = async (): Promise<void> => {
    const next = certificateAuthority('next webhook');
    await handOut(authority.certificate + next.certificate);
    authority = next;
    server.renew(issue());
  };
  const forget = (): Promise<void> => handOut(authority.certificate);
  return { namespace, server, registration, configuration: namespace, written, rotate, forget };
}

let made = 0;

/** Creates a Route with this condition. */
function create(namespace: string, condition: string, ...words: string[]): Promise<{ ok: boolean; said: string }> {
  const spec = { condition, handler: 'ReverseProxyHandler' };
  return kubectl(['create', '-f', '-', ...words], manifest('Route', namespace, `r${made++}`, spec));
}

const webhook = async (configuration: string): Promise<JsonObject> => {
  const { said } = await kubectl(['get', 'validatingwebhookconfiguration', configuration, '-o', 'json']);
  return JSON.parse(said).webhooks[0];
};

describe('the admission webhook, called by a real API server', () => {
  it('rejects an invalid Route with the words of gatewarden check, and admits a valid one', async () => {
    const { namespace } = await setting();
    const { ok, said } = await create(namespace, bad);
    expect(ok).toBe(false);
    expect(said).toContain('admission webhook "admission.gatewarden.io" denied the request');
    expect(said).toMatch(/error: Route \S+\/r\d+ → spec\.condition: is no expression \[expression\]/);
    expect(said).toMatch(/error: Route \S+\/r\d+ → spec\.handler: is missing \[missing\]\n {2}hint: add one/);
    expect(await create(namespace, 'good')).toMatchObject({ ok: true, said: expect.not.stringContaining('Warning') });
  });

  it('rejects an invalid edit, and admits label changes of an invalid object', async () => {
    const route = (namespace: string, name: string, condition: string) =>
      manifest('Route', namespace, name, { condition, handler: 'ReverseProxyHandler' });
    const words = ['apply', '--server-side', '-f', '-'];
    const { namespace } = await setting('Ignore', (fresh) => kubectl(words, route(fresh, 'broken', bad)));
    expect(await kubectl(words, route(namespace, 'orders', 'good'))).toMatchObject({ ok: true });
    const edit = await kubectl(words, route(namespace, 'orders', bad));
    expect(edit).toMatchObject({ ok: false, said: expect.stringContaining('is no expression') });
    const labelled = await kubectl(['label', 'routes.gatewarden.io', 'broken', '-n', namespace, 'a=b']);
    expect(labelled).toMatchObject({ ok: true, said: expect.stringContaining('Warning: spec.condition: is no') });
  });

  it('shows warnings in kubectl', async () => {
    const { namespace } = await setting();
    const { ok, said } = await create(namespace, 'old');
    expect(ok).toBe(true);
    expect(said).toContain('Warning: spec.condition: is deprecated [deprecated-field]');
  });

  it('gets the old object, the new object and the user', async () => {
    const { namespace } = await setting();
    await kubectl(['apply', '--server-side', '-f', '-'], secretStore(namespace));
    await kubectl(['apply', '--server-side', '-f', '-'], secretStore(namespace, { a: 'b' }));
    await kubectl(['delete', 'secretstore', '-n', namespace, '--all']);
    const asked = judge.asked.filter((one) => one.namespace === namespace && one.kind === 'SecretStore');
    expect(asked.map(({ operation, name, user }) => [operation, name, user])).toEqual([
      ['CREATE', 'keys', 'admin'],
      ['UPDATE', 'keys', 'admin'],
      ['DELETE', 'keys', 'admin'],
    ]);
    expect(asked[0]?.object?.['spec']).toEqual({ type: 'FileSystemSecretStore' });
    expect(asked[2]?.oldObject?.['spec']).toEqual({ type: 'FileSystemSecretStore' });
  });

  it('prevents the deletion of a store in use, unless its annotation forces it', async () => {
    const { namespace } = await setting();
    const words = ['apply', '--server-side', '--force-conflicts', '-f', '-'];
    expect(await kubectl(words, secretStore(namespace))).toMatchObject({ ok: true });
    const refused = await kubectl(['delete', 'secretstore', 'keys', '-n', namespace]);
    expect(refused.ok).toBe(false);
    expect(refused.said).toContain(`SecretStore ${namespace}/keys is in use: Route ${namespace}/orders would reject`);
    const granting = { type: 'FileSystemSecretStore', allowedNamespaces: ['other'] };
    expect(await kubectl(words, manifest('SecretStore', namespace, 'keys', granting))).toMatchObject({ ok: false });
    await kubectl(['annotate', 'secretstore', 'keys', '-n', namespace, 'gatewarden.io/force=true']);
    const deleted = await kubectl(['delete', 'secretstore', 'keys', '-n', namespace]);
    expect(deleted).toMatchObject({ ok: true, said: expect.stringContaining('will reject requests') });
  });

  it('blocks no request when it is unreachable', async () => {
    const { namespace, server } = await setting('Ignore');
    await server.close();
    expect(await create(namespace, bad)).toMatchObject({ ok: true });
  });

  it('blocks all requests when it is unreachable with failurePolicy Fail', async () => {
    const { namespace, server } = await setting('Fail');
    expect(await create(namespace, 'good')).toMatchObject({ ok: true });
    await server.close();
    expect(await create(namespace, 'good')).toMatchObject({
      ok: false,
      said: expect.stringContaining('failed calling'),
    });
  });

  it('accepts new certificates and CA certificates while it is in use', async () => {
    const { namespace, rotate, forget } = await setting('Fail');
    const works = async (): Promise<void> => {
      expect(await create(namespace, 'good')).toMatchObject({ ok: true });
      expect(await create(namespace, bad)).toMatchObject({
        ok: false,
        said: expect.stringContaining('no expression'),
      });
    };
    for (let round = 0; round < 2; round++) {
      await rotate();
      // a connection that is opened before the API server has read the new authorities fails
      await vi.waitFor(works, patience);
      await forget();
      await vi.waitFor(works, patience);
    }
  });

  it('restores its registration after a change or deletion', async () => {
    const { configuration, written } = await setting();
    const wanted = await webhook(configuration);
    const words = ['patch', 'validatingwebhookconfiguration', configuration, '--type=json', '-p'];
    for (const change of [
      { op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Fail' },
      { op: 'replace', path: '/webhooks/0/clientConfig/caBundle', value: '' },
      { op: 'replace', path: '/webhooks/0/namespaceSelector', value: {} },
      { op: 'add', path: '/webhooks/0/objectSelector', value: { matchLabels: { a: 'b' } } },
      { op: 'remove', path: '/webhooks/0/rules/0' },
    ]) {
      expect(await kubectl([...words, JSON.stringify([change])])).toMatchObject({ ok: true });
      await vi.waitFor(async () => expect(await webhook(configuration)).toEqual(wanted), patience);
    }
    await kubectl(['delete', 'validatingwebhookconfiguration', configuration]);
    await vi.waitFor(async () => expect(await webhook(configuration)).toEqual(wanted), patience);
    expect(written).toEqual(Array.from({ length: 7 }, () => 'registered'));
  });

  it('writes only the caBundle of a foreign registration, with the right to patch it', async () => {
    const { configuration, registration } = await setting();
    await registration.close();
    await kubectl(['apply', '-f', '-'], narrowRights(configuration));
    const { said: token } = await kubectl(['create', 'token', 'patcher', '-n', configuration]);
    const kubeconfig = join(watchedDirectory().path, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigText(cluster, token.trim()));
    const api = new ClusterApi({ kubeconfig });
    const bundle = certificateAuthority('handed out').certificate;
    const said: string[] = [];
    const patching = new AdmissionRegistration(api, {
      kind: 'ValidatingWebhookConfiguration',
      name: configuration,
      wanted: null,
      caBundle: () => bundle,
      isLeader: () => true,
      interval: 60_000,
      observer: { registered: () => said.push('registered'), registrationFailed: ({ message }) => said.push(message) },
    });
    onTestFinished(async () => {
      await patching.close();
      await api.close();
      await kubectl(['delete', 'clusterrole,clusterrolebinding', configuration]);
    });
    const before = await webhook(configuration);
    await vi.waitFor(async () => {
      await patching.check();
      expect(said).toContain('registered');
    }, patience);
    const after = await webhook(configuration);
    expect(after['clientConfig']).toEqual({
      ...(before['clientConfig'] as JsonObject),
      caBundle: Buffer.from(bundle).toString('base64'),
    });
    expect({ ...after, clientConfig: null }).toEqual({ ...before, clientConfig: null });
    await patching.check();
    expect(said.filter((word) => word === 'registered')).toEqual(['registered']);
    await kubectl(['delete', 'validatingwebhookconfiguration', configuration]);
    await patching.check();
    expect(said.at(-1)).toContain(`there is no ValidatingWebhookConfiguration ${configuration}`);
  });

  it('validates with the compiler, which knows the other resources', async () => {
    const words = ['apply', '--server-side', '--force-conflicts', '-f', '-'];
    const compiled: Compilation[] = [];
    const { namespace } = await setting('Fail', undefined, (fresh) => followed(fresh, compiled));
    const labels = { 'gatewarden.io/secret-store': 'allowed' };
    const metadata = { name: 'passwords', namespace, labels };
    await kubectl(words, { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { password: 'secret' } });
    const spec = { type: 'FileSystemSecretStore', secrets: [{ name: 'passwords' }] };
    const client = { clientId: 'me', clientSecretId: 'password', secretsProvider: 'keys' };
    const filters = [{ type: 'ClientSecretBasicAuthenticationFilter', config: client }];
    const handler = { type: 'Chain', config: { filters, handler: 'ReverseProxyHandler' } };
    const orders = manifest('Route', namespace, 'orders', { baseURI: 'http://10.0.0.1:80', handler });

    const early = await kubectl(words, orders);
    expect(early).toMatchObject({ ok: true, said: expect.stringMatching(/Warning: spec\.handler.*no SecretStore/) });
    expect(await kubectl(words, manifest('SecretStore', namespace, 'keys', spec))).toMatchObject({ ok: true });
    await vi.waitFor(() => expect(compiled.at(-1)?.snapshot?.routes).toMatchObject([{ tenant: 'default' }]), patience);
    await vi.waitFor(() => expect(compiled.at(-1)?.snapshot?.routes[0]?.refuses).toBeUndefined(), patience);

    const misspelt = { ...handler, config: { ...handler.config, filter: [] } };
    const wrong = await kubectl(words, manifest('Route', namespace, 'orders', { handler: misspelt }));
    expect(wrong).toMatchObject({ ok: false, said: expect.stringContaining('spec.handler.config.filter:') });
    const deletion = await kubectl(['delete', 'secretstore', 'keys', '-n', namespace]);
    expect(deletion).toMatchObject({
      ok: false,
      said: expect.stringContaining(`Route ${namespace}/orders would reject`),
    });
    await kubectl(['delete', 'routes.gatewarden.io', 'orders', '-n', namespace]);
    await vi.waitFor(() => expect(compiled.at(-1)?.snapshot?.routes).toEqual([]), patience);
    expect(await kubectl(['delete', 'secretstore', 'keys', '-n', namespace])).toMatchObject({ ok: true });
  });
});

/** The compiler over everything in a namespace. */
async function followed(namespace: string, compiled: Compilation[]): Promise<AdmissionJudge> {
  const reach = operatorReach({}, {}, '/instance');
  const tokens = { reach, files: new Map<string, string>(), instanceUrl: null, allowed: new Map<string, string>() };
  const compiler = new Compiler({ checker: dataPlaneChecker(reach), tokens, configDirectory: '/c' });
  const api = new ClusterApi({ kubeconfig: cluster.kubeconfig });
  const directories = new Map([['/c/routes', []]]);
  const faults = new Map<string, string>();
  const compile = (): void => {
    const { config, admin, strays } = source.baseFiles;
    const state = { config, admin, strays, resources: source.state, directories, faults, epoch: 0 };
    const compilation = compiler.compile(state, compiled.at(-1)?.lastGood ?? nothingGood);
    compiled.push(compilation);
    source.follow(compilation.resources?.wantedSecrets ?? []);
  };
  const base = { namespace, name: 'gatewarden' };
  const source = new ClusterSource({ api, namespaces: [namespace], base, changed: compile });
  onTestFinished(async () => {
    await source.close();
    await api.close();
  });
  source.start();
  await source.synced;
  compile();
  return compilerJudge(compiler);
}

/** A ServiceAccount that may read and patch this one configuration and nothing else. */
function narrowRights(name: string): JsonObject {
  const group = 'rbac.authorization.k8s.io';
  const resources = ['validatingwebhookconfigurations'];
  const apiGroups = ['admissionregistration.k8s.io'];
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'patcher', namespace: name } },
      {
        apiVersion: `${group}/v1`,
        kind: 'ClusterRole',
        metadata: { name },
        rules: [{ apiGroups, resources, resourceNames: [name], verbs: ['get', 'patch'] }],
      },
      {
        apiVersion: `${group}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef: { apiGroup: group, kind: 'ClusterRole', name },
        subjects: [{ kind: 'ServiceAccount', name: 'patcher', namespace: name }],
      },
    ],
  };
}
