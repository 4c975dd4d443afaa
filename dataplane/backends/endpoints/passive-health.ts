import type { Logger } from 'pino';
import type { Refusal } from '../../engine/message/refusal.ts';
import { outcomeOf } from '../backend-failure.ts';
import type { EndpointMeter } from './endpoint-meter.ts';
import { type HealthRecord, tenths } from './health-record.ts';
import type { HealthTable } from './health-table.ts';

/** Rules by which endpoints are ejected. Times are milliseconds. */
export interface PassiveHealthRules {
  readonly consecutiveFailures: number;
  readonly failureRate: { readonly percent: number; readonly requests: number; readonly window: number } | null;
  readonly failureStatuses: ReadonlySet<number>;
  readonly ejectionTime: number;
  readonly maxEjectionTime: number;
  /** Most endpoints that may be ejected at a time, in percent. */
  readonly maxEjected: number;
}

/** An endpoint that is judged by its answers. */
export interface JudgedEndpoint {
  readonly key: string;
  readonly health: HealthRecord;
}

/** Judges endpoints by the outcome of requests, and ejects those that fail. All units of a plane decide together. */
export class PassiveHealth {
  readonly table: HealthTable;
  private readonly rules: PassiveHealthRules;
  private readonly meter: EndpointMeter;
  private readonly log: Logger;
  private readonly all: () => Iterable<JudgedEndpoint>;

  constructor(
    rules: PassiveHealthRules,
    table: HealthTable,
    meter: EndpointMeter,
    log: Logger,
    all: () => Iterable<JudgedEndpoint>,
  ) {
    this.rules = rules;
    this.table = table;
    this.meter = meter;
    this.log = log;
    this.all = all;
  }

  /** An answer, or the head of one: `ended` or `broke` follows. */
  answered(endpoint: JudgedEndpoint, status: number, isWhole: boolean): void {
    const { failureRate } = this.rules;
    if (this.isFailure(status)) {
      this.failed(endpoint, `status ${status}`);
      return;
    }
    endpoint.health.succeeded(isWhole);
    if (failureRate !== null) endpoint.health.count(false, failureRate.window / 100, tenths());
  }

  /** The rest of an answer came. */
  ended({ health }: JudgedEndpoint, status: number): void {
    if (health.isBreaking && !this.isFailure(status)) health.succeeded(true);
  }

  /** The rest of an answer will not come; one that was a failure by its status is counted already. */
  broke(endpoint: JudgedEndpoint, status: number, refusal: Refusal): void {
    if (!isOfEndpoint(refusal) || this.isFailure(status)) return;
    endpoint.health.broke();
    this.failed(endpoint, refusal);
  }

  refused(endpoint: JudgedEndpoint, refusal: Refusal): void {
    if (isOfEndpoint(refusal)) this.failed(endpoint, refusal);
  }

  private isFailure(status: number): boolean {
    return status >= 400 && this.rules.failureStatuses.has(status);
  }

  private failed(endpoint: JudgedEndpoint, reason: string): void {
    const { consecutiveFailures, failureRate } = this.rules;
    const inRow = endpoint.health.failed();
    let isTooOften = false;
    if (failureRate !== null) {
      const { requests, failures } = endpoint.health.count(true, failureRate.window / 100, tenths());
      isTooOften = requests >= failureRate.requests && failures * 100 >= requests * failureRate.percent;
    }
    if (inRow >= consecutiveFailures || isTooOften) this.eject(endpoint, reason);
  }

  private eject({ key, health }: JudgedEndpoint, reason: string): void {
    const { ejectionTime, maxEjectionTime, maxEjected } = this.rules;
    if (health.until !== 0) return;
    const most = Math.floor((this.count(() => true) * maxEjected) / 100);
    const isOut = (one: JudgedEndpoint): boolean => one.health.until !== 0;
    if (this.count(isOut) >= most) return;
    const length = health.eject(tenths(), ejectionTime / 100, maxEjectionTime / 100);
    if (length === 0) return;
    if (this.count(isOut) > most) {
      health.withdraw(); // another unit ejected another endpoint at the same moment
      return;
    }
    this.table.changed();
    this.meter.ejected(key);
    this.log.warn({ endpoint: key, reason, seconds: length / 10 }, 'endpoint ejected; it gets no requests for a while');
  }

  /** Ends ejections whose time has come. The first failure after that is one too many again. */
  endEjections(): void {
    const { consecutiveFailures } = this.rules;
    for (const { key, health } of this.all()) {
      if (!health.endEjection(tenths(), consecutiveFailures - 1)) continue;
      this.table.changed();
      this.log.info({ endpoint: key }, 'endpoint gets requests again');
    }
  }

  private count(isMeant: (one: JudgedEndpoint) => boolean): number {
    let count = 0;
    for (const one of this.all()) if (isMeant(one)) count++;
    return count;
  }
}

/** Whether a refusal says something of the endpoint: a proxy on the way to it does not. */
function isOfEndpoint(refusal: Refusal): boolean {
  return refusal !== 'backend-proxy' && outcomeOf({ refusal }) === 'failed';
}
