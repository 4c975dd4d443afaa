import { expect, it, onTestFinished } from 'vitest';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { eachRequest, plainAnswer, ScriptedBackend } from '../../support/backends/scripted-backend.ts';
import { problemsOf, send, serve } from '../../support/gateways/served.ts';

const answering = (status: number, entity: string): JsonValue => ({
  type: 'StaticResponseHandler',
  config: { status, entity },
});
const sequence = (...bindings: JsonValue[]): JsonValue => ({ type: 'SequenceHandler', config: { bindings } });
const one = answering(200, 'one');
const two = answering(201, 'two');

it.each([
  [
    'goes on when the postcondition is true',
    sequence({ handler: one, postcondition: '${response.status.code==200}' }, { handler: two }),
    201,
    'two',
  ],
  [
    'stops when it is false',
    sequence({ handler: one, postcondition: '${response.status.code==500}' }, { handler: two }),
    200,
    'one',
  ],
  [
    'stops when it is null',
    sequence({ handler: one, postcondition: '${attributes.nothing}' }, { handler: two }),
    200,
    'one',
  ],
  ['goes on without one', sequence({ handler: one }, { handler: two }), 201, 'two'],
  ['needs no second handler', sequence({ handler: one, postcondition: '${true}' }), 200, 'one'],
  [
    'reads the response before a postcondition asks for it',
    sequence({ handler: one, postcondition: "${response.entity.string=='one'}" }, { handler: two }),
    201,
    'two',
  ],
  [
    'goes through all',
    sequence(
      { handler: one },
      { handler: one, postcondition: '${response.status.code==200}' },
      { handler: two },
      { handler: answering(202, 'three') },
    ),
    202,
    'three',
  ],
])('%s', async (_case, handler, status, body) => {
  expect(await send(await serve(handler), 'GET /')).toMatchObject({ status, body });
});

it('sends one request to a backend several times, with its body and headers', async () => {
  const backend = await ScriptedBackend.start(eachRequest(({ body }) => plainAnswer(`got ${body}`)));
  onTestFinished(() => backend.close());
  const proxy = { handler: 'ReverseProxyHandler', postcondition: "${contains(response.entity.string, 'got')}" };
  const gateway = await serve(sequence(proxy, { handler: 'ReverseProxyHandler' }, proxy));
  const answer = await send(gateway, 'POST /path', [`Host: 127.0.0.1:${backend.port}`, 'X-Kept: yes'], 'content');
  expect(answer).toMatchObject({ status: 200, body: 'got content' });
  expect(backend.requests).toHaveLength(3);
  for (const { method, target, headers, body } of backend.requests) {
    expect([method, target, body]).toEqual(['POST', '/path', 'content']);
    expect(headers).toContainEqual(['x-kept', 'yes']);
  }
});

it('leaves no connection to a backend busy whose answer is not wanted', async () => {
  const backend = await ScriptedBackend.start(
    eachRequest(() => 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nhalf'),
  );
  onTestFinished(() => backend.close());
  const gateway = await serve(sequence({ handler: 'ReverseProxyHandler' }, { handler: two }));
  const answer = await send(gateway, 'GET /', [`Host: 127.0.0.1:${backend.port}`]);
  expect(answer).toMatchObject({ status: 201, body: 'two' });
  await backend.peers[0]!.untilClosed();
});

it.each([
  [{}, ['missing handler.config.bindings: is required']],
  [{ bindings: [] }, ['value handler.config.bindings: must have at least 1 entry']],
  [
    { bindings: [{ handler: one, postcondition: 'x' }] },
    ["value handler.config.bindings[0].postcondition: must be true, false or an expression, not 'x'"],
  ],
  [{ bindings: [{ postcondition: '${true}' }] }, ['missing handler.config.bindings[0].handler: is required']],
])('%j is refused', (config, problems) => {
  expect(problemsOf({ type: 'SequenceHandler', config })).toEqual(problems);
});
