import { describe, expect, it } from 'vitest';
import { problemsOf, startFiltered } from '../../support/gateways/filtered-gateway.ts';

const delegate = { type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-Ran': ['yes'] } } };

describe('ConditionalFilter', () => {
  it.each([
    ["${request.method == 'GET'}", ['yes']],
    ["${request.method == 'POST'}", []],
    [true, ['yes']],
    [false, []],
    ['${nosuch}', []],
    ["${request.headers['x-text'][0]}", []],
    ["${request.entity.string == ''}", ['yes']],
  ])('with %s', async (condition, expected) => {
    const { ask, seen } = await startFiltered([{ type: 'ConditionalFilter', config: { condition, delegate } }]);
    const answer = await ask('/t');
    expect(answer.values('x-ran')).toEqual(expected);
    expect(seen).toHaveLength(1);
  });

  it('returns the response of the delegate', async () => {
    const refusing = { type: 'ConditionEnforcementFilter', config: { condition: false } };
    const config = { condition: "${request.method == 'DELETE'}", delegate: refusing };
    const { ask } = await startFiltered([{ type: 'ConditionalFilter', config }]);
    expect((await ask('/t')).status).toBe(200);
    expect((await ask('/t', { method: 'DELETE' })).status).toBe(403);
  });

  it.each([
    [{ delegate }, ['missing condition: is required']],
    [{ condition: true }, ['missing delegate: is required']],
    [{ condition: '${request.method}', delegate }, ['expression condition: is always a text, never true or false']],
    [{ condition: 'maybe', delegate }, ["value condition: must be true, false or an expression, not 'maybe'"]],
    [
      { condition: true, delegate: 'None' },
      ["reference delegate: there is no object 'None' in this heap or in those around it"],
    ],
    [
      { condition: true, delegate: { type: 'StaticResponseHandler', config: { status: 200 } } },
      [expect.stringMatching(/^kind delegate: must be a Filter, and a StaticResponseHandler is a Handler$/)],
    ],
  ])('refuses %j', (config, problems) => {
    expect(problemsOf('ConditionalFilter', config)).toEqual(problems);
  });
});
