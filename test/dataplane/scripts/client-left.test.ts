import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { EchoBackend } from '../../support/backends/echo-backend.ts';
import { startFiltered } from '../../support/gateways/filtered-gateway.ts';

/** Waits for its backend as long as a script may. */
const clientHandler = { type: 'ClientHandler', config: { soTimeout: '5 minutes' } };

/** Takes 20 MB, and waits for a backend. */
const source = (backend: string): string[] => [
  'def kept = new byte[2400000]',
  "if (request.uri.path == '/now') return new Response(Status.OK)",
  `http.send(new Request().setMethod('GET').setUri('${backend}')).get()`,
  'new Response(Status.ACCEPTED)',
];

it('frees the memory of runs whose clients have left', async () => {
  const held: ServerResponse[] = [];
  const backend = await EchoBackend.start({ host: '127.0.0.1' }, (_, response) => void held.push(response));
  onTestFinished(() => backend.close());
  const { ask, port, counted } = await startFiltered([
    { type: 'ScriptableFilter', config: { type: 'application/x-groovy', source: source(backend.url), clientHandler } },
  ]);
  let isAnswered = false;
  const staying = ask('/').finally(() => {
    isAnswered = true;
  });
  await vi.waitFor(() => expect(held).toHaveLength(1), { timeout: 20_000, interval: 10 });
  for (let run = 2; run <= 6; run++) {
    const client = connect(port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: gw.test\r\n\r\n');
    await vi.waitFor(() => expect(held).toHaveLength(run), { timeout: 20_000, interval: 10 });
    client.destroy();
    await once(client, 'close');
  }
  // Each turn takes 40 MB at once: while the runs wait, there is no room for both.
  const together = async (): Promise<number[]> =>
    (await Promise.all([ask('/now'), ask('/now')])).map(({ status }) => status);
  await vi.waitFor(async () => expect(await together()).toEqual([200, 200]), { timeout: 20_000, interval: 200 });
  // The first of all runs still waits: none of them has waited as long as it may.
  expect(isAnswered).toBe(false);
  held[0]!.end();
  await staying;
  const timeouts = counted.filter(
    ({ metric, labels }) => metric === 'gw_script_exceeded_total' && labels['limit'] === 'timeout',
  );
  expect(timeouts).toEqual([]);
});
