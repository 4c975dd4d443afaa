import { coldTokens, keptSessions, manySessions } from '../identity-peers.ts';
import type { Peer } from '../peer.ts';
import { cookieHeadFile, type HeadName, headFile, subjectHeadFile, tokenHeadFile } from '../request-head.ts';
import { sessionCookies } from '../session-cookies.ts';
import { type TokenAlgorithm, tokenFiles } from '../token-files.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

/** One thing to measure and how often. */
export type Workload = {
  name: string;
  title: string;
  /** `saturate`: as fast as answers come; `pace`: at a fixed rate; `idle`: memory of connections that do nothing. */
  kind: 'saturate' | 'pace' | 'idle';
  head: HeadName;
  connections: number;
  depth: number;
  /** Bytes of request body and of the answer's body. */
  body: number;
  answer: number;
  seconds: number;
  rounds: number;
  /**
   * How many times `seconds` each proxy of a round is measured, all of them in turn while the others are idle: the speed of
   * a host changes within seconds, and this way it changes for all. One time without.
   */
  turns?: number;
  /** Which tokens the requests carry, one after the other. */
  tokens?: { algorithm: TokenAlgorithm; count: number; isOneClient?: true };
  /** How many different session cookies the requests carry, one after the other. */
  sessions?: number;
  /** The only proxies that are compared; the first is the gateway. */
  only?: readonly string[];
  /** Who makes the load where the C program does not, and which proxies are compared; the first is the gateway. */
  driver?: { program: string; arguments: readonly string[]; peers: readonly string[] };
};

const base = {
  kind: 'saturate',
  head: 'bearer',
  connections: 64,
  depth: 1,
  body: 0,
  answer: KiB,
  seconds: 2,
  rounds: 5,
} as const satisfies Partial<Workload>;

const inTurns = { seconds: 0.5, turns: 12 };

const h2load = (peers: readonly string[], ...options: string[]): NonNullable<Workload['driver']> => ({
  program: 'h2load',
  arguments: options,
  peers,
});
const overTls = ['gatewarden-tls', 'nginx-tls', 'haproxy-tls'];
const toHttp2 = ['gatewarden-h2-backend', 'haproxy-h2-backend', 'node-h2-backend'];

/** Workloads that need other protocols than HTTP/1.1 in clear. */
const driven: readonly Workload[] = [
  {
    ...base,
    name: 'tls',
    title: 'TLS from clients, keep-alive, 64 connections, in clear to the backend',
    driver: h2load(overTls, '--front', 'h1', '--connections', '64'),
  },
  {
    ...base,
    name: 'handshake',
    title: 'A full TLS handshake for every request',
    driver: { program: 'handshakes', arguments: ['--kind', 'full'], peers: overTls },
  },
  {
    ...base,
    name: 'resumption',
    title: 'A resumed TLS handshake for every request',
    driver: { program: 'handshakes', arguments: ['--kind', 'resumed'], peers: overTls },
  },
  {
    ...base,
    name: 'http2-many',
    title: 'HTTP/2 over TLS from clients, 10 connections with 100 streams each',
    driver: h2load(overTls, '--front', 'h2', '--connections', '10', '--streams', '100'),
  },
  {
    ...base,
    name: 'http2-one',
    title: 'HTTP/2 over TLS from clients, 64 connections with 1 stream each',
    driver: h2load(overTls, '--front', 'h2', '--connections', '64', '--streams', '1'),
  },
  {
    ...base,
    name: 'http2-backend',
    title: 'HTTP/2 to the backend, 100 streams, HTTP/1.1 from clients',
    driver: h2load(toHttp2, '--front', 'h1', '--scheme', 'http', '--connections', '100', '--backend', 'h2'),
  },
  {
    ...base,
    name: 'websocket',
    title: 'WebSocket messages of 64 bytes there and back, 64 sockets',
    driver: { program: 'websocket', arguments: [], peers: ['gatewarden-sockets', 'nginx-sockets'] },
  },
  {
    ...base,
    name: 'events',
    title: 'Server-sent events, 16 listeners, one event every 5 ms: from the backend to the client',
    driver: { program: 'events', arguments: [], peers: ['gatewarden-events', 'nginx-events', 'direct-events'] },
  },
];

const cold = (algorithm: TokenAlgorithm): Workload => {
  const name = algorithm.toLowerCase();
  return {
    ...base,
    name: `cold-${name}`,
    title: `${algorithm} tokens that are verified anew for every request, 64 connections`,
    tokens: { algorithm, count: coldTokens },
    only: [`gatewarden-${name}`, 'gatewarden-open'],
  };
};

/** Workloads whose requests carry tokens that count. */
const identified: readonly Workload[] = [
  {
    ...base,
    name: 'identity',
    title: 'A cached RS256 token, scope, throttle with 100,000 partitions, log, metrics, 64 connections',
    tokens: { algorithm: 'RS256', count: 1 },
    only: ['gatewarden-identity', 'nginx', 'haproxy-jwt', 'gatewarden-open'],
    seconds: 3,
    rounds: 7,
  },
  {
    ...base,
    name: 'subject',
    title: 'A cached RS256 token, scope, throttle by `sub`, log, metrics, 64 connections',
    tokens: { algorithm: 'RS256', count: 1, isOneClient: true },
    only: ['gatewarden-subject', 'nginx', 'haproxy-jwt', 'gatewarden-open'],
    ...inTurns,
    rounds: 7,
  },
  {
    ...base,
    name: 'identities',
    title: 'The same with another token for each request, 10,000 of them, all cached',
    tokens: { algorithm: 'RS256', count: 10_000 },
    only: ['gatewarden-identities', 'nginx'],
    seconds: 3,
    rounds: 7,
  },
  cold('RS256'),
  cold('ES256'),
  cold('EdDSA'),
  {
    ...base,
    name: 'introspection',
    title: 'Tokens that the authorization server is asked about for every request, 64 connections',
    tokens: { algorithm: 'RS256', count: coldTokens },
    only: ['gatewarden-introspection', 'gatewarden-open'],
  },
  {
    ...base,
    name: 'sessions',
    title: `A route that reads its session, ${keptSessions.toLocaleString('en-US')} session cookies in turn, 64 connections`,
    sessions: keptSessions,
    only: ['gatewarden-sessions', 'gatewarden-open'],
  },
  {
    ...base,
    name: 'cold-sessions',
    title: `The same with ${manySessions.toLocaleString('en-US')} session cookies, each decrypted anew`,
    sessions: manySessions,
    only: ['gatewarden-cold-sessions', 'gatewarden-open'],
  },
];

export const workloads: readonly Workload[] = [
  {
    ...base,
    name: 'main',
    title: '1 KB head with a bearer token, 1 KiB answer, 64 connections',
    ...inTurns,
    rounds: 7,
  },
  { ...base, name: 'small', title: 'Small GET, 100-byte answer, 64 connections', head: 'small', answer: 100 },
  { ...base, name: 'post', title: 'POST of 1 KiB, 1 KiB answer, 64 connections', body: KiB },
  { ...base, name: 'answer-64k', title: '64 KiB answers, 64 connections', answer: 64 * KiB },
  { ...base, name: 'answer-10m', title: '10 MiB answers, 8 connections', connections: 8, answer: 10 * MiB },
  { ...base, name: 'upload-10m', title: '10 MiB uploads, 8 connections', connections: 8, body: 10 * MiB },
  { ...base, name: 'one', title: 'The main workload on 1 connection', connections: 1 },
  { ...base, name: 'thousand', title: 'The main workload on 1,000 connections', connections: 1000 },
  { ...base, name: 'pipelined', title: 'The main workload with 16 requests in flight per connection', depth: 16 },
  {
    ...base,
    name: 'latency',
    title: 'Latency at 70 % of Gatewarden’s saturation, the same rate for all',
    kind: 'pace',
    only: ['gatewarden', 'nginx'],
    seconds: 30,
    rounds: 10,
  },
  {
    ...base,
    name: 'idle',
    title: '10,000 idle keep-alive connections, one request made on each',
    kind: 'idle',
    rounds: 3,
  },
  {
    ...base,
    name: 'configured',
    title: 'The main workload through `gatewarden run`: routes and filters',
    ...inTurns,
    rounds: 7,
  },
  {
    ...base,
    name: 'backends',
    title: 'The main workload through `gatewarden run`: `backends` with three endpoints, and a `baseURI`',
    only: ['three-endpoints', 'base-uri'],
    seconds: 3,
    rounds: 7,
  },
  ...identified,
  ...driven,
];

export const idleConnections = 10_000;
/** Share of the gateway's own saturation at which latency is compared. */
export const paceShare = 0.7;

/** The proxies that run a workload: all of them the main one, only those that are near our cost the others. */
export function contenders(workload: Workload, peers: readonly Peer[]): Peer[] {
  const { driver, only } = workload;
  if (only !== undefined) return peers.filter(({ name }) => only.includes(name));
  if (driver !== undefined) return peers.filter(({ name }) => driver.peers.includes(name));
  return peers.filter(({ name, role }) => {
    if (role === 'compared') return false;
    if (workload.kind === 'idle' && name === 'relay') return false; // it would hold 10,000 backend connections as well
    if (workload.name === 'configured') return role === 'configured' || role === 'subject' || name === 'nginx';
    if (role === 'configured') return false;
    return workload.name === 'main' || role === 'subject' || role === 'native';
  });
}

/** The workload as arguments of the load program. */
export function loadArguments(workload: Workload, warmup: number, rate: number | undefined): string[] {
  const { driver } = workload;
  if (driver !== undefined) {
    return [...driver.arguments, '--warmup', `${warmup}`, '--seconds', `${workload.seconds}`];
  }
  const { connections, depth, body, answer, seconds, kind } = workload;
  const common = [
    ...requestArguments(workload),
    '--connections',
    `${connections}`,
    '--body',
    `${body}`,
    '--answer',
    `${answer}`,
  ];
  if (kind === 'idle') return [...common, '--idle', `${idleConnections}`];
  const pace = rate === undefined ? ['--depth', `${depth}`] : ['--rate', `${rate}`];
  if (workload.turns !== undefined) pace.push('--again');
  return [...common, ...pace, '--warmup', `${warmup}`, '--seconds', `${seconds}`];
}

function requestArguments({ head, tokens, sessions }: Workload): string[] {
  if (sessions !== undefined) {
    const { cookies, file } = sessionCookies(sessions);
    return ['--head', cookieHeadFile(cookies[0]!.length), '--tokens', file];
  }
  if (tokens === undefined) return ['--head', headFile(head)];
  const files = tokenFiles(tokens.algorithm, tokens.count);
  const file = tokens.isOneClient === true ? subjectHeadFile(files) : tokenHeadFile(files);
  return ['--head', file, '--tokens', files.tokens];
}
