import { once } from 'node:events';
import { connect } from 'node:http2';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CHANNEL_METHOD, type PlaneMessage, type RouteProblems } from '../../../contract/channel.ts';
import { encodeMessage } from '../../../contract/channel-codec.ts';
import { routeKeyText } from '../../../contract/snapshot.ts';
import { systemClock } from '../../../platform/clock.ts';
import { publishedRoute, publishedState } from '../../support/channel/published-routes.ts';
import type { ScriptedPlane } from '../../support/channel/scripted-plane.ts';
import { CHANNEL_TOKEN, ServedChannel } from '../../support/channel/served-channel.ts';

let channel: ServedChannel;

beforeEach(async () => {
  channel = await new ServedChannel({}).start();
  channel.sessions.publish(publishedState([publishedRoute('a')]));
});

afterEach(() => channel.close());

const INVALID_ARGUMENT = 3;
const PERMISSION_DENIED = 7;
const UNAVAILABLE = 14;
const router = 'gateway._router';

const grpcHeaders = {
  ':method': 'POST',
  ':path': CHANNEL_METHOD,
  'content-type': 'application/grpc',
  te: 'trailers',
};

/** Half of a character, as JSON can write it and no header can. */
const HALF = '\\ud800';

async function servedPlane(name = 'edge-1'): Promise<ScriptedPlane> {
  const plane = channel.plane().hello({ name });
  plane.ack(await plane.update());
  await channel.until(() => channel.facts(name)?.revision !== null);
  return plane;
}

function problemsOf(id: string, message: string, count = 1): RouteProblems {
  const problem = { code: 'build', severity: 'error', path: ['heap', 0], message } as const;
  return { route: { router, id }, problems: Array.from({ length: count }, () => problem), keepsServing: false };
}

describe('an invalid acknowledgement ends the stream of that data plane only', () => {
  it.each([
    ['half a character in the name of a label', `{"${HALF}":"a"}`, PERMISSION_DENIED],
    ['half a character before a label without a value', `{"${HALF}":1}`, INVALID_ARGUMENT],
    ['a long name of a label without a value', `{"${'a'.repeat(100_000)}":1}`, INVALID_ARGUMENT],
  ])('in the hello: %s', async (_, labels, code) => {
    const about = '"protocol":1,"version":"1","catalogue":"c","units":1,"name":"edge-2"';
    const hello = `{"type":"hello",${about},"labels":${labels},"holds":{"revision":null,"base":null,"routes":[]}}`;
    const { code: ended, details } = await channel.plane().sendBytes(Buffer.from(hello)).ended;
    expect(ended).toBe(code);
    expect(details.length).toBeLessThanOrEqual(300);
    await servedPlane();
  });

  it('after it', async () => {
    const plane = await servedPlane();
    const files = `{"router":"r","id":"i","name":"n","hash":"h","document":{},"files":{"${HALF}":1}}`;
    plane.sendBytes(Buffer.from(`{"type":"recalled","routes":[${files}]}`));
    expect(await plane.ended).toMatchObject({ code: INVALID_ARGUMENT, details: expect.stringContaining('files') });
    await servedPlane('edge-2');
  });
});

describe('a body that was recalled', () => {
  const good = publishedRoute('lost', 'good');
  const key = { router, id: good.id };

  async function holder(name: string): Promise<ScriptedPlane> {
    const plane = channel.plane().hello({
      name,
      holds: { revision: 'r', base: 'b', routes: [[router, good.id, good.hash]] },
    });
    await plane.message('welcome');
    return plane;
  }

  it.each([
    ['another document', JSON.stringify({ ...good, document: { handler: 'evil' } })],
    ['another tenant', JSON.stringify({ ...good, tenant: 'bank' })],
    [
      'a document that is nested too deeply',
      JSON.stringify({ ...good, document: {} }).replace('"document":{}', `"document":${nested(1_000_000)}`),
    ],
  ])('is rejected with %s, and the next data plane is asked', async (_, body) => {
    const hostile = await holder('edge-1');
    const honest = await holder('edge-2');
    const asked = channel.sessions.recall(key, good.hash);
    await hostile.message('recall');
    hostile.sendBytes(Buffer.from(`{"type":"recalled","routes":[${body}]}`));
    await honest.message('recall');
    honest.send({ type: 'recalled', routes: [good] });
    expect(await asked).toEqual(good);
  });

  function nested(depth: number): string {
    return `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  }
});

describe('a data plane cannot affect routes that it does not run', () => {
  it('when it reports problems, of which only a few are stored', async () => {
    const plane = channel.plane().hello();
    const problems = [problemsOf('bank.b', 'x'), problemsOf('shop.a', 'y'.repeat(10_000), 1_000)];
    plane.ack(await plane.update(), problems);
    await channel.until(() => channel.facts()?.problems.size !== 0);
    const kept = channel.facts()!.problems;
    expect([...kept.keys()]).toEqual([routeKeyText({ router, id: 'shop.a' })]);
    expect(JSON.stringify([...kept.values()]).length).toBeLessThan(20_000);
  });

  it('when it refuses an update', async () => {
    const plane = channel.plane().hello();
    const { nonce, revision } = await plane.update();
    plane.send({ type: 'nack', nonce, revision, problems: [problemsOf('bank.b', 'x')] });
    await channel.until(() => channel.heard.some(({ what }) => what === 'nacked'));
    expect(channel.facts()?.problems.size).toBe(0);
  });

  it('when it reports figures', async () => {
    const plane = await servedPlane();
    const figures = Array.from({ length: 14 }, () => 1);
    const report: PlaneMessage = {
      type: 'report',
      revision: null,
      ready: true,
      unitsServing: 1,
      clock: 0,
      since: 'x',
      routes: [
        { router, id: 'bank.b', name: 'b', figures },
        { router, id: 'shop.a', name: 'another name', figures },
        { router, id: 'shop.a', name: 'a', figures },
        { router, id: 'default', name: 'default', figures },
      ],
    };
    plane.send(report);
    await channel.until(() => channel.facts()?.lastReport !== null);
    expect(channel.facts()?.lastReport?.report.routes).toEqual([{ router, id: 'shop.a', name: 'a', figures }]);
  });
});

it('a credential that the transport cannot read is never logged', async () => {
  const lines = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  onTestFinished(() => lines.mockRestore());
  const session = connect(`http://localhost:${channel.port}`);
  const call = session.request({ ...grpcHeaders, authorization: `Bearer ${CHANNEL_TOKEN}\u00e9` });
  const [headers] = await once(call, 'response');
  expect(headers).toMatchObject({ 'grpc-status': '16' });
  session.destroy();
  expect(lines).not.toHaveBeenCalled();
});

describe('a flood', () => {
  it('from one address leaves room for others', async () => {
    const never = new Promise<null>(() => undefined);
    const flooded = new ServedChannel({ server: { arriving: 4, authenticator: { authenticate: () => never } } });
    await flooded.start();
    onTestFinished(() => flooded.close());
    const strangers = [flooded.plane(), flooded.plane(), flooded.plane()];
    const ended = await Promise.race(strangers.map((stranger) => stranger.hello().ended));
    expect(ended).toMatchObject({ code: UNAVAILABLE, details: 'too many data planes connect at once' });
  });

  it('of messages ends the stream', async () => {
    await channel.close();
    // a plane may say more as time passes, which it does on a busy machine
    channel = await new ServedChannel({ sessions: { clock: { ...systemClock, steady: () => 0 } } }).start();
    channel.sessions.publish(publishedState([publishedRoute('a')]));
    const plane = await servedPlane();
    const padding = ' '.repeat(8 * 1024 * 1024);
    for (let i = 0; i < 10; i++) plane.sendBytes(Buffer.from(`{"type":"heartbeat"${padding}}`));
    expect(await plane.ended).toMatchObject({ code: UNAVAILABLE, details: 'the data plane sends too many messages' });
  });

  it('of routes in its hello is stored up to the limit', async () => {
    const routes = Array.from({ length: 60_000 }, (_, i): [string, string, string] => ['r', String(i), 'h']);
    const plane = channel.plane().hello({ holds: { revision: 'r', base: 'b', routes } });
    expect((await plane.update()).full).toBe(true);
    expect(channel.facts()?.running.size).toBe(50_000);
  });

  it('of streams that it never reads is rejected', async () => {
    const big = publishedRoute('a', 'x'.repeat(300_000));
    channel.sessions.publish(publishedState([big]));
    const session = connect(`http://localhost:${channel.port}`, { settings: { initialWindowSize: 100 } });
    const hello = encodeMessage({
      type: 'hello',
      protocol: 1,
      version: '1',
      catalogue: 'c',
      units: 1,
      name: 'edge-1',
      holds: { revision: null, base: null, routes: [] },
    });
    const frame = Buffer.concat([Buffer.alloc(5), hello]);
    frame.writeUInt32BE(hello.length, 1);
    const begin = () =>
      session
        .request({ ...grpcHeaders, authorization: `Bearer ${CHANNEL_TOKEN}` })
        .on('error', () => undefined)
        .pause();
    for (let i = 0; i < 8; i++) {
      const connected = channel.heard.length;
      begin().write(frame);
      await channel.until(() => channel.heard.slice(connected).some(({ what }) => what === 'connected'));
    }
    const another = channel.plane().hello();
    expect(await another.ended).toMatchObject({
      code: UNAVAILABLE,
      details: expect.stringContaining('does not close its old streams'),
    });
    session.destroy();
    const closed = (): boolean => channel.heard.some(({ what }) => what.startsWith('closed'));
    await channel.until(closed);
    const again = channel.plane().hello();
    await again.message('welcome');
  });
});
