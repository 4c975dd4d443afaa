import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { repositoryRoot } from '../house/source-file.ts';

const script = `import('${repositoryRoot}/test/support/cluster/cluster-programs.ts').then(async (m) => console.log(await m.whyNoCluster()))`;

/** Why there would be no API server on a machine with this environment. */
async function why(env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { env });
  return stdout.trim();
}

it('a machine without Go gets the reason for skipped tests, unless it has the programs', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'gatewarden-no-go-'));
  onTestFinished(() => rmSync(empty, { recursive: true }));
  const bare = { PATH: empty, XDG_CACHE_HOME: empty, HOME: empty };
  expect(await why(bare)).toContain('need Go to build helm and an API server');
  writeFileSync(join(empty, 'helm'), '');
  expect(await why({ ...bare, KUBEBUILDER_ASSETS: empty })).toBe('null');
});
