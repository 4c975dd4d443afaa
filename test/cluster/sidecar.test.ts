import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { theCluster } from '../support/cluster/cluster.ts';
import { DeployedGateway } from '../support/gateways/deployed-gateway.ts';
import { LoggingProcess } from '../support/gateways/logging-process.ts';
import { freePort } from '../support/programs/server-program.ts';

const patience = { timeout: 60_000, interval: 200 };
const cluster = theCluster();
let shop: string;
let gateway: DeployedGateway;

beforeAll(async () => {
  shop = await cluster.namespace('sidecar');
  await cluster.run(['create', 'serviceaccount', 'default', '-n', shop]);
  const groups = [
    { name: 'edge', serviceAccounts: [] },
    { name: 'sidecars', serviceAccounts: [`${shop}/*`], sidecars: true },
  ];
  // what planes have that run by themselves, and sidecars have not
  const store = { directory: '/no/such', suffix: '.pem', format: { type: 'PemPropertyFormat' } };
  const secretsProvider = { type: 'FileSystemSecretStore', config: store };
  const keyManager = { type: 'SecretsKeyManager', config: { signingSecretId: 'server.tls', secretsProvider } };
  const tls = { type: 'ServerTlsOptions', config: { keyManager } };
  const connectors = [
    { port: 8443, tls },
    { port: 8080, vertx: { maxTotalHeadersSize: 2000 } },
  ];
  const admin = { connectors, temporaryDirectory: '/no/such' };
  gateway = await DeployedGateway.prepare({
    access: cluster,
    namespaces: [shop],
    trust: { groups },
    base: { 'admin.json': admin },
  });
});
afterAll(() => gateway.stop());

/** The settings of sidecars of a controller. */
function settings(port: number, token: string): string {
  const controllers = [`127.0.0.1:${port}`];
  const extraArgs = ['--host=127.0.0.1', `--token-file=${token}`];
  return JSON.stringify({ image: 'gatewarden:test', controllers, extraArgs, accessLog: false });
}

async function allowPatching(name: string): Promise<void> {
  const account = `--serviceaccount=${gateway.namespace}:gatewarden-controller-${gateway.namespace}`;
  const verbs = ['get', 'list', 'watch', 'patch'].map((verb) => `--verb=${verb}`);
  const resource = ['--resource=mutatingwebhookconfigurations', `--resource-name=${name}`];
  await cluster.run(['create', 'clusterrole', `${name}-injector`, ...verbs, ...resource]);
  await cluster.run(['create', 'clusterrolebinding', `${name}-injector`, `--clusterrole=${name}-injector`, account]);
}

function injector(name: string, port: number): JsonObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: 'pods.inject.gatewarden.io',
        admissionReviewVersions: ['v1'],
        clientConfig: { url: `https://127.0.0.1:${port}/inject` },
        failurePolicy: 'Fail',
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': shop } },
        objectSelector: { matchLabels: { 'gatewarden.io/inject': 'true' } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
        sideEffects: 'None',
      },
    ],
  };
}

it('a Pod that asks for it gets a sidecar that serves the Routes of its labels', async () => {
  const app = createServer((request, response) => void response.end(`the application at ${request.url}`));
  await new Promise<void>((resolve) => void app.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void app.close());
  const appPort = (app.address() as AddressInfo).port;
  const token = gateway.at('sidecar.token');
  const file = gateway.at('sidecar.json');
  writeFileSync(file, settings(1, token));
  const name = gateway.namespace;
  await allowPatching(name);
  const words = ['--webhook', '127.0.0.1:0', '--sidecar-settings', file, '--injector-configuration', name];
  const controller = await gateway.startController(words);
  writeFileSync(file, settings(controller.port, token));
  const { webhook } = await controller.process.line(({ msg }) => msg === 'listening');
  onTestFinished(() => cluster.run(['delete', 'mutatingwebhookconfiguration', name]).then(() => undefined));
  await gateway.apply(injector(name, (webhook as { port: number }).port));

  const [port, adminPort] = [await freePort(), await freePort()];
  const annotations = { 'gatewarden.io/port': `${port}`, 'gatewarden.io/admin-port': `${adminPort}` };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: shop, labels: { app: 'web', 'gatewarden.io/inject': 'true' }, annotations },
    spec: { containers: [{ name: 'app', image: 'app:1', ports: [{ containerPort: appPort }] }] },
  };
  // refused until the leader has handed out its authorities
  await vi.waitFor(() => gateway.kubectl(['create', '-f', '-'], JSON.stringify(pod)), patience);
  const stored = JSON.parse(await gateway.kubectl(['get', 'pod', 'web', '-n', shop, '-o', 'json']));
  const [sidecar] = stored.spec.initContainers as [{ args: string[]; env: [{ name: string; value: string }] }];

  // what the kubelet would do: the token of the Pod, and the container as it is written
  const bound = ['--audience', 'gatewarden-controller', '--bound-object-kind', 'Pod', '--bound-object-name', 'web'];
  writeFileSync(token, (await gateway.kubectl(['create', 'token', 'default', '-n', shop, ...bound])).trim());
  await gateway.apply({
    apiVersion: 'gatewarden.io/v1alpha1',
    kind: 'Route',
    metadata: { name: 'web', namespace: shop },
    spec: {
      dataPlanes: { matchLabels: { app: 'web' } },
      baseURI: `http://127.0.0.1:${appPort}`,
      handler: 'ReverseProxyHandler',
    },
  });
  const process = new LoggingProcess(sidecar.args, { [sidecar.env[0].name]: sidecar.env[0].value });
  onTestFinished(async () => void (await process.stop('SIGKILL')));
  await process.line(({ msg }) => msg === 'listening');
  await gateway.untilReason(shop, 'route/web', 'Programmed', 'Programmed');
  const answer = await fetch(`http://127.0.0.1:${port}/orders`);
  expect([answer.status, await answer.text()]).toEqual([200, 'the application at /orders']);
  expect((await fetch(`http://127.0.0.1:${adminPort}/health/ready`)).status).toBe(200);
  // the base configuration holds clients of sidecars to the same
  const headers = { 'x-long': 'x'.repeat(20_000) };
  expect((await fetch(`http://127.0.0.1:${port}/orders`, { headers })).status).toBe(431);

  const metrics = await fetch(`http://127.0.0.1:${controller.adminPort}/metrics`).then((one) => one.text());
  expect(metrics).toContain('gw_controller_webhook_seconds_count{kind="Pod",outcome="injected"} 1');
});
