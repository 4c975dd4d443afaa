/** `npm run bench:slice-storm`: what a controller pays for EndpointSlices that never stop changing. */
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { scriptOptions } from '../../platform/script-options.ts';
import { ApiServer } from '../../test/support/cluster/api-server.ts';
import { routeToService, serviceOf } from '../../test/support/cluster/services/service-objects.ts';
import { DeployedGateway } from '../../test/support/gateways/deployed-gateway.ts';
import { usageOf } from './cpu-time.ts';
import { RoutesClient } from './routes-client.ts';

const USAGE = `usage: npm run bench:slice-storm -- [OPTION…]
Changes EndpointSlices through an API server, and measures a controller with one data plane.
  --rate N       changes in a second (1000)
  --seconds N    length (10)
  --services N   Services, each with its Route and one slice (20)
  --endpoints N  endpoints of each slice (100)
`;

const { values } = scriptOptions(USAGE, { rate: '1000', seconds: '10', services: '20', endpoints: '100' });

const NAMESPACE = 'shop';
const [rate, seconds, services, endpoints] = [
  Number(values.rate),
  Number(values.seconds),
  Number(values.services),
  Number(values.endpoints),
];

/** A slice with other addresses for every version. */
function slice(name: string, version: number): object {
  const labels = { 'kubernetes.io/service-name': name };
  const address = (at: number): string => `10.${version & 127}.${at >> 8}.${at & 255}`;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace: NAMESPACE, labels },
    addressType: 'IPv4',
    endpoints: Array.from({ length: endpoints }, (_, at) => ({
      addresses: [address(at)],
      conditions: { ready: true },
    })),
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  };
}

const server = await ApiServer.start();
const deployed = await DeployedGateway.prepare({ access: server.access, namespaces: [NAMESPACE] });
const client = new RoutesClient(server.access, NAMESPACE);
try {
  await deployed.kubectl(['create', 'namespace', NAMESPACE]);
  const names = Array.from({ length: services }, (_, at) => `s${String(at).padStart(4, '0')}`);
  await deployed.apply({ apiVersion: 'v1', kind: 'List', items: names.map((name) => serviceOf(NAMESPACE, name)) });
  for (const name of names) await client.replaceSlice(name, slice(name, 0));
  await client.createAll(services, (at) => {
    const name = names[at]!;
    return [name, routeToService(NAMESPACE, name, { name, port: 80 })['spec'] as JsonObject];
  });
  const controller = await deployed.startController();
  const plane = await deployed.startPlane();
  const { pid: controllerPid } = controller.process;
  const { pid: planePid } = plane.process;
  await pause(3000); // what the start costs is measured elsewhere

  let written = 0;
  const began = performance.now();
  const before = [usageOf(controllerPid), usageOf(planePid)];
  const write = async (): Promise<void> => {
    while (performance.now() - began < seconds * 1000) {
      const at = written++;
      const due = (at * 1000) / rate - (performance.now() - began);
      if (due > 0) await pause(due);
      const name = names[at % services]!;
      await client.replaceSlice(name, slice(name, at));
    }
  };
  await Promise.all(Array.from({ length: 16 }, write));
  const took = (performance.now() - began) / 1000;
  const after = [usageOf(controllerPid), usageOf(planePid)];
  const figures = ['controller', 'data plane'].map((who, at) => {
    const share = (after[at]!.cpu - before[at]!.cpu) / took;
    return `${who}: ${Math.round(share * 100)} % of a core, ${Math.round(after[at]!.memory / 1e6)} MB`;
  });
  console.log(`${Math.round(written / took)} changes of ${endpoints} endpoints in a second, for ${took.toFixed(1)} s`);
  console.log(figures.join('\n'));
} finally {
  await client.close();
  await deployed.stop();
  await server.stop();
}
