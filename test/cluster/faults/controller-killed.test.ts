import { expect, it, vi } from 'vitest';
import { CuttableWire } from '../../support/backends/cuttable-wire.ts';
import { PATIENCE, planeAnswer } from '../../support/channel/plane-answers.ts';
import { SteadyClient } from '../../support/clients/steady-client.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { controllerReport } from '../../support/cluster/controller-report.ts';
import { manifestList, padding, routeManifest } from '../../support/cluster/route-manifest.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();

it('discards an update whose controller is killed midway, and gets all of it from the next', async () => {
  const shop = await cluster.namespace('shop');
  const deployed = await testedGateway({
    access: cluster,
    namespaces: [shop],
    trust: { tokens: { text: 'one' } },
  });
  const doomed = await deployed.startController();
  const next = await deployed.startController();
  const wire = await CuttableWire.to(`https://127.0.0.1:${doomed.port}`);
  const nextWire = await CuttableWire.to(`https://127.0.0.1:${next.port}`);
  nextWire.cut();

  // parts of an update are of one megabyte: this makes several
  const large = padding(100_000);
  const names = Array.from({ length: 30 }, (_, at) => `route-${String(at).padStart(2, '0')}`);
  const answers = (port: number): Promise<string[]> => Promise.all(names.map((name) => planeAnswer(port, `/${name}`)));
  const all = (text: string): string[] => names.map(() => `200 ${text}`);
  await deployed.apply(manifestList(names.map((name) => routeManifest(shop, name, '&{text}', large))));
  const plane = await deployed.startPlane({ controllers: [wire, nextWire] });
  await vi.waitFor(async () => expect(await answers(plane.port)).toEqual(all('one')), PATIENCE);
  let newest = 'one';
  const client = new SteadyClient(plane.port, `/${names[0]}`, (text) => {
    const isRight = text === newest || text === 'two';
    newest = text;
    return isRight;
  });

  const halted = wire.haltAfter(1_800_000);
  await deployed.configure({ tokens: { text: 'two' } }); // all of them change at once
  await halted;
  expect(await answers(plane.port)).toEqual(all('one'));
  await doomed.process.stop('SIGKILL');
  expect(await answers(plane.port)).toEqual(all('one'));

  nextWire.mend();
  await vi.waitFor(async () => expect(await answers(plane.port)).toEqual(all('two')), PATIENCE);
  await vi.waitFor(async () => {
    const { revision, planes } = await controllerReport(next);
    expect(planes).toMatchObject([{ state: 'current', revision, problems: [] }]);
  }, PATIENCE);
  expect(await client.stop()).toEqual([]);
});
