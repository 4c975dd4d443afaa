import { describe, expect, it } from 'vitest';
import { contentHash } from '../../../contract/document/canonical.ts';
import { RouteDigest } from '../../../controller/compile/route-digest.ts';
import type { CompiledRoute } from '../../../controller/compile/snapshot.ts';
import { randomNumbers } from '../../support/clients/random.ts';

function route(id: string): CompiledRoute {
  return { router: 'r', id, name: id, document: {}, hash: contentHash(id) };
}

const routes = Array.from({ length: 600 }, (_, at) => route(`${at}`));

describe('the digest of routes', () => {
  it('is the same for the same routes whatever was there before', () => {
    const random = randomNumbers(5);
    const digest = new RouteDigest();
    let all: readonly CompiledRoute[] = routes;
    for (let round = 0; round < 200; round++) {
      const at = random(all.length + 1);
      all = all.toSpliced(at, random(3), ...Array.from({ length: random(3) }, (_, n) => route(`${round} ${n}`)));
      expect(digest.of(all)).toBe(new RouteDigest().of(all));
    }
  });

  it('differs after each change of one route, of the order and of the number of routes', () => {
    const digest = new RouteDigest();
    const before = digest.of(routes);
    const seen = new Set([before]);
    for (let at = 0; at < routes.length; at += 7) {
      seen.add(digest.of(routes.with(at, route(`other ${at}`))));
      seen.add(digest.of(routes.toSpliced(at, 1)));
      seen.add(digest.of(routes.toSpliced(at, 0, route(`more ${at}`))));
      seen.add(digest.of(routes.toSpliced(at, 2, routes[(at + 1) % routes.length]!, routes[at]!)));
    }
    expect(seen.size).toBe(1 + 4 * Math.ceil(routes.length / 7));
    expect(digest.of(routes)).toBe(before);
  });

  it('has parts that stay as they are when another one changes', () => {
    const digest = new RouteDigest();
    const before = new Set(digest.of(routes).split(' '));
    const after = digest.of(routes.with(300, route('other'))).split(' ');
    expect(before.size).toBeGreaterThan(4);
    expect(after.filter((part) => !before.has(part)).length).toBeLessThanOrEqual(2);
  });

  it('is empty without routes', () => {
    expect(new RouteDigest().of([])).toBe('');
  });
});
