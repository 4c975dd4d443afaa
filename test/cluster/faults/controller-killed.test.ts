import { expect, it, onTestFinished, vi } from 'vitest';
import { theCluster } from '../../support/cluster.ts';
import { controllerReport } from '../../support/controller-report.ts';
import { CuttableWire } from '../../support/cuttable-wire.ts';
import { DeployedGateway } from '../../support/deployed-gateway.ts';
import { PATIENCE, planeAnswer, untilAnswer } from '../../support/plane-answers.ts';
import { manifestList, routeManifest } from '../../support/route-manifest.ts';
import { SteadyClient } from '../../support/steady-client.ts';

const cluster = theCluster();

it('takes nothing of an update whose controller is killed in the middle of it, and all of it from the next', async () => {
  const shop = await cluster.namespace('shop');
  const deployed = await DeployedGateway.prepare({ access: cluster, namespaces: [shop] });
  onTestFinished(() => deployed.stop(), 60_000);
  const apiWire = await CuttableWire.to(cluster.server);
  const doomed = await deployed.startController([], { server: `https://127.0.0.1:${apiWire.port}` });
  const next = await deployed.startController();
  const wire = await CuttableWire.to(`https://127.0.0.1:${doomed.port}`);
  const nextWire = await CuttableWire.to(`https://127.0.0.1:${next.port}`);
  nextWire.cut();

  // parts of an update are of one megabyte: this makes several
  const padding = 'x'.repeat(100_000);
  const names = Array.from({ length: 30 }, (_, at) => `route-${String(at).padStart(2, '0')}`);
  const write = (text: string): Promise<string> =>
    deployed.apply(manifestList(names.map((name) => routeManifest(shop, name, `${text} ${padding}`))));
  const answers = (port: number): Promise<string[]> =>
    Promise.all(names.map(async (name) => (await planeAnswer(port, `/${name}`)).slice(0, 7)));
  const all = (text: string): string[] => names.map(() => `200 ${text}`);
  await write('one');
  const plane = await deployed.startPlane({ controllers: [wire, nextWire] });
  await vi.waitFor(async () => expect(await answers(plane.port)).toEqual(all('one')), PATIENCE);
  let newest = 'one';
  const client = new SteadyClient(plane.port, `/${names[0]}`, (text) => {
    const isRight = text.endsWith(padding) && (text.startsWith(newest) || text.startsWith('two'));
    newest = text.slice(0, 3);
    return isRight;
  });

  apiWire.cut();
  await write('two');
  const halted = wire.haltAfter(1_800_000);
  apiWire.mend();
  await halted;
  await doomed.process.stop('SIGKILL');
  expect(await answers(plane.port)).toEqual(all('one'));

  nextWire.mend();
  await vi.waitFor(async () => expect(await answers(plane.port)).toEqual(all('two')), PATIENCE);
  const { revision, planes } = await controllerReport(next);
  expect(planes).toMatchObject([{ state: 'current', revision, problems: [] }]);
  expect(await client.stop()).toEqual([]);
  await untilAnswer(plane.port, '/none', /^404/);
});
