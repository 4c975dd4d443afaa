import { credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import { expect, it, onTestFinished, vi } from 'vitest';
import { bytesMethod } from '../../../contract/channel-codec.ts';
import { PeerForwarder } from '../../../controller/publish/peers/peer-forwarder.ts';
import { PEER_METHOD, PEER_PLANES_METHOD } from '../../../controller/publish/peers/peer-messages.ts';
import { askLeader } from '../../../controller/publish/peers/peer-question.ts';
import { PeerService } from '../../../controller/publish/peers/peer-service.ts';
import { BASE_PROBLEMS, type PlaneFacts } from '../../../controller/publish/plane-facts.ts';
import { PlaneLedger } from '../../../controller/publish/plane-ledger.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { plane, routeKey, routeProblems } from '../../support/cluster/judged-resources.ts';
import { noPeerDryRuns } from '../../support/crest/no-dry-runs.ts';

/** Other tests may keep the machine busy for a while. */
function until(look: () => void): Promise<void> {
  return vi.waitFor(look, { timeout: 250_000, interval: 10 });
}

/** A controller that leads, until it is told that it does not. */
class Leader {
  readonly told: string[] = [];
  readonly changes: (readonly string[] | null)[] = [];
  readonly ledger = new PlaneLedger({ grace: 50, changed: (routes) => this.changes.push(routes) });
  isLeader = true;
  address = '';
  readonly service = new PeerService({
    controller: 'leader',
    ledger: this.ledger,
    planes: () => this.ledger.planes.map(({ identity }) => ({ plane: identity.name })),
    routes: () => [],
    ...noPeerDryRuns,
    heartbeat: 60_000,
    isLeader: () => this.isLeader,
    authenticate: async (token) => token === 'good',
    told: (message) => this.told.push(message),
  });
  private server = new Server();

  static async start(port = 0): Promise<Leader> {
    const leader = new Leader();
    const methods = { forward: bytesMethod(PEER_METHOD), planes: bytesMethod(PEER_PLANES_METHOD) };
    leader.server.addService(methods, leader.service.handlers);
    const bound = await new Promise<number>((resolve, reject) => {
      leader.server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, at) =>
        error === null ? resolve(at) : reject(error),
      );
    });
    leader.address = `127.0.0.1:${bound}`;
    onTestFinished(() => leader.stop());
    return leader;
  }

  get planes(): Record<string, Record<string, string>> {
    return Object.fromEntries(
      this.ledger.planes.map(({ identity, running }) => [identity.name, Object.fromEntries(running)]),
    );
  }

  facts(name: string): PlaneFacts | undefined {
    return this.ledger.planes.find(({ identity }) => identity.name === name);
  }

  stop(): void {
    this.server.forceShutdown();
    this.ledger.close();
  }
}

function follower(token = 'good', name = 'follower', clock: Clock = systemClock) {
  const told: string[] = [];
  const forwarder = new PeerForwarder({
    controller: name,
    credentials: () => credentials.createInsecure(),
    token: () => token,
    told: (message) => told.push(message),
    heartbeat: 60_000,
    longestWait: 50,
    clock,
  });
  onTestFinished(() => forwarder.close());
  return { forwarder, told };
}

const own = (name: string, running: Record<string, string>, over: Partial<PlaneFacts> = {}): PlaneFacts =>
  plane(name, running, { controller: 'follower', ...over });

it('forwards data planes, their routes, failures and reports to the leader', async () => {
  const leader = await Leader.start();
  const { forwarder } = follower();
  const problems = new Map([[routeKey('carts'), routeProblems('no such directory')]]);
  forwarder.heard(own('p1', { orders: 'h1' }, { problems }), null);
  forwarder.follow(leader.address);
  await until(() => expect(leader.planes).toEqual({ p1: { [routeKey('orders')]: 'h1' } }));
  expect(leader.facts('p1')).toMatchObject({ controller: 'follower', revision: 'r1', identity: { group: 'default' } });
  expect(leader.facts('p1')?.problems).toEqual(problems);

  const report = {
    type: 'report',
    revision: 'r2',
    ready: true,
    unitsServing: 2,
    clock: 1,
    since: 's',
    routes: [{ router: 'gateway._router', id: 'shop.orders', name: 'orders', figures: [1, 1] }],
  } as const;
  const lastReport = { at: 5, report };
  const running = { orders: 'h2', carts: 'h1' };
  forwarder.heard(own('p1', running, { lastReport, revision: 'r2' }), [routeKey('orders'), routeKey('carts')]);
  // its time is moved by what the clocks seem to differ, and so by how long a message takes
  await until(() => expect(leader.facts('p1')?.lastReport?.report).toEqual(report));
  expect(leader.planes).toEqual({ p1: { [routeKey('orders')]: 'h2', [routeKey('carts')]: 'h1' } });
  expect(leader.facts('p1')?.problems.size).toBe(0);
  expect(leader.changes).toContainEqual([routeKey('orders'), routeKey('carts'), BASE_PROBLEMS]);

  forwarder.heard(own('p1', { carts: 'h1' }, { lastReport }), [routeKey('orders')]);
  await until(() => expect(leader.planes).toEqual({ p1: { [routeKey('carts')]: 'h1' } }));
  forwarder.left('p1');
  await until(() => expect(leader.planes).toEqual({}));
});

it('continues with other data planes when one exceeds the message size', async () => {
  const leader = await Leader.start();
  const { forwarder, told } = follower();
  const names = Array.from({ length: 2_000 }, (_, i) => `route-${i}`);
  const problems = new Map(names.map((name) => [routeKey(name), routeProblems('x'.repeat(8_000))]));
  const routes = names.map((id) => ({ router: 'r', id, name: 'n'.repeat(10_000), figures: [] }));
  const report = {
    type: 'report',
    revision: 'r1',
    ready: true,
    unitsServing: 1,
    clock: 0,
    since: 's',
    routes,
  } as const;
  forwarder.heard(own('loud', {}, { problems, lastReport: { at: 0, report } }), null);
  forwarder.heard(own('quiet', { orders: 'h1' }), null);
  forwarder.follow(leader.address);
  await until(() => expect(leader.facts('quiet')).toBeDefined());
  expect(leader.facts('loud')?.problems.size).toBe(2_000);
  expect(leader.facts('loud')?.lastReport).toBeNull();
  expect(told.join()).not.toContain('larger than');
});

it('converts times of a follower with another clock to the clock of the leader', async () => {
  const leader = await Leader.start();
  const hour = 3_600_000;
  const { forwarder } = follower('good', 'follower', { ...systemClock, wall: () => Date.now() + hour });
  const report = { type: 'report', revision: 'r1', ready: true, unitsServing: 1, since: 's', routes: [] } as const;
  const at = Date.now();
  const lastReport = { at: at + hour, report: { ...report, clock: at } };
  const pending = { revision: 'r2', sentAt: at + hour };
  forwarder.heard(own('p1', {}, { connectedSince: at + hour, pending, lastReport }), null);
  forwarder.follow(leader.address);
  await until(() => expect(leader.facts('p1')?.lastReport?.at).toBeDefined());
  const facts = leader.facts('p1')!;
  for (const time of [facts.connectedSince, facts.pending!.sentAt, facts.lastReport!.at]) {
    expect(Math.abs(time - at)).toBeLessThan(hour / 2);
  }
  expect(facts.lastReport?.report.clock).toBe(at);
});

it('sends everything again after the stream broke, and the leader drops data planes that left meanwhile', async () => {
  const first = await Leader.start();
  const { forwarder } = follower();
  forwarder.heard(own('p1', { orders: 'h1' }), null);
  forwarder.heard(own('p2', { orders: 'h1' }), null);
  forwarder.follow(first.address);
  await until(() => expect(Object.keys(first.planes)).toEqual(['p1', 'p2']));
  first.stop();
  forwarder.left('p1');
  forwarder.heard(own('p2', { orders: 'h9' }), [routeKey('orders')]);
  const second = await Leader.start(Number(first.address.split(':')[1]));
  await until(() => expect(second.planes).toEqual({ p2: { [routeKey('orders')]: 'h9' } }));
});

it('connects to the new leader, and the old one drops its data planes', async () => {
  const [first, second] = [await Leader.start(), await Leader.start()];
  const { forwarder } = follower();
  forwarder.heard(own('p1', { orders: 'h1' }), null);
  forwarder.follow(first.address);
  await until(() => expect(Object.keys(first.planes)).toEqual(['p1']));
  forwarder.follow(second.address);
  await until(() => expect(Object.keys(second.planes)).toEqual(['p1']));
  await until(() => expect(first.planes).toEqual({}));
  forwarder.follow(null);
  await until(() => expect(second.planes).toEqual({}));
});

it('is disconnected by a former leader, and reconnects when it leads again', async () => {
  const leader = await Leader.start();
  const { forwarder, told } = follower();
  forwarder.heard(own('p1', { orders: 'h1' }), null);
  forwarder.follow(leader.address);
  await until(() => expect(Object.keys(leader.planes)).toEqual(['p1']));
  leader.isLeader = false;
  leader.service.disband();
  await until(() => expect(leader.planes).toEqual({}));
  await until(() => expect(told.at(-1)).toContain('is not the leader'));
  leader.isLeader = true;
  await until(() => expect(Object.keys(leader.planes)).toEqual(['p1']));
  expect(leader.service.controllers).toEqual(['follower']);
});

it.each([
  ['a wrong token', 'bad', 'follower', 'only controllers may connect'],
  ['the name of the leader', 'good', 'leader', 'has the name of this controller'],
])('is rejected with %s', async (_, token, name, message) => {
  const leader = await Leader.start();
  const { forwarder, told } = follower(token, name);
  forwarder.heard(plane('p1', { orders: 'h1' }, { controller: name }), null);
  forwarder.follow(leader.address);
  await until(() => expect(told.length).toBeGreaterThan(1));
  expect(told[0]).toContain(message);
  expect(leader.planes).toEqual({});
});

it('carries many routes in several messages', async () => {
  const leader = await Leader.start();
  const { forwarder } = follower();
  const running = Object.fromEntries(Array.from({ length: 12_000 }, (_, i) => [`r${i}`, `h${i}`]));
  forwarder.heard(own('p1', running), null);
  forwarder.follow(leader.address);
  await until(() => expect(leader.facts('p1')?.running.size).toBe(12_000));
  expect(leader.facts('p1')?.running.get(routeKey('r11999'))).toBe('h11999');
});

it('reports all data planes to other controllers only, on request', async () => {
  const leader = await Leader.start();
  for (const name of ['p1', 'p2']) leader.ledger.heard(plane(name), null);
  const ask = (token: string): Promise<Buffer> => {
    const options = { credentials: () => credentials.createInsecure(), token: () => token };
    return askLeader(options, leader.address, PEER_PLANES_METHOD);
  };
  expect(JSON.parse((await ask('good')).toString())).toEqual([{ plane: 'p1' }, { plane: 'p2' }]);
  await expect(ask('bad')).rejects.toThrow('only controllers may connect here');
  leader.isLeader = false;
  await expect(ask('good')).rejects.toThrow('this controller is not the leader');
  leader.stop();
  await expect(ask('good')).rejects.toThrow();
});
