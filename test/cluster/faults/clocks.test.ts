import { expect, it, vi } from 'vitest';
import { PATIENCE, untilAnswer } from '../../support/channel/plane-answers.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { controllerReport } from '../../support/cluster/controller-report.ts';
import { RecordedStatus } from '../../support/cluster/recorded-status.ts';
import { routeManifest } from '../../support/cluster/route-manifest.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';
import { gatewarden, runProgram } from '../../support/programs/run-program.ts';

const cluster = theCluster();
const MINUTE = 60_000;

/** The environment of a process whose clock is so many milliseconds ahead. Its TLS library has the right time. */
function ahead(milliseconds: number): NodeJS.ProcessEnv {
  const code = `
    const Right = Date;
    globalThis.Date = class extends Right {
      constructor(...given) {
        if (given.length === 0) super(Right.now() + ${milliseconds});
        else super(...given);
      }
      static now() {
        return Right.now() + ${milliseconds};
      }
    };`;
  return { GATEWARDEN_NODE_FLAGS: `--import data:text/javascript,${encodeURIComponent(code)}` };
}

it('works with clocks that differ, and shows which planes have another one', async () => {
  const shop = await cluster.namespace('shop');
  const deployed = await testedGateway({ access: cluster, namespaces: [shop] });
  const leader = await deployed.startController([], { env: ahead(-20 * MINUTE) });
  await leader.process.line(({ isLeader }) => isLeader === true);
  const follower = await deployed.startController([], { env: ahead(25 * MINUTE) });
  await follower.process.line(({ isLeader }) => isLeader === false);
  await deployed.apply(routeManifest(shop, 'orders', 'one'));
  const early = await deployed.startPlane({ controllers: [leader], env: ahead(60 * MINUTE) });
  const late = await deployed.startPlane({ controllers: [follower], env: ahead(-24 * 60 * MINUTE) });
  const right = await deployed.startPlane({ controllers: [follower] });
  const planes = [early, late, right];
  const status = await RecordedStatus.follow(cluster, shop);
  const isProgrammed = (observed: number) => (): void => {
    const programmed = { observed, programmed: '3/3', reasons: { Programmed: 'Programmed' } };
    expect(status.of('orders').at(-1)).toMatchObject(programmed);
  };
  await vi.waitFor(isProgrammed(1), PATIENCE);
  await deployed.apply(routeManifest(shop, 'orders', 'two'));
  for (const { port } of planes) await untilAnswer(port, '/orders', '200 two');
  await vi.waitFor(isProgrammed(2), PATIENCE);

  await vi.waitFor(async () => {
    const report = await controllerReport(leader);
    expect(report.planes).toMatchObject(planes.map(() => ({ state: 'current', ready: true })));
  }, PATIENCE);
  const { stdout } = await runProgram(gatewarden, ['status', '--admin', `http://127.0.0.1:${leader.adminPort}`]);
  const clocks = [...stdout.matchAll(/plane \S+\/(\S+): its clock is (.*)/g)].map(([, name, text]) => [name, text]);
  // by the clock of the leader, which is late itself, whichever controller a plane has its stream with
  expect(Object.fromEntries(clocks)).toEqual({
    [early.name]: expect.stringMatching(/^1h(19|20|21)m ahead$/),
    [late.name]: expect.stringMatching(/^23h(39|40|41)m behind$/),
    [right.name]: expect.stringMatching(/^(19|20|21)m\d+s ahead$/),
  });
  const { planes: shown } = await controllerReport(leader);
  expect(shown.filter(({ age }) => Math.abs(age) > 5 * MINUTE)).toEqual([]);
  const leads = follower.process.said.filter(({ isLeader }) => isLeader === true);
  expect(leads).toEqual([]);
});
