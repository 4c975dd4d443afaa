import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { startConfigured } from '../../support/gateways/configured-gateway.ts';
import { problemsOf, startFiltered } from '../../support/gateways/filtered-gateway.ts';

const telling = (entity: string): JsonValue => ({ type: 'StaticResponseHandler', config: { status: 200, entity } });
const assigning = (config: JsonValue): JsonValue => ({ type: 'AssignmentFilter', config });

describe('AssignmentFilter', () => {
  it('assigns in order, under conditions, on request and response', async () => {
    const filter = assigning({
      onRequest: [
        { target: '${attributes.u}', value: '${request.method}-v' },
        { condition: '${false}', target: '${attributes.w}', value: 'no' },
        { condition: '${nosuch}', target: '${attributes.w}', value: 'no' },
        { target: "${request.headers['X-In']}", value: 'single' },
        { target: '${attributes.copy}', value: '${attributes.u}!' },
      ],
      onResponse: [{ target: "${response.headers['X-R']}", value: 'rr' }],
    });
    const entity = "a=${attributes.u} w=${attributes.w} h=${request.headers['X-In'][0]} c=${attributes.copy}";
    const { ask } = await startFiltered([filter], telling(entity));
    const answer = await ask('/t');
    expect(answer.body).toBe('a=GET-v w= h=single c=GET-v!');
    expect(answer.values('x-r')).toEqual(['rr']);
  });

  it.each([
    [{ target: '${attributes.a}', value: 7 }, '${attributes.a + 1}', '8'],
    [{ target: '${attributes.a}', value: true }, '${attributes.a}', 'true'],
    [{ target: '${attributes.a}', value: '${request.headers}' }, "${attributes.a['x-in'][0]}", 'orig'],
    [{ target: "${request.headers['X-In']}" }, "${empty request.headers['X-In']}", 'true'],
    [{ target: "${request.headers['X-In']}", value: null }, "${empty request.headers['X-In']}", 'true'],
    [{ target: '${request.uri.path}', value: '/new' }, '${request.uri.path}', '/new'],
    [{ target: '${request.method}', value: 'PUT' }, '${request.method}', 'PUT'],
  ])('%j makes %s return %s', async (assignment, entity, said) => {
    const { ask } = await startFiltered([assigning({ onRequest: [assignment] })], telling(`<${entity}>`));
    expect((await ask('/t', { headers: ['X-In: orig'] })).body).toBe(`<${said}>`);
  });

  it('changes the request to the backend and the response to the client', async () => {
    const { ask, seen } = await startFiltered([
      assigning({
        onRequest: [{ target: '${request.uri.path}', value: '/moved' }],
        onResponse: [
          { target: "${response.headers['X-Old']}" },
          { target: "${response.headers['X-Length']}", value: "${response.headers['X-Old'][0]}" },
          { target: "${response.headers['X-Status']}", value: '${response.status.code}${request.uri.path}' },
        ],
      }),
    ]);
    const answer = await ask('/t?h.x-old=1&status=201&entity=e');
    expect(seen[0]!.url).toBe('/moved?h.x-old=1&status=201&entity=e');
    expect([answer.values('x-old'), answer.values('x-length'), answer.values('x-status')]).toEqual([
      [],
      [],
      ['201/moved'],
    ]);
    expect(answer.body).toBe('e');
  });

  it('answers 500 for a value that is not valid for its target', async () => {
    const { ask, seen, logged } = await startFiltered([
      assigning({ onRequest: [{ target: "${request.headers['X-User']}", value: "${request.queryParams['u'][0]}" }] }),
    ]);
    expect((await ask('/t?u=a%0ab', { headers: ['X-User: forged'] })).status).toBe(500);
    expect(seen).toEqual([]);
    expect(JSON.stringify(logged)).toContain("cannot assign to ${request.headers['X-User']}: ");
  });

  it('reports a read-only target', async () => {
    const { ask, logged } = await startFiltered([
      assigning({ onRequest: [{ target: '${request.version}', value: 'x' }] }),
    ]);
    expect((await ask('/t')).status).toBe(200);
    expect(logged.filter(({ target }) => target === '${request.version}')).toMatchObject([
      { level: 40, msg: 'assignment target is read-only; assignments to it have no effect' },
    ]);
  });

  it.each([
    [{ onRequest: [{ value: 'x' }] }, ['missing onRequest[0].target: is required']],
    [
      { onRequest: [{ target: 'attributes.a', value: 'x' }] },
      [expect.stringMatching(/^expression onRequest\[0\]\.target: /)],
    ],
    [
      { onResponse: [{ target: "${'a'}", value: 'x' }] },
      [expect.stringMatching(/^expression onResponse\[0\]\.target: /)],
    ],
    [
      { onRequest: [{ target: '${attributes.a}', value: { b: '${request.method}' } }] },
      [
        'value onRequest[0].value: must be a text, a number, true, false or null: an object can only be the value of an expression',
      ],
    ],
    [{ onRequest: [{ target: '${session}', value: 'q' }] }, [expect.stringMatching(/^\S+ onRequest\[0\]\.target: /)]],
  ])('refuses %j', (config, problems) => {
    expect(problemsOf('AssignmentFilter', config)).toEqual(problems);
  });
});

describe('assignments cannot change', () => {
  it.each(['${request}', '${request.headers}', '${request.entity}', '${contexts}', '${attributes.bytes}'])(
    'the JSON view of %s',
    async (value) => {
      const bytes = { target: '${attributes.bytes}', value: "${digestSha256('a')}" };
      const { ask, seen } = await startFiltered([
        assigning({ onRequest: [bytes, { target: '${request.entity.json}', value }] }),
      ]);
      expect((await ask('/')).status).toBe(500);
      expect(seen).toEqual([]);
    },
  );

  it('values into texts far larger than their sources', async () => {
    const double = [...Array(30).keys()].flatMap((i) => [
      { target: `\${attributes.m${i + 1}}`, value: "${toJson('{}')}" },
      { target: `\${attributes.m${i + 1}.a}`, value: `\${attributes.m${i}}` },
      { target: `\${attributes.m${i + 1}.b}`, value: `\${attributes.m${i}}` },
    ]);
    const onRequest = [{ target: '${attributes.m0}', value: 'x' }, ...double];
    const { ask } = await startFiltered([
      assigning({ onRequest: [...onRequest, { target: '${request.entity.json}', value: '${attributes.m30}' }] }),
    ]);
    expect((await ask('/')).status).toBe(500);
  });

  const allowed = { type: 'AllowOnlyFilter', config: { rules: [{ from: [{ ip: { list: ['10.0.0.0/8'] } }] }] } };
  it.each([
    [[{ target: '${contexts.client.remoteAddress}', value: '10.0.0.1' }], 403],
    [[{ target: "${contexts['client']['remoteAddress']}", value: '10.0.0.1' }], 403],
    [
      [
        { target: '${attributes.c}', value: '${contexts.client}' },
        { target: '${attributes.c.remoteAddress}', value: '10.0.0.1' },
      ],
      500,
    ],
    [
      [
        { target: '${attributes.n}', value: 'client' },
        { target: '${contexts[attributes.n].remoteAddress}', value: '10.0.0.1' },
      ],
      500,
    ],
  ])('the address of the client: %j', async (onRequest, status) => {
    const { ask } = await startFiltered([assigning({ onRequest }), allowed]);
    expect((await ask('/')).status).toBe(status);
  });

  it('properties, which are shared by all requests', async () => {
    const filter = assigning({
      onRequest: [
        { target: '${attributes.roles}', value: '${roles}' },
        { target: '${attributes.roles.admin}', value: "${request.headers['X-User'][0]}" },
      ],
    });
    const gateway = await startConfigured({
      properties: { roles: { admin: 'root' } },
      handler: { type: 'Chain', config: { filters: [filter], handler: telling('${roles.admin}') } },
    });
    onTestFinished(() => gateway.close());
    const answer = await fetch(gateway.url, { headers: { 'X-User': 'eve' } });
    expect(answer.status).toBe(500);
  });

  it.each([
    ['${request.method}', 'CONNECT'],
    ['${request.uri.rawPath}', '*'],
    ['${request.uri.path}', '/a/../b'],
  ])('%s cannot be %s', async (target, value) => {
    const { ask, seen } = await startFiltered([assigning({ onRequest: [{ target, value }] })]);
    expect((await ask('/')).status).toBe(500);
    expect(seen).toEqual([]);
  });
});
