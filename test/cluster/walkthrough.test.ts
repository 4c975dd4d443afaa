import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ownCluster } from '../support/cluster.ts';
import { copyOfExamples } from '../support/example-copy.ts';
import { followPage } from '../support/followed-page.ts';
import { Terminal } from '../support/terminal.ts';

describe('in a cluster', { timeout: 300_000 }, () => {
  it('the page of the example shows what happens', async () => {
    const { env, run } = await reachableCluster();
    await followPage(await copyOfExamples(), 'cluster/README.md', env);
    await expect(run(['get', 'routes.gatewarden.io', '-n', 'shop'])).rejects.toThrow();
  });

  it('the short form in the README works', async () => {
    const { env, run } = await reachableCluster();
    const root = await copyOfExamples();
    const all = { ...process.env, ...env, CURL_HOME: root, PWD: root, KUBE_EDITOR: 'sed -i s/Hello/Good-day/' };
    const own = openTerminal(root, all);
    const printed = new Map<string, string>();
    for (const command of shortForm(readFileSync(`${root}/README.md`, 'utf8'))) {
      if (command.endsWith(' &')) openTerminal(`${root}/examples/cluster`, all).type(command.slice(0, -2));
      else printed.set(command, await own.run(command));
      const code = command.endsWith(' &') ? '0' : (await own.run('echo $?')).trim();
      expect(code, `${command}\n${printed.get(command)}`).toBe('0');
    }
    const shown = [...printed.values()].join('\n');
    expect(shown).toContain('Hello from the cluster.');
    expect(shown).toMatch(/^hello +True +1\/1 /m);
    expect(shown).toMatch(/^\S+ +edge +current /m);
    const route = await run(['get', 'routes.gatewarden.io/hello', '-n', 'shop', '-o', 'yaml']);
    expect(route).toContain('Good-day from the cluster.');
  });
});

async function reachableCluster() {
  const { kubeconfig, kubectl, run } = await ownCluster();
  return { run, env: { KUBECONFIG: kubeconfig, PATH: `${dirname(kubectl)}:${process.env['PATH'] ?? ''}` } };
}

function openTerminal(folder: string, env: NodeJS.ProcessEnv): Terminal {
  const terminal = new Terminal(folder, env);
  onTestFinished(() => terminal.close());
  return terminal;
}

/** The commands of the section about clusters, without what is said of them. */
function shortForm(page: string): string[] {
  const section = page.slice(page.indexOf('\n## In a cluster\n'));
  const [, block = ''] = /^```\n([\s\S]*?)^```$/m.exec(section) ?? [];
  return [...block.matchAll(/^\$ (.*?)(?: +# .*)?$/gm)].map((match) => match[1]!);
}
