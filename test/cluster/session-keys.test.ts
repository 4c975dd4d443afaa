import { expect, it } from 'vitest';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { groupSessionKeys } from '../../controller/publish/group-session-keys.ts';
import { CookieJar } from '../support/clients/cookie-jar.ts';
import { theCluster } from '../support/cluster/cluster.ts';
import { deployedObject, said } from '../support/cluster/deployed-routes.ts';
import { keepingIn } from '../support/cluster/keeping-planes.ts';
import type { DeployedGateway, RunningController, RunningPlane } from '../support/gateways/deployed-gateway.ts';
import { testedGateway } from '../support/gateways/tested-gateway.ts';
import { SESSION_FILTERS } from '../support/state/session-gateway.ts';

const cluster = theCluster();
const HOUR = 60 * 60 * 1000;

/** A Route for all planes that remembers `?set=` and shows it in a header. */
function rememberingRoute(namespace: string): JsonObject {
  const handler = { type: 'StaticResponseHandler', config: { status: 200 } };
  return deployedObject('Route', namespace, 'app', {
    dataPlanes: {},
    handler: { type: 'Chain', config: { filters: [...SESSION_FILTERS], handler } },
  });
}

async function visit({ port }: RunningPlane, jar: CookieJar, query = ''): Promise<string> {
  const headers = jar.header.map((line): [string, string] => ['Cookie', line.slice('Cookie: '.length)]);
  const response = await fetch(`http://127.0.0.1:${port}/${query}`, { headers });
  await response.text();
  expect(response.status).toBe(200);
  jar.take(response.headers.getSetCookie());
  return response.headers.get('x-value') ?? '';
}

/** Sets `first` at one plane until another one knows it: the keys may come after the first configuration. */
async function sharesFirst(one: RunningPlane, other: RunningPlane, jar: CookieJar): Promise<void> {
  const shared = async (): Promise<string> => {
    await visit(one, jar, '?set=first');
    return visit(other, jar);
  };
  await expect.poll(shared).toBe('first');
}

interface StoredKey {
  readonly secret: string;
  readonly since: number;
}

interface StoredKeys {
  readonly active: StoredKey;
  readonly next: StoredKey | null;
  readonly previous: StoredKey | null;
}

/** The Secret of the session keys, as its owner sees and changes it. */
function storedKeys(gateway: DeployedGateway) {
  const words = ['secret', 'gatewarden-sessions', '-n', gateway.namespace];
  const read = async (): Promise<StoredKeys> => {
    const text = await gateway.kubectl(['get', ...words, '-o', 'jsonpath={.data.session-keys\\.json}']);
    return JSON.parse(Buffer.from(text, 'base64').toString()) as StoredKeys;
  };
  return {
    read,
    /** Makes keys older, as if nobody had led for so long. */
    async age(hours: number): Promise<void> {
      const older = (one: StoredKey | null) => one && { ...one, since: one.since - hours * HOUR };
      const { active, next, previous } = await read();
      const text = JSON.stringify({ active: older(active), next: older(next), previous: older(previous) });
      const data = { 'session-keys.json': Buffer.from(text).toString('base64') };
      await gateway.kubectl(['patch', ...words, '--type=merge', '-p', JSON.stringify({ data })]);
    },
    remove: () => gateway.kubectl(['delete', ...words]),
  };
}

const isKeysUpdate = ({ msg, ...line }: { readonly msg: string; readonly [field: string]: unknown }): boolean =>
  msg === 'revision applied' && line['set'] === 0 && line['resources'] === 1;

/** Three planes of one group and one of another, below three controllers, the first of which leads. */
async function deployed() {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  await gateway.kubectl(['create', 'serviceaccount', 'other', '-n', gateway.namespace]);
  const groupOf = (name: string, account: string) => ({
    name,
    serviceAccounts: [`${gateway.namespace}/${account}`],
  });
  await gateway.configure({ groups: [groupOf('edge', 'plane'), groupOf('inside', 'other')] });
  await gateway.apply(rememberingRoute(shop));
  const controllers: RunningController[] = [await gateway.startController()];
  await controllers[0]!.process.line(({ isLeader }) => isLeader === true);
  for (let at = 0; at < 2; at++) controllers.push(await gateway.startController());
  const keeping = keepingIn(gateway, 'kept');
  const planes: RunningPlane[] = [];
  for (const words of [[], [], keeping.words]) planes.push(await gateway.startPlane({ words }));
  const stranger = await gateway.startPlane({ account: 'other' });
  return { gateway, controllers, planes, stranger, keeping, keys: storedKeys(gateway) };
}

it('a session goes on at every data plane of its group, through rotations and changes of the leader', async () => {
  const { gateway, controllers, planes, stranger, keeping, keys } = await deployed();
  const [one, two, three] = planes as [RunningPlane, RunningPlane, RunningPlane];
  const jar = new CookieJar();
  await sharesFirst(one, two, jar);
  await visit(two, jar, '?set=second');
  expect(await visit(three, jar)).toBe('second');
  const stolen = new CookieJar();
  for (const name of jar.names) stolen.set(name, jar.get(name)!);
  expect(await visit(stranger, stolen)).toBe('');
  const { active: first } = await keys.read();

  /** Stops the leader. The next one looks at the keys as soon as it leads, and sends each plane one resource. */
  const running = [...controllers];
  const leaderStops = async (): Promise<void> => {
    const lines = planes.map(({ process }) => process.said.length);
    await running.shift()!.process.stop();
    const leading = running.map(async (controller) => {
      await controller.process.line(({ isLeader }) => isLeader === true);
      return controller;
    });
    const leader = await Promise.any(leading);
    running.sort((a, b) => Number(b === leader) - Number(a === leader));
    await Promise.all(planes.map(({ process }, at) => process.line(isKeysUpdate, lines[at])));
  };
  await keys.age(23);
  await leaderStops();
  expect(await keys.read()).toMatchObject({ active: { secret: first.secret }, next: {}, previous: null });
  expect(await visit(one, jar)).toBe('second');

  await keys.age(1);
  await leaderStops();
  const now = await keys.read();
  expect(now).toMatchObject({ next: null, previous: { secret: first.secret } });
  expect(await visit(two, jar)).toBe('second');
  await visit(one, jar, '?set=third');
  for (const plane of planes) expect(await visit(plane, jar)).toBe('third');

  // without a controller, a plane starts with the keys that it saved
  const [last] = running as [RunningController];
  const dump = await said(last.adminPort, '/dump');
  await last.process.stop();
  await three.process.stop();
  const again = await gateway.startPlane({ name: three.name, words: keeping.words });
  expect(await visit(again, jar)).toBe('third');

  const secrets = [now.active.secret, first.secret];
  const source = { uid: '', resourceVersion: '' };
  const derived = groupSessionKeys(secrets, source).of({ group: 'edge', namespace: null, isSidecar: false });
  const everything = [
    dump,
    await said(again.adminPort, '/status'),
    await said(again.adminPort, '/metrics'),
    ...[...controllers, ...planes, again].map(({ process }) => JSON.stringify(process.said) + process.stdout),
  ].join('\n');
  for (const secret of [...secrets, ...derived.keys]) expect(everything).not.toContain(secret);
});

it('keys in a Secret that was deleted are replaced with a warning, and sessions begin anew everywhere', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  await gateway.apply(rememberingRoute(shop));
  const leader = await gateway.startController();
  const planes = [await gateway.startPlane(), await gateway.startPlane()];
  const keys = storedKeys(gateway);
  const jar = new CookieJar();
  await sharesFirst(planes[0]!, planes[1]!, jar);
  const lines = planes.map(({ process }) => process.said.length);
  await keys.remove();
  await Promise.all(planes.map(({ process }, at) => process.line(isKeysUpdate, lines[at])));
  await leader.process.line(({ msg }) => msg === 'new session keys created; sessions of clients have ended');
  expect(await visit(planes[1]!, jar)).toBe('');
  await visit(planes[1]!, jar, '?set=second');
  expect(await visit(planes[0]!, jar)).toBe('second');
});

it('without the right to the Secret, data planes keep sessions in memory, and the controller says so', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  await gateway.apply(rememberingRoute(shop));
  const controller = await gateway.startController(['--session-secret', 'another']);
  const plane = await gateway.startPlane();
  const told = await controller.process.line(({ msg }) => msg.startsWith('session keys cannot be read or written'));
  expect(told['reason']).toContain('another');
  const jar = new CookieJar();
  await visit(plane, jar, '?set=first');
  expect(await visit(plane, jar)).toBe('first');
  expect(jar.names.map((name) => jar.get(name))).toEqual([expect.stringMatching(/^[\w-]{32}$/)]);
});
