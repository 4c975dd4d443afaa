/** `npm run bench:audit-broker`: access events of a plane into a real ActiveMQ. */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { scriptOptions } from '../../platform/script-options.ts';
import { ACTIVEMQ_5, ACTIVEMQ_6, BrokerProgram } from '../../test/foreign/brokers/support/broker-program.ts';
import { type LoadResult, startLoad } from '../measure/load-process.ts';
import { spreadOf } from '../measure/statistics.ts';
import { headFile } from '../request-head.ts';
import { prepareTools } from '../tools.ts';
import { AuditedPlane, type Destination } from './audited-plane.ts';

const USAGE = `usage: npm run bench:audit-broker -- [--part PART] [--broker 5|6] [--rate N] [--rounds N] [--away SECONDS]
Access events of one plane into a real ActiveMQ in a Java process of its own, with a durable subscriber.
  --part PART     throughput: events a second, PERSISTENT and NON_PERSISTENT
                  latency: p99 of requests at a steady rate, with events into the broker (PERSISTENT) and without
                  away: the broker is killed for a while, with a spool; losses, duplicates and memory
  --broker N      ActiveMQ 5.17 or 6.1 (6)
  --rate N        requests a second of latency (10000) and away (2000)
  --rounds N      of throughput and latency (3)
  --away SECONDS  without the broker (60)
`;
const EVENTS = 50_000;
const SECONDS = 12;
/** Seconds of requests before the broker goes and after it has come back. */
const BEFORE = 15;
const AFTER = 25;
const JAVA = ['-Xmx1g'];
/** More than waits before the broker is there. */
const LARGE_QUEUE = { maxEvents: 1_000_000, maxBytes: 512 * 2 ** 20 };

const options = scriptOptions(USAGE, { part: '', broker: '6', rate: '', rounds: '3', away: '60' }).values;
const rounds = Number(options.rounds);
const core = availableParallelism() - 1;
let topics = 0;

function destination(broker: BrokerProgram, topic: string, handler: JsonObject): Destination {
  const { user, password } = broker;
  return { url: `tcp://127.0.0.1:${broker.port('tcp')}`, topic, user, password, handler };
}

/** Sends requests at a rate, or as fast as answers come for a rate of 0. */
async function load(plane: (backend: number) => Promise<number>, words: readonly string[]): Promise<LoadResult> {
  const running = await startLoad(core, ['--head', headFile('bearer'), '--connections', '64', ...words]);
  try {
    running.tell(`proxy ${await plane(running.backendPort)}`);
    await running.says('warm');
    running.tell('go');
    return await running.result();
  } finally {
    await running.stop();
  }
}

/** Events a second: they wait until the broker is there, so that nothing else takes time. */
async function throughput(broker: BrokerProgram, deliveryMode: string): Promise<number> {
  const topic = `audit.t${++topics}`;
  const counter = await broker.count(`c${topics}`, 'durable', topic);
  await broker.shutDown();
  let plane: AuditedPlane | undefined;
  try {
    const to = destination(broker, topic, { deliveryMode, queue: LARGE_QUEUE });
    const port = async (backend: number): Promise<number> => {
      plane = await AuditedPlane.start(backend, to);
      return plane.gateway.port;
    };
    const { requests } = await load(port, ['--warmup', '0', '--count', String(EVENTS)]);
    while ((await plane!.accounts()).emitted < requests) await pause(50);
    await broker.open();
    while ((await plane!.accounts()).delivered === 0) await pause(5);
    const [begun, first] = [performance.now(), (await plane!.accounts()).delivered];
    const { delivered, dropped } = await plane!.settled(requests);
    const seconds = (performance.now() - begun) / 1000;
    while ((await counter.tally()).events < delivered) await pause(50);
    if (dropped > 0 || delivered < requests) throw new Error(`${delivered} of ${requests} events were delivered`);
    return (delivered - first) / seconds;
  } finally {
    await plane?.stop();
    await counter.close();
  }
}

/** p99 of requests at a rate, in microseconds. */
async function latency(broker: BrokerProgram, rate: number, isAudited: boolean): Promise<LoadResult> {
  const topic = `audit.t${++topics}`;
  const counter = isAudited ? await broker.count(`c${topics}`, 'durable', topic) : null;
  let plane: AuditedPlane | undefined;
  try {
    const to = isAudited ? destination(broker, topic, { deliveryMode: 'PERSISTENT', queue: LARGE_QUEUE }) : null;
    const port = async (backend: number): Promise<number> => {
      plane = await AuditedPlane.start(backend, to);
      return plane.gateway.port;
    };
    const result = await load(port, ['--warmup', '3', '--seconds', String(SECONDS), '--rate', String(rate)]);
    const faults = Object.entries(result.faults).filter(([, count]) => count > 0);
    if (faults.length > 0) console.log(`faults of the load: ${JSON.stringify(Object.fromEntries(faults))}`);
    if (counter !== null) {
      const waited = await plane!.accounts();
      const { emitted, delivered, dropped } = await plane!.settled(result.requests);
      while ((await counter.tally()).events < emitted) await pause(50);
      console.log(
        `  emitted ${emitted}, delivered ${delivered}, dropped ${dropped}; ${waited.waiting} waited when the requests ended`,
      );
    }
    return result;
  } finally {
    await plane?.stop();
    await counter?.close();
  }
}

/** The broker is killed while requests come. */
async function away(broker: BrokerProgram, rate: number, seconds: number): Promise<void> {
  const topic = `audit.t${++topics}`;
  const name = `c${topics}`;
  await (await broker.count(name, 'durable', topic)).close();
  const directory = mkdtempSync(join(tmpdir(), 'gatewarden-bench-spool-'));
  const to = destination(broker, topic, { deliveryMode: 'PERSISTENT', spool: { directory } });
  let plane: AuditedPlane | undefined;
  const memory: Record<'before' | 'without' | 'after', number[]> = { before: [], without: [], after: [] };
  let phase: keyof typeof memory = 'before';
  const sampling = setInterval(() => {
    if (plane !== undefined) memory[phase].push(plane.resident);
  }, 1000);
  const events = async (): Promise<void> => {
    await pause(BEFORE * 1000);
    phase = 'without';
    await broker.kill();
    await pause(seconds * 1000);
    console.log(`before the broker is back: ${JSON.stringify(await plane!.accounts())}`);
    phase = 'after';
    await broker.launch();
  };
  try {
    const port = async (backend: number): Promise<number> => {
      plane = await AuditedPlane.start(backend, to);
      return plane.gateway.port;
    };
    let done: Promise<void> | undefined;
    const all = BEFORE + seconds + AFTER;
    const result = await load(
      async (backend) => {
        const listening = await port(backend);
        done = events();
        return listening;
      },
      ['--warmup', '0', '--seconds', String(all), '--rate', String(rate)],
    );
    await done;
    const accounts = await plane!.settled(result.requests);
    const counter = await broker.count(name, 'durable', topic);
    let tally = await counter.tally();
    while (tally.events < accounts.delivered) {
      await pause(200);
      tally = await counter.tally();
    }
    console.log(
      `${result.requests} requests at ${rate}/s, p99 ${result.p99.toFixed(0)} µs: ${JSON.stringify(accounts)}`,
    );
    console.log(`at the subscriber: ${tally.events} events, ${tally.messages - tally.events} of them twice`);
  } finally {
    clearInterval(sampling);
    await plane?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
  for (const [name, values] of Object.entries(memory)) {
    const text = [Math.min(...values), values.at(-1)!, Math.max(...values)].map((value) => value.toFixed(0)).join(', ');
    console.log(`resident memory, ${name}: lowest, last, highest ${text} MiB`);
  }
}

function print(label: string, values: readonly number[], unit: string): void {
  const { median, low, high } = spreadOf([...values])!;
  console.log(`${label}: median ${median.toFixed(0)} ${unit}, quartiles ${low.toFixed(0)} to ${high.toFixed(0)}`);
}

const parts = options.part === '' ? ['throughput', 'latency', 'away'] : [options.part];
await prepareTools([]);
const broker = await BrokerProgram.start(options.broker === '5' ? ACTIVEMQ_5 : ACTIVEMQ_6, JAVA);
try {
  if (parts.includes('throughput')) {
    for (const mode of ['NON_PERSISTENT', 'PERSISTENT']) {
      const rates: number[] = [];
      for (let round = 0; round < rounds; round++) rates.push(await throughput(broker, mode));
      print(mode, rates, 'events/s');
    }
  }
  if (parts.includes('latency')) {
    const rate = Number(options.rate || 10_000);
    const p99 = { without: [] as number[], with: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      for (const isAudited of round % 2 === 0 ? [false, true] : [true, false]) {
        const result = await latency(broker, rate, isAudited);
        const label = isAudited ? 'with' : 'without';
        p99[label].push(result.p99);
        console.log(
          `${label} events: ${Math.round(result.requests / result.seconds)}/s, p99 ${result.p99.toFixed(0)} µs`,
        );
      }
    }
    for (const [label, values] of Object.entries(p99)) print(`p99 ${label} events`, values, 'µs');
  }
  if (parts.includes('away')) await away(broker, Number(options.rate || 2000), Number(options.away));
  console.log(`load of the machine ${loadavg()[0]!.toFixed(1)}`);
} finally {
  await broker.end();
}
