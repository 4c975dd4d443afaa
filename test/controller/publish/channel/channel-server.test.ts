import { afterEach, describe, expect, it } from 'vitest';
import { MAX_MESSAGE_BYTES } from '../../../../contract/channel-codec.ts';
import { routeKeyText } from '../../../../contract/snapshot.ts';
import { CertificateAuthority } from '../../../../controller/certificates/certificate-authority.ts';
import { certificateAuthenticator } from '../../../../controller/publish/channel/certificate-authentication.ts';
import { outsideGrant } from '../../../../controller/publish/channel/outside-grant.ts';
import {
  firstToKnow,
  type GrantEnd,
  type PlaneAuthenticator,
  PlaneRefused,
} from '../../../../controller/publish/channel/plane-authentication.ts';
import { type Clock, systemClock } from '../../../../platform/clock.ts';
import { publishedRoute, publishedState } from '../../../support/channel/published-routes.ts';
import type { ScriptedPlane } from '../../../support/channel/scripted-plane.ts';
import { ServedChannel, type ServedChannelOptions } from '../../../support/channel/served-channel.ts';
import { certificateAuthority } from '../../../support/identity/certificates.ts';

let channel: ServedChannel;

async function serve(options: ServedChannelOptions = {}): Promise<ServedChannel> {
  channel = await new ServedChannel(options).start();
  channel.sessions.publish(publishedState([publishedRoute('a')]));
  return channel;
}

afterEach(() => channel.close());

/** Heartbeats that come only when the test says so, so that no plane is taken for silent while the machine is busy. */
function beatingByHand() {
  const heartbeat = 25;
  const due = new Set<() => void>();
  const after: Clock['after'] = (milliseconds, run) => {
    if (milliseconds !== heartbeat) return systemClock.after(milliseconds, run);
    due.add(run);
    return () => void due.delete(run);
  };
  const beatAll = (): void => {
    const runs = [...due];
    due.clear();
    for (const run of runs) run();
  };
  return { sessions: { settings: { heartbeat }, clock: { ...systemClock, after } }, beatAll };
}

/** A data plane that runs the newest state, so that nothing is on its way to it. */
async function currentPlane(): Promise<ScriptedPlane> {
  const plane = channel.plane().hello();
  const update = await plane.update();
  plane.ack(update);
  await channel.until(() => channel.facts()?.revision === update.revision);
  return plane;
}

const planes = { group: 'edge', labels: { zone: 'a' }, mayClaim: [] };
const UNAUTHENTICATED = 16;
const PERMISSION_DENIED = 7;
const INVALID_ARGUMENT = 3;
const FAILED_PRECONDITION = 9;
const UNAVAILABLE = 14;
const RESOURCE_EXHAUSTED = 8;

describe('a data plane that gets a stream', () => {
  it.each([
    ['another token', 'another-token-that-is-long-enough-to-count'],
    ['the beginning of a token', 'a-token-that-is-long-enough'],
    ['no token', ''],
  ])('is not one with %s', async (_, token) => {
    await serve();
    const stranger = channel.plane({ token }).hello();
    expect(await stranger.ended).toMatchObject({ code: UNAUTHENTICATED, details: 'the credential is not known' });
    expect(stranger.received).toEqual([]);
  });

  it('is not one with a label that its token does not allow', async () => {
    await serve();
    const plane = channel.plane().hello({ labels: { tier: 'gold' } });
    expect(await plane.ended).toMatchObject({
      code: PERMISSION_DENIED,
      details: 'the data plane may not set its label tier',
    });
    const group = channel.plane().hello({ labels: { 'gatewarden.io/group': 'vip' } });
    expect(await group.ended).toMatchObject({ code: PERMISSION_DENIED });
    expect(channel.refusals).toHaveLength(2);
  });

  it('one with allowed labels, overridden by the labels of its token', async () => {
    await serve();
    const plane = channel.plane().hello({ labels: { site: 'berlin', zone: 'a' } });
    expect((await plane.message('welcome')).labels).toEqual({ site: 'berlin', zone: 'a' });
  });

  it.each([
    [
      'of another version',
      { protocol: 2 },
      FAILED_PRECONDITION,
      /speaks version 1 of the channel, the data plane version 2/,
    ],
    ['without a proper name', { name: '../x' }, PERMISSION_DENIED, /needs a name/],
  ])('is not one %s', async (_, hello, code, details) => {
    await serve();
    expect(await channel.plane().hello(hello).ended).toMatchObject({ code, details: expect.stringMatching(details) });
  });

  it.each([
    ['no JSON', Buffer.from('hello')],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x7b])],
    ['another message than hello', Buffer.from('{"type":"heartbeat"}')],
    ['an unknown message', Buffer.from('{"type":"secrets"}')],
    ['a hello without holds', Buffer.from('{"type":"hello","protocol":1}')],
    ['null', Buffer.from('null')],
  ])('is not one that starts with %s', async (_, bytes) => {
    await serve();
    const ended = await channel.plane().sendBytes(bytes).ended;
    expect(ended.code).toBe(INVALID_ARGUMENT);
  });

  it('is not one that sends an oversized message', async () => {
    await serve();
    const plane = channel.plane().sendBytes(Buffer.alloc(MAX_MESSAGE_BYTES + 1, ' '));
    expect((await plane.ended).code).toBe(RESOURCE_EXHAUSTED);
  });

  it('is not one that sends nothing', async () => {
    await serve({ server: { helloTimeout: 20 } });
    expect(await channel.plane().ended).toMatchObject({ details: 'no hello message came in time' });
  });

  it.each([
    ['cannot be judged', new Error('secret detail'), UNAVAILABLE, 'the credential could not be verified'],
    ['is not good', new PlaneRefused('UNAUTHENTICATED', 'the Pod is gone'), UNAUTHENTICATED, 'the Pod is gone'],
  ])('is not one whose credential %s', async (_, error, code, details) => {
    await serve({ server: { authenticator: { authenticate: () => Promise.reject(error) } } });
    expect(await channel.plane().hello().ended).toMatchObject({ code, details });
  });

  it('is not one whose credential has expired', async () => {
    const authenticator = { authenticate: async () => outsideGrant(planes, null, Date.now() - 1) };
    await serve({ server: { authenticator } });
    expect(await channel.plane().hello().ended).toMatchObject({ details: 'the credential has expired' });
  });
});

describe('a stream ends', () => {
  it('at once when a message is not one', async () => {
    await serve();
    const plane = channel.plane().hello();
    await plane.update();
    plane.sendBytes(Buffer.from('{"type":"ack","nonce":"one"}'));
    expect(await plane.ended).toMatchObject({ code: INVALID_ARGUMENT, details: expect.stringContaining('nonce') });
  });

  it('when the data plane acknowledges an update that was not sent, or sends hello again', async () => {
    await serve();
    const plane = channel.plane().hello();
    const { nonce } = await plane.update();
    plane.send({ type: 'ack', nonce, revision: 'another', problems: [], newer: [] });
    expect((await plane.ended).details).toBe('another revision was acknowledged');
    const twice = channel.plane().hello();
    await twice.message('welcome');
    expect((await twice.hello().ended).details).toBe('a second hello');
  });

  it('when three heartbeats stay away, which the controller sends too', async () => {
    await serve({ sessions: { settings: { heartbeat: 25 } } });
    const plane = channel.plane().hello();
    await plane.message('heartbeat');
    expect(await plane.ended).toMatchObject({ code: UNAVAILABLE, details: 'the data plane is silent' });
    expect(channel.heard.at(-1)?.what).toBe('closed: the data plane is silent');
  });

  it('not while the data plane sends heartbeats', async () => {
    const { sessions, beatAll } = beatingByHand();
    await serve({ sessions });
    const plane = await currentPlane();
    for (let beat = 0; beat < 8; beat++) {
      plane.send({ type: 'heartbeat' });
      await plane.message('heartbeat'); // the answer: it was heard
      beatAll();
    }
    expect(channel.facts()).toBeDefined();
  });

  it('not by heartbeats of its own while it answers those of the data plane', async () => {
    const { sessions, beatAll } = beatingByHand();
    await serve({ sessions });
    const plane = await currentPlane();
    plane.send({ type: 'heartbeat' });
    await plane.message('heartbeat');
    beatAll();
    plane.send({ type: 'heartbeat' });
    await plane.message('heartbeat');
    beatAll();
    beatAll(); // nothing was sent since the last one
    await plane.message('heartbeat');
    channel.sessions.end(channel.facts()!.identity.id, 'over');
    await plane.ended;
    expect(plane.received.filter(({ type }) => type === 'heartbeat')).toHaveLength(3);
  });

  it('at its maximum age, after a goaway', async () => {
    await serve({ sessions: { settings: { maxAge: 30 } } });
    const plane = channel.plane().hello();
    expect((await plane.message('goaway')).reason).toBe('the stream reached its maximum age');
    expect(await plane.ended).toMatchObject({ code: 0 });
  });

  it('when the credential of the plane ends', async () => {
    const left = 50_000;
    let passed = 0;
    const clock: Clock = {
      ...systemClock,
      wall: () => Date.now() + passed,
      after: (milliseconds, run) => systemClock.after(Math.abs(milliseconds - left) < 10_000 ? 10 : milliseconds, run),
    };
    const authenticator = { authenticate: async () => outsideGrant(planes, null, Date.now() + left) };
    await serve({ sessions: { clock }, server: { authenticator } });
    const plane = channel.plane().hello();
    await plane.message('welcome');
    passed = left;
    expect((await plane.message('goaway')).reason).toBe('the credential of the data plane expires');
    await plane.ended;
    expect(channel.facts()).toBeUndefined();
  });

  it.each([
    ['revoked', UNAUTHENTICATED],
    ['changed', 0],
  ] as const)('when its grant is %s', async (how, code) => {
    let end: (reason: string, how: GrantEnd) => void = () => undefined;
    const authenticator: PlaneAuthenticator = {
      authenticate: async () => ({
        ...outsideGrant(planes, null),
        watch: (_, ended) => {
          end = ended;
          return () => undefined;
        },
      }),
    };
    await serve({ server: { authenticator } });
    const plane = channel.plane().hello();
    await plane.message('welcome');
    end('no more', how);
    expect((await plane.ended).code).toBe(code);
    expect(channel.heard.at(-1)?.what).toBe('closed: no more');
  });

  it('on request', async () => {
    await serve();
    const plane = channel.plane().hello();
    await plane.message('welcome');
    channel.sessions.end('default/edge-1', 'the Pod was deleted');
    expect(await plane.ended).toMatchObject({ code: UNAUTHENTICATED, details: 'the Pod was deleted' });
  });

  it('when the plane has a newer one, whose news alone counts', async () => {
    await serve();
    const first = channel.plane().hello();
    const update = await first.update();
    const second = channel.plane().hello();
    second.ack(await second.update());
    first.ack(update);
    expect((await first.message('goaway')).reason).toBe('the data plane opened another stream');
    await first.ended;
    await channel.until(() => channel.facts()?.revision !== null);
    expect(channel.heard.map(({ what }) => what)).not.toContain('closed: the data plane opened another stream');
  });

  it('with a goaway to all when the controller stops', async () => {
    await serve();
    const plane = channel.plane().hello();
    await plane.update();
    const closing = channel.server.close();
    expect((await plane.message('goaway')).reason).toBe('the controller is stopping');
    await plane.ended;
    await closing;
  });
});

describe('TLS', () => {
  const now = Date.now();
  const authority = CertificateAuthority.create(now);
  const issue = (from: CertificateAuthority) => ({ ...from.issue(['localhost'], now), clientAuthorities: null });

  it('is with the authority of the controllers, whose certificate changes under streams', async () => {
    await serve({ server: { tls: issue(authority) } });
    const before = channel.plane({ ca: authority.bundle() }).hello();
    before.ack(await before.update());
    const another = CertificateAuthority.create(now);
    channel.server.renew(issue(another));
    const after = channel.plane({ ca: another.bundle() }).hello({ name: 'edge-2' });
    after.ack(await after.update());
    expect(await channel.plane({ ca: authority.bundle() }).hello({ name: 'edge-3' }).ended).toMatchObject({
      code: UNAVAILABLE,
    });
    const changed = publishedRoute('a', 'two');
    channel.sessions.publish(publishedState([changed]));
    for (const plane of [before, after]) expect((await plane.update()).set).toEqual([changed]);
  });

  it('keeps the certificate when the next one is not usable', async () => {
    await serve({ server: { tls: issue(authority) } });
    const { certificate } = issue(authority);
    const { key } = issue(authority);
    expect(() => channel.server.renew({ certificate, key, clientAuthorities: null })).toThrow(
      /cannot be used together/,
    );
    await channel.plane({ ca: authority.bundle() }).hello().message('welcome');
  });

  it('accepts a client certificate, whose name identifies the data plane', async () => {
    const clients = certificateAuthority('clients');
    const rules = [{ ...planes, names: ['edge-7.example.com', '*.west.example.com'] }];
    const tls = { ...authority.issue(['localhost'], now), clientAuthorities: clients.certificate };
    await serve({ server: { tls, authenticator: firstToKnow([certificateAuthenticator(rules)]) } });
    const shown = (names: string[], from = clients) => {
      const { key, certificate } = from.issue({ names, client: true });
      return channel.plane({ ca: authority.bundle(), key, certificate }).hello({ name: 'liar' });
    };
    const known = await shown(['edge-7.example.com']).message('welcome');
    expect(known).toMatchObject({ plane: 'edge/edge-7.example.com', group: 'edge' });
    expect((await shown(['a.west.example.com']).message('welcome')).plane).toBe('edge/a.west.example.com');
    expect(await shown(['a.b.west.example.com']).ended).toMatchObject({ code: PERMISSION_DENIED });
    expect(await shown(['edge-7.example.com'], certificateAuthority('strangers')).ended).toMatchObject({
      code: UNAUTHENTICATED,
    });
    expect(await channel.plane({ ca: authority.bundle() }).hello().ended).toMatchObject({ code: UNAUTHENTICATED });
  });
});

describe('many planes', () => {
  it('200 that connect at once all become current, in order and a few at a time', async () => {
    const routes = Array.from({ length: 200 }, (_, index) => publishedRoute(`r${index}`, 'x'.repeat(2_000)));
    // both sides share one thread, so that a busy machine answers nothing for seconds
    const settings = { heartbeat: 250_000, ackLimit: 250_000 };
    const server = { helloTimeout: 250_000, pingTimeout: 250_000 };
    await serve({ sessions: { admission: { atOnce: 4 }, settings }, server });
    channel.sessions.publish(publishedState(routes));
    const all = Array.from({ length: 200 }, (_, index) => channel.plane().hello({ name: `edge-${index}` }));
    await Promise.all(all.map(async (plane) => plane.ack(await plane.update())));
    await channel.until(() => channel.sessions.facts.filter(({ revision }) => revision !== null).length === 200);
    for (const { running } of channel.sessions.facts) expect(running.size).toBe(200);
  });

  it('get small changes while large updates wait', async () => {
    await serve({ sessions: { admission: { bytesPerSecond: 1_000 } } });
    const current = channel.plane().hello();
    current.ack(await current.update());
    const large = Array.from({ length: 300 }, (_, index) => publishedRoute(`r${index}`, 'x'.repeat(2_000)));
    channel.sessions.publish(publishedState(large));
    current.ack(await current.update());
    const late = channel.plane().hello({ name: 'late' });
    await late.message('welcome');
    expect(channel.sessions.waiting).toBe(1);
    const changed = publishedRoute('r7', 'two');
    channel.sessions.publish(publishedState(large.with(7, changed)));
    const update = await current.update();
    expect(update.set).toEqual([changed]);
    current.ack(update);
    await channel.until(() => channel.facts()?.running.get(routeKeyText(changed)) === changed.hash);
  });
});

describe('a controller that has lost the cluster', () => {
  it('asks data planes to reconnect to another controller, and keeps those that find none', async () => {
    const { sessions, beatAll } = beatingByHand();
    await serve({ sessions });
    channel.sessions.publish(publishedState([publishedRoute('a')]));
    const plane = channel.plane().hello();
    const update = await plane.update();
    plane.ack(update);
    await channel.until(() => channel.facts()?.revision === update.revision);
    channel.sessions.setInTouch(false);
    expect((await plane.message('goaway')).reason).toBe('this controller lost contact with the API server');
    const holds = { revision: update.revision, base: null, routes: [] };
    const again = channel.plane().hello({ holds });
    expect(await again.ended).toMatchObject({ details: 'this controller lost contact with the API server' });
    for (let beat = 0; beat < 4; beat++) {
      plane.send({ type: 'heartbeat' });
      await plane.message('heartbeat');
      beatAll();
    }
    expect(channel.facts()?.revision).toBe(update.revision);

    // one that lacks what is known here is served
    const empty = channel.plane().hello({ name: 'edge-2' });
    empty.ack(await empty.update());
    await channel.until(() => channel.facts('edge-2')?.revision === update.revision);
    expect((await empty.message('goaway')).reason).toBe('this controller lost contact with the API server');

    channel.sessions.setInTouch(true);
    const back = channel.plane().hello({ holds });
    await back.message('welcome');
    expect((await plane.message('goaway')).reason).toBe('the data plane opened another stream');
    await plane.ended;
  });
});
