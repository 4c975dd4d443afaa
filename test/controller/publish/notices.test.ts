import { randomBytes } from 'node:crypto';
import { credentials, Server, ServerCredentials, type ServiceDefinition } from '@grpc/grpc-js';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { EndedRecord, Notice, RefreshNews, Report } from '../../../contract/channel.ts';
import { bytesMethod } from '../../../contract/channel-codec.ts';
import { bootstrapAuthenticator } from '../../../controller/publish/channel/bootstrap-authentication.ts';
import type { PlaneIdentity } from '../../../controller/publish/channel/plane-identity.ts';
import { NoticeRelay, noticeScope } from '../../../controller/publish/notice-relay.ts';
import { PeerForwarder } from '../../../controller/publish/peers/peer-forwarder.ts';
import { PEER_METHOD, PEER_PLANES_METHOD } from '../../../controller/publish/peers/peer-messages.ts';
import { PeerService } from '../../../controller/publish/peers/peer-service.ts';
import { PlaneLedger } from '../../../controller/publish/plane-ledger.ts';
import { publishedState } from '../../support/channel/published-routes.ts';
import type { ScriptedPlane } from '../../support/channel/scripted-plane.ts';
import { ServedChannel } from '../../support/channel/served-channel.ts';
import { noPeerDryRuns } from '../../support/crest/no-dry-runs.ts';

const TOKENS = { edge: 'token-of-the-group-edge-which-is-long', inside: 'token-of-the-group-inside-which-is-long' };

const REPORT: Report = {
  ...{ type: 'report', revision: null, ready: true, unitsServing: 1 },
  ...{ clock: 1, since: 'x', routes: [] },
};

function ended(at = Date.now()): EndedRecord {
  return { key: randomBytes(12).toString('base64url'), at };
}

function notice(...entries: readonly EndedRecord[]): Notice {
  return { type: 'notice', kind: 'ended-session', entries };
}

/** A claim of a refresh, which every plane of the group hears. */
function claim(number: number): RefreshNews {
  return { type: 'refresh', realm: 'r'.repeat(16), key: 'k'.repeat(43), stage: 'claimed', claim: number };
}

const channels: ServedChannel[] = [];
afterEach(async () => {
  await Promise.all(channels.splice(0).map((channel) => channel.close()));
});

async function served(notices?: NoticeRelay): Promise<ServedChannel> {
  const all = Object.entries(TOKENS).map(([group, token]) => ({ token, group, labels: {}, mayClaim: [] }));
  const channel = await new ServedChannel({
    server: { authenticator: bootstrapAuthenticator(all) },
    ...(notices && { sessions: { notices } }),
  }).start();
  channels.push(channel);
  return channel;
}

/** A plane that was welcomed. */
async function connected(
  channel: ServedChannel,
  name: string,
  group: keyof typeof TOKENS = 'edge',
  kinds: readonly string[] | null = ['ended-session', 'refresh'],
): Promise<ScriptedPlane> {
  const plane = channel.plane({ token: TOKENS[group] }).hello({ name, ...(kinds && { notices: kinds }) });
  expect(await plane.message('welcome')).toMatchObject({ group, notices: ['ended-session', 'refresh'] });
  return plane;
}

/** The entries that a plane heard. */
function heard(plane: ScriptedPlane): readonly EndedRecord[] {
  return plane.received.flatMap((message) => (message.type === 'notice' ? message.entries : []));
}

it('a notice reaches the other planes of the group, and neither its sender nor another group', async () => {
  const channel = await served();
  const [one, two, three] = [
    await connected(channel, 'one'),
    await connected(channel, 'two'),
    await connected(channel, 'three'),
  ];
  const stranger = await connected(channel, 'stranger', 'inside');
  const [first, second, foreign] = [ended(), ended(), ended()];
  one.send(notice(first));
  expect((await two.message('notice')).entries).toEqual([first]);
  expect((await three.message('notice')).entries).toEqual([first]);
  stranger.send(notice(foreign, first)).send(REPORT);
  await channel.until(() => channel.facts('stranger')?.lastReport !== null);
  two.send(notice(second));
  expect((await one.message('notice')).entries).toEqual([second]);
  expect((await three.message('notice')).entries).toEqual([second]);
  expect([heard(one), heard(two), heard(stranger)]).toEqual([[second], [first], []]);
});

it('a plane that connects later hears what it missed, and tells what the controller does not know', async () => {
  const channel = await served();
  const one = await connected(channel, 'one');
  const [first, second] = [ended(), ended()];
  one.send(notice(first));
  const two = await connected(channel, 'two');
  expect((await two.message('notice')).entries).toEqual([first]);
  two.send(notice(first, second));
  expect((await one.message('notice')).entries).toEqual([second]);
});

it('a plane that does not know notices gets none', async () => {
  const channel = await served();
  const [one, older, two] = [
    await connected(channel, 'one'),
    await connected(channel, 'older', 'edge', null),
    await connected(channel, 'two'),
  ];
  one.send(notice(ended()));
  await two.message('notice');
  channel.sessions.publish(publishedState([]));
  await older.message('update');
  expect(heard(older)).toEqual([]);
});

const sound = ended();

it.each([
  ['an unknown kind', { type: 'notice', kind: 'another', entries: [sound] }],
  ['a key of another length', { ...notice({ ...sound, key: 'short' }) }],
  ['a key that is no base64url', { ...notice({ ...sound, key: 'alice@example.co' }) }],
  ['a time that is no number', { type: 'notice', kind: 'ended-session', entries: [{ ...sound, at: 'now' }] }],
  ['a time before 1970', { ...notice({ ...sound, at: -1 }) }],
  ['too many entries', notice(...Array.from({ length: 1001 }, () => sound))],
  ['no entries', { type: 'notice', kind: 'ended-session' }],
])('ends the stream of a plane that sends %s', async (_, message) => {
  const channel = await served();
  const [one, two] = [await connected(channel, 'one'), await connected(channel, 'two')];
  one.sendBytes(Buffer.from(JSON.stringify(message)));
  expect((await one.ended).details).toMatch(/message is not as it should be/);
  expect(heard(two)).toEqual([]);
});

it('passes on no more entries of one plane than its share', async () => {
  const channel = await served();
  const [flood, other] = [await connected(channel, 'flood'), await connected(channel, 'other')];
  for (let at = 0; at < 15; at++) flood.send(notice(...Array.from({ length: 1000 }, () => ended())));
  const last = ended();
  other.send(notice(last));
  await vi.waitFor(() => expect(heard(flood)).toEqual([last]), { timeout: 60_000 });
  await vi.waitFor(() => expect(heard(other).length).toBeGreaterThanOrEqual(10_000), { timeout: 60_000 });
  flood.send(REPORT);
  await channel.until(() => channel.facts('flood')?.lastReport !== null);
  expect(heard(other).length).toBeLessThan(15_000);
});

/** The numbers of the claims that a plane heard. */
function claims(plane: ScriptedPlane): (number | undefined)[] {
  return plane.received.flatMap((message) => (message.type === 'refresh' ? [message.claim] : []));
}

const patience = { timeout: 60_000, interval: 10 };

it('all planes of a group hear claims of refreshes in one order, also their own, and no others do', async () => {
  const channel = await served();
  const [one, two] = [await connected(channel, 'one'), await connected(channel, 'two')];
  const stranger = await connected(channel, 'stranger', 'inside');
  const older = await connected(channel, 'older', 'edge', ['ended-session']);
  for (let at = 0; at < 50; at++) {
    one.send(claim(2 * at));
    two.send(claim(2 * at + 1));
  }
  for (const plane of [one, two]) await vi.waitFor(() => expect(claims(plane)).toHaveLength(100), patience);
  expect(claims(one)).toEqual(claims(two));
  stranger.send(REPORT);
  await channel.until(() => channel.facts('stranger')?.lastReport !== null);
  const last = ended();
  one.send(notice(last));
  expect((await older.message('notice')).entries).toEqual([last]);
  expect([claims(stranger), claims(older)]).toEqual([[], []]);
});

it.each([
  ['an unknown stage', { ...claim(1), stage: 'maybe' }],
  ['a key of another length', { ...claim(1), key: 'short' }],
  ['no realm', { ...claim(1), realm: undefined }],
  ['too long a text', { ...claim(1), stage: 'renewed', sealed: 'x'.repeat(65_537) }],
])('ends the stream of a plane that sends a refresh with %s', async (_, message) => {
  const channel = await served();
  const one = await connected(channel, 'one');
  one.sendBytes(Buffer.from(JSON.stringify(message)));
  expect((await one.ended).details).toMatch(/message is not as it should be/);
});

it('claims of a plane that floods use up none of its notices', async () => {
  const channel = await served();
  const [flood, other] = [await connected(channel, 'flood'), await connected(channel, 'other')];
  for (let at = 0; at < 12_000; at++) flood.send(claim(at));
  const last = ended();
  flood.send(notice(last));
  expect((await other.message('notice')).entries).toEqual([last]);
  expect(heard(other)).toEqual([last]);
  expect(claims(other).length).toBeGreaterThanOrEqual(10_000);
});

describe('scopes', () => {
  const plane: PlaneIdentity = {
    ...{ id: 'p', name: 'p', group: 'edge', namespace: 'shop', labels: {} },
    ...{ isSidecar: false, until: null },
  };

  it('are groups, and namespaces of sidecars', () => {
    expect(noticeScope(plane)).toBe(noticeScope({ ...plane, namespace: 'bank', labels: { a: 'b' } }));
    const all = [
      plane,
      { ...plane, group: 'inside' },
      { ...plane, isSidecar: true },
      { ...plane, isSidecar: true, namespace: 'bank' },
    ];
    expect(new Set(all.map(noticeScope)).size).toBe(all.length);
  });
});

/** A controller that leads, with planes of its own. */
async function leading() {
  const notices = new NoticeRelay();
  const ledger = new PlaneLedger({ changed: () => {} });
  const service = new PeerService({
    ...{ controller: 'leader', ledger, notices, heartbeat: 60_000, isLeader: () => true },
    ...{ planes: () => [], routes: () => [], ...noPeerDryRuns },
    authenticate: async () => true,
  });
  const server = new Server();
  const methods: ServiceDefinition = { forward: bytesMethod(PEER_METHOD), planes: bytesMethod(PEER_PLANES_METHOD) };
  server.addService(methods, service.handlers);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, at) =>
      error === null ? resolve(at) : reject(error),
    );
  });
  const stop = (): void => {
    server.forceShutdown();
    ledger.close();
  };
  onTestFinished(stop);
  return { address: `127.0.0.1:${port}`, channel: await served(notices), stop };
}

async function following(controller: string) {
  const notices = new NoticeRelay();
  const forwarder = new PeerForwarder({
    ...{ controller, notices, heartbeat: 60_000, longestWait: 50 },
    credentials: () => credentials.createInsecure(),
    token: () => 'good',
  });
  onTestFinished(() => forwarder.close());
  return { forwarder, channel: await served(notices) };
}

it('a notice reaches planes of every controller through the leader, and only those of its group', async () => {
  const leader = await leading();
  const [a, b] = [await following('a'), await following('b')];
  const [one, two, three] = [
    await connected(leader.channel, 'one'),
    await connected(a.channel, 'two'),
    await connected(b.channel, 'three'),
  ];
  const stranger = await connected(b.channel, 'stranger', 'inside');
  const [before, later] = [ended(), ended()];
  two.send(notice(before)); // while its controller knows no leader
  a.forwarder.follow(leader.address);
  b.forwarder.follow(leader.address);
  expect((await one.message('notice')).entries).toEqual([before]);
  expect((await three.message('notice')).entries).toEqual([before]);
  three.send(notice(later));
  expect((await one.message('notice')).entries).toEqual([later]);
  expect((await two.message('notice')).entries).toEqual([later]);
  expect([heard(stranger), heard(one), heard(two)]).toEqual([[], [before, later], [later]]);
});

it('planes of every controller hear claims of refreshes in the order of the leader', async () => {
  const leader = await leading();
  const [a, b] = [await following('a'), await following('b')];
  const planes = [
    await connected(leader.channel, 'one'),
    await connected(a.channel, 'two'),
    await connected(b.channel, 'three'),
  ];
  const entry = ended();
  planes[1]!.send(notice(entry));
  a.forwarder.follow(leader.address);
  b.forwarder.follow(leader.address);
  expect((await planes[2]!.message('notice')).entries).toEqual([entry]); // both follow
  for (let at = 0; at < 60; at++) planes[at % 3]!.send(claim(at));
  for (const plane of planes) await vi.waitFor(() => expect(claims(plane)).toHaveLength(60), patience);
  expect(claims(planes[1]!)).toEqual(claims(planes[0]!));
  expect(claims(planes[2]!)).toEqual(claims(planes[0]!));
});

it('the next leader knows the notices of the one before', async () => {
  const first = await leading();
  const a = await following('a');
  const one = await connected(first.channel, 'one');
  const two = await connected(a.channel, 'two');
  a.forwarder.follow(first.address);
  const entry = ended();
  one.send(notice(entry));
  await two.message('notice');
  first.stop();
  const next = await leading();
  const late = await connected(next.channel, 'late');
  a.forwarder.follow(next.address);
  expect((await late.message('notice')).entries).toEqual([entry]);
});
