/** `npm run bench:revocations`: how soon no unit answers from a cache any more after an event of the access manager. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { scriptOptions } from '../../platform/script-options.ts';
import { AccessManager } from '../../test/support/access-manager/access-manager.ts';
import { AGENT } from '../../test/support/access-manager/am-identities.ts';
import { GatewayProcess } from '../../test/support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../test/support/gateways/instance-folder.ts';
import { type PacedAnswers, type PacedLoad, wallClock } from './paced-client.ts';

const USAGE = `usage: npm run bench:revocations -- [--rate N] [--events N] [--units N]
Changes a policy of an access manager over and over, from allowed to denied and back, while clients ask at a steady rate
for a resource whose decision every unit has in its cache. Measures the time from the moment at which the access manager
sends the event to the last answer from a cache, and counts stale answers: requests that were sent after some unit had
answered by the new policy, and still got an answer by the old one.
  --rate N    requests a second (10000)
  --events N  changes to denied (200)
  --units N   units of the gateway (2)
`;
/** Answers by a new policy until the next event: every unit has the decision in its cache by then. */
const SETTLED = 400;
const CONNECTIONS = 64;
const WARM_UP = 3000;

interface Change {
  readonly at: number;
  readonly isAllowed: boolean;
}

interface Findings {
  /** Milliseconds from each event to the last answer from a cache; 0 where there was none. */
  readonly delays: readonly number[];
  readonly stale: number;
}

/** Reads in the answers what happened after each change to denied. */
function findings(changes: readonly Change[], { sent, received, status }: PacedAnswers): Findings {
  const delays: number[] = [];
  let stale = 0;
  let from = 0;
  for (const [index, { at, isAllowed }] of changes.entries()) {
    const end = changes[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    if (isAllowed) continue;
    while (from < received.length && received[from]! < at) from++;
    let last = at;
    let firstDenial = Number.POSITIVE_INFINITY;
    for (let one = from; one < received.length && received[one]! < end; one++) {
      if (status[one] === 403) firstDenial = Math.min(firstDenial, received[one]!);
      if (status[one] !== 200) continue;
      last = received[one]!;
      if (sent[one]! > firstDenial) stale++;
    }
    if (firstDenial === Number.POSITIVE_INFINITY) throw new Error(`the event at ${at} had no effect`);
    delays.push(last - at);
  }
  return { delays, stale };
}

function route(url: string): object {
  const secretsProvider = {
    type: 'FileSystemSecretStore',
    config: { directory: '&{ig.instance.dir}/secrets', format: 'PLAIN' },
  };
  const amService = {
    type: 'AmService',
    config: { url, agent: { username: AGENT.username, passwordSecretId: 'agent.password' }, secretsProvider },
  };
  const enforces = {
    type: 'PolicyEnforcementFilter',
    config: {
      amService,
      ssoTokenSubject: "${request.headers['X-Token'][0]}",
      cache: { enabled: true, defaultTimeout: '1 hour', maximumTimeToCache: '1 hour' },
    },
  };
  const handler = { type: 'StaticResponseHandler', config: { status: 200, entity: 'allowed' } };
  return { handler: { type: 'Chain', config: { filters: [enforces], handler } } };
}

function setPolicy(am: AccessManager, isAllowed: boolean): Change {
  const at = wallClock();
  am.policies.set({ name: 'orders', resources: ['http://orders.test/*'], actions: { GET: isAllowed } });
  return { at, isAllowed };
}

async function measure(am: AccessManager, gateway: GatewayProcess, rate: number, events: number): Promise<void> {
  const { tokenId } = am.sessions.create('demo');
  const request = `GET /orders HTTP/1.1\r\nHost: orders.test\r\nX-Token: ${tokenId}\r\n\r\n`;
  const seen = new Int32Array(new SharedArrayBuffer(8));
  const workerData: PacedLoad = { port: gateway.port, request, rate, connections: CONNECTIONS, seen };
  const worker = new Worker(new URL('paced-client.ts', import.meta.url), { workerData });
  await once(worker, 'online');
  await am.notifications.untilSubscribed('/agent/policy');
  await pause(WARM_UP);
  const begun = wallClock();
  const changes: Change[] = [];
  for (let event = 0; event < events; event++) {
    for (const isAllowed of [false, true]) {
      const at = isAllowed ? 0 : 1;
      const before = Atomics.load(seen, at);
      changes.push(setPolicy(am, isAllowed));
      while (Atomics.load(seen, at) < before + SETTLED) await pause(2);
    }
  }
  const seconds = (wallClock() - begun) / 1000;
  worker.postMessage('stop');
  const [answers] = (await once(worker, 'message')) as [PacedAnswers];
  report(answers, findings(changes, answers), { begun, seconds, rate });
}

interface Run {
  readonly begun: number;
  readonly seconds: number;
  readonly rate: number;
}

function report({ received, late, failures }: PacedAnswers, { delays, stale }: Findings, run: Run): void {
  const sorted = delays.toSorted((one, other) => one - other);
  const at = (share: number): string => `${sorted[Math.ceil(sorted.length * share) - 1]!.toFixed(1)} ms`;
  const answered = received.filter((time) => time >= run.begun).length;
  const lines = [
    `requests a second   ${Math.round(answered / run.seconds)} of ${run.rate} (${late} were late)`,
    `events              ${delays.length}`,
    `last cached answer  ${at(0.5)} median, ${at(0.99)} p99, ${at(1)} highest after the event was sent`,
    `stale answers       ${stale}`,
    ...failures.map((failure) => `failure             ${failure}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

const { rate, events, units } = scriptOptions(USAGE, { rate: '10000', events: '200', units: '2' }).values;
const am = await AccessManager.start();
setPolicy(am, true);
const folder = new InstanceFolder({
  'secrets/agent.password': AGENT.password,
  'config/routes/orders.json': route(am.url),
});
const gateway = await GatewayProcess.run(folder.path, ['--units', units]);
try {
  await measure(am, gateway, Number(rate), Number(events));
} finally {
  await gateway.stop();
  folder[Symbol.dispose]();
  await am.close();
}
