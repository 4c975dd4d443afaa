import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { InstanceFolder } from '../support/gateways/instance-folder.ts';
import { gatewarden } from '../support/programs/run-program.ts';

const nowhere = { cwd: '/', env: { PATH: process.env['PATH'] ?? '' } };
/** Nobody's number: no file of the system names it, so that it has neither a name nor a home. */
const nobody = { ...nowhere, uid: 123_456, gid: 123_456 };
/** Only root can be somebody else, and only where others may read the program. */
const isNobody = process.getuid?.() === 0 && spawnSync(gatewarden, ['--version'], nobody).status === 0;
const user = isNobody ? nobody : nowhere;

/** Starts a command as this user. @returns what it says until a line has this text, or it ends */
async function said(words: readonly string[], text: string): Promise<string> {
  const child = spawn(gatewarden, words, { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  let heard = '';
  for await (const line of createInterface(child.stderr)) {
    heard += `${line}\n`;
    if (line.includes(text)) break;
  }
  return heard;
}

it('serves a read-only instance, and reports that no process id file is written', async () => {
  const handler = { type: 'StaticResponseHandler', config: { status: 200 } };
  const folder = new InstanceFolder({ 'config/config.json': { handler } });
  onTestFinished(() => folder[Symbol.dispose]());
  spawnSync('chmod', ['-R', 'a+rX', folder.path]);
  const words = ['run', folder.path, '--host', '127.0.0.1', '--port', '0', '--admin', 'off', '--units', '1'];
  const heard = await said(words, '"listening"');
  expect(heard).toContain('"msg":"listening"');
  expect(heard.includes('the process id cannot be written to')).toBe(isNobody);
});

it.each<[string, string[], string]>([
  [
    'waits as a plane',
    ['dataplane', '--controller', '127.0.0.1:1', '--admin', '127.0.0.1:0'],
    'waiting for the configuration from a controller',
  ],
  ['looks for a cluster as a controller', ['controller', '--admin', 'off'], 'kubeconfig'],
  ['needs to be told a directory', ['run'], 'name a directory: '],
])('%s', async (_, words, text) => {
  expect(await said(words, text)).toContain(text);
});
