/** An endless loop in one route beside another route, in a gateway of its own. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { GatewayProcess } from '../../test/support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../test/support/gateways/instance-folder.ts';
import { type PacedAnswers, type PacedLoad, wallClock } from '../revocations/paced-client.ts';
import { endlessFilter, type Language } from './objects.ts';

/** Requests a second to the endless loop, and to the route beside it. */
const LOOP_RATE = 100;
const OTHER_RATE = 500;

/** More connections than requests can wait for an answer. */
const CONNECTIONS = 256;

const WARM_UP = 1000;

/** Answers of the route beside the loop. */
export interface Beside {
  /** 99 % of the answers came within so many milliseconds. */
  readonly p99: number;
  readonly highest: number;
  readonly answers: number;
  /** Requests without an answer, or with another one than they should have. */
  readonly lost: number;
}

interface Client {
  begin(): void;
  stop(): Promise<PacedAnswers>;
}

/** A client with all its connections, which sends nothing yet: connecting costs the gateway more than requests do. */
async function connectClient(port: number, path: string, rate: number): Promise<Client> {
  const request = `GET ${path} HTTP/1.1\r\nHost: shop.example.com\r\n\r\n`;
  const seen = new Int32Array(new SharedArrayBuffer(8));
  const workerData: PacedLoad = { port, request, rate, connections: CONNECTIONS, waits: true, seen };
  const worker = new Worker(new URL('../revocations/paced-client.ts', import.meta.url), { workerData });
  await once(worker, 'message');
  return {
    begin: () => worker.postMessage('begin'),
    async stop() {
      worker.postMessage('stop');
      const [answers] = (await once(worker, 'message')) as [PacedAnswers];
      return answers;
    },
  };
}

function beside({ sent, received, status, failures, late, unanswered }: PacedAnswers, from: number): Beside {
  const times: number[] = [];
  let lost = failures.length + late + unanswered;
  for (const [index, begun] of sent.entries()) {
    if (begun < from) continue;
    if (status[index] !== 200) lost++;
    times.push(received[index]! - begun);
  }
  times.sort((one, other) => one - other);
  return { p99: times[Math.ceil(times.length * 0.99) - 1]!, highest: times.at(-1)!, answers: times.length, lost };
}

function files(language: Language): Record<string, unknown> {
  const handler = { type: 'StaticResponseHandler', config: { status: 200, entity: 'hello' } };
  const loop = { type: 'Chain', config: { filters: [endlessFilter(language)], handler } };
  return {
    'config/routes/10-loop.json': { condition: "${request.uri.path == '/loop'}", handler: loop },
    'config/routes/20-other.json': { handler },
  };
}

/** @param language of the loop, or null for the same requests to a route without a script */
export async function besideEndlessLoop(language: Language | null, seconds: number): Promise<Beside> {
  using folder = new InstanceFolder(files(language ?? 'groovy'));
  const gateway = await GatewayProcess.run(folder.path);
  try {
    const other = await connectClient(gateway.port, '/other', OTHER_RATE);
    const loop = await connectClient(gateway.port, language === null ? '/none' : '/loop', LOOP_RATE);
    other.begin();
    await pause(WARM_UP);
    const from = wallClock();
    loop.begin();
    await pause(seconds * 1000);
    const answers = await other.stop();
    const looped = await loop.stop();
    const found = beside(answers, from);
    const wanted = language === null ? 200 : 500;
    const wrong = looped.status.filter((status) => status !== wanted).length;
    return { ...found, lost: found.lost + wrong + looped.failures.length + looped.unanswered + looped.late };
  } finally {
    await gateway.stop();
  }
}
