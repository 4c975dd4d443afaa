import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../support/gateways/instance-folder.ts';
import { gatewarden } from '../support/programs/run-program.ts';

const answering = (entity: string, more: object = {}): object => ({
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity, ...more } },
});
const base = { handler: { type: 'Router', config: { scanInterval: '100 ms' } } };
const unknownFields = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`unknown${index}`, index]));

let gateway: GatewayProcess | undefined;
let folder: InstanceFolder;

afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  folder[Symbol.dispose]();
});

async function answer(): Promise<string> {
  return (await fetch(`http://127.0.0.1:${gateway!.port}/`, { headers: { connection: 'close' } })).text();
}

describe('a report does not end the gateway', () => {
  it('of a document with nine million characters, neither at the start nor later', async () => {
    const large = { ...answering('ok'), comment: 'x'.repeat(9_000_000), unknown: 1 };
    folder = new InstanceFolder({ 'config/config.json': base, 'config/routes/a.json': large });
    gateway = await GatewayProcess.run(folder.path);
    expect(await answer()).toBe('ok');
    folder.replace('config/routes/a.json', { ...large, ...answering('changed'), other: 2 });
    await vi.waitFor(async () => expect(await answer()).toBe('changed'), { timeout: 30_000 });
    expect(await gateway.admin('/health/live')).toMatchObject({ status: 200 });
  });

  it('of twenty thousand problems, of which it prints a hundred', async () => {
    folder = new InstanceFolder({ 'config/config.json': base, 'config/routes/a.json': answering('ok') });
    gateway = await GatewayProcess.run(folder.path);
    folder.replace('config/routes/a.json', answering('changed', unknownFields));
    const told = (): string =>
      JSON.stringify(gateway!.said.filter(({ problems }) => problems !== undefined).map(({ text }) => text));
    await vi.waitFor(() => expect(told()).toContain('… and 19900 more problems'), { timeout: 30_000 });
    expect(await gateway.admin('/health/live')).toMatchObject({ status: 200 });
    expect(await answer()).toBe('ok');
  });

  it('to a closed standard error', async () => {
    folder = new InstanceFolder({ 'config/config.json': base, 'config/routes/a.json': answering('ok') });
    gateway = await GatewayProcess.run(folder.path);
    gateway.closeStderr();
    folder.replace('config/routes/a.json', { ...answering('changed'), unknown: 1 });
    await vi.waitFor(async () => expect(await answer()).toBe('changed'), { timeout: 30_000 });
    expect(await gateway.admin('/health/live')).toMatchObject({ status: 200 });
  });

  it('to a disk that is full', async () => {
    folder = new InstanceFolder({
      'config/config.json': base,
      'config/routes/a.json': { ...answering('ok'), unknown: 1 },
    });
    const full = openSync('/dev/full', 'w');
    const words = ['--host', '127.0.0.1', '--port', '0', '--admin', '127.0.0.1:0', '--units', '1'];
    const child = spawn(gatewarden, ['run', folder.path, ...words, '--access-log', 'off'], {
      stdio: ['ignore', 'pipe', full],
    });
    closeSync(full);
    const ended = once(child, 'close');
    let port: string | undefined;
    for await (const line of createInterface(child.stdout!)) {
      port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (port !== undefined) break;
    }
    expect(await (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })).text()).toBe('ok');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});
