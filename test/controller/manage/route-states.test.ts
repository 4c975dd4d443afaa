import { describe, expect, it } from 'vitest';
import type { Compilation } from '../../../controller/compile/compiler.ts';
import type { Verdict } from '../../../controller/compile/verdict.ts';
import { type RouteStatesOptions, routeStates } from '../../../controller/manage/route-states.ts';

const verdict = (router: string, id: string, more: Partial<Verdict> = {}): Verdict => ({
  file: { path: `/routes/${id}.json`, content: Buffer.from('{}') } as unknown as Verdict['file'],
  role: 'route',
  serves: 'this',
  problems: [],
  route: { router, id, name: id, condition: `\${${id}}` },
  ...more,
});

const problem = (severity: 'error' | 'warning') => ({ code: 'value', severity, path: [], message: 'wrong' }) as const;

function states(verdicts: readonly Verdict[], more: Partial<RouteStatesOptions> = {}) {
  return routeStates({
    compilation: { verdicts } as unknown as Compilation,
    unbuilt: [],
    figures: new Map(),
    showsConditions: true,
    pathOf: ({ id }) => `routes/${id}`,
    ...more,
  });
}

describe('the states of routes', () => {
  it('come in the order in which routes are tried, router by router', () => {
    const all = states([verdict('gateway.b', 'z'), verdict('gateway.a', 'y'), verdict('gateway.b', 'x')]);
    expect(all.map(({ id, content }) => [id, content['position']])).toEqual([
      ['gateway.a/y', 1],
      ['gateway.b/x', 1],
      ['gateway.b/z', 2],
    ]);
  });

  it('leave out files that are no routes', () => {
    expect(states([verdict('gateway.a', 'y', { role: 'stray' }), verdict('gateway.a', 'x', { route: null })])).toEqual(
      [],
    );
  });

  it('count errors and warnings', () => {
    const [state] = states([
      verdict('gateway.a', 'x', {
        serves: 'refuses',
        problems: [problem('error'), problem('warning'), problem('error')],
      }),
    ]);
    expect(state?.content).toMatchObject({ serves: 'refuses', errors: 2, warnings: 1 });
  });

  it('name a route that data planes could not build', () => {
    const unbuilt = [{ router: 'gateway.a', id: 'x' }];
    const [state, other] = states([verdict('gateway.a', 'x'), verdict('gateway.a', 'y')], { unbuilt });
    expect([state?.content['serves'], other?.content['serves']]).toEqual(['unbuilt', 'this']);
  });

  it('have figures of routes that are served', () => {
    const figures = new Map([['["gateway.a","x"]', { requests: 7 }]]);
    const [served] = states([verdict('gateway.a', 'x')], { figures });
    const [gone] = states([verdict('gateway.a', 'x', { serves: 'nothing' })], { figures });
    expect([served?.content['figures'], gone?.content['figures']]).toEqual([{ requests: 7 }, null]);
  });

  it('leave out conditions where documents are not shown', () => {
    const [state] = states([verdict('gateway.a', 'x')], { showsConditions: false, pathOf: () => null });
    expect(state?.content).not.toHaveProperty('condition');
    expect(state?.content['document']).toBeNull();
  });
});
