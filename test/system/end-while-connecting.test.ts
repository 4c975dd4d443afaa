import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { DataplaneProcess } from '../support/dataplane-process.ts';
import { startFullListener } from '../support/full-listener.ts';
import { watchedDirectory } from '../support/temporary-files.ts';

it('a plane ends when it is told to, also while it tries to reach a controller that is gone', async () => {
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
