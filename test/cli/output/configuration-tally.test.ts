import { describe, expect, it } from 'vitest';
import { ConfigurationTally } from '../../../cli/output/configuration-tally.ts';
import type { ServedVersion, Verdict } from '../../../controller/compile/verdict.ts';

const error = { code: 'value', severity: 'error', path: [], message: 'is wrong' } as const;

function verdict(id: string, serves: ServedVersion, role: Verdict['role'] = 'route'): Verdict {
  const route = { router: 'r', id, name: id, condition: null };
  return {
    file: { path: id, content: new Uint8Array() },
    role,
    serves,
    problems: serves === 'this' ? [] : [error],
    route,
  };
}

const nothing = { base: null, set: [], remove: [] };

describe('the tally of a configuration', () => {
  it('counts only routes, by their serving version', () => {
    const tally = new ConfigurationTally();
    tally.compiled([
      verdict('config', 'this', 'config'),
      verdict('a', 'this'),
      verdict('b', 'last-good'),
      verdict('c', 'refuses'),
      verdict('d', 'nothing'),
      verdict('e', 'waits'),
    ]);
    expect(tally.routes).toEqual({ serving: 1, 'last-good': 1, refusing: 1, 'not-loaded': 2 });
  });

  it('counts valid routes that could not be built until they change', () => {
    const tally = new ConfigurationTally();
    const [a, b] = [
      { router: 'r', id: 'a' },
      { router: 'r', id: 'b' },
    ];
    tally.compiled([verdict('a', 'this'), verdict('b', 'this')]);
    tally.built(nothing, [
      { route: a, problems: [error], keepsServing: true },
      { route: b, problems: [error], keepsServing: false },
    ]);
    expect(tally.routes).toMatchObject({ serving: 0, 'last-good': 1, refusing: 1 });
    tally.reloaded(true);
    tally.built({ ...nothing, remove: [a] }, []);
    expect(tally.routes).toMatchObject({ serving: 1, refusing: 1 });
    tally.built({ ...nothing, base: { document: {}, hash: 'h' } }, []);
    expect(tally.routes).toMatchObject({ serving: 2 });
    tally.reloaded(true);
    expect(tally.reloads).toEqual({ ok: 1, problems: 1 });
  });

  it('reports a reload only if the running configuration changed', () => {
    const tally = new ConfigurationTally();
    tally.lastReload = 0;
    tally.compiled([verdict('a', 'last-good')]);
    tally.reloaded(false);
    expect([tally.lastReload, tally.reloads]).toEqual([0, { ok: 0, problems: 1 }]);
    tally.compiled([verdict('a', 'this')]);
    tally.reloaded(true);
    expect(tally.lastReload).toBeGreaterThan(0);
    expect(tally.reloads).toEqual({ ok: 1, problems: 1 });
  });
});
