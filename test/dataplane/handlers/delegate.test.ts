import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { problemsOf, send, serve } from '../../support/gateways/served.ts';

const named = (name: string, delegate: JsonValue): JsonValue => ({ name, type: 'Delegate', config: { delegate } });
const answer = {
  name: 'answer',
  type: 'StaticResponseHandler',
  config: { status: 200, entity: "${request.headers['X'][0]}" },
};
const filter = { name: 'filter', type: 'HeaderFilter', config: { messageType: 'REQUEST', add: { X: ['filtered'] } } };

describe('refers to', () => {
  it.each([
    ['a handler', 'a', [answer, named('a', 'answer')]],
    ['a handler that is declared later', 'a', [named('a', 'answer'), answer]],
    ['a handler declared in place', 'a', [named('a', { type: 'StaticResponseHandler', config: { status: 200 } })]],
    ['another delegate', 'a', [named('a', 'b'), named('b', 'answer'), answer]],
    [
      'a filter',
      { type: 'Chain', config: { filters: ['f'], handler: 'answer' } },
      [named('f', 'filter'), filter, answer],
    ],
    ['a default object', { type: 'Chain', config: { handler: 'a' } }, [named('a', 'ForgeRockClientHandler')]],
  ])('%s', (_case, handler, heap) => {
    expect(problemsOf(handler, heap)).toEqual([]);
  });

  it('acts like the object that it refers to', async () => {
    const chain = { type: 'Chain', config: { filters: ['f', 'f'], handler: 'a' } };
    const gateway = await serve(chain, [named('f', 'filter'), filter, named('a', 'answer'), answer]);
    expect((await send(gateway, 'GET /')).body).toBe('filtered');
  });

  it('can be decorated apart', async () => {
    const timed = { ...(named('timed', 'answer') as object), timer: true } as JsonValue;
    const gateway = await serve('timed', [timed, answer]);
    await send(gateway, 'GET /');
    expect(gateway.observed).toHaveLength(1);
  });
});

describe('is refused', () => {
  it.each([
    [
      'where another kind is wanted',
      'f',
      [named('f', 'filter'), filter],
      ["kind handler: must be a Handler, but 'f' is a Delegate, which is a Filter"],
    ],
    [
      'when it stands for nothing',
      'a',
      [named('a', 'nope')],
      ["reference heap[0].config.delegate: there is no object 'nope' in this heap or in those around it"],
    ],
    ['without a delegate', 'a', [{ name: 'a', type: 'Delegate' }], ['missing heap[0].config.delegate: is required']],
    [
      'in a circle',
      'a',
      [named('a', 'b'), named('b', 'a')],
      ["cycle heap[0]: the objects reference each other: 'a' → 'b' → 'a'"],
    ],
    ['in a circle of one', 'a', [named('a', 'a')], ["cycle heap[0]: the objects reference each other: 'a' → 'a'"]],
  ])('%s', (_case, handler, heap, problems) => {
    expect(problemsOf(handler, heap as JsonValue[])).toEqual(problems);
  });
});
