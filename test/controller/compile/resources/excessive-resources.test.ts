import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import { readResource } from '../../../../contract/resources/read-resource.ts';
import type { ResourceKind } from '../../../../contract/resources/resource.ts';
import type { ResourceVerdict } from '../../../../controller/compile/resources/resource-verdict.ts';
import { CompiledCluster, verdictIn } from '../../../support/cluster/compiled-cluster.ts';
import { proxied } from '../../../support/gateways/proxied-route.ts';

const handler = 'ReverseProxyHandler';

function nested(levels: number, inner: JsonValue, around: (value: JsonValue) => JsonValue): JsonValue {
  let value = inner;
  for (let level = 0; level < levels; level++) value = around(value);
  return value;
}

/** Properties of which each is made of four of the one before it, and then this many more. */
function growing(reference: (name: string) => string, more: number, last: (name: string) => JsonValue): JsonObject {
  const doubled = Array.from({ length: 8 }, (_, at) => [`a${at + 1}`, reference(`a${at}`).repeat(4)] as const);
  const others = Array.from({ length: more }, (_, at) => [`b${at}`, last('a8')] as const);
  return Object.fromEntries([['a0', 'x'.repeat(10)], ...doubled, ...others]);
}

const token = (name: string): string => `&{${name}}`;
const expression = (name: string): string => `\${${name}}`;

/** A cluster with a good Route beside one that came from the API server like this. */
function attacked(kind: ResourceKind, spec: JsonObject): { readonly bad: ResourceVerdict; readonly good: string } {
  const cluster = new CompiledCluster().route('shop/good', proxied);
  const metadata = { namespace: 'shop', name: 'bad', uid: 'bad', generation: 1 };
  const resource = readResource({ kind, metadata, spec }).resource!;
  (kind === 'Route' ? cluster.routes : cluster.secretStores).set('shop/bad', resource);
  const compilation = cluster.compile();
  return { bad: verdictIn(compilation, 'shop/bad', kind), good: verdictIn(compilation, 'shop/good').serves };
}

describe('a Route beyond the validation limits is rejected, and others are served', () => {
  it.each<[string, JsonObject, RegExp]>([
    ['of many levels', { handler, x: nested(9000, 1, (value) => [value]) }, /^spec: is nested more than/],
    [
      'with properties of many levels',
      { handler, properties: { x: nested(9000, 1, (value) => ({ a: value })) } },
      /levels/,
    ],
    [
      'with objects of many levels',
      { handler: nested(4000, handler, (value) => ({ type: 'Chain', config: { filters: [], handler: value } })) },
      /levels/,
    ],
    ['of many objects', { handler, heap: Array.from({ length: 20_000 }, () => ({ name: 'x', type: 'y' })) }, /values/],
    [
      'whose tokens make much of little',
      { properties: growing(token, 0, token), handler, heap: Array.from({ length: 100 }, () => token('a8')) },
      /characters/,
    ],
    [
      'whose expressions make much of little',
      { handler, properties: growing(expression, 5000, () => '${toUpperCase(a8)}') },
      /^spec.properties: has more than \d+ characters/,
    ],
    [
      'whose lists make much of little',
      { handler, properties: { a: 'a,'.repeat(100_000), b: { $list: '&{a}a' } } },
      /^spec.properties: has more than \d+ values/,
    ],
    [
      'whose transformations make much of little',
      { handler, x: nested(60, 'sixteen letters!', (value) => ({ '$base64:encode': value })) },
      /becomes longer than/,
    ],
    [
      'with expressions that take long together',
      {
        handler,
        properties: {
          a: 'a'.repeat(600_000),
          ...Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`b${at}`, `\${find(a, 'a[ab]*c')}`])),
        },
      },
      /too (many steps|much work)/,
    ],
  ])('%s', (_, spec, expected) => {
    const { bad, good } = attacked('Route', spec);
    expect(bad.accepted).toMatchObject({ status: false, message: expect.stringMatching(expected) });
    expect([['refuses', 'nothing'].includes(bad.serves), good]).toEqual([true, 'this']);
  });

  it('and is again when it is less', () => {
    const cluster = new CompiledCluster().route('shop/a', proxied);
    const excess = { code: 'value', severity: 'error', path: [], message: 'has too much' } as const;
    cluster.compile();
    const first = cluster.routes.get('shop/a')!;
    cluster.routes.set('shop/a', { ...first, spec: {}, excess, generation: 2 });
    expect(cluster.verdict('shop/a')).toMatchObject({ serves: 'last-good', servingGeneration: 1 });
    cluster.routes.set('shop/a', { ...first, generation: 3 });
    expect(cluster.verdict('shop/a')).toMatchObject({ serves: 'this', servingGeneration: 3 });
  });
});

it('a SecretStore beyond the validation limits is rejected', () => {
  const { bad, good } = attacked('SecretStore', {
    type: 'FileSystemSecretStore',
    config: { x: nested(9000, 1, (value) => [value]) },
  });
  expect(bad.accepted).toMatchObject({ status: false, message: expect.stringMatching(/^spec: is nested/) });
  expect([bad.serves, good]).toEqual(['nothing', 'this']);
});

it('a validation that throws does not affect other Routes', () => {
  const spec = Object.defineProperty({}, 'handler', { enumerable: true, get: () => JSON.parse('{') });
  const cluster = new CompiledCluster().route('shop/bad', spec).route('shop/good', proxied);
  const compilation = cluster.compile();
  expect(verdictIn(compilation, 'shop/good').serves).toBe('this');
  expect(verdictIn(compilation, 'shop/bad').accepted).toMatchObject({
    status: false,
    message: expect.stringContaining('cannot be validated (SyntaxError)'),
  });
});
