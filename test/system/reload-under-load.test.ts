import { afterEach, describe, expect, it, vi } from 'vitest';
import { EchoBackend } from '../support/backends/echo-backend.ts';
import { ClosedLoopClient } from '../support/clients/closed-loop-client.ts';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../support/gateways/instance-folder.ts';

let folder: InstanceFolder | undefined;
let backend: EchoBackend | undefined;
let gateway: GatewayProcess | undefined;

afterEach(async () => {
  await gateway?.stop();
  await backend?.close();
  folder?.[Symbol.dispose]();
});

const CONNECTIONS = 64;
const EDITS = 200;

/** A route to the backend; `edit` makes it another one, with a pool of its own. */
function route(name: string, edit: number): object {
  const add = { 'X-Edit': [`${edit}`] };
  return {
    condition: `\${find(request.uri.path, '^/${name}/')}`,
    handler: {
      type: 'Chain',
      config: {
        filters: [{ type: 'HeaderFilter', config: { messageType: 'RESPONSE', add } }],
        handler: { type: 'ReverseProxyHandler', baseURI: backend!.url },
      },
    },
  };
}

/** The base, with something in front of the router that changes with every edit. */
function base(edit: number): object {
  const add = { 'X-Base': [`${edit}`] };
  return {
    heap: [{ name: '_router', type: 'Router' }],
    handler: {
      type: 'Chain',
      config: { filters: [{ type: 'HeaderFilter', config: { messageType: 'REQUEST', add } }], handler: '_router' },
    },
  };
}

async function headerOf(path: string, name: string): Promise<string | null> {
  const response = await fetch(`http://127.0.0.1:${gateway!.port}${path}`, { headers: { connection: 'close' } });
  await response.text();
  return response.headers.get(name);
}

describe('a configuration that changes under load', () => {
  it('costs no request: 200 edits, good and bad ones, while 64 connections run', async () => {
    backend = await EchoBackend.start();
    const names = ['a', 'b', 'c', 'd'];
    const files = Object.fromEntries(names.map((name) => [`config/routes/${name}.json`, route(name, 0)]));
    folder = new InstanceFolder({ 'config/config.json': base(0), ...files });
    gateway = await GatewayProcess.run(folder.path, ['--watch', '--units', '2']);
    const clients = await Promise.all(
      Array.from({ length: CONNECTIONS }, (_, i) => ClosedLoopClient.connect(gateway!.port, `${names[i % 4]}/${i}`)),
    );
    const over = Promise.all(clients.map((client) => client.run()));

    for (let edit = 1; edit <= EDITS; edit++) {
      const name = names[edit % 4]!;
      if (edit % 20 === 0) folder.replace('config/config.json', base(edit));
      else if (edit % 10 === 7) folder.replace(`config/routes/${name}.json`, { handler: { type: 'Nonsense' } });
      else folder.replace(`config/routes/${name}.json`, route(name, edit));
      // the next edit waits until this one is live now and then; in between they come as fast as they can be written
      if (edit % 10 !== 3) continue;
      await vi.waitFor(async () => expect(await headerOf(`/${name}/0/1`, 'x-edit')).toBe(`${edit}`), {
        timeout: 10_000,
        interval: 5,
      });
    }

    const isServed = ({ problem, answered }: ClosedLoopClient): boolean => problem !== null || answered >= 10;
    await vi.waitFor(() => expect(clients.every(isServed)).toBe(true));
    for (const client of clients) client.stop();
    await over;
    expect(clients.map(({ problem }) => problem).filter((problem) => problem !== null)).toEqual([]);
  });
});
