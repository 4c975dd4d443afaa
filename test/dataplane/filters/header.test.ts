import { describe, expect, it } from 'vitest';
import { problemsOf, type SeenRequest, startFiltered } from '../../support/gateways/filtered-gateway.ts';

function valuesOf({ headers }: SeenRequest, name: string): string[] {
  return headers.filter(([field]) => field === name).map(([, value]) => value);
}

const header = (config: Record<string, unknown>) => ({
  type: 'HeaderFilter',
  config: JSON.parse(JSON.stringify(config)),
});

describe('HeaderFilter', () => {
  it('removes and adds on the request: values that are null are left out, and there is one Host', async () => {
    const { ask, seen } = await startFiltered([
      header({
        messageType: 'REQUEST',
        remove: ['x-del'],
        add: { 'X-In': ['${request.method}', 'b'], 'X-Null': ['${nosuch}'], host: ['h.example'] },
      }),
    ]);
    expect((await ask('/t', { headers: ['X-Del: 1', 'X-In: orig'] })).status).toBe(200);
    const [request] = seen;
    expect(valuesOf(request!, 'x-in')).toEqual(['orig', 'GET', 'b']);
    expect(valuesOf(request!, 'host')).toEqual(['h.example']);
    expect(valuesOf(request!, 'x-del')).toEqual([]);
    expect(valuesOf(request!, 'x-null')).toEqual([]);
  });

  it('replaces a header that is both removed and added, also with its old value', async () => {
    const { ask, seen } = await startFiltered([
      header({
        messageType: 'request',
        remove: ['X-In', 'x-old'],
        add: { 'X-In': ['new'], 'X-Copy': ["${request.headers['X-Old'][0]}"] },
      }),
    ]);
    await ask('/t', { headers: ['X-In: orig', 'X-In: orig2', 'X-Old: kept'] });
    expect(valuesOf(seen[0]!, 'x-in')).toEqual(['new']);
    expect(valuesOf(seen[0]!, 'x-copy')).toEqual(['kept']);
    expect(valuesOf(seen[0]!, 'x-old')).toEqual([]);
  });

  it('changes the response and not the request', async () => {
    const { ask, seen } = await startFiltered([
      header({
        messageType: 'RESPONSE',
        remove: ['Server'],
        add: { 'X-Status': ['${response.status.code}-${request.method}'], 'X-Null': ["${response.headers['No'][0]}"] },
      }),
    ]);
    const answer = await ask('/t?h.server=secret&h.x-status=first&status=203', { headers: ['Server: client'] });
    expect(answer.status).toBe(203);
    expect(answer.values('server')).toEqual([]);
    expect(answer.values('x-status')).toEqual(['first', '203-GET']);
    expect(answer.values('x-null')).toEqual([]);
    expect(valuesOf(seen[0]!, 'server')).toEqual(['client']);
  });

  it('answers 500 instead of writing a value that is not allowed in a header', async () => {
    const { ask, seen } = await startFiltered([
      header({ messageType: 'REQUEST', add: { 'X-In': ["${request.queryParams['v'][0]}"] } }),
    ]);
    expect((await ask('/t?v=a%0d%0aX-Evil:%201')).status).toBe(500);
    expect(seen).toEqual([]);
  });

  it.each([
    [{}, [expect.stringMatching(/^(?:missing|value) messageType: /)]],
    [{ messageType: 'BOTH' }, ["value messageType: must be one of REQUEST, RESPONSE, not 'BOTH'"]],
    [{ messageType: 'REQUEST', add: { 'X-In': 'a' } }, ['value add.X-In: must be an array, not a string']],
    [{ messageType: 'REQUEST', remove: ['a b'] }, ["value remove[0]: 'a b' is not the name of a header"]],
    [{ messageType: 'REQUEST', add: { 'a b': ['1'] } }, [`value add["a b"]: 'a b' is not the name of a header`]],
    [{ messageType: 'REQUEST', add: { '': ['1'] } }, ['value add[""]: the name of a header must not be empty']],
    [
      { messageType: 'REQUEST', remove: ['Transfer-Encoding'], add: { Connection: ['close'] } },
      [
        "value remove[0]: 'Transfer-Encoding' cannot be changed: the gateway sets it for each connection",
        "value add.Connection: 'Connection' cannot be changed: the gateway sets it for each connection",
      ],
    ],
    [{ messageType: 'REQUEST', headers: {} }, ["unknown-field headers: there is no field 'headers' here"]],
  ])('refuses %j', (config, problems) => {
    expect(problemsOf('HeaderFilter', config)).toEqual(problems);
  });
});
