/** `npm run bench:rolling`: replaces all endpoints of a Service, a few at a time, under a steady rate of requests. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { scriptOptions } from '../../platform/script-options.ts';
import { ApiServer } from '../../test/support/cluster/api-server.ts';
import { ownAddress, routeToService, serviceOf, sliceAt } from '../../test/support/cluster/services/service-objects.ts';
import { DeployedGateway } from '../../test/support/gateways/deployed-gateway.ts';
import { spread } from './propagation.ts';
import { RoutesClient } from './routes-client.ts';

const USAGE = `usage: npm run bench:rolling -- [OPTION…]
Replaces all endpoints of a Service through a real API server, a controller and a data plane, while requests come at a
fixed rate, whether earlier ones were answered or not. Ends with status 1 if a request fails.
  --endpoints N  endpoints of the Service (50)
  --at-once N    endpoints that are replaced together (5)
  --rate N       requests in a second (2000)
  --grace N      milliseconds between the end of an endpoint's readiness and its own end (1000)
  --method NAME  method of the requests; POST is never sent twice (GET)
`;

const { values } = scriptOptions(USAGE, {
  endpoints: '50',
  'at-once': '5',
  rate: '2000',
  grace: '1000',
  method: 'GET',
});
const [endpoints, atOnce, rate, grace] = [values.endpoints, values['at-once'], values.rate, values.grace].map(Number);

const NAMESPACE = 'shop';
const NAME = 'orders';
const DRAINING = { ready: false, serving: true, terminating: true };
/** Milliseconds between two turns of the clock that sends requests. */
const TURN = 5;

class Endpoint {
  readonly port: number;
  answered = 0;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    server.on('request', (_, answer) => {
      this.answered++;
      answer.end('ok');
    });
  }

  static async start(): Promise<Endpoint> {
    const server = createServer({ keepAliveTimeout: 600_000 });
    server.listen(0, ownAddress());
    await once(server, 'listening');
    return new Endpoint(server);
  }

  get connections(): number {
    return this.sockets.size;
  }

  /** Ends like a killed process. */
  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.resetAndDestroy();
  }
}

/** Sends requests at a rate. */
class Rate {
  sent = 0;
  readonly answers = new Map<string, number>();
  readonly times: number[] = [];
  private readonly agent = new Agent({ connections: 64, pipelining: 1 });
  private readonly url: string;
  private readonly begun = performance.now();
  private readonly timer: NodeJS.Timeout;
  private outstanding = 0;

  constructor(url: string, perSecond: number) {
    this.url = url;
    this.timer = setInterval(() => {
      const due = ((performance.now() - this.begun) / 1000) * perSecond;
      while (this.sent < due) {
        this.sent++;
        void this.ask();
      }
    }, TURN);
  }

  /** @returns seconds in which requests were sent */
  async stop(): Promise<number> {
    clearInterval(this.timer);
    const seconds = (performance.now() - this.begun) / 1000;
    while (this.outstanding > 0) await pause(TURN);
    await this.agent.close();
    return seconds;
  }

  private async ask(): Promise<void> {
    const begun = performance.now();
    this.outstanding++;
    const answer = await request(this.url, { dispatcher: this.agent, method: values.method }).then(
      async ({ statusCode, body }) =>
        `${statusCode}${statusCode === 200 ? await body.dump() : ` ${await body.text()}`}`,
      String,
    );
    this.outstanding--;
    this.times.push(performance.now() - begun);
    const key = answer.startsWith('200') ? '200' : answer;
    this.answers.set(key, (this.answers.get(key) ?? 0) + 1);
  }
}

const server = await ApiServer.start();
const trust = { egress: [`${ownAddress()}/32`] };
const deployed = await DeployedGateway.prepare({ access: server.access, namespaces: [NAMESPACE], trust });
const client = new RoutesClient(server.access, NAMESPACE);
const start = (count: number): Promise<Endpoint[]> => Promise.all(Array.from({ length: count }, Endpoint.start));
const apply = (all: readonly Endpoint[], conditions?: JsonObject): Promise<unknown> =>
  Promise.all(all.map(({ port }) => client.applySlice(`${NAME}-${port}`, sliceAt(NAMESPACE, NAME, port, conditions))));
const old = await start(endpoints!);
const fresh = await start(endpoints!);
try {
  await deployed.kubectl(['create', 'namespace', NAMESPACE]);
  await deployed.apply(serviceOf(NAMESPACE, NAME));
  await apply(old);
  await deployed.apply(routeToService(NAMESPACE, NAME, { name: NAME, port: 'http' }));
  await deployed.startController();
  const { port } = await deployed.startPlane();
  const url = `http://127.0.0.1:${port}/${NAME}`;
  while ((await request(url).then(({ statusCode, body }) => body.dump().then(() => statusCode))) !== 200)
    await pause(20);

  const load = new Rate(url, rate!);
  await pause(1000);
  const left: number[] = [];
  const joined: number[] = [];
  for (let at = 0; at < endpoints!; at += atOnce!) {
    const [leaving, coming] = [old.slice(at, at + atOnce!), fresh.slice(at, at + atOnce!)];
    await apply(coming);
    joined.push(await until(() => coming.every(({ answered }) => answered > 0)));
    await apply(leaving, DRAINING);
    const ending = pause(grace);
    left.push(await until(() => leaving.every(({ connections }) => connections === 0), grace));
    await ending;
    for (const endpoint of leaving) endpoint.stop();
    await Promise.all(leaving.map((endpoint) => client.deleteSlice(`${NAME}-${endpoint.port}`)));
  }
  await pause(500);
  const seconds = await load.stop();
  const failed = [...load.answers].filter(([answer]) => answer !== '200');
  console.log(`${load.sent} requests in ${seconds.toFixed(1)} s, ${(load.sent / seconds).toFixed(0)} in a second`);
  console.log(`failed: ${failed.reduce((sum, [, count]) => sum + count, 0)}`);
  for (const [answer, count] of failed) console.log(`  ${count} × ${answer}`);
  console.log(`response times: ${spread(load.times)}`);
  console.log(`accepted by the API server until all new endpoints have answered: ${spread(joined)}`);
  console.log(`accepted by the API server until the last connection to those that leave was closed: ${spread(left)}`);
  if (failed.length > 0) process.exitCode = 1;
} finally {
  await client.close();
  await deployed.stop();
  await server.stop();
  for (const endpoint of [...old, ...fresh]) endpoint.stop();
}

/** @returns milliseconds until it was so, or until the patience ended */
async function until(isSo: () => boolean, patience = 10_000): Promise<number> {
  const begun = performance.now();
  while (!isSo() && performance.now() - begun < patience) await pause(1);
  return performance.now() - begun;
}
