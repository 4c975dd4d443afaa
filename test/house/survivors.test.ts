import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { endSurvivors } from '../survivors.ts';

it('a process that outlives the tests is named and ended', async () => {
  const env = { ...process.env, GATEWARDEN_SURVIVOR: 'yes' };
  const child = spawn(process.execPath, ['-e', 'console.log("up"); setInterval(() => {}, 1000)'], { env });
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');

  const survivors = await endSurvivors('GATEWARDEN_SURVIVOR=yes', 0);

  expect(survivors).toEqual([expect.stringMatching(new RegExp(`^process ${child.pid}: .*setInterval`))]);
  expect(await exited).toEqual([null, 'SIGKILL']);
});

it('a process without the marker is not ended', async () => {
  expect(await endSurvivors('GATEWARDEN_SURVIVOR=no', 0)).toEqual([]);
});
