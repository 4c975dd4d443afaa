import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startFullListener } from '../support/backends/full-listener.ts';
import { DataplaneProcess } from '../support/gateways/dataplane-process.ts';
import { LoggingProcess } from '../support/gateways/logging-process.ts';
import { watchedDirectory } from '../support/state/temporary-files.ts';

it('a data plane stops on a signal, also while it tries to reach a controller', async () => {
  const nobody = await startFullListener();
  onTestFinished(() => nobody.close());
  const token = join(watchedDirectory().path, 'token');
  writeFileSync(token, 'token');
  const plane = await DataplaneProcess.start(['--controller', `127.0.0.1:${nobody.port}`, '--token-file', token]);
  // a connection to that port that has been asked for and not answered
  const asked = new RegExp(`:${nobody.port.toString(16).toUpperCase().padStart(4, '0')} 02 `);
  await vi.waitFor(() => expect(readFileSync('/proc/net/tcp', 'utf8')).toMatch(asked), { timeout: 20_000 });
  expect(await plane.stop()).toBe(0);
});

it('a controller that waits for its API server stops on a signal, also as process 1', async () => {
  const hangsUp = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  onTestFinished(() => void hangsUp.close());
  await once(hangsUp, 'listening');
  const kubeconfig = join(watchedDirectory().path, 'kubeconfig');
  const server = `http://127.0.0.1:${(hangsUp.address() as AddressInfo).port}`;
  const named = {
    name: 'one',
    cluster: { server },
    user: { token: 'token' },
    context: { cluster: 'one', user: 'one' },
  };
  const lists = { clusters: [named], users: [named], contexts: [named], 'current-context': 'one' };
  writeFileSync(kubeconfig, JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...lists }));
  const words = ['controller', '--kubeconfig', kubeconfig, '--listen', '127.0.0.1:0', '--admin', 'off'];
  const controller = new LoggingProcess(words);
  await controller.line(({ msg }) => msg.startsWith('API server not reachable'));
  // the exit code of a program that heard of it: otherwise the name of the signal that ended it would be here
  expect(await controller.stop()).toBe(143);
});
