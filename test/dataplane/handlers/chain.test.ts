import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { problemsOf, send, serve } from '../../support/gateways/served.ts';

const adding = (messageType: string, value: string): JsonValue => ({
  type: 'HeaderFilter',
  config: { messageType, add: { 'X-Seen': [value] } },
});
const seen: JsonValue = {
  type: 'StaticResponseHandler',
  config: { status: 200, entity: "${join(request.headers['X-Seen'], ' ')}" },
};

describe('a chain', () => {
  it('runs its filters in order on the request and in reverse order on the response', async () => {
    const filters = [adding('REQUEST', 'a'), adding('RESPONSE', 'a'), adding('REQUEST', 'b'), adding('RESPONSE', 'b')];
    const answer = await send(await serve({ type: 'Chain', config: { filters, handler: seen } }), 'GET /');
    expect(answer.body).toBe('a b');
    expect(answer.head.match(/^X-Seen: .$/gm)).toEqual(['X-Seen: b', 'X-Seen: a']);
  });

  it.each([[{ filters: [] }], [{}]])('may have no filter: %j', async (more) => {
    const handler = { type: 'StaticResponseHandler', config: { status: 200, entity: 'x' } };
    expect((await send(await serve({ type: 'Chain', config: { ...more, handler } }), 'GET /')).body).toBe('x');
  });

  it('refers to filters and handlers by name', async () => {
    const heap = [
      { name: 'add', ...(adding('REQUEST', 'named') as object) },
      { name: 'answer', ...(seen as object) },
    ] as JsonValue[];
    const gateway = await serve({ type: 'Chain', config: { filters: ['add', 'add'], handler: 'answer' } }, heap);
    expect((await send(gateway, 'GET /')).body).toBe('named named');
  });

  it.each([
    [{}, ['missing handler.config.handler: is required']],
    [
      { handler: 'nope' },
      ["reference handler.config.handler: there is no object 'nope' in this heap or in those around it"],
    ],
    [
      { handler: seen, filters: [seen] },
      ['kind handler.config.filters[0]: must be a Filter, and a StaticResponseHandler is a Handler'],
    ],
    [{ handler: seen, filters: {} }, ['value handler.config.filters: must be an array, not an object']],
  ])('is refused as %j', (config, problems) => {
    expect(problemsOf({ type: 'Chain', config })).toEqual(problems);
  });
});
