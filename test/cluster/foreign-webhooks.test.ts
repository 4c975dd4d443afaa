import { expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { ClusterApi } from '../../controller/cluster/api/api-client.ts';
import { admissionConfiguration } from '../../controller/cluster/identity/admission-configuration.ts';
import {
  AdmissionRegistration,
  type WebhookConfigurationKind,
} from '../../controller/cluster/identity/admission-registration.ts';
import { theCluster } from '../support/cluster/cluster.ts';
import { testedGateway } from '../support/gateways/tested-gateway.ts';
import { certificateAuthority } from '../support/identity/certificates.ts';

const cluster = theCluster();
const patience = { timeout: 30_000, interval: 100 };
const bundle = certificateAuthority('handed out').certificate;
const encoded = Buffer.from(bundle).toString('base64');

/** A configuration as an installer makes it: with everything but the authorities. */
function installed(kind: WebhookConfigurationKind, name: string): JsonObject {
  const service = { namespace: 'gatewarden', name: 'gatewarden-webhook', port: 443 };
  const whole = admissionConfiguration({ name, target: { service } }, '');
  const [webhook] = whole['webhooks'] as [JsonObject];
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': name } };
  const one = (title: string): JsonObject => ({
    ...webhook,
    name: `${title}.gatewarden.io`,
    namespaceSelector,
    clientConfig: { service: { ...service, path: `/${title}` } },
  });
  return { ...whole, kind, webhooks: [one('first'), one('second')] };
}

async function apply(object: JsonObject, ...words: string[]): Promise<void> {
  await cluster.run(['apply', '--server-side', '--field-manager', 'helm', ...words, '-f', '-'], JSON.stringify(object));
}

async function bundles(kind: string, name: string): Promise<string[]> {
  const found = await cluster.run(['get', kind, name, '-o', 'jsonpath={.webhooks[*].clientConfig.caBundle}']);
  return found.split(' ');
}

it.each<WebhookConfigurationKind>(['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'])(
  'keeps the authorities of a %s that an installer applies again and again',
  async (kind) => {
    const name = await cluster.namespace('installed');
    const api = new ClusterApi({ kubeconfig: cluster.kubeconfig });
    const failures: string[] = [];
    const registration = new AdmissionRegistration(api, {
      kind,
      name,
      wanted: null,
      caBundle: () => bundle,
      isLeader: () => true,
      interval: 600_000,
      observer: { registered() {}, registrationFailed: ({ message }) => failures.push(message) },
    });
    onTestFinished(async () => {
      await registration.close();
      await api.close();
      await cluster.run(['delete', kind, name]);
    });
    registration.start();
    await vi.waitFor(() => expect(failures[0]).toContain(`there is no ${kind} ${name}`), patience);

    const filled = async (): Promise<void> => expect(await bundles(kind, name)).toEqual([encoded, encoded]);
    await apply(installed(kind, name));
    await vi.waitFor(filled, patience);
    const upgraded: JsonObject = { ...installed(kind, name), metadata: { name, labels: { version: 'two' } } };
    await apply(upgraded);
    await filled();

    const [first, second] = upgraded['webhooks'] as [JsonObject, JsonObject];
    const emptied = { ...second, clientConfig: { ...(second['clientConfig'] as JsonObject), caBundle: 'Cg==' } };
    await expect(apply({ ...upgraded, webhooks: [first, emptied] })).rejects.toThrow(/conflict/);
    const other = JSON.stringify([{ op: 'remove', path: '/webhooks/1/clientConfig/caBundle' }]);
    await cluster.run(['patch', kind, name, '--type=json', '-p', other]);
    await vi.waitFor(filled, patience);
    await cluster.run(['delete', kind, name]);
    await apply(installed(kind, name));
    await vi.waitFor(filled, patience);
  },
);

it('a controller that follows some namespaces has the API server ask it about those only', async () => {
  const [mine, others] = [await cluster.namespace('mine'), await cluster.namespace('others')];
  const words = ['--webhook', '127.0.0.1:0'];
  const gateway = await testedGateway({ access: cluster, namespaces: [mine], words });
  const controller = await gateway.startController();
  await controller.process.line(({ msg }) => msg === 'admission webhook registered');
  const wrong = (namespace: string): Promise<string> =>
    gateway.apply({
      apiVersion: 'gatewarden.io/v1alpha1',
      kind: 'Route',
      metadata: { name: `wrong-${crypto.randomUUID()}`, namespace },
      spec: { handler: 'nowhere' },
    });
  // the API server takes a moment to ask a webhook that is new
  await vi.waitFor(() => expect(wrong(mine)).rejects.toThrow(/nowhere/), patience);
  await wrong(others);
});
