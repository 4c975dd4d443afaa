import { setTimeout as passing } from 'node:timers/promises';
import type { Logger } from 'pino';
import { errorText } from '../../../platform/error-text.ts';
import type { BackendEndpoint } from '../../heap/objects/backends.ts';
import type { EndpointMeter } from './endpoint-meter.ts';
import { type HealthRecord, tenths } from './health-record.ts';
import type { HealthTable } from './health-table.ts';
import type { ProbePace } from './probe-pace.ts';

/** Pace of the probes of endpoints, and their consequences. Times are milliseconds. */
export interface ActiveHealthRules {
  readonly interval: number;
  readonly healthyThreshold: number;
  readonly unhealthyThreshold: number;
  /** Bounds how many probes are sent in a second; null for no bound. */
  readonly pace: ProbePace | null;
}

/** An endpoint that is probed. */
export interface ProbedEndpoint extends BackendEndpoint {
  readonly key: string;
  readonly health: HealthRecord;
}

/** Asks an endpoint whether it can serve. @returns why not, or null. It never rejects but for mistakes of ours. */
export type Probe = (endpoint: BackendEndpoint) => Promise<string | null>;

/** Probes of one object that are under way at a time: a tenant must not keep a plane busy with them. */
const MOST_PROBES = 16;

/** Share of the interval by which rounds come earlier or later, so that planes do not probe at the same moment. */
const JITTER = 0.2;

/**
 * Probes endpoints at intervals. Every unit has a timer, and the one that finds a probe due takes it for all: so an
 * endpoint gets one probe in an interval from a plane, whichever units end or begin.
 */
export class ActiveHealth {
  private readonly rules: ActiveHealthRules;
  private readonly probe: Probe;
  private readonly table: HealthTable;
  private readonly meter: EndpointMeter;
  private readonly log: Logger;
  private readonly all: () => Iterable<ProbedEndpoint>;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    rules: ActiveHealthRules,
    probe: Probe,
    table: HealthTable,
    meter: EndpointMeter,
    log: Logger,
    all: () => Iterable<ProbedEndpoint>,
  ) {
    this.rules = rules;
    this.probe = probe;
    this.table = table;
    this.meter = meter;
    this.log = log;
    this.all = all;
  }

  start(): void {
    this.next(0);
  }

  private next(delay: number): void {
    this.timer = setTimeout(() => void this.round(), delay);
    this.timer.unref();
  }

  close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private async round(): Promise<void> {
    const { interval } = this.rules;
    // a little less than the interval, because the next round may come early
    const pause = Math.max(1, Math.floor(((1 - JITTER) * interval) / 100));
    const began = performance.now();
    const due = [...this.all()].filter(({ health }) => health.claimProbe(tenths(), pause));
    const checking = async (): Promise<void> => {
      for (let one = due.pop(); one !== undefined && this.timer !== null; one = due.pop()) await this.check(one);
    };
    await Promise.all(Array.from({ length: MOST_PROBES }, checking));
    if (this.timer === null) return;
    const wanted = interval * (1 - JITTER + 2 * JITTER * Math.random());
    this.next(Math.max(0, wanted - (performance.now() - began)));
  }

  private async check(endpoint: ProbedEndpoint): Promise<void> {
    const { healthyThreshold, unhealthyThreshold } = this.rules;
    const { key, health } = endpoint;
    const delay = this.rules.pace?.() ?? 0;
    if (delay > 0) await passing(delay, undefined, { ref: false });
    if (this.timer === null) return;
    const reason = await this.probe(endpoint).catch(errorText);
    if (this.timer === null) return;
    if (reason !== null) this.meter.probeFailed(key);
    if (!health.probed(reason === null, healthyThreshold, unhealthyThreshold)) return;
    this.table.changed();
    if (reason === null) this.log.info({ endpoint: key }, 'endpoint answers probes again; it gets requests');
    else this.log.warn({ endpoint: key, reason }, 'endpoint does not answer probes; it gets no requests');
  }
}
