import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { startConfigured } from '../../support/gateways/configured-gateway.ts';
import { problemsOf, startFiltered } from '../../support/gateways/filtered-gateway.ts';

const adding = (messageType: string, value: string): JsonValue => ({
  type: 'HeaderFilter',
  config: { messageType, add: { 'X-Order': [value] } },
});
const order = "${join(request.headers['X-Order'], ' ')}";

describe('ChainOfFilters', () => {
  it('runs its filters in order on the request, and in the other order on the response', async () => {
    const inner = { type: 'ChainOfFilters', config: { filters: [adding('REQUEST', 'b'), adding('RESPONSE', 'b')] } };
    const filters = [
      adding('REQUEST', 'a'),
      adding('RESPONSE', 'a'),
      inner,
      adding('REQUEST', 'c'),
      adding('RESPONSE', 'c'),
    ];
    const { ask } = await startFiltered([{ type: 'ChainOfFilters', config: { filters } }], {
      type: 'StaticResponseHandler',
      config: { status: 200, entity: order },
    });
    const answer = await ask('/t');
    expect(answer.body).toBe('a b c');
    expect(answer.values('x-order')).toEqual(['c', 'b', 'a']);
  });

  it('passes on messages unchanged without filters', async () => {
    const { ask } = await startFiltered([{ type: 'ChainOfFilters', config: { filters: [] } }]);
    expect((await ask('/t?entity=plain')).body).toBe('plain');
  });

  it('continues with the next object of each chain that uses it', async () => {
    const answering = (entity: string): JsonValue => ({
      type: 'StaticResponseHandler',
      config: { status: 200, entity },
    });
    const through = (entity: string): JsonValue => ({
      type: 'Chain',
      config: { filters: ['shared'], handler: answering(`${entity} ${order}`) },
    });
    const gateway = await startConfigured({
      heap: [{ name: 'shared', type: 'ChainOfFilters', config: { filters: [adding('REQUEST', 'x')] } }],
      handler: {
        type: 'Chain',
        config: {
          filters: [
            {
              type: 'SwitchFilter',
              config: { onRequest: [{ condition: "${request.uri.path == '/one'}", handler: through('one') }] },
            },
          ],
          handler: through('two'),
        },
      },
    });
    const said: string[] = [];
    for (const path of ['/one', '/two', '/one', '/one', '/two'])
      said.push(await (await fetch(gateway.url + path)).text());
    await gateway.close();
    expect(said).toEqual(['one x', 'two x', 'one x', 'one x', 'two x']);
  });

  it.each([
    [{}, ['missing filters: is required']],
    [{ filters: {} }, ['value filters: must be an array, not an object']],
    [{ filters: [1] }, ["value filters[0]: must be the name of a Filter or an object with 'type', not a number"]],
  ])('refuses %j', (config, problems) => {
    expect(problemsOf('ChainOfFilters', config)).toEqual(problems);
  });
});
