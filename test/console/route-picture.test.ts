import { describe, expect, it } from 'vitest';
import { type PictureStep, pictureOf } from '../../console/pages/route/route-picture.ts';
import type { JsonObject } from '../../contract/document/json-value.ts';

/** Steps as lines, branches indented. */
function lines(steps: readonly PictureStep[], depth = 0): string[] {
  const indent = '  '.repeat(depth);
  return steps.flatMap(({ kind, type, name, branches }) => [
    `${indent}${kind} ${type ?? 'shared'}${name === null ? '' : ` ${name}`}`,
    ...branches.flatMap((branch) => [
      `${indent} ${branch.label}${branch.condition === null ? '' : ` ${branch.condition}`}`,
      ...lines(branch.steps, depth + 1),
    ]),
  ]);
}

const drawn = (document: JsonObject): string[] => lines(pictureOf(document));

describe('the picture of a route', () => {
  it('has the filters of chains in their order, and then the handler', () => {
    const document = {
      heap: [{ name: 'headers', type: 'HeaderFilter', config: { messageType: 'REQUEST' } }],
      handler: {
        type: 'Chain',
        config: {
          filters: ['headers', { type: 'ChainOfFilters', config: { filters: [{ type: 'CookieFilter' }, 'limits'] } }],
          handler: 'application',
        },
      },
    };
    expect(drawn(document)).toEqual([
      'filter HeaderFilter headers',
      'filter CookieFilter',
      'filter shared limits',
      'handler shared application',
    ]);
  });

  it('names objects as the gateway does, and the backends of handlers', () => {
    const document = {
      heap: [{ name: 'guard', type: 'ConditionalFilter', config: { delegate: { type: 'HeaderFilter' } } }],
      handler: {
        type: 'Chain',
        config: {
          filters: ['guard', { type: 'DateHeaderFilter' }],
          handler: { type: 'ReverseProxyHandler', config: { backends: { type: 'Backends' } } },
        },
      },
    };
    const steps = pictureOf(document);
    expect(steps.map(({ object }) => object)).toEqual([
      'guard',
      '{DateHeaderFilter}/handler/config/filters/1',
      '{ReverseProxyHandler}/handler/config/handler',
    ]);
    expect(steps[0]!.branches[0]!.steps[0]!.object).toBe('{HeaderFilter}/heap/0/config/delegate');
    expect(steps[2]!.backends).toEqual(['{Backends}/handler/config/handler/config/backends']);
  });

  it('has a branch for each way that only some requests take', () => {
    const answer = { type: 'StaticResponseHandler', config: { status: 404 } };
    const document = {
      handler: {
        type: 'Chain',
        config: {
          filters: [
            { type: 'ConditionalFilter', config: { condition: '${a}', delegate: 'x' } },
            { type: 'SwitchFilter', config: { onRequest: [{ condition: '${b}', handler: answer }] } },
            { type: 'ConditionEnforcementFilter', config: { condition: '${c}', failureHandler: answer } },
          ],
          handler: {
            type: 'DispatchHandler',
            config: { bindings: [{ condition: '${d}', handler: 'shop', baseURI: 'http://shop' }, { handler: answer }] },
          },
        },
      },
    };
    expect(drawn(document)).toEqual([
      'filter ConditionalFilter',
      ' if ${a}',
      '  filter shared x',
      'filter SwitchFilter',
      ' if ${b}',
      '  handler StaticResponseHandler',
      'filter ConditionEnforcementFilter',
      ' otherwise',
      '  handler StaticResponseHandler',
      'handler DispatchHandler',
      ' if ${d}',
      '  handler shared shop',
      ' otherwise',
      '  handler StaticResponseHandler',
    ]);
    const [first] = pictureOf(document).at(-1)!.branches;
    expect(first?.steps[0]?.facts).toEqual([['baseURI', 'http://shop']]);
  });

  it('ends for objects that refer to each other in a circle', () => {
    const chain = { name: 'chain', type: 'Chain', config: { filters: [], handler: 'chain' } };
    expect(drawn({ heap: [chain], handler: 'chain' })).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['no handler', {}],
    ['a number as its handler', { handler: 7 }],
    ['filters that are no list', { handler: { type: 'Chain', config: { filters: 'x' } } }],
  ])('is empty for a document with %s', (_, document) => {
    expect(drawn(document)).toEqual([]);
  });

  it('shows settings in short, without comments and without more than six', () => {
    const config = Object.fromEntries('abcdefgh'.split('').map((name) => [name, name.repeat(200)]));
    const [step] = pictureOf({ handler: { type: 'X', config: { comment: 'why', ...config }, timer: true } });
    expect(step?.facts).toHaveLength(6);
    expect(step?.facts[0]).toEqual(['timer', 'true']);
    expect(step?.facts.at(-1)).toEqual(['…', '4 more']);
    expect(step?.facts[1]?.[1]).toHaveLength(120);
  });
});
