import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noReach } from '../../../contract/reach.ts';
import { parseConfig } from '../../../contract/vocabulary/parse-config.ts';
import { type RuntimeExpression, runtimeFlag } from '../../../contract/vocabulary/runtime.ts';
import type { Exchange } from '../../../dataplane/engine/message/exchange.ts';
import { textResponse } from '../../../dataplane/engine/message/response.ts';
import { clausesOf } from '../../../dataplane/routes/condition-clauses.ts';
import { documentReading } from '../../../dataplane/routes/document-reading.ts';
import { PrefixTree } from '../../../dataplane/routes/prefix-tree.ts';
import type { Route } from '../../../dataplane/routes/route.ts';
import { RouteIndex } from '../../../dataplane/routes/route-index.ts';
import { randomNumbers } from '../../support/clients/random.ts';
import { startGateway, type TestGateway } from '../../support/gateways/gateway.ts';

const reading = documentReading(noReach, [], () => {});

function condition(source: string): RuntimeExpression<boolean> {
  const { value, problems } = parseConfig(runtimeFlag(), source, reading, []);
  if (value === undefined) throw new Error(JSON.stringify(problems));
  return value;
}

function route(id: string, source: string | null): Route {
  const entry = { router: 'r', id, name: id, document: {}, hash: id, slot: 0 };
  const handle = (): never => {
    throw new Error('not called');
  };
  return {
    entry,
    condition: source === null ? null : condition(source),
    handle,
    claims: [],
    inside: null,
    retire() {},
  };
}

/** Asking every condition in order: what the index must agree with. */
function naive(routes: readonly Route[], exchange: Exchange): Route | null {
  return routes.find(({ condition }) => condition === null || condition.read(exchange, null) === true) ?? null;
}

describe('the facts in a condition', () => {
  const facts = (source: string): string[] =>
    clausesOf(condition(source).compiled!.node).map((clause) =>
      clause
        .map((fact) => `${fact.of}${fact.header} ${fact.prefix ? '^' : '='}${fact.text}${fact.exact ? '!' : ''}`)
        .join(' & '),
    );

  it.each([
    ["${find(request.uri.path, '^/orders')}", ['path ^/orders!']],
    ["${matches(request.uri.path, '^/orders/[0-9]+$')}", ['path ^/orders/']],
    ["${request.uri.path == '/a'}", ['path =/a!']],
    ["${'/a' eq request.uri['path']}", ['path =/a!']],
    ["${request.uri.path.startsWith('/a')}", ['path ^/a!']],
    ["${request.method == 'GET' and find(request.uri.path, '^/a')}", ['method =GET & path ^/a']],
    ["${request.method == 'GET' or request.method == 'HEAD'}", ['method =GET', 'method =HEAD']],
    ["${request.headers['X-A'][0] == 'b'}", ['headerx-a =b!']],
    ["${request.uri.host == 'a.test' && true}", ['host =a.test']],
    ["${not find(request.uri.path, '^/a')}", ['']],
    ["${request.uri.path != '/a'}", ['']],
    ["${find(request.uri.path, 'orders')}", ['']],
    ['${true}', ['']],
    ['${false}', []],
  ])('are found in %s', (source, expected) => {
    expect(facts(source)).toEqual(expected);
  });
});

describe('the index', () => {
  let gateway: TestGateway;
  let judge: (exchange: Exchange) => string = () => '';
  beforeAll(async () => {
    gateway = await startGateway({ handler: () => (exchange) => textResponse(200, judge(exchange)) });
  });
  afterAll(() => gateway.close());

  it('selects the same route as a linear search, for random routes and requests', async () => {
    const random = randomNumbers(20_261_115);
    const pick = <T>(items: readonly T[]): T => items[random(items.length)]!;
    const paths = ['/', '/a', '/a/b', '/ab', '/b', '/orders', '/orders/1', '/o%20x', '/A'];
    // what begins a comment or a quotation would swallow whatever is written behind it
    const awkward = [
      '(?x)/a #',
      '\\\\Q/a',
      '(?x)^/a# b',
      '(?m)^/a',
      '(?i)/A.*',
      '/a|/b',
      `(?:)${'(?:)'.repeat(4090)}/a`,
    ];
    const atoms = (): string =>
      pick([
        () => `find(request.uri.path, '^${pick(paths)}')`,
        () => `matches(request.uri.path, '^${pick(paths)}$')`,
        () => `matchesWithRegex(request.uri.path, '${pick(paths)}.*')`,
        () => `find(request.uri.path, '^/(a|orders)')`,
        () => `find(request.uri.path, '(?i)^${pick(paths)}')`,
        () => `request.uri.path == '${pick(paths)}'`,
        () => `'${pick(paths)}' eq request.uri.path`,
        () => `request.uri.path.startsWith('${pick(paths)}')`,
        () => `request.method == '${pick(['GET', 'POST'])}'`,
        () => `request.headers['X-Tenant'][0] == '${pick(['a', 'b', ''])}'`,
        () => `find(request.headers['x-tenant'][0], '^${pick(['a', 'b'])}')`,
        () => `request.uri.host == '127.0.0.1'`,
        () => 'request.uri.path > 5',
        () => 'request.nope',
        () => `empty request.headers['X-Tenant']`,
        () => `request.headers['${pick(['constructor', '__proto__', 'X-TENANT'])}'][0] == 'a'`,
        () => `request.headers['X-Tenant'][0].equals('${pick(['a', ''])}')`,
        () => `matchesWithRegex(request.uri.path, '${pick(awkward)}')`,
        () => `find(request.uri.path, '${pick(awkward)}')`,
        () => pick(['true', 'false', "'true'", "'TRUE'", "'no'", "''", 'null']),
      ])();
    const expression = (depth: number): string =>
      depth === 0
        ? atoms()
        : pick([
            () => `(${expression(depth - 1)} and ${expression(depth - 1)})`,
            () => `(${expression(depth - 1)} or ${expression(depth - 1)})`,
            () => `not (${expression(depth - 1)})`,
            () => `(${expression(depth - 1)} ? ${expression(depth - 1)} : ${expression(depth - 1)})`,
            atoms,
          ])();
    /** What is a text as a whole is no condition. */
    const source = (): string => {
      const made = `\${${expression(random(3))}}`;
      return parseConfig(runtimeFlag(), made, reading, []).value === undefined ? source() : made;
    };
    const routes = new Map<string, Route>();
    let index = new RouteIndex();
    judge = (exchange) => {
      const found = index.find(exchange);
      const inOrder = [...routes.values()].sort((a, b) => (a.entry.name < b.entry.name ? -1 : 1));
      const expected = naive(inOrder, exchange);
      if (found === expected) return 'same';
      const name = found === 'body' ? 'body' : (found?.entry.id ?? 'none');
      return `index ${name}, in order ${expected?.entry.id ?? 'none'} ${expected?.condition?.source}`;
    };
    for (let round = 0; round < 150; round++) {
      if (random(5) === 0) {
        index.close();
        index = new RouteIndex();
        routes.clear();
      }
      const changes = new Map<string, Route | null>();
      for (let count = random(random(4) === 0 ? 90 : 12); count > 0; count--) {
        const id = `${random(99)}`;
        const before = routes.get(id)?.condition?.source;
        const isGone = random(4) === 0;
        const said = before !== undefined && random(2) === 0 ? before : random(33) === 0 ? null : source();
        const made = isGone ? null : route(id, said);
        changes.set(id, made);
        if (made === null) routes.delete(id);
        else routes.set(id, made);
      }
      index.change(changes);
      for (let i = 0; i < 4; i++) {
        const headers: Record<string, string> =
          random(5) < 3 ? { 'x-tenant': pick(['a', 'b', 'ab', '']), constructor: 'a' } : {};
        const response = await fetch(`http://127.0.0.1:${gateway.port}${pick(paths)}?q=1`, {
          headers,
          method: pick(['GET', 'POST']),
        });
        expect(await response.text()).toBe('same');
      }
    }
  });
});

describe('a prefix tree', () => {
  it('finds the numbers of every prefix', () => {
    const tree = new PrefixTree(
      new Map([
        ['/', [1]],
        ['/a', [2]],
        ['/abc', [3]],
        ['/abd', [4]],
        ['/b', [5]],
        ['', [0]],
      ]),
    );
    const found = (text: string): number[] => {
      const lists: (readonly number[])[] = [];
      tree.gather(text, lists, 0);
      return lists.flat();
    };
    expect(found('/abcd')).toEqual([0, 1, 2, 3]);
    expect(found('/ab')).toEqual([0, 1, 2]);
    expect(found('/b')).toEqual([0, 1, 5]);
    expect(found('x')).toEqual([0]);
    expect(found('')).toEqual([0]);
  });
});
