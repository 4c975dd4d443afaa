import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { randomNumbers } from '../../../dataplane/backends/endpoints/random-numbers.ts';
import { WeightedTargets } from '../../../dataplane/backends/endpoints/weighted-targets.ts';
import { endpointsAt, inTurn, sendingTo, startApps } from '../../support/backends/endpoint-apps.ts';
import { problemsOf, send, serve } from '../../support/gateways/served.ts';

const answering = (entity: string): JsonObject => ({
  type: 'StaticResponseHandler',
  config: { status: 200, headers: { 'Content-Type': ['text/plain'] }, entity },
});
const targets = (weights: Readonly<Record<string, number>>): JsonObject[] =>
  Object.entries(weights).map(([name, weight]) => ({ name, weight, handler: answering(name) }));
const split = (config: JsonObject): JsonObject => ({ type: 'SplitHandler', config });
const USERS = Array.from({ length: 40 }, (_, i) => `User: user-${i}`);

describe('shares', () => {
  const KEYS = Array.from({ length: 10_000 }, (_, i) => `user-${i}`);

  it.each([
    ['at random', KEYS.map(() => null)],
    ['by key', KEYS],
  ])('are those of the weights, %s', (_case, keys) => {
    const weighted = new WeightedTargets([70, 0, 30], randomNumbers(11));
    const counts = [0, 0, 0];
    for (const key of keys) counts[weighted.choose(key)]!++;
    const squares = (counts[0]! - 7000) ** 2 / 7000 + (counts[2]! - 3000) ** 2 / 3000;
    expect([counts[1], squares < 10.8]).toEqual([0, true]); // chance exceeds 10.8 once in a thousand times
  });

  it('move only the keys that a change needs', () => {
    const before = new WeightedTargets([90, 10], randomNumbers(1));
    const after = new WeightedTargets([80, 20], randomNumbers(2));
    const moved = KEYS.filter((key) => before.choose(key) !== after.choose(key));
    expect(moved.every((key) => before.choose(key) === 0)).toBe(true);
    expect(Math.abs(moved.length / KEYS.length - 0.1)).toBeLessThan(0.02);
  });
});

describe('requests', () => {
  it('with the same key go to the same target', async () => {
    const config = { targets: targets({ stable: 1, canary: 1 }), stickyKey: "${request.headers['User'][0]}" };
    const gateway = await serve(split(config));
    const first = await Promise.all(USERS.map((user) => send(gateway, 'GET /', [user])));
    const again = await Promise.all(USERS.map((user) => send(gateway, 'GET /', [user])));
    expect(again.map(({ body }) => body)).toEqual(first.map(({ body }) => body));
    expect(new Set(first.map(({ body }) => body))).toEqual(new Set(['stable', 'canary']));
  });

  it('without a key go to all targets that have a weight', async () => {
    const gateway = await serve(split({ targets: targets({ stable: 1, none: 0, canary: 1 }) }));
    const bodies = new Set<string>();
    for (let i = 0; i < 100; i++) bodies.add((await send(gateway, 'GET /')).body);
    expect(bodies).toEqual(new Set(['stable', 'canary'])); // one in 10^29 runs would miss one
  });

  it('go where the override says, if there is such a target', async () => {
    const override = "${request.headers['X-Version'][0]}";
    const gateway = await serve(split({ targets: targets({ stable: 1, canary: 0 }), override }));
    const body = async (head: readonly string[]): Promise<string> => (await send(gateway, 'GET /', head)).body;
    expect(await body([])).toBe('stable');
    expect(await body(['X-Version: canary'])).toBe('canary');
    expect(await body(['X-Version: other'])).toBe('stable');
  });

  it('go where the override says only if its expression accepts the client', async () => {
    const override = "${request.headers['X-Tester'][0] == 'yes' ? request.headers['X-Version'][0] : ''}";
    const gateway = await serve(split({ targets: targets({ stable: 1, canary: 0 }), override }));
    const body = async (head: readonly string[]): Promise<string> => (await send(gateway, 'GET /', head)).body;
    expect(await body(['X-Version: canary'])).toBe('stable');
    expect(await body(['X-Version: canary', 'X-Tester: no'])).toBe('stable');
    expect(await body(['X-Version: canary', 'X-Tester: yes'])).toBe('canary');
    expect(await body(['X-Tester: yes'])).toBe('stable');
  });

  it('are split between Backends', async () => {
    const [one, two] = await startApps();
    const to = (port: number): JsonObject => sendingTo(inTurn(endpointsAt(port)));
    const gateway = await serve(
      split({
        targets: [
          { name: 'stable', weight: 1, handler: to(one!.port) },
          { name: 'canary', weight: 1, handler: to(two!.port) },
        ],
        override: "${request.headers['X-Version'][0]}",
      }),
    );
    const versions = ['stable', 'canary', 'stable'];
    const answers = await Promise.all(versions.map((version) => send(gateway, 'GET /', [`X-Version: ${version}`])));
    expect(answers.map(({ body }) => body)).toEqual(['one', 'two', 'one']);
  });
});

describe('configurations', () => {
  it.each([
    [{}, ['missing handler.config.targets: is required']],
    [{ targets: [] }, ['value handler.config.targets: must have at least 1 entry']],
    [
      { targets: [...targets({ a: 0 }), ...targets({ a: 0 })] },
      [
        'value handler.config.targets[1].name: is there twice: a',
        'value handler.config.targets: must have a target of a weight over 0',
      ],
    ],
    [
      { targets: targets({ a: 1, b: 1 }), stickyKey: 'X-User', override: 'X-Version' },
      [
        'value handler.config.stickyKey: is the same text for every request, so that all of them would go to one place',
        "value handler.config.override: has no effect: no target has the name 'X-Version'",
      ],
    ],
    [{ targets: targets({ a: 1, b: 1 }), override: 'b' }, []],
    [
      { targets: targets({ a: 1 }), stickyKey: "${'x'}", override: "${'c'}" },
      [
        'value handler.config.stickyKey: is the same text for every request, so that all of them would go to one place',
        "value handler.config.override: has no effect: no target has the name 'c'",
      ],
    ],
    [
      { targets: [{ name: 'a', handler: 'nowhere', weight: -1 }] },
      [
        'value handler.config.targets[0].weight: must be at least 0, not -1',
        "reference handler.config.targets[0].handler: there is no object 'nowhere' in this heap or in those around it",
      ],
    ],
  ])('%j', (config, problems) => {
    expect(problemsOf(split(config))).toEqual(problems);
  });
});
