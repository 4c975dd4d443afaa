import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { figure, kibibytes, mebibytes } from './measure/quantity.ts';
import { type Spread, spreadOf } from './measure/statistics.ts';
import { out } from './paths.ts';
import { type Measurement, measurementsOf, type Results, ratio, spread } from './results.ts';
import { signatureCosts } from './signature-cost.ts';
import { faultsOf, type SoakResult } from './soak.ts';
import type { TokenAlgorithm } from './token-files.ts';
import type { TokenMemory } from './token-memory.ts';
import type { Transfer } from './transfer.ts';

/** One figure that the engine must reach; `reached` is undefined when this run did not measure it. */
export type Goal = { figure: string; target: string; measured: string; reached: boolean | undefined };

const cpu = (one: Measurement): number => one.cpuMicros;
const p99 = (one: Measurement): number => one.p99;
const perConnection = (one: Measurement): number => one.memory?.perConnection ?? Number.NaN;

function fileIn<T>(name: string): T | undefined {
  try {
    return JSON.parse(readFileSync(join(out, name), 'utf8')) as T;
  } catch {
    return undefined;
  }
}

/** A figure of the gateway held against the same figure of another proxy. */
type Comparison = {
  figure: string;
  limit: number;
  than: string;
  workload: string;
  /** What is held against the peer; the gateway itself unless named. */
  subject?: string;
  peer: string;
  pick: (one: Measurement) => number;
};

function timesText({ median, low, high }: Spread): string {
  return `${figure(median)} × (${figure(low)}–${figure(high)})`;
}

function comparisonGoal(results: Results, comparison: Comparison): Goal {
  const { figure: title, limit, than, workload, subject = 'gatewarden', peer, pick } = comparison;
  const measured = ratio(results, workload, subject, peer, pick);
  const behind = [...measurementsOf(results, workload, subject), ...measurementsOf(results, workload, peer)];
  const isDisturbed = behind.some((one) => one.busy);
  const goal = { figure: title, target: `≤ ${figure(limit)} × ${than}` };
  if (measured === undefined) return { ...goal, measured: 'not measured', reached: undefined };
  const text = timesText(measured);
  // A verdict from a disturbed machine would be luck either way.
  if (isDisturbed) return { ...goal, measured: `${text}, but the machine was busy`, reached: undefined };
  return { ...goal, measured: text, reached: measured.median <= limit };
}

function chainGoal(): Goal {
  const chain = fileIn<{ bareNs: number; sixNs: number }>('chain.json');
  const added = chain && (chain.sixNs - chain.bareNs) / 1000;
  return {
    figure: 'A chain of six pass-through filters, JavaScript alone',
    target: '≤ +0.5 µs',
    measured: added === undefined ? 'not measured' : `${added < 0 ? '−' : '+'}${figure(Math.abs(added))} µs`,
    reached: added === undefined ? undefined : added <= 0.5,
  };
}

function memoryGoal(results: Results): Goal {
  const measured = spread(results, 'idle', 'gatewarden', perConnection);
  return {
    figure: 'Memory per idle keep-alive connection, of 10,000',
    target: '≤ 5 KiB',
    measured: measured ? kibibytes(measured.median) : 'not measured',
    reached: measured && measured.median <= 5 * 1024,
  };
}

function transferGoal(): Goal {
  const transfers = fileIn<Transfer[]>('transfer.json') ?? [];
  const moved = transfers.map(({ lowest, highest }) => (highest - lowest) / 2);
  const texts = transfers.map(({ direction, gigabytes, lowest, highest }) => {
    return `${gigabytes} GB ${direction}: ${mebibytes(lowest)} to ${mebibytes(highest)}`;
  });
  return {
    figure: 'Resident memory while one body of 5 GB passes',
    target: 'flat (± 32 MiB)',
    measured: texts.join('; ') || 'not measured',
    reached: moved.length === 0 ? undefined : Math.max(...moved) <= 32 * 2 ** 20,
  };
}

function soakGoal(): Goal {
  const result = fileIn<SoakResult>('soak.json');
  const faults = result ? faultsOf(result) : [];
  const count = result ? result.requests.toLocaleString('en-US') : '';
  return {
    figure: 'Errors, mixed or lost answers in 10 million requests',
    target: '0',
    measured: result ? `${faults.length === 0 ? '0' : faults.join(', ')} in ${count}` : 'not measured',
    reached: result && (faults.length > 0 ? false : result.requests >= 10_000_000 ? true : undefined),
  };
}

const mainCost: Comparison = {
  figure: 'CPU per request, 1 KB head and 1 KiB answer, log and `X-Forwarded-*` on',
  ...{ limit: 0.9, than: 'nginx plain', workload: 'main', peer: 'nginx', pick: cpu },
};

const toBackends = { workload: 'http2-backend', subject: 'gatewarden-h2-backend' };

const otherComparisons: readonly Comparison[] = [
  {
    figure: 'CPU per request, same workload, against Node.js’s own parts',
    ...{ limit: 0.3, than: 'node:http + undici', workload: 'main', peer: 'undici', pick: cpu },
  },
  {
    figure: 'CPU per 64 KiB answer',
    ...{ limit: 1, than: 'HAProxy', workload: 'answer-64k', peer: 'haproxy', pick: cpu },
  },
  {
    figure: 'CPU per 10 MiB answer',
    ...{ limit: 1.3, than: 'nginx', workload: 'answer-10m', peer: 'nginx', pick: cpu },
  },
  {
    figure: 'CPU per 10 MiB upload',
    ...{ limit: 1.3, than: 'nginx', workload: 'upload-10m', peer: 'nginx', pick: cpu },
  },
  {
    figure: 'p99 at 70 % of own saturation',
    ...{ limit: 1.3, than: 'nginx at the same rate', workload: 'latency', peer: 'nginx', pick: p99 },
  },
  {
    figure: 'CPU per request through a chain of six filters that all do something',
    ...{ limit: 1.1, than: 'nginx plain', workload: 'configured', subject: 'six-filters', peer: 'nginx', pick: cpu },
  },
  {
    figure: 'CPU per request with 10,000 routes',
    ...{ limit: 1.2, than: 'with 10', workload: 'configured', subject: 'routes-10000', peer: 'routes-10', pick: cpu },
  },
  {
    figure: 'CPU per request with `backends` of three endpoints',
    ...{ limit: 1.03, than: 'with a `baseURI`', workload: 'backends' },
    ...{ subject: 'three-endpoints', peer: 'base-uri', pick: cpu },
  },
  {
    figure: 'CPU per request over TLS from clients, keep-alive',
    ...{ limit: 1.2, than: 'nginx', workload: 'tls', subject: 'gatewarden-tls', peer: 'nginx-tls', pick: cpu },
  },
  {
    figure: 'CPU per full TLS handshake, with a request',
    ...{ limit: 1.35, than: 'nginx', workload: 'handshake', subject: 'gatewarden-tls', peer: 'nginx-tls', pick: cpu },
  },
  {
    figure: 'CPU per resumed TLS handshake, with a request',
    ...{ limit: 1.25, than: 'nginx', workload: 'resumption', subject: 'gatewarden-tls', peer: 'nginx-tls', pick: cpu },
  },
  {
    figure: 'CPU per request by HTTP/2 from clients, 100 streams per connection',
    ...{ limit: 1, than: 'nginx', workload: 'http2-many', subject: 'gatewarden-tls', peer: 'nginx-tls', pick: cpu },
  },
  {
    figure: 'CPU per request by HTTP/2 from clients, 1 stream per connection',
    ...{ limit: 1.2, than: 'nginx', workload: 'http2-one', subject: 'gatewarden-tls', peer: 'nginx-tls', pick: cpu },
  },
  {
    figure: 'CPU per request by HTTP/2 to backends, 100 streams',
    ...{ limit: 0.4, than: 'node:http2', pick: cpu, ...toBackends, peer: 'node-h2-backend' },
  },
  {
    figure: 'The same against HAProxy',
    ...{ limit: 1.7, than: 'HAProxy', pick: cpu, ...toBackends, peer: 'haproxy-h2-backend' },
  },
  {
    figure: 'CPU per WebSocket message there and back',
    ...{ limit: 1.5, than: 'nginx', workload: 'websocket', pick: cpu },
    ...{ subject: 'gatewarden-sockets', peer: 'nginx-sockets' },
  },
];

const identityComparisons: readonly Comparison[] = [
  {
    figure: 'CPU per request of an open route, metrics, log',
    ...{ limit: 0.9, than: 'nginx plain', workload: 'subject', subject: 'gatewarden-open', peer: 'nginx', pick: cpu },
  },
  {
    figure: 'CPU per request with a cached RS256 token, scope, throttle by `sub`, metrics, log',
    ...{ limit: 0.95, than: 'nginx plain', workload: 'subject', subject: 'gatewarden-subject' },
    ...{ peer: 'nginx', pick: cpu },
  },
  {
    figure: 'The same against a proxy that verifies the token',
    ...{ limit: 0.28, than: 'HAProxy with jwt_verify', workload: 'subject', subject: 'gatewarden-subject' },
    ...{ peer: 'haproxy-jwt', pick: cpu },
  },
  {
    figure: 'CPU per request with a cached RS256 token, scope, throttle over 100,000 partitions, metrics, log',
    ...{ limit: 0.9, than: 'nginx plain', workload: 'identity', subject: 'gatewarden-identity' },
    ...{ peer: 'nginx', pick: cpu },
  },
  {
    figure: 'The same against a proxy that verifies the token',
    ...{ limit: 0.25, than: 'HAProxy with jwt_verify', workload: 'identity', subject: 'gatewarden-identity' },
    ...{ peer: 'haproxy-jwt', pick: cpu },
  },
  {
    figure: 'The same with another token for each request, 10,000 of them',
    ...{ limit: 1.1, than: 'nginx plain', workload: 'identities', subject: 'gatewarden-identities' },
    ...{ peer: 'nginx', pick: cpu },
  },
];

const sessionComparisons: readonly Comparison[] = [
  {
    figure: 'CPU per request with a session cookie, of 5,000 in turn',
    ...{ limit: 1.3, than: 'the same request without sessions', workload: 'sessions', subject: 'gatewarden-sessions' },
    ...{ peer: 'gatewarden-open', pick: cpu },
  },
  {
    figure: 'The same with 60,000, each decrypted anew',
    ...{ limit: 1.3, than: 'the same request without sessions', workload: 'cold-sessions' },
    ...{ subject: 'gatewarden-cold-sessions', peer: 'gatewarden-open', pick: cpu },
  },
];

/**
 * The cost of verifying a token anew for a request, held against OpenSSL's own work in the same round: in the same
 * process, as `crypto.verify` calls it, and by the library of the system.
 */
function coldGoal(results: Results, algorithm: TokenAlgorithm): Goal {
  const name = algorithm.toLowerCase();
  const open = new Map(
    measurementsOf(results, `cold-${name}`, 'gatewarden-open').map((one) => [one.round, one.cpuMicros]),
  );
  const alone = signatureCosts()[algorithm] ?? [];
  const rounds = measurementsOf(results, `cold-${name}`, `gatewarden-${name}`).flatMap(({ round, cpuMicros }) => {
    const [without, cost] = [open.get(round), alone[round]];
    if (without === undefined || cost === undefined) return [];
    const added = cpuMicros - without;
    return [{ added, inNode: added / cost.node, bySystem: added / cost.system }];
  });
  const inNode = spreadOf(rounds.map((one) => one.inNode));
  const goal = {
    figure: `What verifying an ${algorithm} token adds to a request`,
    target: '≤ 1.3 × OpenSSL alone in the same process',
  };
  if (inNode === undefined) return { ...goal, measured: 'not measured', reached: undefined };
  const bySystem = spreadOf(rounds.map((one) => one.bySystem))!;
  const added = spreadOf(rounds.map((one) => one.added))!;
  return {
    ...goal,
    measured: `${timesText(inNode)}, ${figure(added.median)} µs; ${timesText(bySystem)} by the library of the system`,
    reached: inNode.median <= 1.3,
  };
}

function introspectionGoal(results: Results): Goal {
  const asked = spread(results, 'introspection', 'gatewarden-introspection', cpu);
  const open = spread(results, 'introspection', 'gatewarden-open', cpu);
  const calls = asked && open && asked.median / (2 * open.median);
  return {
    figure: 'CPU per request with introspection, 64 connections',
    target: '≤ 1.5 × two HTTP calls',
    measured: calls === undefined ? 'not measured' : `${figure(calls)} ×`,
    reached: calls === undefined ? undefined : calls <= 1.5,
  };
}

function tokenMemoryGoal(): Goal {
  const measured = fileIn<TokenMemory>('token-memory.json');
  return {
    figure: 'Memory per cached token beside the token itself, of a million',
    target: '≤ 400 bytes',
    measured: measured === undefined ? 'not measured' : `${figure(measured.bytesEach)} bytes`,
    reached: measured && measured.tokens >= 1_000_000 ? measured.bytesEach <= 400 : undefined,
  };
}

/** Median time that an event takes more than over a relay that reads nothing. */
function eventGoal(results: Results): Goal {
  const ours = spread(results, 'events', 'gatewarden-events', (one) => one.p50);
  const relay = spread(results, 'events', 'direct-events', (one) => one.p50);
  const added = ours && relay && (ours.median - relay.median) / 1000;
  return {
    figure: 'Time that a server-sent event takes more than over a bare relay',
    target: '≤ 1 ms',
    measured: added === undefined ? 'not measured' : `${figure(added)} ms`,
    reached: added === undefined ? undefined : added <= 1,
  };
}

export function goalsOf(results: Results): Goal[] {
  return [
    comparisonGoal(results, mainCost),
    chainGoal(),
    ...otherComparisons.map((comparison) => comparisonGoal(results, comparison)),
    ...identityComparisons.map((comparison) => comparisonGoal(results, comparison)),
    ...sessionComparisons.map((comparison) => comparisonGoal(results, comparison)),
    coldGoal(results, 'RS256'),
    coldGoal(results, 'ES256'),
    coldGoal(results, 'EdDSA'),
    introspectionGoal(results),
    tokenMemoryGoal(),
    eventGoal(results),
    memoryGoal(results),
    transferGoal(),
    soakGoal(),
  ];
}
