import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pino } from 'pino';
import type { JsonObject } from '../contract/document/json-value.ts';
import { noReach } from '../contract/reach.ts';
import { emptyFigures } from '../contract/route-report.ts';
import type { AuditLink } from '../dataplane/audit/link/audit-link.ts';
import { UnitAuditLink } from '../dataplane/audit/link/unit-audit-link.ts';
import { RingConsumer } from '../dataplane/audit/writer/ring-consumer.ts';
import { catalogue } from '../dataplane/catalogue/catalogue.ts';
import { Backend } from '../dataplane/engine/backend/backend.ts';
import { ClientConnection } from '../dataplane/engine/client/client-connection.ts';
import { Listener } from '../dataplane/engine/client/listener.ts';
import { chain } from '../dataplane/engine/message/chain.ts';
import type { Filter, Next } from '../dataplane/engine/message/exchange.ts';
import { mapResponse } from '../dataplane/engine/message/reply.ts';
import { type Connect, connectWire } from '../dataplane/engine/wire/connect.ts';
import { arrived, readBuffer } from '../dataplane/engine/wire/turn.ts';
import { REFUSED, type Wire, type WireOwner } from '../dataplane/engine/wire/wire.ts';
import { loadAllParts } from '../dataplane/heap/named-parts.ts';
import { figuresIn } from '../dataplane/metrics/route-slots.ts';
import { Configuration } from '../dataplane/routes/configuration.ts';
import { scriptOptions } from '../platform/script-options.ts';
import { forwards, type Json, sixFilters } from './configured-peers.ts';
import { COOKIE, policyFilter, signOnFilter, startDecidingServer } from './deciding-server.ts';
import { cold, identity, keptSessions, manySessions, readsSession } from './identity-peers.ts';
import { headerFilter, type Language } from './scripts/objects.ts';
import { sessionCookies } from './session-cookies.ts';
import { tokenFiles } from './token-files.ts';

/**
 * The price of the JavaScript alone: the real engine with sinks instead of sockets, as many connections a turn as under
 * load. Differences under a microsecond drown in the noise of the kernel; here they show.
 */
const CONNECTIONS = 16;
const PER_LAP = 2000;

const requestWith = (token: string, more = ''): Buffer =>
  Buffer.from(
    'GET /api/v1/orders/1234567?expand=lines HTTP/1.1\r\nHost: shop.example.com\r\nUser-Agent: bench/1.0\r\n' +
      `Accept: application/json\r\nAccept-Encoding: gzip, br\r\nAuthorization: Bearer ${token}\r\n` +
      `X-Request-Id: 0123456789abcdef\r\n${more}Connection: keep-alive\r\n\r\n`,
  );
const oneRequest = [requestWith('e'.repeat(700))];

/** Requests of many clients with so many tokens in turn. */
function tokenRequests(tokens: number): readonly Buffer[] {
  const known = readFileSync(tokenFiles('RS256', tokens).tokens, 'latin1').trim().split('\n');
  return Array.from({ length: 20_000 }, (_, at) =>
    requestWith(known[at % tokens]!, `X-Client: client-${String(at).padStart(5, '0')}\r\n`),
  );
}
const response = Buffer.from(
  'HTTP/1.1 200 OK\r\nServer: bench\r\nDate: Sat, 14 Nov 2026 23:53:15 GMT\r\nContent-Type: application/json\r\n' +
    `Content-Length: 1024\r\nConnection: keep-alive\r\n\r\n${'x'.repeat(1024)}`,
);

/** Takes everything and keeps nothing. */
class SinkWire implements Wire {
  owner: WireOwner;
  regionStart = 0;
  regionLength = 0;
  queued = 0;
  bulk = false;
  readonly pending = false;
  readonly unsent = 0;
  sent = 0;
  /** What was sent when it was answered last. */
  answered = 0;
  constructor(owner: WireOwner) {
    this.owner = owner;
  }
  send(_bytes: Buffer, _start: number, length: number): void {
    this.sent += length;
  }
  sendDirect(): typeof REFUSED {
    return REFUSED;
  }
  pause(): void {}
  resume(): void {}
  end(): void {}
  destroy(): void {}
  reset(): void {}
  remote() {
    return { address: '192.0.2.1', port: 40_000 };
  }
  local() {
    return { address: '192.0.2.2', port: 8080 };
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Hands bytes to a connection as the kernel would. */
function feed(wire: Wire, bytes: Buffer): void {
  bytes.copy(readBuffer, 0);
  arrived(wire, bytes.length);
}

type Subject = (connect: Connect) => Next;
/** A subject and the requests that it is measured with. */
type Chain = readonly [Subject, readonly Buffer[]];

/** Filters in front of one backend. */
function filtered(filters: readonly Filter[]): Subject {
  return (connect) => chain(filters, new Backend({ destination: { host: '192.0.2.3', port: 80 }, connect }).handle);
}

/** Takes the events of audit services, and keeps none. */
function auditSink(): AuditLink {
  let timer: NodeJS.Timeout | null = null;
  return new UnitAuditLink((order) => {
    if (order.kind !== 'audit-open' || timer !== null) return;
    const ring = new RingConsumer(order.ring);
    timer = setInterval(() => ring.read(() => true, Number.POSITIVE_INFINITY), 5).unref();
  });
}

/** Routes as `gatewarden run` serves them. */
function routed(routes: readonly Json[]): Subject {
  return (connect) => {
    const configuration = new Configuration({
      catalogue,
      reach: {
        ...noReach,
        origin: 'operator',
        readFile: (path) => readFileSync(path),
        listDirectory: (path) => readdirSync(path),
      },
      log: pino({ level: 'silent' }),
      figures: () => figuresIn(emptyFigures()),
      observe() {},
      mayReach: () => true,
      connect,
      auditLink: auditSink(),
    });
    const set = routes.map((document, slot) => {
      const name = String(slot).padStart(6, '0');
      return { router: 'gateway._router', id: name, name, document: document as JsonObject, hash: name, slot };
    });
    const base = { document: { heap: [{ name: '_router', type: 'Router' }] }, hash: 'base' };
    const update = { revision: '1', base, set, remove: [], defaultSlots: {} };
    const problems = configuration.apply(update);
    if (problems.length > 0) throw new Error(JSON.stringify(problems));
    return configuration.handle;
  };
}

async function price(subject: Subject, requests: readonly Buffer[], count: number): Promise<number> {
  let asked = 0;
  const backends: SinkWire[] = [];
  const handler = subject((_to, owner, done) => {
    const wire = new SinkWire(owner);
    backends.push(wire);
    process.nextTick(() => done('http/1.1'));
    return wire;
  });
  let logged = 0;
  const listener = new Listener({
    port: 0,
    reusePort: false,
    handler,
    onFinished: () => {
      logged++;
    },
  });
  const clients = Array.from({ length: CONNECTIONS }, () => {
    const nobody = {} as WireOwner;
    const wire = new SinkWire(nobody);
    wire.owner = new ClientConnection(wire, listener, false);
    return wire;
  });
  /** Answers every backend that was asked something since the last time. */
  const answer = (): void => {
    for (const wire of backends) {
      if (wire.sent === wire.answered) continue;
      wire.answered = wire.sent;
      feed(wire, response);
    }
  };
  const round = async (): Promise<void> => {
    const due = logged + CONNECTIONS;
    for (const client of clients) feed(client, requests[asked++ % requests.length]!);
    do {
      await turn();
      await turn();
      answer();
      await turn();
      await turn();
    } while (logged < due); // tokens that nobody has seen yet take longer
  };
  for (let at = 0; at < requests.length; at += CONNECTIONS) await round();
  logged = 0;
  const laps: number[] = [];
  for (let lap = 0; lap < count; lap++) {
    const before = process.cpuUsage(); // processor time, so that neighbours do not count
    for (let i = 0; i < PER_LAP; i++) await round();
    const { user, system } = process.cpuUsage(before);
    laps.push(((user + system) * 1000) / (PER_LAP * CONNECTIONS));
  }
  const due = count * PER_LAP * CONNECTIONS;
  if (logged !== due) throw new Error(`${logged} answers, not ${due}`);
  const settled = laps.slice(count / 3).sort((a, b) => a - b);
  return settled[settled.length >> 1]!;
}

const sixPass = Array.from(
  { length: 6 },
  () =>
    function passOn(exchange, next) {
      return next(exchange);
    } satisfies Filter,
);
const auditFiles = {
  class: 'JsonAuditEventHandler',
  config: { name: 'files', topics: ['access'], logDirectory: '/nowhere' },
};
/** A route whose requests are recorded, up to the ring that the audit writer reads. */
const auditedRoute = {
  ...(forwards('/api/v1/orders/', 80) as object),
  auditService: { type: 'AuditService', config: { eventHandlers: [auditFiles] } },
};
const endpoints = ['192.0.2.3', '192.0.2.4', '192.0.2.5'].map((host) => ({ uri: `http://${host}:80` }));
/** The same route with three endpoints in place of a `baseURI`. */
const spreadRoute = {
  ...(forwards('/api/v1/orders/', 80) as object),
  handler: {
    type: 'ReverseProxyHandler',
    config: { connections: 1024, backends: { type: 'Backends', config: { endpoints } } },
  },
};
const mapped: Filter = (exchange, next) => mapResponse(next(exchange), exchange, (response) => response);
const awaited: Filter = async (exchange, next) => await next(exchange);
const subjects: Record<string, Subject> = {
  bare: filtered([]),
  six: filtered(sixPass),
  map: filtered([mapped]),
  await: filtered([awaited]),
  route: routed([forwards('/api/v1/orders/', 80)]),
  endpoints: routed([spreadRoute]),
  audit: routed([auditedRoute]),
  'six-real': routed([forwards('/api/v1/orders/', 80, sixFilters)]),
  ...Object.fromEntries(
    sixFilters.map((filter, i) => [`real-${i}`, routed([forwards('/api/v1/orders/', 80, [filter])])]),
  ),
};

/** Chains whose requests carry tokens that count, and the route alone with the same requests. */
const protectedRoute = (tokens: number, filters = identity('RS256', tokens)()): [Subject, readonly Buffer[]] => [
  routed([forwards('/api/v1/orders/', 80, filters)]),
  tokenRequests(tokens),
];

/** A route that reads its session, and requests with so many different session cookies in turn; with none for 0. */
function sessionRoute(count: number): [Subject, readonly Buffer[]] {
  const { manager, cookies } = sessionCookies(count);
  const requests = cookies.map((cookie) => requestWith('e'.repeat(700), `Cookie: ${cookie}\r\n`));
  const route = { ...(forwards('/api/v1/orders/', 80, [readsSession]) as object), session: manager };
  return [routed([route]), count === 0 ? oneRequest : requests];
}

/** A route whose filters have cached what the access manager says of so many sessions. */
async function managedRoute(
  sessions: number,
  filters: (port: number) => readonly Json[],
): Promise<[Subject, readonly Buffer[]]> {
  const { port } = await startDecidingServer();
  const served = routed([forwards('/api/v1/orders/', 80, filters(port))]);
  // the access manager has real sockets
  const subject: Subject = (connect) =>
    served((to, ...rest) => ('port' in to && to.port === port ? connectWire(to, ...rest) : connect(to, ...rest)));
  const requests = Array.from({ length: sessions }, (_, at) => {
    const token = `AQIC5wM2LY4SfcyuCl-8YST-lYEeaAYwQk1dyRV7PfFL0Y8.*AAJTSQACMDEAAlNL${at}*`;
    return requestWith('e'.repeat(700), `X-Session: ${token}\r\nCookie: ${COOKIE}=${token}\r\n`);
  });
  return [subject, requests];
}
const signOnAndPolicy = (port: number): Json[] => [
  signOnFilter(port),
  policyFilter(port, '${contexts.ssoToken.value}'),
];

/** A route with a filter that reads a header and sets another. */
async function scriptRoute(language: Language): Promise<Chain> {
  await loadAllParts(catalogue);
  return [routed([forwards('/api/v1/orders/', 80, [headerFilter(language)])]), oneRequest];
}
const identified: Record<string, () => Chain | Promise<Chain>> = {
  groovy: () => scriptRoute('groovy'),
  javascript: () => scriptRoute('javascript'),
  'route-token': () => protectedRoute(1, []),
  'route-tokens': () => protectedRoute(10_000, []),
  token: () => protectedRoute(1, identity('RS256', 1)().slice(0, 1)),
  tokens: () => protectedRoute(10_000, identity('RS256', 10_000)().slice(0, 1)),
  throttle: () => protectedRoute(1, identity('RS256', 1)().slice(1)),
  cold: () => protectedRoute(2000, cold('RS256')()),
  identity: () => protectedRoute(1),
  identities: () => protectedRoute(10_000),
  'session-none': () => sessionRoute(0),
  session: () => sessionRoute(1),
  sessions: () => sessionRoute(keptSessions),
  'cold-sessions': () => sessionRoute(manySessions),
  'managed-none': () => managedRoute(1, () => []),
  policy: () => managedRoute(1, (port) => [policyFilter(port)]),
  policies: () => managedRoute(10_000, (port) => [policyFilter(port)]),
  'sign-on': () => managedRoute(1, (port) => [signOnFilter(port)]),
  'sign-ons': () => managedRoute(10_000, (port) => [signOnFilter(port)]),
  'sign-on-policy': () => managedRoute(1, signOnAndPolicy),
  'sign-on-policies': () => managedRoute(10_000, signOnAndPolicy),
};

const USAGE = `usage: node bench/chain.ts [CHAIN] [--laps N]
Measures the JavaScript of the request path, in nanoseconds a request. Without CHAIN: the main ones, three rounds each,
into bench/out/chain.json.
  CHAIN     ${[...Object.keys(subjects), ...Object.keys(identified)].join(', ')}
  --laps N  laps of ${PER_LAP * CONNECTIONS} requests; the first third does not count (60)
`;
const {
  words: [wanted],
  values: { laps: wantedLaps },
} = scriptOptions(USAGE, { laps: '60' }, 1);
if (wanted !== undefined) {
  const subject = subjects[wanted];
  const chosen = subject === undefined ? await identified[wanted]?.() : ([subject, oneRequest] as const);
  if (chosen === undefined) {
    const names = [...Object.keys(subjects), ...Object.keys(identified)].join(', ');
    throw new Error(`no such chain: ${wanted}; there are ${names}`);
  }
  const [served, requests] = chosen;
  process.stdout.write(`${Math.round(await price(served, requests, Number(wantedLaps)))}\n`);
  process.exit(0);
}

// each chain in processes of its own, in turn: inline caches of one must not be warmed by another
const { spawnSync } = await import('node:child_process');
const figures: Record<string, number[]> = {};
for (let round = 0; round < 3; round++) {
  for (const name of ['bare', 'six', 'map', 'await', 'route', 'six-real', 'route-token', 'identity', 'identities']) {
    const run = spawnSync(process.execPath, [process.argv[1]!, name], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    (figures[name] ??= []).push(Number(run.stdout));
    process.stderr.write(`round ${round + 1}: ${name} ${run.stdout.trim()} ns\n`);
  }
}
const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1]!;
const medians = Object.fromEntries(Object.entries(figures).map(([name, values]) => [name, median(values)]));
process.stdout.write(`${JSON.stringify(medians)}\n`);
mkdirSync(new URL('./out/', import.meta.url), { recursive: true });
const result = { bareNs: medians['bare'], sixNs: medians['six'], ...medians };
writeFileSync(new URL('./out/chain.json', import.meta.url), `${JSON.stringify(result)}\n`);
