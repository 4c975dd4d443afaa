import { afterEach, describe, expect, it } from 'vitest';
import { routeKeyText } from '../../../../contract/snapshot.ts';
import { publishedRoute, publishedState } from '../../../support/channel/published-routes.ts';
import type { ScriptedPlane } from '../../../support/channel/scripted-plane.ts';
import { ServedChannel, type ServedChannelOptions } from '../../../support/channel/served-channel.ts';

let channel: ServedChannel;

async function serve(options: ServedChannelOptions = {}): Promise<ServedChannel> {
  channel = await new ServedChannel(options).start();
  return channel;
}

afterEach(() => channel.close());

const names = (routes: readonly { readonly id: string }[]): string[] => routes.map(({ id }) => id).sort();
const [a, b] = [publishedRoute('a'), publishedRoute('b')];

async function currentPlane(): Promise<ScriptedPlane> {
  const plane = channel.plane().hello();
  plane.ack(await plane.update());
  await channel.until(() => channel.facts()?.revision !== null);
  return plane;
}

describe('a stream with a plane', () => {
  it('sends welcome and a full update, and records the acknowledged revision', async () => {
    await serve();
    channel.sessions.publish(publishedState([a, b]));
    const plane = channel.plane().hello();
    expect(await plane.message('welcome')).toMatchObject({
      plane: 'default/edge-1',
      group: 'default',
      labels: { zone: 'a' },
    });
    const update = await plane.update();
    expect(update).toMatchObject({ full: true, seen: '100', set: [{ id: 'shop.a' }, { id: 'shop.b' }] });
    expect(update.base?.document).toEqual({ heap: [], handler: 'base' });
    expect(channel.facts()?.running.size).toBe(0);
    plane.ack(update);
    await channel.until(() => channel.facts()?.revision === update.revision);
    expect(new Map(channel.facts()?.running)).toEqual(
      new Map([a, b].map((route) => [routeKeyText(route), route.hash])),
    );
    expect(channel.facts()?.pending).toBeNull();
  });

  it('sends nothing before the first state', async () => {
    await serve();
    const plane = channel.plane().hello();
    await plane.message('welcome');
    expect(plane.received).toHaveLength(1);
    channel.sessions.publish(publishedState([a]));
    expect(names((await plane.update()).set)).toEqual(['shop.a']);
  });

  it('sends changes, and removals with their version', async () => {
    await serve();
    channel.sessions.publish(publishedState([a, b]));
    const plane = await currentPlane();
    const changed = publishedRoute('a', 'two');
    channel.sessions.publish(publishedState([changed], { seen: '120' }));
    const update = await plane.update();
    expect(update).toMatchObject({ full: false, base: null, set: [changed] });
    expect(update.remove).toEqual([
      { router: 'gateway._router', id: 'shop.b', source: { uid: 'uid-b', resourceVersion: '120' } },
    ]);
  });

  it('sends the version of a route that is no longer sent to data planes', async () => {
    await serve();
    channel.sessions.publish(publishedState([a, b]));
    const plane = await currentPlane();
    channel.sessions.publish(publishedState([a], { seen: '120', present: new Map([['uid-b', '11']]) }));
    expect((await plane.update()).remove).toMatchObject([{ source: { uid: 'uid-b', resourceVersion: '11' } }]);
  });

  it('sends a reconnecting data plane only the difference', async () => {
    await serve();
    const state = publishedState([a, b]);
    channel.sessions.publish(state);
    const old = publishedRoute('b', 'old');
    const held = [a, old, publishedRoute('gone')].map(({ router, id, hash }) => [router, id, hash] as const);
    const plane = channel.plane().hello({ holds: { revision: 'r', base: state.snapshot.base.hash, routes: held } });
    const update = await plane.update();
    expect(update).toMatchObject({ full: false, base: null, set: [{ hash: b.hash }], remove: [{ id: 'shop.gone' }] });
    expect(channel.facts()?.running.get(routeKeyText(b))).toBe(old.hash);
  });

  it('sends a full update when the hello of a data plane is inconsistent', async () => {
    await serve();
    channel.sessions.publish(publishedState([a]));
    const row = [a.router, a.id, a.hash] as const;
    const plane = channel.plane().hello({ holds: { revision: 'r', base: 'x', routes: [row, row] } });
    expect(await plane.update()).toMatchObject({ full: true, set: [a] });
  });

  it('sends one update at a time, and then the newest state only', async () => {
    await serve();
    channel.sessions.publish(publishedState([a]));
    const plane = channel.plane().hello();
    const first = await plane.update();
    for (const content of ['two', 'three', 'four']) {
      channel.sessions.publish(publishedState([publishedRoute('a', content)]));
    }
    plane.ack(first);
    const second = await plane.update();
    expect(second.set).toMatchObject([{ document: { handler: 'four' } }]);
    plane.ack(second);
    await channel.until(() => channel.facts()?.revision === second.revision);
    expect(plane.received.filter(({ type }) => type === 'update')).toHaveLength(2);
  });

  it('does not let a slow data plane delay another', async () => {
    await serve({ sessions: { settings: { ackTimeout: 20 } } });
    channel.sessions.publish(publishedState([a]));
    const slow = channel.plane().hello({ name: 'slow' });
    await slow.update();
    const plane = await currentPlane();
    channel.sessions.publish(publishedState([publishedRoute('a', 'two')]));
    plane.ack(await plane.update());
    await channel.until(() =>
      channel.heard.some(({ what, facts }) => what === 'changed' && facts.identity.name === 'slow'),
    );
    expect(channel.facts('slow')?.pending).not.toBeNull();
  });

  it('ends the stream of a plane that never answers', async () => {
    await serve({ sessions: { settings: { ackLimit: 30 } } });
    channel.sessions.publish(publishedState([a]));
    const plane = channel.plane().hello();
    expect(await plane.ended).toMatchObject({ details: 'an update was not acknowledged in time' });
  });

  it('records failed routes of a data plane separately from running ones', async () => {
    await serve();
    channel.sessions.publish(publishedState([a, b]));
    const plane = await currentPlane();
    channel.sessions.publish(publishedState([publishedRoute('a', 'two'), publishedRoute('b', 'two')]));
    const problems = [{ code: 'unknown-type' as const, severity: 'error' as const, path: ['handler'], message: 'no' }];
    const update = await plane.update();
    plane.ack(update, [
      { route: a, problems, keepsServing: true },
      { route: b, problems, keepsServing: false },
    ]);
    await channel.until(() => channel.facts()?.revision === update.revision);
    expect(new Map(channel.facts()?.running)).toEqual(new Map([[routeKeyText(a), a.hash]]));
    expect([...(channel.facts()?.problems.keys() ?? [])]).toEqual([routeKeyText(a), routeKeyText(b)]);
    channel.sessions.publish(publishedState([a, publishedRoute('b', 'two')]));
    plane.ack(await plane.update());
    await channel.until(() => channel.facts()?.problems.size === 1);
    expect(channel.facts()?.problems.has(routeKeyText(b))).toBe(true);
  });

  it('after a nack waits for a change or a while, and clears its problems after an accepted update', async () => {
    await serve({ sessions: { settings: { nackGap: 1, nackPause: 40 } } });
    channel.sessions.publish(publishedState([a]));
    const plane = await currentPlane();
    channel.sessions.publish(publishedState([a], { base: 'broken' }));
    const refuse = async (): Promise<string> => {
      const { nonce, revision, base } = await plane.update();
      const problems = [{ code: 'build' as const, severity: 'error' as const, path: [], message: 'no' }];
      plane.send({ type: 'nack', nonce, revision, problems: [{ route: null, problems, keepsServing: true }] });
      return String(base?.document['handler']);
    };
    expect(await refuse()).toBe('broken');
    await channel.until(() => channel.facts()?.problems.size === 1);
    expect(channel.facts()?.running.get(routeKeyText(a))).toBe(a.hash);
    expect(await refuse()).toBe('broken');
    channel.sessions.publish(publishedState([a], { base: 'mended' }));
    const update = await plane.update();
    expect(update.base?.document['handler']).toBe('mended');
    plane.ack(update);
    await channel.until(() => channel.facts()?.problems.size === 0);
  });

  it('updates routes that a data plane has in a newer version, once the controller has caught up', async () => {
    await serve({ sessions: { settings: { nackGap: 1, nackPause: 60_000 } } });
    const state = publishedState([a], { seen: '100' });
    channel.sessions.publish(state);
    const { router, id, hash } = b;
    const routes = [a, b].map((route) => [route.router, route.id, route.hash] as const);
    const plane = channel.plane().hello({ holds: { revision: 'r', base: state.snapshot.base.hash, routes } });
    const update = await plane.update();
    expect(update).toMatchObject({ remove: [{ router, id }], seen: '100' });
    plane.ack(update, [], [{ router, id }]);
    await channel.until(() => channel.facts()?.revision === update.revision);
    expect(channel.facts()?.running.get(routeKeyText(b))).toBe(hash);
    channel.sessions.publish(publishedState([publishedRoute('a', 'two'), b], { seen: '130' }));
    const next = await plane.update();
    expect(next).toMatchObject({ set: [{ id: 'shop.a' }], remove: [], seen: '130' });
  });

  it('removes a newer route of a data plane later, if it was deleted', async () => {
    await serve({ sessions: { settings: { nackGap: 1, nackPause: 30 } } });
    const state = publishedState([a]);
    channel.sessions.publish(state);
    const routes = [a, b].map((route) => [route.router, route.id, route.hash] as const);
    const plane = channel.plane().hello({ holds: { revision: 'r', base: state.snapshot.base.hash, routes } });
    plane.ack(await plane.update(), [], [b]);
    channel.sessions.publish(publishedState([a], { seen: '140' }));
    const again = await plane.update();
    expect(again).toMatchObject({ set: [], remove: [{ id: 'shop.b' }], seen: '140' });
    plane.ack(again);
    await channel.until(() => channel.facts()?.running.size === 1);
  });

  it('lets a data plane keep a route known only by its hash, and requests its body', async () => {
    await serve();
    const lost = publishedRoute('lost');
    const fallback = publishedRoute('lost', 'refuses', { refuses: true });
    const { router, id, hash } = lost;
    const selection = { namespace: 'shop', dataPlanes: null };
    const state = publishedState([a], { remembered: [{ router, id, hash, selection, fallback }] });
    channel.sessions.publish(state);
    const holder = channel
      .plane()
      .hello({ name: 'holder', holds: { revision: 'r', base: 'x', routes: [[router, id, hash]] } });
    const kept = await holder.update();
    expect(kept).toMatchObject({ keep: [{ router, id, hash }], set: [a], remove: [] });
    holder.ack(kept);
    const other = channel.plane().hello();
    expect((await other.update()).set).toEqual([a, fallback]);

    const recalled = channel.sessions.recall(lost, hash);
    expect(await holder.message('recall')).toEqual({ type: 'recall', routes: [{ router, id, hash }] });
    holder.send({ type: 'recalled', routes: [lost] });
    expect(await recalled).toEqual(lost);
    expect(await channel.sessions.recall(lost, 'another hash')).toBeNull();
  });

  it('keeps remembered routes in a full update too', async () => {
    await serve();
    const { router, id, hash } = publishedRoute('lost');
    const selection = { namespace: 'shop', dataPlanes: null };
    channel.sessions.publish(publishedState([a], { remembered: [{ router, id, hash, selection, fallback: null }] }));
    const row = [router, id, hash] as const;
    const plane = channel.plane().hello({ holds: { revision: 'r', base: 'x', routes: [row, row] } });
    const update = await plane.update();
    expect(update).toMatchObject({ full: true, keep: [{ id, hash }], set: [a] });
    plane.ack(update);
    await channel.until(() => channel.facts()?.revision === update.revision);
    expect(channel.facts()?.running.get(routeKeyText({ router, id }))).toBe(hash);
  });

  it('does not wait for a plane that has no answer to a recall', async () => {
    await serve({ sessions: { settings: { recallTimeout: 20 } } });
    channel.sessions.publish(publishedState([a]));
    await currentPlane();
    expect(await channel.sessions.recall(a, a.hash)).toBeNull();
  });

  it('sends long updates in parts that are each short', async () => {
    await serve();
    const routes = Array.from({ length: 40 }, (_, index) => publishedRoute(`r${index}`, 'x'.repeat(100_000)));
    channel.sessions.publish(publishedState(routes));
    const plane = channel.plane().hello();
    const update = await plane.update();
    expect(update.parts).toBeGreaterThan(3);
    expect(update.set).toHaveLength(40);
    plane.ack(update);
    await channel.until(() => channel.facts()?.running.size === 40);
  });
});
