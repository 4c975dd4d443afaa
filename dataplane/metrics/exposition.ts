import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type CounterReading, durationBounds } from '../engine/wire/counters.ts';
import { type Row, registerCounted } from './counted-metric.ts';

/** Source of the metrics, read at each scrape. */
export interface MetricsSource {
  read(): CounterReading;
  readonly units: number;
  readonly unitRestarts: number;
}

type Value = (reading: CounterReading) => number;

const COUNTERS: readonly (readonly [name: string, help: string, value: Value])[] = [
  ['gatewarden_connections_total', 'Client connections accepted.', (r) => r.values.connectionsAccepted],
  [
    'gatewarden_connections_refused_total',
    'Client connections closed at once because the connection limit was reached.',
    (r) => r.values.connectionsRefused,
  ],
  ['gatewarden_request_bytes_total', 'Bytes of request bodies received.', (r) => r.values.bytesReceived],
  ['gatewarden_response_bytes_total', 'Bytes of response bodies sent.', (r) => r.values.bytesSent],
  [
    'gatewarden_requests_aborted_total',
    'Exchanges that ended before the response was complete.',
    (r) => r.values.aborted,
  ],
  ['gw_tls_handshakes_total', 'TLS handshakes with clients that succeeded.', (r) => r.values.tlsHandshakes],
  ['gatewarden_backend_connects_total', 'Connections to backends opened.', (r) => r.values.backendConnects],
  [
    'gatewarden_backend_connect_failures_total',
    'Connections to backends that could not be opened.',
    (r) => r.values.backendConnectFailures,
  ],
  [
    'gatewarden_backend_retries_total',
    'Requests sent again because a pooled connection was dead.',
    (r) => r.values.backendRetries,
  ],
];

const GAUGES: readonly (readonly [name: string, help: string, value: Value])[] = [
  ['gatewarden_connections_open', 'Client connections open now.', (r) => r.values.connectionsOpen],
  ['gatewarden_requests_active', 'Requests being processed now.', (r) => r.values.requestsActive],
  ['gatewarden_tunnels_open', 'Upgraded connections open now.', (r) => r.values.tunnelsOpen],
  ['gw_websockets_open', 'WebSockets open now; gatewarden_tunnels_open includes them.', (r) => r.values.webSocketsOpen],
  ['gatewarden_backend_connections_open', 'Connections to backends open now.', (r) => r.values.backendConnectionsOpen],
  ['gw_backend_streams_open', 'HTTP/2 streams to backends open now.', (r) => r.values.backendStreamsOpen],
  ['gatewarden_backend_waiting', 'Requests that wait for a connection to a backend.', (r) => r.values.backendWaiting],
];

const STATUSES = [
  ['1xx', 'status1xx'],
  ['2xx', 'status2xx'],
  ['3xx', 'status3xx'],
  ['4xx', 'status4xx'],
  ['5xx', 'status5xx'],
  ['other', 'statusOther'],
] as const;

const WEBSOCKET_ENDS = [
  ['closed', 'webSocketsClosed'],
  ['client-left', 'webSocketsLeftByClient'],
  ['backend-left', 'webSocketsLeftByBackend'],
  ['client-protocol', 'webSocketsBrokenByClient'],
  ['backend-protocol', 'webSocketsBrokenByBackend'],
  ['too-large', 'webSocketsTooLarge'],
  ['silent', 'webSocketsSilent'],
  ['stopped', 'webSocketsStopped'],
] as const;

/** Metrics of a data plane: the sums over all units, and those of the process. */
export function metricsRegistry(source: MetricsSource): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  for (const [name, help, value] of COUNTERS) {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(value(source.read()));
      },
    });
  }
  for (const [name, help, value] of GAUGES) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value(source.read()));
      },
    });
  }
  new Counter({
    name: 'gatewarden_requests_total',
    help: 'Requests answered, by status family; 4xx includes 499, a client that disconnected.',
    labelNames: ['status'],
    registers,
    collect() {
      this.reset();
      const { values } = source.read();
      for (const [status, name] of STATUSES) this.inc({ status }, values[name]);
    },
  });
  new Counter({
    name: 'gatewarden_refusals_total',
    help: 'Requests rejected by the engine, a filter or a handler, by code (docs/errors.md).',
    labelNames: ['refusal'],
    registers,
    collect() {
      this.reset();
      for (const [refusal, count] of source.read().refusals) this.inc({ refusal }, count);
    },
  });
  new Counter({
    name: 'gw_websocket_closes_total',
    help: 'WebSockets that ended, by reason: a Close frame, or the fault.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      const { values } = source.read();
      for (const [reason, name] of WEBSOCKET_ENDS) this.inc({ reason }, values[name]);
    },
  });
  new Counter({
    name: 'gw_tls_handshake_failures_total',
    help: 'Failed TLS handshakes with clients, by reason (docs/errors.md).',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of source.read().handshakeFaults) this.inc({ reason }, count);
    },
  });
  new Gauge({
    name: 'gatewarden_units',
    help: 'Running units (event loops).',
    registers,
    collect() {
      this.set(source.units);
    },
  });
  new Counter({
    name: 'gatewarden_unit_restarts_total',
    help: 'Units that died and were replaced.',
    registers,
    collect() {
      this.reset();
      this.inc(source.unitRestarts);
    },
  });
  const name = 'gatewarden_request_duration_seconds';
  const help = 'Time from the complete request head to the end of the response.';
  registerCounted(registry, name, 'histogram', help, () => durationRows(name, source));
  return registry;
}

function durationRows(name: string, source: MetricsSource): Row[] {
  const { durations, values } = source.read();
  let count = 0;
  const buckets = durations.map((inBucket, i): Row => {
    count += inBucket;
    return { value: count, labels: { le: durationBounds[i] ?? '+Inf' }, metricName: `${name}_bucket` };
  });
  return [
    ...buckets,
    { value: values.durationSum, labels: {}, metricName: `${name}_sum` },
    { value: count, labels: {}, metricName: `${name}_count` },
  ];
}
