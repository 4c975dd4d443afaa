import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { SteadyClient } from '../../support/clients/steady-client.ts';
import { kubeconfigToken } from '../../support/cluster/api-server.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { said, sayingHandler, sayingRoute } from '../../support/cluster/deployed-routes.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();
const EACH = 1000;
const AT_ONCE = 16;

interface RouteObject {
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly status?: {
    readonly programmed?: string;
    readonly conditions: readonly { readonly type: string; readonly reason: string }[];
  };
}

/** The API server as an administrator, without a program that would have to be started for each object. */
function administrator(namespace: string) {
  const connect = { ca: readFileSync(cluster.caFile) };
  const dispatcher = new Agent({ connect, connections: AT_ONCE });
  onTestFinished(() => dispatcher.close());
  const url = `${cluster.server}/apis/gatewarden.io/v1alpha1/namespaces/${namespace}/routes`;
  const headers = {
    authorization: `Bearer ${kubeconfigToken(cluster.kubeconfig)}`,
    'content-type': 'application/json',
  };
  return {
    async create(object: JsonObject): Promise<void> {
      const { statusCode, body } = await request(url, {
        method: 'POST',
        headers,
        dispatcher,
        body: JSON.stringify(object),
      });
      const text = await body.text();
      if (statusCode !== 201) throw new Error(`${statusCode} ${text}`);
    },
    async list(): Promise<readonly RouteObject[]> {
      const { body } = await request(url, { headers, dispatcher });
      return ((await body.json()) as { items: RouteObject[] }).items;
    },
  };
}

async function inTurns<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const rest = [...all];
  const turns = Array.from({ length: AT_ONCE }, async () => {
    for (let one = rest.shift(); one !== undefined; one = rest.shift()) await act(one);
  });
  await Promise.all(turns);
}

/** Broken in ways that are found by different parts of the compiler, in turn. */
function brokenRoute(namespace: string, at: number): JsonObject {
  const more: readonly JsonObject[] = [
    { handler: { type: 'NoSuchHandler' } },
    { handler: 'nobody' },
    { handler: { type: 'StaticResponseHandler', config: { status: 'many' } } },
    { handler: sayingHandler('x'), condition: '${find(' },
  ];
  return sayingRoute(namespace, `bad-${at}`, '', more[at % more.length]);
}

it('a thousand good Routes are served and programmed beside a thousand broken ones, and edits get through', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  const api = administrator(shop);
  const numbers = Array.from({ length: EACH }, (_, at) => at);
  await api.create(sayingRoute(shop, 'hello', 'hello'));
  await gateway.startController();
  const { port } = await gateway.startPlane();
  await gateway.untilReason(shop, 'route/hello', 'Programmed', 'Programmed');
  const others = new SteadyClient(port, '/hello', (text) => text === 'hello');

  await inTurns(
    numbers.flatMap((at) => [brokenRoute(shop, at), sayingRoute(shop, `good-${at}`, `good ${at}`)]),
    api.create,
  );
  await vi.waitFor(async () => expect(await said(port, `/good-${EACH - 1}`)).toBe(`200 good ${EACH - 1}`), {
    timeout: 60_000,
    interval: 200,
  });
  await inTurns(numbers, async (at) => {
    await vi.waitFor(async () => expect(await said(port, `/good-${at}`)).toBe(`200 good ${at}`), 30_000);
  });
  await expect.poll(() => said(port, '/bad-0')).toMatch(/^500 .*route-unsound/);

  await gateway.apply(sayingRoute(shop, 'good-1', 'changed'));
  await vi.waitFor(async () => expect(await said(port, '/good-1')).toBe('200 changed'), 60_000);
  expect(await others.stop()).toEqual([]);
  expect(others.answered).toBeGreaterThan(0);

  await expect
    .poll(async () => tally((await api.list()).map(stateOf)), { interval: 1000 })
    .toEqual({
      'hello: Accepted, Programmed, 1/1': 1,
      'good: Accepted, Programmed, 1/1': EACH,
      'bad: Invalid, RefusesTraffic, 1/1 (refuses)': (EACH * 3) / 4,
      'bad: Invalid, TakesNoTraffic, 0/1': EACH / 4,
    });
});

function stateOf({ metadata, status }: RouteObject): string {
  const kind = metadata.name.split('-')[0];
  const reason = (name: string): string => status?.conditions.find(({ type }) => type === name)?.reason ?? 'none';
  return `${kind}: ${reason('Accepted')}, ${reason('Programmed')}, ${status?.programmed ?? 'none'}`;
}

function tally(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}
