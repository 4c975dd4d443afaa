import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { NO_BASE_FILES } from '../../controller/cluster/base/base-files.ts';
import { SecretCertificates } from '../../controller/compile/resources/certificates/secret-certificates.ts';
import type { ResourceState } from '../../controller/compile/resources/resource-state.ts';
import {
  type ClusterCompilation,
  compilationGap,
  type FollowedCluster,
  LiveCluster,
} from '../../controller/live-cluster.ts';
import type { Clock } from '../../platform/clock.ts';
import { CompiledCluster } from '../support/cluster/compiled-cluster.ts';
import { proxied } from '../support/gateways/proxied-route.ts';
import { certificateAuthority } from '../support/identity/certificates.ts';

const store = { type: 'FileSystemSecretStore', config: { format: 'PLAIN' }, secrets: [{ name: 'keys' }] };

/** A cluster that is followed, and what came of it. */
class Followed implements FollowedCluster {
  readonly content = new CompiledCluster();
  readonly baseFiles = NO_BASE_FILES;
  readonly routesSeen = '7';
  readonly routeVersion = (uid: string): string | null =>
    [...this.content.routes.values()].find((route) => route.uid === uid)?.resourceVersion ?? null;
  readonly wanted: string[][] = [];
  readonly made: ClusterCompilation[] = [];
  readonly timers: (() => void)[] = [];
  /** Of all timers, in milliseconds. */
  readonly delays: number[] = [];
  time = 0;
  readonly live: LiveCluster;
  readonly synced: Promise<void>;
  readonly failures: unknown[] = [];
  listed: () => void = () => {};
  private heard: () => void = () => {};

  constructor() {
    this.synced = new Promise((resolve) => (this.listed = resolve));
    const clock: Clock = {
      wall: () => 0,
      steady: () => this.time,
      after: (delay, run) => {
        this.delays.push(delay);
        this.timers.push(run);
        return () => void this.timers.splice(this.timers.indexOf(run), 1);
      },
    };
    const { compiler } = this.content;
    const compiled = this.take;
    const failed = (error: unknown): void => void this.failures.push(error);
    // a gap that never ends would leave nothing to see, so that there is none
    this.live = new LiveCluster({ compiler, source: this, clock, gap: 0, compiled, failed });
  }

  readonly take = (made: ClusterCompilation): void => {
    this.made.push(made);
    this.heard();
  };

  /** The next compilation. */
  next(): Promise<void> {
    return new Promise((resolve) => (this.heard = resolve));
  }

  /** How often the state was asked for, which copies maps of all resources. */
  copies = 0;

  get state(): ResourceState {
    this.copies++;
    const state = this.content.state.resources!;
    // as in a cluster, where other content is another map
    return { ...state, routes: new Map(state.routes), secrets: new Map(state.secrets) };
  }

  follow(wanted: Iterable<string>): void {
    this.wanted.push([...wanted]);
  }

  get routes(): string[][] {
    return this.made.map(({ published }) => published!.snapshot.routes.map(({ id }) => id));
  }
}

it.each([
  [0, 10],
  [30, 30],
  [9500, 50],
])('compiles again after 10 to 50 ms: with a wait of %i ms after %i ms', (wait, gap) => {
  expect(compilationGap(wait)).toBe(gap);
});

describe('an instance that follows a cluster', () => {
  it('publishes nothing before everything was listed', async () => {
    const followed = new Followed();
    followed.content.route('shop/a', proxied);
    const started = followed.live.start();
    followed.live.changed();
    expect(followed.made).toEqual([]);
    followed.listed();
    await started;
    expect(followed.routes).toEqual([['shop.a']]);
    followed.live.close();
  });

  it('waits for the required Secrets, so that no Route rejects requests meanwhile', async () => {
    const followed = new Followed();
    const { content } = followed;
    content.store('shop/one', store).route('shop/a', { secrets: { stores: ['one'] }, ...proxied });
    followed.listed();
    await followed.live.start();
    expect(followed.wanted).toEqual([['shop/keys']]);
    expect(followed.made).toEqual([]);
    content.secret('shop/keys', { a: '1' });
    const next = followed.next();
    followed.live.changed();
    await next;
    expect(followed.made.map(({ compilation }) => compilation.resources?.verdicts[0]?.serves)).toEqual(['this']);
    expect(followed.timers).toEqual([]);
    expect(followed.wanted).toHaveLength(1);
    followed.live.close();
  });

  it('waits on while Secrets arrive, without a compilation for each of them', async () => {
    const followed = new Followed();
    const { content, live } = followed;
    const names = ['a', 'b', 'c'];
    for (const name of names) {
      content.store(`shop/${name}`, { ...store, secrets: [{ name: `keys-${name}` }] }).route(`shop/${name}`, proxied);
    }
    followed.listed();
    await live.start();
    const compilations = vi.spyOn(content.compiler, 'compile');
    onTestFinished(() => void compilations.mockRestore());
    for (const name of ['b', 'a']) {
      followed.time += 4000;
      content.secret(`shop/keys-${name}`, { a: '1' });
      live.changed();
    }
    expect([followed.made.length, compilations.mock.calls.length]).toEqual([0, 0]);
    expect(followed.timers).toHaveLength(1);
    expect(followed.delays).toEqual([5000, 5000, 5000]);
    const next = followed.next();
    content.secret('shop/keys-c', undefined);
    live.changed();
    await next;
    expect(compilations).toHaveBeenCalledTimes(1);
    expect(followed.routes).toEqual([['shop.a', 'shop.b', 'shop.c']]);
    live.close();
  });

  it('waits for Secrets for a minute at most, although some still arrive', async () => {
    const followed = new Followed();
    const { content, live } = followed;
    content.store('shop/one', { ...store, secrets: [{ name: 'a' }, { name: 'b' }] }).route('shop/a', proxied);
    followed.listed();
    await live.start();
    followed.time = 58_000;
    content.secret('shop/a', { a: '1' });
    live.changed();
    expect(followed.delays).toEqual([5000, 2000]);
    live.close();
  });

  it('reads a certificate when its Secret arrives, and not again', async () => {
    const followed = new Followed();
    const { content, live } = followed;
    const { chain, key } = certificateAuthority('hosts').issue({ names: ['a.test', 'b.test'] });
    for (const name of ['a', 'b']) {
      content.route(`shop/${name}`, { ...proxied, tls: [{ hosts: [`${name}.test`], secretName: name }] });
    }
    followed.listed();
    await live.start();
    const read = vi.spyOn(SecretCertificates.prototype, 'of');
    onTestFinished(() => void read.mockRestore());
    content.secret('shop/a', { 'tls.crt': chain, 'tls.key': key }, 'kubernetes.io/tls');
    live.changed();
    expect(read.mock.results.map(({ value }) => (value as { fault: unknown }).fault)).toEqual([null]);
    const [first] = read.mock.results;
    const next = followed.next();
    content.secret('shop/b', { 'tls.crt': chain, 'tls.key': key }, 'kubernetes.io/tls');
    live.changed();
    await next;
    expect(read.mock.results.filter(({ value }) => value === first!.value)).toHaveLength(2);
    live.close();
  });

  it('does not wait for ever', async () => {
    const followed = new Followed();
    followed.content.store('shop/one', store).route('shop/a', proxied);
    followed.listed();
    await followed.live.start();
    expect(followed.made).toEqual([]);
    const next = followed.next();
    for (const run of followed.timers) run();
    await next;
    expect(followed.routes).toEqual([['shop.a']]);
    followed.live.close();
  });

  it('reports the data planes that should run a route, and the version of the Route', async () => {
    const followed = new Followed();
    const dataPlanes = { matchLabels: { colour: 'blue' } };
    followed.content.route('shop/a', { dataPlanes, ...proxied });
    followed.listed();
    await followed.live.start();
    const published = followed.made[0]!.published!;
    const [route] = published.snapshot.routes;
    expect(published.selectionOf(route!)).toEqual({
      namespace: 'shop',
      dataPlanes: { ...dataPlanes, matchExpressions: [] },
    });
    expect(published.versionOf('Route-shop/a')).toBe(followed.content.routes.get('shop/a')?.resourceVersion);
    expect(published.versionOf('nobody')).toBeNull();
    expect(published.seen).toBe('7');
    expect(published.defaultGroup).toBe('default');
    followed.live.close();
  });

  it('does not delay changes of users by status changes', async () => {
    const followed = new Followed();
    const { content, live, made, timers } = followed;
    content.route('shop/a', proxied);
    followed.listed();
    await live.start();
    content.touch('shop/a', { lastGood: { generation: 1, hash: 'x' } });
    const before = timers.length;
    live.changed();
    live.changed();
    expect([made.length, timers.length]).toEqual([1, before + 1]);
    content.route('shop/b', proxied);
    live.changed();
    await followed.next().catch(() => undefined);
    expect(made).toHaveLength(2);
    expect(timers).toHaveLength(before);
    live.close();
  });

  it('does not copy the state of the cluster for every status that is written', async () => {
    const followed = new Followed();
    const { content, live, timers } = followed;
    content.route('shop/a', { handler: 'ReverseProxyHandler' });
    followed.listed();
    await live.start();
    const { copies } = followed;
    const before = timers.length;
    for (let i = 0; i < 100; i++) {
      content.touch('shop/a', { lastGood: { generation: 1, hash: `x${i}` } });
      live.changed(true);
    }
    expect(followed.copies).toBe(copies);
    expect(timers).toHaveLength(before + 1);
    timers.at(-1)!();
    await followed.next().catch(() => undefined);
    expect(followed.made).toHaveLength(2);
    expect(followed.made[1]!.state.routes.get('shop/a')?.lastGood?.hash).toBe('x99');
    live.close();
  });

  it('accepts recalled versions of data planes', async () => {
    const followed = new Followed();
    const { content } = followed;
    const good = content.route('shop/a', proxied).verdict('shop/a').route!;
    content.touch('shop/a', { lastGood: { generation: 1, hash: good.hash } }).route('shop/a', { handler: 'nobody' });
    content.restart();
    const live = new LiveCluster({
      compiler: content.compiler,
      source: followed,
      gap: 0,
      compiled: followed.take,
      failed: (error) => followed.failures.push(error),
    });
    followed.listed();
    await live.start();
    expect(followed.made[0]?.published?.remembered).toMatchObject([{ id: 'shop.a', hash: good.hash }]);
    const next = followed.next();
    live.recalled([good]);
    await next;
    expect(followed.made[1]?.published?.remembered).toEqual([]);
    expect(followed.routes[1]).toEqual(['shop.a']);
    live.close();
  });
});
