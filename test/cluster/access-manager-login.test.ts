import { expect, it, vi } from 'vitest';
import type { JsonValue } from '../../contract/document/json-value.ts';
import { untilAnswer } from '../support/channel/plane-answers.ts';
import { theCluster } from '../support/cluster/cluster.ts';
import { deployedObject } from '../support/cluster/deployed-routes.ts';
import { testedGateway } from '../support/gateways/tested-gateway.ts';
import { inlineSecrets } from '../support/identity/inline-secrets.ts';

const cluster = theCluster();
const patience = { timeout: 120_000, interval: 200 };

/** Asks an access manager that no tenant may connect to. */
const POLICIES = {
  type: 'PolicyEnforcementFilter',
  config: {
    amService: {
      type: 'AmService',
      config: {
        url: 'http://127.0.0.1:1/openam',
        agent: { username: 'gateway', passwordSecretId: 'agent.password' },
        secretsProvider: inlineSecrets({ 'agent.password': 'not told' }),
        notifications: { enabled: false },
      },
    },
    ssoTokenSubject: 'token',
  },
};

it('a Route whose agent cannot log in says so in a condition and in Events, and stays programmed', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  const route = (filters: JsonValue[], status: number) =>
    deployedObject('Route', shop, 'orders', {
      handler: { type: 'Chain', config: { filters, handler: { type: 'StaticResponseHandler', config: { status } } } },
    });
  const conditions = (): Promise<string> => {
    const path = 'jsonpath={range .status.conditions[*]}{.type}={.status} {.reason}: {.message};{end}';
    return cluster.run(['get', 'routes.gatewarden.io/orders', '-n', shop, '-o', path]);
  };
  const events = (): Promise<string> =>
    cluster.run(['get', 'events.events.k8s.io', '-n', shop, '-o', 'jsonpath={range .items[*]}{.type} {.reason};{end}']);
  await gateway.startController();
  await gateway.apply(route([POLICIES], 200));
  const plane = await gateway.startPlane();
  await untilAnswer(plane.port, '/', '500 ');
  await gateway.untilReason(shop, 'route/orders', 'AccessManagerLogin', 'LoginFailed');
  const said = await conditions();
  expect(said).toMatch(/AccessManagerLogin=False LoginFailed: the agent of an AmService cannot log in at data plane /);
  expect(said).toMatch(/ResolvedRefs=True .*Programmed=True /);
  expect(said).not.toContain('not told');
  await vi.waitFor(async () => expect(await events()).toContain('Warning AccessManagerLoginFailed'), patience);

  await gateway.apply(route([], 204));
  await untilAnswer(plane.port, '/', '204 ');
  await vi.waitFor(async () => expect(await conditions()).not.toContain('AccessManagerLogin'), patience);
  await vi.waitFor(async () => expect(await events()).toContain('Normal AccessManagerLoginRestored'), patience);
});
