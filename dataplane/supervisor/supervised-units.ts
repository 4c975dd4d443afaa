import type { Logger } from 'pino';
import { pauseAfter } from '../../platform/back-off.ts';
import { errorStack } from '../../platform/error-text.ts';
import type { Connector } from '../connectors/connector.ts';
import { COUNTER, COUNTER_SLOTS, readCounters } from '../engine/wire/counters.ts';
import type { Endpoint } from '../engine/wire/wire.ts';
import type { MetricsSource } from '../metrics/exposition.ts';
import { SlotMemory } from '../metrics/route-slots.ts';
import type { BuildProblem } from '../routes/configuration.ts';
import { isThreadFree, loadUnit, startUnitHere } from '../unit/main-thread-unit.ts';
import type { RunningUnit, UnitEvents } from '../unit/running-unit.ts';
import type { UnitOptions, UnitOrder, UnitReport } from '../unit/unit-messages.ts';
import { unitOf, unitWorker } from '../unit/unit-worker.ts';
import { CannotListen } from './cannot-listen.ts';
import { compileForManyKinds } from './compiled-kinds.ts';
import { fitsOneThread } from './one-thread.ts';
import type { ConfiguredUnit } from './plane-configuration.ts';
import { PlaneMemory } from './shared-memory.ts';
import type { SpareUnit } from './spare-unit.ts';

/** Start parameters of every unit of a data plane. */
export type SharedUnitOptions = Omit<UnitOptions, 'role' | 'unit' | 'connectors' | 'serving' | 'counters' | 'slots'>;

/** Configuration that units serve. */
export interface UnitsServing {
  /** Where clients are accepted; at least one. */
  readonly connectors: readonly Connector[];
  /** At least one. */
  readonly units: number;
  options(): SharedUnitOptions;
  /** What a unit that starts now serves. @param slots where its routes count */
  serving(slots: SlotMemory): UnitOptions['serving'];
}

export interface SupervisedUnitsOptions {
  readonly log: Logger;
  /** What becomes the first of them, if it was prepared. */
  readonly spare: SpareUnit;
  heard(unit: SupervisedUnit, report: UnitReport): void;
  /** A unit is gone. */
  lost(unit: SupervisedUnit): void;
  /** The last one is gone, and no other takes its place. */
  allGone(): void;
}

/** One event loop of the plane, as its supervisor sees it. */
export interface SupervisedUnit extends ConfiguredUnit {
  readonly number: number;
  readonly running: RunningUnit;
  readonly block: Float64Array;
  serving: boolean;
}

/** Gauges belong to a unit that lives; what a dead one counted stays counted. */
const GAUGES = [
  COUNTER.connectionsOpen,
  COUNTER.requestsActive,
  COUNTER.tunnelsOpen,
  COUNTER.webSocketsOpen,
  COUNTER.backendConnectionsOpen,
  COUNTER.backendStreamsOpen,
  COUNTER.backendWaiting,
];
/** Milliseconds before a unit that died while starting is tried again; doubled each time. */
const BACK_OFF = { first: 100, longest: 5000, jitter: 0 };

/** The units of a plane: started together, and each replaced when it dies. */
export class SupervisedUnits {
  /** Where they accept clients, in the order of the connectors; null while they do not. */
  endpoints: readonly Endpoint[] | null = null;
  /** What could not be built when the last of them started. */
  problems: readonly BuildProblem[] = [];
  restarts = 0;
  private readonly options: SupervisedUnitsOptions;
  private readonly units = new Map<number, SupervisedUnit>();
  private readonly retired = new Float64Array(COUNTER_SLOTS);
  private readonly memory = new PlaneMemory();
  private wish: UnitsServing | null = null;
  private failures = 0;
  private hasStartedHere = false;
  private isDismissed = false;
  private isStopping = false;
  private readonly rejected = (error: unknown): void =>
    this.options.log.error({ error: errorStack(error) }, 'request failed');

  constructor(options: SupervisedUnitsOptions) {
    this.options = options;
  }

  get all(): SupervisedUnit[] {
    return [...this.units.values()];
  }

  get serving(): number {
    return this.all.filter((unit) => unit.serving).length;
  }

  /** Whether this thread serves clients. */
  get runsHere(): boolean {
    return this.all.some(({ running }) => !running.hasOwnThread);
  }

  /** What all of them count, with those that are gone. */
  get blocks(): Float64Array[] {
    return [this.retired, ...this.all.map((unit) => unit.block)];
  }

  /** Has the first of them load what it needs before it is known what to serve. @param units how many are expected */
  prepare(units: number): void {
    if (this.wish !== null) return;
    if (units > 1) this.options.spare.prepare();
    else if (isThreadFree()) loadUnit();
  }

  /** Starts them all, or none. @throws CannotListen */
  async start(wish: UnitsServing): Promise<void> {
    this.wish = wish;
    try {
      await this.startUnit(0); // the first one learns the ports that the others share
      if (this.isStopping) return; // nobody would tell the others to finish
      const others = Array.from({ length: wish.units - 1 }, (_, i) => i + 1);
      await Promise.all(others.map((number) => this.startUnit(number)));
      compileForManyKinds();
    } catch (error) {
      await this.end();
      this.noneFollows();
      throw error;
    }
  }

  /** Ends them at once. They can be started again. */
  async end(): Promise<void> {
    this.endpoints = null;
    this.wish = null;
    await Promise.all(this.all.map(({ running }) => running.end()));
  }

  /** Has them ask their clients to go, also those that take the place of others. */
  dismiss(): void {
    this.isDismissed = true;
    for (const unit of this.units.values()) unit.tell({ kind: 'dismiss' });
  }

  /** Lets them finish. @returns false when there are none */
  drain(timeout: number): boolean {
    this.isStopping = true;
    const order: UnitOrder = { kind: 'drain', timeout };
    for (const unit of this.units.values()) unit.tell(order);
    if (this.units.size === 0) this.noneFollows();
    return this.units.size > 0;
  }

  /** Has a unit replaced. @returns false when there is none of this number */
  restart(number: number): boolean {
    const unit = this.units.get(number);
    void unit?.running.end();
    return unit !== undefined;
  }

  /** The connectors as units are to open them: where a port was to be found, with the one that was. */
  private connectors({ connectors }: UnitsServing): readonly Connector[] {
    const { endpoints } = this;
    return endpoints === null ? connectors : connectors.map((one, at) => ({ ...one, port: endpoints[at]!.port }));
  }

  private startUnit(number: number): Promise<void> {
    const { wish } = this;
    if (wish === null) throw new Error('nothing is to be served');
    const counters = new SharedArrayBuffer(COUNTER_SLOTS * Float64Array.BYTES_PER_ELEMENT);
    const slots = new SlotMemory();
    const connectors = this.connectors(wish);
    const options: UnitOptions = {
      ...wish.options(),
      role: 'gatewarden-unit',
      unit: number,
      connectors,
      serving: wish.serving(slots),
      counters,
      slots: slots.chunks,
    };
    return new Promise((resolve, reject) => {
      const running = this.run(options, {
        reported: (report) => {
          if (report.kind === 'listening') {
            this.endpoints ??= report.endpoints;
            unit.serving = true;
            this.problems = report.problems;
            this.failures = 0;
            resolve();
          } else if (report.kind === 'failed') reject(failure(report, connectors));
          else this.passOn(unit, report);
        },
        failed: (error) => {
          this.options.log.error({ unit: number, error: error.stack }, 'gateway unit failed');
          reject(error);
        },
        gone: () => {
          this.lost(unit);
          reject(new Error(`unit ${number} ended before it served`));
        },
      });
      const tell = (order: UnitOrder): void => running.tell(order);
      const unit: SupervisedUnit = { number, running, block: new Float64Array(counters), slots, tell, serving: false };
      this.units.set(number, unit);
      if (this.isDismissed) unit.tell({ kind: 'dismiss' });
    });
  }

  private run(options: UnitOptions, events: UnitEvents): RunningUnit {
    if (this.mayRunHere(options)) return this.runHere(options, events);
    const memory = this.memory.link();
    const workerData = { ...options, memory };
    return unitOf(this.options.spare.take(workerData, memory.port) ?? unitWorker(workerData, memory.port), events);
  }

  /** Whether a unit shares this thread. A unit that replaces another one does not: what that left could disturb it. */
  private mayRunHere({ serving }: UnitOptions): boolean {
    if (this.wish?.units !== 1 || this.hasStartedHere || this.options.spare.isWaiting) return false;
    return isThreadFree() && fitsOneThread(serving);
  }

  private runHere(options: UnitOptions, events: UnitEvents): RunningUnit {
    this.hasStartedHere = true;
    const memory = this.memory.lent();
    return startUnitHere(options, memory.take, {
      ...events,
      failed: ({ stack: error }) => {
        this.options.log.error({ error }, 'uncaught exception; the process exits');
        process.exit(1);
      },
      gone: () => {
        memory.release();
        // requests that it cut off are still in this thread, and a promise of theirs must not end the unit that follows
        if (!this.isStopping) process.on('unhandledRejection', this.rejected);
        events.gone();
      },
    });
  }

  /** A report that cannot be dealt with must not end the plane. */
  private passOn(unit: SupervisedUnit, report: UnitReport): void {
    try {
      this.options.heard(unit, report);
    } catch (error) {
      const { number } = unit;
      this.options.log.error(
        { unit: number, report: report.kind, error: String(error) },
        'lost a report of a gateway unit',
      );
    }
  }

  /** A unit is gone: its figures stay, and another one takes its place unless the plane stops. */
  private lost(unit: SupervisedUnit): void {
    if (this.units.get(unit.number) !== unit) return;
    this.units.delete(unit.number);
    this.memory.ended(unit.number);
    for (const gauge of GAUGES) unit.block[gauge] = 0;
    for (let i = 0; i < COUNTER_SLOTS; i++) this.retired[i]! += unit.block[i]!;
    this.options.lost(unit);
    if (this.isStopping) {
      if (this.units.size > 0) return;
      this.noneFollows();
      this.options.allGone();
      return;
    }
    if (this.endpoints === null) return;
    this.restarts++;
    this.options.log.warn({ unit: unit.number }, 'gateway unit exited; starting a replacement');
    this.replace(unit.number);
  }

  private noneFollows(): void {
    process.off('unhandledRejection', this.rejected);
  }

  private replace(number: number): void {
    const delay = this.failures === 0 ? 0 : pauseAfter(this.failures, BACK_OFF);
    this.failures++;
    setTimeout(() => {
      if (!this.isStopping && this.wish !== null) this.startUnit(number).catch(() => {}); // `lost` tries again
    }, delay);
  }
}

/** What the metrics of the process read of its units. */
export function metricsSource(units: SupervisedUnits): MetricsSource {
  return {
    read: () => readCounters(units.blocks),
    get units() {
      return units.serving;
    },
    get unitRestarts() {
      return units.restarts;
    },
  };
}

function failure(
  { connector, message }: Extract<UnitReport, { kind: 'failed' }>,
  connectors: readonly Connector[],
): Error {
  return connector === null ? new Error(message) : new CannotListen(connector, connectors[connector]!, message);
}
