import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { problemsOf, startFiltered } from '../../support/gateways/filtered-gateway.ts';

const answering = (status: number, entity: string) => ({ type: 'StaticResponseHandler', config: { status, entity } });
const both: JsonObject = {
  onRequest: [
    { condition: "${request.method == 'POST'}", handler: answering(403, 'diverted req') },
    { condition: "${request.method != 'GET'}", handler: answering(405, 'second') },
  ],
  onResponse: [
    { condition: '${response.status.code == 503}', handler: answering(200, 'diverted resp ${response.status.code}') },
    { condition: "${response.entity.string == 'secret'}", handler: answering(404, 'nothing') },
  ],
};

describe('SwitchFilter', () => {
  it.each([
    [both, 'POST', '/t', 403, 'diverted req', 0],
    [both, 'PUT', '/t', 405, 'second', 0],
    [both, 'GET', '/t?status=503&entity=gone', 200, 'diverted resp ', 1],
    [both, 'GET', '/t?entity=secret', 404, 'nothing', 1],
    [both, 'GET', '/t?entity=plain&status=201', 201, 'plain', 1],
    [{ onRequest: [{ handler: answering(200, 'no condition') }] }, 'GET', '/t', 200, 'no condition', 0],
    [{ onRequest: [{ condition: '${nosuch}', handler: answering(200, 'x') }] }, 'GET', '/t?entity=on', 200, 'on', 1],
    [{ onResponse: [{ condition: '${nosuch}', handler: answering(200, 'x') }] }, 'GET', '/t?entity=on', 200, 'on', 1],
    [{}, 'GET', '/t?entity=on', 200, 'on', 1],
  ])('%j: %s %s is answered with %i %s', async (config, method, target, status, body, reached) => {
    const { ask, seen } = await startFiltered([{ type: 'SwitchFilter', config }]);
    const answer = await ask(target, { method, ...(method === 'GET' ? {} : { body: 'x' }) });
    expect([answer.status, answer.body]).toEqual([status, body]);
    expect(seen).toHaveLength(reached);
  });

  it('does not apply onResponse to the response of an onRequest case', async () => {
    const config = {
      onRequest: [{ handler: answering(503, 'first') }],
      onResponse: [{ handler: answering(200, 'second') }],
    };
    const { ask } = await startFiltered([{ type: 'SwitchFilter', config }]);
    expect((await ask('/t')).body).toBe('first');
  });

  it('calls the backend again if a response is diverted to it', async () => {
    const config = {
      onResponse: [
        {
          condition: "${response.headers['X-Again'][0] == 'yes'}",
          handler: { type: 'ReverseProxyHandler', baseURI: 'http://app.test' },
        },
      ],
    };
    const { ask, seen } = await startFiltered([{ type: 'SwitchFilter', config }]);
    expect((await ask('/t?h.x-again=yes&entity=long')).body).toBe('long');
    expect(seen).toHaveLength(2);
    const post = await ask('/t?h.x-again=yes&entity=long', { method: 'POST', body: 'content' });
    expect([post.status, seen.length]).toEqual([500, 3]);
  });

  it.each([
    [{ onRequest: [{}] }, ['missing onRequest[0].handler: is required']],
    [{ onResponse: {} }, ['value onResponse: must be an array, not an object']],
    [
      { onResponse: [{ condition: 3, handler: answering(200, 'x') }] },
      ['value onResponse[0].condition: must be true, false or an expression, not a number'],
    ],
    [
      { onRequest: [{ when: true, handler: answering(200, 'x') }] },
      ["unknown-field onRequest[0].when: there is no field 'when' here"],
    ],
  ])('refuses %j', (config, problems) => {
    expect(problemsOf('SwitchFilter', config)).toEqual(problems);
  });
});
