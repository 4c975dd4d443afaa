import { describe, expect, it } from 'vitest';
import { figuresOf, objectWords } from '../../console/pages/route/object-words.ts';

const figure = (metric: string, value: number, labels: Record<string, string> = {}) => ({ metric, labels, value });
const texts = (...figures: ReturnType<typeof figure>[]): string[] => objectWords(figures).map(({ text }) => text);

describe('the figures of an object in words', () => {
  it('say why requests were rejected', () => {
    expect(texts(figure('gw_denied_total', 2, { reason: 'no-token' }))).toEqual(['2 rejected: no-token']);
  });

  it('begin with those that need attention', () => {
    expect(
      texts(
        figure('gw_retries_total', 3),
        figure('gw_circuit_breaker_rejected_total', 1),
        figure('gw_circuit_breaker_open', 1),
      ),
    ).toEqual(['circuit open', '1 rejected: circuit open', '3 retried']);
  });

  it('sum up what came from a cache', () => {
    expect(
      texts(figure('gw_cache_gets_total', 3, { result: 'hit' }), figure('gw_cache_gets_total', 1, { result: 'miss' })),
    ).toEqual(['75 % of 4 from the cache']);
  });

  it('leave out counts of nothing and metrics without words', () => {
    expect(texts(figure('gw_throttled_total', 0), figure('gw_cache_evictions', 9))).toEqual([]);
  });

  it('are those of the route, or else those of config.json', () => {
    const [own, shared, other] = ['shop', '', 'other'].map((route) => ({
      ...{ object: `${route}.limit`, name: 'limit', route, router: route === '' ? '' : 'gateway._router' },
      figures: [figure('gw_throttled_total', route.length)],
    }));
    const of = { router: 'gateway._router', route: 'shop' };
    expect(figuresOf([other!, shared!, own!], of, 'limit')).toEqual(own!.figures);
    expect(figuresOf([other!, shared!], of, 'limit')).toEqual(shared!.figures);
    expect(figuresOf([other!], of, 'limit')).toEqual([]);
  });
});
