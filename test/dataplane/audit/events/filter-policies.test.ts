import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import { accessPolicies, addPolicies, compareAnyCase } from '../../../../dataplane/audit/events/filter-policies.ts';
import { namePlan } from '../../../../dataplane/audit/events/name-plan.ts';
import { PolicyTree } from '../../../../dataplane/audit/events/policy-tree.ts';

const SPELLINGS = ['x-secret', 'X-Secret', 'X-SECRET'];
const each = <A, B>(first: readonly A[], second: readonly B[]): [A, B][] =>
  first.flatMap((a) => second.map((b): [A, B] => [a, b]));

/** Places that `caseInsensitiveFields` may name for a header. */
const PLACES = [
  '/access/http',
  '/access/http/request',
  '/access/http/request/headers',
  '/access/http/request/headers/x-secret',
  '/access/http/request/headers/X-Secret',
];

describe('caseInsensitiveFields', () => {
  const headers = ['http', 'request', 'headers'];

  it.each(each(PLACES, SPELLINGS))('%s keeps the exclusion of the header %s', (place, spelling) => {
    const tree = accessPolicies();
    const trees = new Map([['access', tree]]);
    compareAnyCase([place], trees);
    const excludeIf = [`/access/http/request/headers/${spelling}`];
    addPolicies({ field: { includeIf: ['/access/http/request/headers'], excludeIf } }, trees);
    const plan = namePlan(tree, headers);
    expect(SPELLINGS.map((name) => plan.records(name))).toEqual([false, false, false]);
    expect(plan.records('x-other')).toBe(true);
    const event = { http: { request: { headers: { 'X-Secret': ['s'], 'x-other': ['o'] } } } };
    expect(tree.recorded(event)).toEqual({ http: { request: { headers: { 'x-other': ['o'] } } } });
  });

  it.each(each(PLACES, SPELLINGS))('%s keeps the inclusion of the header %s', (place, spelling) => {
    const tree = accessPolicies();
    const trees = new Map([['access', tree]]);
    compareAnyCase([place], trees);
    addPolicies({ field: { includeIf: [`/access/http/request/headers/${spelling}`] } }, trees);
    const plan = namePlan(tree, headers);
    expect(SPELLINGS.map((name) => plan.records(name))).toEqual([true, true, true]);
    expect(plan.records('x-other')).toBe(false);
  });

  it.each(each(['/access/http', '/access/http/request'], ['queryParameters', 'cookies']))(
    '%s keeps the exclusion of %s',
    (place, map) => {
      const tree = accessPolicies();
      const trees = new Map([['access', tree]]);
      compareAnyCase([place], trees);
      addPolicies(
        { field: { includeIf: [`/access/http/request/${map}`], excludeIf: [`/access/http/request/${map}`] } },
        trees,
      );
      expect(namePlan(tree, ['http', 'request', map]).records('a')).toBe(false);
      expect(tree.recorded({ http: { request: { [map]: { a: '1' }, method: 'GET' } } })).toEqual({
        http: { request: { method: 'GET' } },
      });
    },
  );

  it.each(each(['queryParameters', 'cookies'], SPELLINGS))('compares names of %s excluded as %s', (map, spelling) => {
    const tree = accessPolicies();
    const trees = new Map([['access', tree]]);
    compareAnyCase([`/access/http/request/${map}`], trees);
    const excludeIf = [`/access/http/request/${map}/${spelling}`];
    addPolicies({ field: { includeIf: [`/access/http/request/${map}`], excludeIf } }, trees);
    const plan = namePlan(tree, ['http', 'request', map]);
    expect(SPELLINGS.map((name) => plan.records(name))).toEqual([false, false, false]);
  });

  it('keeps what is recorded by default, and guards credentials', () => {
    const event: JsonObject = {
      userId: 'ada',
      http: {
        request: { secure: true, headers: { Host: ['h'], Authorization: ['s3cr3t'] }, queryParameters: { a: 'x' } },
      },
    };
    const recorded = (places: readonly string[]): JsonValue => {
      const tree = accessPolicies();
      const trees = new Map([['access', tree]]);
      compareAnyCase(places, trees);
      addPolicies({ field: { includeIf: ['/access/http/request/headers'] } }, trees);
      return tree.recorded(event);
    };
    expect(recorded(PLACES)).toEqual(recorded([]));
    expect(recorded(PLACES)).toEqual({
      userId: 'ada',
      http: { request: { secure: true, headers: { Host: ['h'] } } },
    });
  });

  it.each(SPELLINGS)('applies to policies that the topic has of its own: %s', (spelling) => {
    for (const [policy, expected] of [
      [{ field: { excludeIf: [`/t/item/${spelling}`] } }, { item: { a: 1 } }],
      [{ value: { excludeIf: [`/t/item/${spelling}`] } }, { item: { a: 1, 'X-sEcret': '' } }],
    ] as const) {
      const tree = new PolicyTree(true);
      const trees = new Map([['t', tree]]);
      addPolicies(policy, trees);
      compareAnyCase(['/t/item'], trees);
      expect(tree.recorded({ item: { a: 1, 'X-sEcret': 's' } })).toEqual(expected);
    }
  });

  it('unites what two spellings of one field say', () => {
    const tree = new PolicyTree(true);
    const trees = new Map([['t', tree]]);
    addPolicies({ field: { excludeIf: ['/t/Item/a', '/t/item/b'] } }, trees);
    compareAnyCase(
      ['/t/ITEM', '/t/item'].map((one) => one),
      trees,
    );
    expect(tree.recorded({ item: { a: 1, b: 2 } })).toEqual({ item: { a: 1 } });
    tree.compareAnyCase([]);
    expect(tree.recorded({ item: { a: 1, B: 2, c: 3 } })).toEqual({ item: { c: 3 } });
  });
});
