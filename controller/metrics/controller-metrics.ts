import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { RouteProblems } from '../../contract/channel.ts';
import type { ReflectorFacts } from '../cluster/api/reflector-facts.ts';
import type { PlaneState } from '../publish/plane-state.ts';
import { type CertificateMetricsSource, showCertificates } from './certificate-metrics.ts';
import { collectProcessMetrics } from './process-metrics.ts';

/** Data source of the metrics at each scrape. */
export interface ControllerMetricsSource extends CertificateMetricsSource {
  isLeader(): boolean;
  revision(): string | null;
  /** States of the planes that this controller knows of. */
  planeStates(): readonly PlaneState[];
  /** How many planes have their stream with this controller. */
  streams(): number;
  reflectors(): readonly ReflectorFacts[];
  /** Routes with a Service of which not all endpoints are used. */
  routesWithEndpointsLeftOut(): number;
}

const PLANE_STATES: readonly PlaneState[] = ['current', 'behind', 'refused', 'left'];
/** From a route to thousands, in seconds. */
const COMPILE_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const ACK_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The metrics of a controller: what it counted, and what it looks at when it is scraped. */
export class ControllerMetrics {
  readonly registry = new Registry();
  private readonly compileTime: Histogram;
  private readonly ackTime: Histogram;
  private readonly nacks: Counter<'reason'>;
  private readonly statusWrites: Counter<'kind' | 'outcome'>;
  private readonly events: Counter<'outcome'>;
  private readonly webhookTime: Histogram<'kind' | 'outcome'>;
  private readonly apiCalls: Counter<'operation' | 'collection' | 'status'>;
  private readonly apiTime: Histogram<'operation'>;

  constructor(source: ControllerMetricsSource) {
    const registers = [this.registry];
    collectProcessMetrics(this.registry);
    this.compileTime = new Histogram({
      name: 'gw_controller_compile_seconds',
      help: 'Time to compile the resources into a snapshot.',
      buckets: COMPILE_BOUNDS,
      registers,
    });
    this.ackTime = new Histogram({
      name: 'gw_controller_ack_seconds',
      help: 'Time from sending an update to a data plane until it is applied there.',
      buckets: ACK_BOUNDS,
      registers,
    });
    this.nacks = new Counter({
      name: 'gw_controller_nacks_total',
      help: 'Routes that data planes failed to build and updates that they rejected, by the code of the first problem.',
      labelNames: ['reason'],
      registers,
    });
    this.statusWrites = new Counter({
      name: 'gw_controller_status_writes_total',
      help: 'Status writes, by kind and outcome.',
      labelNames: ['kind', 'outcome'],
      registers,
    });
    this.events = new Counter({
      name: 'gw_controller_events_total',
      help: 'Events about state changes, by outcome.',
      labelNames: ['outcome'],
      registers,
    });
    this.webhookTime = new Histogram({
      name: 'gw_controller_webhook_seconds',
      help: 'Time to answer an admission request, by kind and answer.',
      labelNames: ['kind', 'outcome'],
      buckets: COMPILE_BOUNDS,
      registers,
    });
    this.apiCalls = new Counter({
      name: 'gw_controller_api_requests_total',
      help: 'Requests of Common REST, by operation, collection and status.',
      labelNames: ['operation', 'collection', 'status'],
      registers,
    });
    this.apiTime = new Histogram({
      name: 'gw_controller_api_seconds',
      help: 'Time until the answer to a request of Common REST begins, by operation.',
      labelNames: ['operation'],
      buckets: COMPILE_BOUNDS,
      registers,
    });
    showNow(registers, source);
    showWatches(registers, source);
    showCertificates(registers, source);
  }

  compiled(milliseconds: number): void {
    this.compileTime.observe(milliseconds / 1000);
  }

  acknowledged(milliseconds: number): void {
    this.ackTime.observe(milliseconds / 1000);
  }

  refused(problems: readonly RouteProblems[]): void {
    for (const one of problems) {
      const first = one.problems.find(({ severity }) => severity === 'error');
      if (first !== undefined) this.nacks.inc({ reason: first.code });
    }
  }

  statusWritten(kind: string, outcome: string): void {
    this.statusWrites.inc({ kind, outcome });
  }

  eventRecorded(outcome: string): void {
    this.events.inc({ outcome });
  }

  webhookAnswered(kind: string, outcome: string, milliseconds: number): void {
    this.webhookTime.observe({ kind, outcome }, milliseconds / 1000);
  }

  /** @param operation one of a few names, like the collection */
  apiAnswered(operation: string, collection: string, status: number, milliseconds: number): void {
    this.apiCalls.inc({ operation, collection, status: String(status) });
    this.apiTime.observe({ operation }, milliseconds / 1000);
  }
}

function showNow(registers: Registry[], source: ControllerMetricsSource): void {
  new Gauge({
    name: 'gw_controller_leader',
    help: 'Whether this controller is the leader: 1 or 0.',
    registers,
    collect() {
      this.set(source.isLeader() ? 1 : 0);
    },
  });
  new Gauge({
    name: 'gw_controller_revision_info',
    help: 'The revision that data planes should run, as a label; always 1.',
    labelNames: ['revision'],
    registers,
    collect() {
      this.reset();
      const revision = source.revision();
      if (revision !== null) this.set({ revision }, 1);
    },
  });
  new Gauge({
    name: 'gw_controller_streams',
    help: 'Data planes connected to this controller.',
    registers,
    collect() {
      this.set(source.streams());
    },
  });
  new Gauge({
    name: 'gw_controller_routes_with_endpoints_left_out',
    help: 'Routes with a Service of which not all endpoints are used, because it has too many.',
    registers,
    collect() {
      this.set(source.routesWithEndpointsLeftOut());
    },
  });
  new Gauge({
    name: 'gw_controller_planes',
    help: 'Data planes known to this controller, by state; the leader knows all.',
    labelNames: ['state'],
    registers,
    collect() {
      const states = source.planeStates();
      for (const state of PLANE_STATES) this.set({ state }, states.filter((one) => one === state).length);
    },
  });
}

function showWatches(registers: Registry[], source: ControllerMetricsSource): void {
  new Gauge({
    name: 'gw_controller_watch_age_seconds',
    help: 'Time since the last sign of life of a watch, by kind; the longest of several watches.',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset();
      const now = source.now();
      for (const [kind, facts] of byKind(source.reflectors())) {
        const heard = facts.flatMap(({ heardAt }) => (heardAt === null ? [] : [heardAt]));
        if (heard.length > 0) this.set({ kind }, Math.max(0, now - Math.min(...heard)) / 1000);
      }
    },
  });
  new Counter({
    name: 'gw_controller_relists_total',
    help: 'Full lists after the first one, by kind.',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset();
      for (const [kind, facts] of byKind(source.reflectors())) {
        this.inc(
          { kind },
          facts.reduce((sum, { relists }) => sum + relists, 0),
        );
      }
    },
  });
  new Counter({
    name: 'gw_controller_watch_errors_total',
    help: 'Failed lists and watches, by kind and reason.',
    labelNames: ['kind', 'reason'],
    registers,
    collect() {
      this.reset();
      for (const { kind, errors } of source.reflectors()) {
        for (const [reason, count] of errors) this.inc({ kind, reason }, count);
      }
    },
  });
}

function byKind(reflectors: readonly ReflectorFacts[]): Map<string, ReflectorFacts[]> {
  return Map.groupBy(reflectors, ({ kind }) => kind);
}
