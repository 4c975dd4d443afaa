import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../../dataplane/engine/message/exchange.ts';
import { KeptToken } from '../../../../dataplane/oauth2/client/kept-token.ts';
import type { GrantedToken } from '../../../../dataplane/oauth2/client/token-answer.ts';

const exchange = {} as Exchange;

/** Tokens t0, t1, … that last as long as told, on a clock that the test moves. */
function tokens(lifetime: number | null) {
  const clock = { now: 1000 };
  const fetched: Promise<GrantedToken>[] = [];
  const fetch = () => {
    const next = Promise.resolve({ token: `t${fetched.length}`, lifetime });
    fetched.push(next);
    return next;
  };
  return { clock, fetched, kept: new KeptToken(fetch, () => clock.now) };
}

describe('KeptToken', () => {
  it.each([
    ['600 seconds', 600_000, 590_000],
    ['20 seconds', 20_000, 17_000],
    ['6 seconds, which may be 5 and a little', 6000, 4400],
    ['a second', 1000, 500],
    ['an unknown time', null, 53_000],
  ])('keeps a token of %s until shortly before it expires', async (_, lifetime, usable) => {
    const { clock, fetched, kept } = tokens(lifetime);
    await kept.take(exchange);
    clock.now += usable - 1;
    expect((await kept.take(exchange)).authorization).toBe('Bearer t0');
    clock.now += 1;
    expect(kept.current).toBeNull();
    expect((await kept.take(exchange)).authorization).toBe('Bearer t1');
    expect(fetched).toHaveLength(2);
  });

  it.each([0, -5000])(
    'gives a token that lasts %d milliseconds only to requests that already wait',
    async (lifetime) => {
      const { fetched, kept } = tokens(lifetime);
      const waiting = await Promise.all([kept.take(exchange), kept.take(exchange)]);
      expect(waiting.map(({ authorization }) => authorization)).toEqual(['Bearer t0', 'Bearer t0']);
      await kept.take(exchange);
      expect(fetched).toHaveLength(2);
    },
  );

  it('replaces a rejected token, but not often', async () => {
    const { clock, fetched, kept } = tokens(600_000);
    const first = await kept.take(exchange);
    const second = await kept.instead(first, exchange);
    expect(second?.authorization).toBe('Bearer t1');
    expect((await kept.instead(first, exchange))?.authorization).toBe('Bearer t1');
    clock.now += 9999;
    expect(kept.instead(second!, exchange)).toBeNull();
    expect(kept.current?.authorization).toBe('Bearer t1');
    clock.now += 1;
    expect((await kept.instead(second!, exchange))?.authorization).toBe('Bearer t2');
    expect(fetched).toHaveLength(3);
  });

  it('requests a token again after a failure', async () => {
    let count = 0;
    const kept = new KeptToken(async () => {
      if (count++ === 0) throw new Error('no');
      return { token: 't', lifetime: null };
    });
    await expect(kept.take(exchange)).rejects.toThrow('no');
    expect((await kept.take(exchange)).authorization).toBe('Bearer t');
  });
});
