import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import { EchoBackend } from '../../../support/backends/echo-backend.ts';
import { startFiltered } from '../../../support/gateways/filtered-gateway.ts';

const script = (source: JsonValue): JsonObject => ({
  type: 'ScriptableFilter',
  config: { type: 'text/javascript', source },
});
const POST = { method: 'POST', body: 'content' };
const WAITING = { timeout: 20_000, interval: 10 };

/** A backend that answers when the test says so, behind a handler with one connection. */
async function holding(): Promise<{ held: ServerResponse[]; handler: JsonObject }> {
  const held: ServerResponse[] = [];
  const backend = await EchoBackend.start({ host: '127.0.0.1' }, (_, response) => void held.push(response));
  onTestFinished(() => backend.close());
  return { held, handler: { type: 'ReverseProxyHandler', baseURI: backend.url, config: { connections: 1 } } };
}

/** A gateway whose one connection to the backend is taken, and a script that reads content behind its own back. */
async function occupied() {
  const { held, handler } = await holding();
  const gateway = await startFiltered(
    [
      script([
        "if (request.uri.path !== '/taken') return next()",
        'const passed = next()',
        "logger.info('passed on')",
        'await request.entity.text()',
        "logger.info('taken')",
        'return passed',
      ]),
    ],
    handler,
  );
  const first = gateway.ask('/first');
  await vi.waitFor(() => expect(held).toHaveLength(1), WAITING);
  const said = (line: string): Promise<void> =>
    vi.waitFor(() => expect(gateway.logged.map(({ msg }) => msg)).toContain(line), WAITING);
  return { ...gateway, held, first, said };
}

it('sends content that the script has read while the request waited for a connection', async () => {
  const { ask, held, first, said } = await occupied();
  const taken = ask('/taken', POST);
  await said('taken');
  held[0]!.end('first');
  expect(await first).toMatchObject({ status: 200, body: 'first' });
  await vi.waitFor(() => expect(held).toHaveLength(2), WAITING);
  held[1]!.end(await text(held[1]!.req));
  expect(await taken).toMatchObject({ status: 200, body: 'content' });
});

it('answers 500 if the script still reads the content when there is a connection', async () => {
  const { ask, port, held, first, said } = await occupied();
  const client = connect(port, '127.0.0.1');
  onTestFinished(() => void client.destroy());
  client.write('POST /taken HTTP/1.1\r\nHost: gw.test\r\nContent-Length: 20\r\n\r\npart of it');
  await said('passed on');
  held[0]!.end('first');
  expect(await first).toMatchObject({ status: 200, body: 'first' });
  client.write(' and more.');
  const [answer] = (await once(client, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 500 /);
  const last = ask('/last');
  await vi.waitFor(() => expect(held).toHaveLength(2), WAITING);
  held[1]!.end('last');
  expect(await last).toMatchObject({ status: 200, body: 'last' });
});

it('ends the request that a script passed on, if the script answers before the backend', async () => {
  const { held, handler } = await holding();
  const { ask } = await startFiltered(
    [script(['next()', "await http.send('http://app.test/')", 'return new Response(204)'])],
    handler,
  );
  expect((await ask('/')).status).toBe(204);
  await vi.waitFor(() => expect(held[0]?.destroyed).toBe(true), WAITING);
  expect(held[0]!.writableFinished).toBe(false);
});

it('ends a response that the script does not return', async () => {
  const { held, handler } = await holding();
  const { ask } = await startFiltered(
    [script(["if (request.uri.path === '/b') return next()", 'await next()', 'return new Response(204)'])],
    handler,
  );
  const unwanted = ask('/a');
  await vi.waitFor(() => expect(held).toHaveLength(1), WAITING);
  held[0]!.write('part of it');
  expect((await unwanted).status).toBe(204);
  const wanted = ask('/b');
  await vi.waitFor(() => expect(held).toHaveLength(2), WAITING);
  held[1]!.end('whole');
  expect(await wanted).toMatchObject({ status: 200, body: 'whole' });
});
