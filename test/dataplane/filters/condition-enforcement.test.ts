import { describe, expect, it } from 'vitest';
import { problemsOf, startFiltered } from '../../support/gateways/filtered-gateway.ts';

describe('ConditionEnforcementFilter', () => {
  it.each([
    ["${request.method == 'POST'}", 'POST', 200],
    ["${request.method == 'POST'}", 'GET', 403],
    ['${nosuch}', 'GET', 403],
    ["${request.headers['host'][0]}", 'GET', 403],
    ['${1 / 0 == 1}', 'GET', 403],
    [true, 'GET', 200],
  ])('with %s answers a %s with %i', async (condition, method, status) => {
    const { ask, seen } = await startFiltered([{ type: 'ConditionEnforcementFilter', config: { condition } }]);
    const answer = await ask('/t', { method, ...(method === 'POST' ? { body: 'x' } : {}) });
    expect([answer.status, answer.body]).toEqual([status, '']);
    expect(seen.map(({ body }) => body)).toEqual(status === 200 ? [method === 'POST' ? 'x' : ''] : []);
  });

  it('sends all other requests to the failure handler', async () => {
    const failureHandler = { type: 'StaticResponseHandler', config: { status: 405, entity: 'not ${request.method}' } };
    const config = { condition: "${request.method == 'GET'}", failureHandler };
    const { ask } = await startFiltered([{ type: 'ConditionEnforcementFilter', config }]);
    const answer = await ask('/t', { method: 'PUT', body: 'x' });
    expect([answer.status, answer.body]).toEqual([405, 'not PUT']);
  });

  it.each([
    [{}, ['missing condition: is required']],
    [{ condition: 1 }, ['value condition: must be true, false or an expression, not a number']],
    [{ condition: '${' }, [expect.stringMatching(/^expression condition: /)]],
    [
      { condition: true, failureHandler: { type: 'HeaderFilter', config: { messageType: 'REQUEST' } } },
      [expect.stringMatching(/^kind failureHandler: must be a Handler, and a HeaderFilter is a Filter$/)],
    ],
  ])('refuses %j', (config, problems) => {
    expect(problemsOf('ConditionEnforcementFilter', config)).toEqual(problems);
  });
});
