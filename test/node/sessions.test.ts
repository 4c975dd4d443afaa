import { afterAll, beforeAll, expect, it } from 'vitest';
import { CookieJar } from '../support/clients/cookie-jar.ts';
import { SESSION_FILTERS } from '../support/state/session-gateway.ts';
import { install, RELEASE, uninstall } from './support/installation.ts';
import { theNode } from './support/test-node.ts';

const node = theNode();

beforeAll(async () => {
  await install(node, { dataPlanes: { default: { replicas: 3 } } });
  await node.kubectl(['create', 'namespace', 'shop']);
  await node.apply({
    apiVersion: 'gatewarden.io/v1alpha1',
    kind: 'Route',
    metadata: { name: 'cart', namespace: 'shop' },
    spec: {
      condition: "${find(request.uri.path, '^/cart')}",
      handler: {
        type: 'Chain',
        config: {
          filters: SESSION_FILTERS,
          handler: {
            type: 'StaticResponseHandler',
            config: { status: 200, headers: { 'X-Pod': ['${contexts.client.localAddress}'] } },
          },
        },
      },
    },
  });
  await node.kubectl(['wait', '--for=condition=Programmed', 'route.gatewarden.io/cart', '-n', 'shop', '--timeout=60s']);
});

afterAll(() => uninstall(node, 'shop'));

/** Asks once, on a connection of its own. @returns the value in the session, and the address of the Pod that answered */
async function visit(jar: CookieJar, query = ''): Promise<{ readonly value: string; readonly pod: string }> {
  const origin = await node.origin(RELEASE, 'gatewarden-default');
  const headers: [string, string][] = [['Connection', 'close']];
  for (const line of jar.header) headers.push(['Cookie', line.slice('Cookie: '.length)]);
  const response = await fetch(`${origin}/cart${query}`, { headers });
  await response.text();
  jar.take(response.headers.getSetCookie());
  return { value: response.headers.get('x-value') ?? '', pod: response.headers.get('x-pod') ?? '' };
}

/** Asks with the same cookies until this many Pods have answered. @returns the values that they saw */
async function seenByPods(jar: CookieJar, pods: number): Promise<string[]> {
  const seen = new Map<string, string>();
  const copy = (): CookieJar => {
    const made = new CookieJar();
    for (const name of jar.names) made.set(name, jar.get(name)!);
    return made;
  };
  await node.until(
    async () => {
      // a Pod that does not open the session removes the cookie
      const { value, pod } = await visit(copy());
      seen.set(pod, value);
      return seen.size;
    },
    (size) => size >= pods,
  );
  return [...seen.values()];
}

it('a session that begins at one of three data planes goes on at all of them', async () => {
  const jar = new CookieJar();
  await visit(jar, '?set=apples');
  expect(await seenByPods(jar, 3)).toEqual(['apples', 'apples', 'apples']);
});

it('a session outlives all controllers and all data planes that knew it', async () => {
  const jar = new CookieJar();
  await visit(jar, '?set=pears');
  for (const name of ['gatewarden-controller', 'gatewarden-default']) {
    await node.kubectl(['rollout', 'restart', `deployment/${name}`, '-n', RELEASE]);
    await node.kubectl(['rollout', 'status', `deployment/${name}`, '-n', RELEASE, '--timeout=120s']);
  }
  expect(await seenByPods(jar, 3)).toEqual(['pears', 'pears', 'pears']);
});

it('an emptied Secret ends all sessions, and the next ones go on at all data planes', async () => {
  const jar = new CookieJar();
  await visit(jar, '?set=plums');
  const emptied = ['--type=json', '-p', '[{"op":"remove","path":"/data"}]'];
  await node.kubectl(['patch', 'secret', 'gatewarden-sessions', '-n', RELEASE, ...emptied]);
  await node.until(
    () => seenByPods(jar, 3),
    (values) => values.every((value) => value === ''),
  );
  const next = new CookieJar();
  await visit(next, '?set=figs');
  expect(await seenByPods(next, 3)).toEqual(['figs', 'figs', 'figs']);
});
