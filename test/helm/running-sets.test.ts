import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { repositoryRoot } from '../house/source-file.ts';
import { ApiServer } from '../support/cluster/api-server.ts';
import { chart, valueSet, valueSets } from '../support/cluster/chart.ts';
import { clusterAt } from '../support/cluster/cluster.ts';
import { InstalledRelease, type ReleasedController } from '../support/gateways/installed-release.ts';
import type { LoggingProcess } from '../support/gateways/logging-process.ts';

const patience = { timeout: 60_000, interval: 100 };
let server: ApiServer | null = null;

beforeAll(async () => {
  server = await ApiServer.start();
  const { run } = clusterAt(server.access);
  for (const name of ['gatewarden', 'shop', 'bank', 'vault']) await run(['create', 'namespace', name]);
  await run(['apply', '--server-side', '-f', `${repositoryRoot}/test/helm/monitoring-definitions.yaml`]);
  await run(['apply', '--server-side', '-f', `${repositoryRoot}/crds`]);
  await run(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=300s']);
});

afterAll(() => server?.stop());

describe.each(valueSets())('with the values of %s', (name) => {
  it('controllers and data planes accept their rendered options', async () => {
    const cluster = clusterAt(server!.access);
    const release = new InstalledRelease(cluster);
    await release.helm(['install', 'gatewarden', chart], [valueSet(name)]);
    onTestFinished(async () => {
      await cluster.run(['delete', 'pods', '--all', '-n', 'gatewarden', '--force', '--grace-period=0']);
      await release.helm(['uninstall', 'gatewarden']);
    }, 300_000);
    let controller = await readyController(release);
    // A busy API server applies the rights of a new release late. What is still refused after a restart is wrong.
    if (complaints(controller.process).length > 0) {
      await controller.process.stop('SIGTERM');
      controller = await readyController(release);
    }
    const groups = [...(await release.workloads('dataplane')).keys()];
    expect(groups.length).toBeGreaterThan(0);
    for (const group of groups) {
      const plane = await release.startPlane(group, controller);
      expect(complaints(plane.process)).toEqual([]);
    }
    expect(complaints(controller.process)).toEqual([]);
  });
});

/** A controller that leads and has read the cluster. */
async function readyController(release: InstalledRelease): Promise<ReleasedController> {
  const controller = await release.startController();
  await controller.process.line(({ msg }) => msg === 'this controller is the leader');
  await vi.waitFor(async () => {
    const answer = await fetch(`http://127.0.0.1:${controller.adminPort}/health/ready`);
    expect(answer.status).toBe(200);
  }, patience);
  return controller;
}

/** What a process says of things that are not as they should be. */
function complaints({ said }: LoggingProcess): string[] {
  return said.filter(({ level }) => Number(level) >= 40).map((line) => JSON.stringify(line));
}
