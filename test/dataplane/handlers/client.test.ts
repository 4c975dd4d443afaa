import { expect, it, onTestFinished } from 'vitest';
import { eachRequest, plainAnswer, ScriptedBackend } from '../../support/backends/scripted-backend.ts';
import { refusalOf } from '../../support/clients/answers.ts';
import { send, serve } from '../../support/gateways/served.ts';

it('returns any response of the service', async () => {
  const service = await ScriptedBackend.start(eachRequest(() => plainAnswer('no', '503 Not Now')));
  onTestFinished(() => service.close());
  const gateway = await serve('ClientHandler');
  expect(await send(gateway, 'GET /', [`Host: 127.0.0.1:${service.port}`])).toMatchObject({ status: 503, body: 'no' });
});

it.each([
  ['a service that does not listen', ['Host: 127.0.0.1:1'], 'backend-connect'],
  ['a service whose name does not resolve', ['Host: no.such.host.invalid'], 'backend-address'],
])('%s is a failure of the chain', async (_case, head, cause) => {
  const gateway = await serve('ClientHandler');
  const answer = await send(gateway, 'GET /', head);
  expect([answer.status, refusalOf(answer)]).toEqual([500, 'internal']);
  expect(answer.body).not.toContain(cause);
  const faults = [...gateway.faults, ...gateway.logged.map((line) => line['err'])].map((fault) =>
    JSON.stringify(fault, ['message']),
  );
  expect(faults.join()).toContain(`the request got no answer: ${cause}`);
});

it('a service that answers too late is a failure of the chain', async () => {
  const service = await ScriptedBackend.start(async (peer) => void (await peer.request()));
  onTestFinished(() => service.close());
  const gateway = await serve({ type: 'ClientHandler', config: { soTimeout: '100 ms' } });
  expect((await send(gateway, 'GET /', [`Host: 127.0.0.1:${service.port}`])).status).toBe(500);
});

it('a forbidden address is still rejected as such', async () => {
  const gateway = await serve('ClientHandler');
  expect((await send(gateway, 'GET /', [`Host: 127.0.0.1:${gateway.port}`])).status).toBe(403);
});

it.each([
  ['a failure', '503 Busy', 'X-Y: 1\r\nX-Y: 2\r\n', ['x-y: 1', 'x-y: 2']],
  [
    'a redirect, which is not followed',
    '302 Found',
    'Location: http://app.test/abs\r\n',
    ['location: http://app.test/abs'],
  ],
  ['cookies', '200 OK', 'Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n', ['set-cookie: a=1', 'set-cookie: b=2']],
])('passes %s on as OpenIG does', async (_case, status, fields, lines) => {
  const service = await ScriptedBackend.start(eachRequest(() => plainAnswer('body', status, fields)));
  onTestFinished(() => service.close());
  const gateway = await serve('ClientHandler');
  const answer = await send(
    gateway,
    'POST /t?x=1',
    [`Host: 127.0.0.1:${service.port}`, 'Content-Type: text/plain'],
    'body',
  );
  expect(answer).toMatchObject({ status: Number(status.slice(0, 3)), body: 'body' });
  for (const line of lines) expect(answer.head.toLowerCase().split('\r\n')).toContain(line);
  expect(service.requests).toMatchObject([{ method: 'POST', target: '/t?x=1', body: 'body' }]);
  expect(service.requests[0]!.headers).toContainEqual(['host', `127.0.0.1:${service.port}`]);
});
