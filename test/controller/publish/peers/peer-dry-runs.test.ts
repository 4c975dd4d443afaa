import { credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import { expect, it, onTestFinished, vi } from 'vitest';
import { bytesMethod } from '../../../../contract/channel-codec.ts';
import type { DryRunAnswer, DryRunQuestion } from '../../../../controller/publish/dry-run-question.ts';
import { PeerForwarder } from '../../../../controller/publish/peers/peer-forwarder.ts';
import { PEER_DRY_RUN_METHOD, PEER_METHOD } from '../../../../controller/publish/peers/peer-messages.ts';
import { askLeader } from '../../../../controller/publish/peers/peer-question.ts';
import { PeerService } from '../../../../controller/publish/peers/peer-service.ts';
import { PlaneLedger } from '../../../../controller/publish/plane-ledger.ts';
import { plane } from '../../../support/cluster/judged-resources.ts';

const PATIENCE = { timeout: 250_000, interval: 10 };
const QUESTION: DryRunQuestion = {
  request: { method: 'GET', uri: 'https://shop.test/', headers: ['A: 1'], entity: { a: [1] } },
  route: 'shop.orders',
  plane: { group: 'default', namespace: null, labels: {}, isSidecar: false },
};
const NONE: DryRunAnswer = { failure: 'unconnected', message: 'none here' };
const ranOn = (name: string): DryRunAnswer => ({
  dryRun: { revision: 'r1', plane: name, unit: 0, steps: [], status: null, milliseconds: 1 },
});

const peer = { credentials: () => credentials.createInsecure(), token: () => 'good', heartbeat: 60_000 };

/** A controller, which leads if it is told to, with what its own data planes answer. */
async function controller(name: string, own: () => DryRunAnswer | Promise<DryRunAnswer>, isLeader: boolean) {
  const questions: DryRunQuestion[] = [];
  const explain = async (question: DryRunQuestion): Promise<DryRunAnswer> => {
    questions.push(question);
    return own();
  };
  const ledger = new PlaneLedger({ grace: 50, changed: () => undefined });
  const leader = { address: '' };
  const service = new PeerService({
    ...{ controller: name, ledger, heartbeat: 60_000, planes: () => [], routes: () => [], isLeader: () => isLeader },
    sessions: { explain, explainer: () => null },
    askLeader: (method, question) => askLeader(peer, leader.address, method, { question, timeout: 60_000 }),
    authenticate: async (token) => token === 'good',
  });
  const server = new Server();
  server.addService(
    { forward: bytesMethod(PEER_METHOD), dryRun: bytesMethod(PEER_DRY_RUN_METHOD) },
    { forward: service.handlers.forward, dryRun: service.handlers.dryRun },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, at) =>
      error === null ? resolve(at) : reject(error),
    );
  });
  const forwarder = new PeerForwarder({ ...peer, controller: name, longestWait: 50, explain });
  onTestFinished(() => {
    forwarder.close();
    server.forceShutdown();
    ledger.close();
  });
  const follow = (address: string): void => {
    leader.address = address;
    forwarder.follow(address);
  };
  return { service, ledger, forwarder, questions, address: `127.0.0.1:${port}`, follow };
}

type TestedController = Awaited<ReturnType<typeof controller>>;

/** Waits until the leader knows a data plane of a follower. */
async function known(
  leader: TestedController,
  follower: TestedController,
  name: string,
  explains = true,
): Promise<void> {
  const facts = plane(name, {}, { controller: 'follower', ...(explains && { explains: true }) });
  follower.forwarder.heard(facts, null);
  follower.follow(leader.address);
  await vi.waitFor(() => expect(leader.ledger.planes.map(({ identity }) => identity.name)).toContain(name), PATIENCE);
}

it('a dry run is made by a data plane of the controller that is asked, if there is one', async () => {
  const leader = await controller('leader', () => ranOn('p1'), true);
  const follower = await controller('follower', () => ranOn('p2'), false);
  await known(leader, follower, 'p2');
  expect(await leader.service.dryRuns.explain(QUESTION)).toEqual(ranOn('p1'));
  expect(await follower.service.dryRuns.explain(QUESTION)).toEqual(ranOn('p2'));
  expect([leader.questions, follower.questions]).toEqual([[QUESTION], [QUESTION]]);
});

it('a leader without such a data plane asks a follower that has one', async () => {
  const leader = await controller('leader', () => NONE, true);
  const follower = await controller('follower', () => ranOn('p2'), false);
  await known(leader, follower, 'p2');
  expect(await leader.service.dryRuns.explain(QUESTION)).toEqual(ranOn('p2'));
  expect(follower.questions).toEqual([QUESTION]);
});

it('a follower without such a data plane asks the leader, and through it another follower', async () => {
  const leader = await controller('leader', () => NONE, true);
  const holder = await controller('follower', () => ranOn('p2'), false);
  const asked = await controller('third', () => NONE, false);
  await known(leader, holder, 'p2');
  asked.follow(leader.address);
  expect(await asked.service.dryRuns.explain(QUESTION)).toEqual(ranOn('p2'));
  expect(holder.questions).toEqual([QUESTION]);
});

it('without any such data plane the answer says whether they are missing, older or behind', async () => {
  const leader = await controller('leader', () => NONE, true);
  const follower = await controller('follower', () => ({ failure: 'behind', message: 'not yet' }), false);
  expect(await leader.service.dryRuns.explain(QUESTION)).toMatchObject({ failure: 'unconnected' });
  await known(leader, follower, 'old', false);
  expect(await leader.service.dryRuns.explain(QUESTION)).toMatchObject({ failure: 'older' });
  expect(follower.questions).toEqual([]);
  await known(leader, follower, 'p2');
  expect(await leader.service.dryRuns.explain(QUESTION)).toMatchObject({ failure: 'behind' });
  expect(await follower.service.dryRuns.explain(QUESTION)).toMatchObject({ failure: 'behind' });
});

it('a follower whose leader does not answer says so, and what its own data planes are like', async () => {
  const follower = await controller('follower', () => NONE, false);
  const none = await follower.service.dryRuns.explain(QUESTION);
  expect(none).toMatchObject({
    failure: 'unconnected',
    message: expect.stringMatching(/'default' is connected to this controller, and the leader cannot be asked: /),
  });
  const behind = await controller('other', () => ({ failure: 'behind', message: 'not yet' }), false);
  expect(await behind.service.dryRuns.explain(QUESTION)).toEqual({ failure: 'behind', message: 'not yet' });
});

it('a dry run that ends with an error at another controller is a failed one, and ends no controller', async () => {
  const broken = (): never => {
    throw new RangeError('too deep');
  };
  const leader = await controller('leader', () => NONE, true);
  const follower = await controller('follower', broken, false);
  await known(leader, follower, 'p2');
  const failed = { failure: 'failed', message: 'the dry run failed: too deep' };
  expect(await leader.service.dryRuns.explain(QUESTION)).toEqual(failed);
  const brokenLeader = await controller('leader', broken, true);
  const asking = await controller('third', () => NONE, false);
  asking.follow(brokenLeader.address);
  expect(await asking.service.dryRuns.explain(QUESTION)).toEqual(failed);
});

it('a follower that goes away during a dry run is named', async () => {
  const asked = Promise.withResolvers<void>();
  const leader = await controller('leader', () => NONE, true);
  const follower = await controller(
    'follower',
    () => {
      asked.resolve();
      return new Promise(() => undefined);
    },
    false,
  );
  await known(leader, follower, 'p2');
  const answer = leader.service.dryRuns.explain(QUESTION);
  await asked.promise;
  follower.forwarder.close();
  expect(await answer).toEqual({
    failure: 'failed',
    message: "the controller 'follower', which has the data plane, did not answer",
  });
});
