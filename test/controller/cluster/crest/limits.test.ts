import { describe, expect, it } from 'vitest';
import type { ApiAnswer, ApiRequest } from '../../../../controller/cluster/api/api-client.ts';
import { CallerReview } from '../../../../controller/cluster/crest/caller-review.ts';
import { QueryTurns } from '../../../../controller/cluster/crest/query-turns.ts';
import { ReviewCache } from '../../../../controller/cluster/crest/review-cache.ts';
import { ManualClock } from '../../../support/gateways/manual-clock.ts';

describe('a cache of reviews', () => {
  it('asks again after its time, and sooner for an answer that counts for less', async () => {
    const clock = new ManualClock();
    const cache = new ReviewCache<number>({ clock, lifetime: 100, most: 10 });
    let asked = 0;
    const ask = async (): Promise<number> => ++asked;
    expect(await cache.answer('a', ask)).toBe(1);
    await clock.pass(99);
    expect(await cache.answer('a', ask)).toBe(1);
    await clock.pass(1);
    expect(await cache.answer('a', ask, 10)).toBe(2);
    await clock.pass(10);
    expect(await cache.answer('a', ask)).toBe(3);
  });

  it('asks once for equal questions at a time, and does not hold failures', async () => {
    const cache = new ReviewCache<number>({ clock: new ManualClock(), lifetime: 100, most: 10 });
    let asked = 0;
    const fail = async (): Promise<number> => {
      asked++;
      throw new Error('away');
    };
    const both = await Promise.allSettled([cache.answer('a', fail), cache.answer('a', fail)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(asked).toBe(1);
    expect(await cache.answer('a', async () => 7)).toBe(7);
  });

  it('holds no more answers than its limit, and no question', async () => {
    const cache = new ReviewCache<number>({ clock: new ManualClock(), lifetime: 100, most: 3 });
    for (const question of ['secret-1', 'secret-2', 'secret-3', 'secret-4'])
      await cache.answer(question, async () => 1);
    expect(cache.size).toBe(3);
    expect([...(cache as unknown as { held: Map<string, unknown> }).held.keys()].join()).not.toContain('secret');
    expect(await cache.answer('secret-1', async () => 2)).toBe(2);
    expect(await cache.answer('secret-4', async () => 2)).toBe(1);
  });
});

describe('reviews of a caller', () => {
  it('leave room for those of others, also with several tokens', async () => {
    const held = Promise.withResolvers<void>();
    const review = new CallerReview({
      api: {
        async call({ path, body }: ApiRequest): Promise<ApiAnswer> {
          if (!path.endsWith('tokenreviews')) await held.promise;
          const { token } = (body as { spec: { token?: string } }).spec;
          const user = { username: token?.slice(0, 3), groups: [], extra: { id: [token] } };
          return { status: 201, body: { status: { authenticated: true, allowed: true, user } } };
        },
      },
    });
    const callers = [await review.caller('eve1', '10.0.0.1'), await review.caller('eve2', '10.0.0.1')];
    const asked = Array.from({ length: 3000 }, (_, at) =>
      review.may(callers[at % 2]!, { verb: 'list', namespace: `n${at}` }).then(
        () => 200,
        ({ status }: { status: number }) => status,
      ),
    );
    const other = review.caller('ann', '10.0.0.1');
    held.resolve();
    expect((await other).name).toBe('ann');
    const statuses = await Promise.all(asked);
    expect(statuses.filter((status) => status === 200).length).toBe(256);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect(await review.may(callers[0]!, { verb: 'list', namespace: 'later' })).toBe(true);
  });
});

describe('unknown tokens', () => {
  /** An API server that accepts tokens such as `ann~1`, and answers for others when it is told to. */
  function reviewing() {
    const clock = new ManualClock();
    const held = Promise.withResolvers<void>();
    const reviewed: string[] = [];
    const review = new CallerReview({
      clock,
      api: {
        async call({ body }: ApiRequest): Promise<ApiAnswer> {
          const { token } = (body as { spec: { token?: string } }).spec;
          if (token === undefined) return { status: 201, body: { status: { allowed: true } } };
          reviewed.push(token);
          const authenticated = !token.startsWith('garbage');
          if (!authenticated) await held.promise;
          return { status: 201, body: { status: { authenticated, user: { username: token.split('~')[0] } } } };
        },
      },
    });
    const garbage = (count: number, from: (at: number) => string): Promise<number[]> =>
      Promise.all(
        Array.from({ length: count }, (_, at) =>
          review.caller(`garbage${at}`, from(at)).then(
            () => 200,
            ({ status }: { status: number }) => status,
          ),
        ),
      );
    return { clock, held, reviewed, review, garbage };
  }

  it('do not keep callers waiting that were accepted before, whose reviews have run out', async () => {
    const { clock, held, review, garbage } = reviewing();
    const ann = await review.caller('ann', '10.0.0.1');
    await clock.pass(11_000);
    const refused = garbage(3000, (at) => `10.1.${at % 200}.1`);
    expect((await review.caller('ann', '10.0.0.1')).name).toBe('ann');
    expect(await review.may(ann, { verb: 'list' })).toBe(true);
    held.resolve();
    await clock.pass(60_000);
    expect(new Set(await refused)).toEqual(new Set([401, 503]));
  });

  it.each([
    ['an address', (): string => '10.1.0.1'],
    ['all addresses of a network', (at: number): string => `2001:db8:1:2:${(at % 99) + 1}::1`],
  ])('of %s leave new callers of other addresses a place', async (_, from) => {
    const { clock, held, reviewed, review, garbage } = reviewing();
    const refused = garbage(500, from);
    expect((await review.caller('bob', '10.0.0.2')).name).toBe('bob');
    expect(reviewed).toEqual(['garbage0', 'garbage1', 'bob']);
    held.resolve();
    await clock.pass(60_000);
    expect(new Set(await refused)).toEqual(new Set([401, 503]));
  });

  it('do not push callers out of the cache', async () => {
    const { clock, held, reviewed, review, garbage } = reviewing();
    held.resolve();
    await review.caller('ann', '10.0.0.1');
    for (let round = 0; round < 20; round++) await garbage(64, () => `10.2.0.${round}`);
    await review.caller('ann', '10.0.0.1');
    expect(reviewed.filter((token) => token === 'ann').length).toBe(1);
    await clock.pass(0);
  });

  it('are reviewed at a pace that the API server can bear', async () => {
    const { clock, held, reviewed, garbage } = reviewing();
    held.resolve();
    const refused = garbage(1000, (at) => `10.3.${at % 100}.1`);
    await clock.pass(0);
    expect(reviewed.length).toBe(200);
    await clock.pass(1000);
    expect(reviewed.length).toBeGreaterThan(290);
    expect(reviewed.length).toBeLessThan(310);
    await clock.pass(60_000);
    await refused;
  });
});

describe('turns of queries', () => {
  /** Queries that take five milliseconds each. */
  function busyTurns() {
    const clock = new ManualClock();
    let worked = 0;
    const done: string[] = [];
    const turns = new QueryTurns({
      wall: () => clock.wall(),
      steady: () => clock.steady() + worked,
      after: (milliseconds, run) => clock.after(milliseconds, run),
    });
    const query = (name: string): Promise<void> =>
      turns.run(() => {
        worked += 5;
        done.push(name);
      });
    return { clock, query, done };
  }

  it('leave other work as much time as queries took', async () => {
    const { clock, query, done } = busyTurns();
    const all = [query('a'), query('b'), query('c')];
    expect(done).toEqual(['a']);
    await clock.pass(4);
    expect(done).toEqual(['a']);
    await clock.pass(1);
    expect(done).toEqual(['a', 'b']);
    await clock.pass(5);
    await Promise.all(all);
    expect(done).toEqual(['a', 'b', 'c']);
  });

  it('do not delay a query that comes after a rest', async () => {
    const { clock, query, done } = busyTurns();
    await query('a');
    await clock.pass(5);
    void query('b');
    expect(done).toEqual(['a', 'b']);
  });

  it('pass on what a query throws, and go on', async () => {
    const turns = new QueryTurns(new ManualClock());
    const fail = (): never => {
      throw new Error('no');
    };
    await expect(turns.run(fail)).rejects.toThrow('no');
    expect(await turns.run(() => 7)).toBe(7);
  });
});
