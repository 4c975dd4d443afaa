import { Worker } from 'node:worker_threads';
import { type Logger, pino } from 'pino';
import type { Update } from '../contract/snapshot.ts';
import { AdminPort, type ListenAddress } from './admin-port.ts';
import { CannotListen } from './cannot-listen.ts';
import { addressText, type Connector, type ServedAddress } from './connectors/connector.ts';
import { COUNTER, COUNTER_SLOTS, readCounters } from './http/counters.ts';
import type { Endpoint } from './http/wire.ts';
import { type AccessLogTarget, LogDestination } from './log-destination.ts';
import type { LogLevel } from './log-level.ts';
import { type ConfigurationFigures, registerConfigurationMetrics } from './metrics/configuration-exposition.ts';
import type { MetricsSource } from './metrics/exposition.ts';
import { SlotMemory } from './metrics/route-slots.ts';
import { type ConfiguredUnit, PlaneConfiguration } from './plane-configuration.ts';
import { PlaneMetrics } from './plane-metrics.ts';
import type { BuildProblem } from './routes/configuration.ts';
import { PlaneMemory } from './shared-memory.ts';
import { isTaken } from './taken-port.ts';
import { ChangingTicketKeys } from './tls/ticket-keys.ts';
import type {
  BackendServing,
  ConfigurationServing,
  Serving,
  UnitOptions,
  UnitOrder,
  UnitReport,
} from './unit-messages.ts';

export interface PlaneOptions {
  /** At least one. */
  readonly connectors: readonly Connector[];
  readonly serving: PlaneServing;
  readonly units: number;
  readonly accessLog: AccessLogTarget;
  readonly logLevel: LogLevel;
  readonly admin: ListenAddress | undefined;
  readonly trustedProxies: readonly string[];
  /** In milliseconds. */
  readonly drainTimeout: number;
  /** What the metrics tell of the configuration, where somebody follows one. */
  readonly configurationFigures?: ConfigurationFigures;
}

/** What a plane serves at first: like its units, before routes have places to count in. */
export type PlaneServing = BackendServing | (Omit<ConfigurationServing, 'update'> & { readonly update: Update });

/** A running plane. */
export interface Plane {
  /** Where it accepts clients, in the order of its connectors. */
  readonly addresses: readonly ServedAddress[];
  readonly adminAddress: { readonly host: string; readonly port: number } | undefined;
  /** What could not be built at the start. */
  readonly problems: readonly BuildProblem[];
  /** Runs a new revision. Resolves when every unit does, with what could not be built. */
  apply(update: Update): Promise<readonly BuildProblem[]>;
  drain(): Promise<void>;
  readonly closed: Promise<void>;
}

interface Unit extends ConfiguredUnit {
  readonly number: number;
  readonly worker: Worker;
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
const RETRY = 100;
const LONGEST_RETRY = 5000;

/** Starts a plane: units that serve, and a supervisor beside them that replaces the ones that die. */
export async function startPlane(options: PlaneOptions): Promise<Plane> {
  const supervisor = new Supervisor(options, LogDestination.open(options.accessLog));
  await supervisor.start();
  return supervisor;
}

class Supervisor implements Plane {
  readonly closed: Promise<void>;
  adminAddress: { host: string; port: number } | undefined;
  private readonly options: PlaneOptions;
  private readonly destination: LogDestination | null;
  private readonly log: Logger;
  private readonly units = new Map<number, Unit>();
  private readonly retired = new Float64Array(COUNTER_SLOTS);
  private readonly configuration: PlaneConfiguration | null;
  private metrics: PlaneMetrics | null = null;
  private readonly memory = new PlaneMemory();
  problems: readonly BuildProblem[] = [];
  private restarts = 0;
  private failures = 0;
  private draining = false;
  private admin: AdminPort | null = null;
  private endpoints: readonly Endpoint[] | null = null;
  private readonly tickets: ChangingTicketKeys | null;
  private finish: () => void = () => {};

  constructor(options: PlaneOptions, destination: LogDestination | null) {
    this.options = options;
    this.destination = destination;
    this.log = pino({ name: 'gatewarden', level: options.logLevel }, pino.destination({ fd: 2, sync: true }));
    this.configuration =
      options.serving.kind === 'configuration'
        ? new PlaneConfiguration(options.serving.update, (names) => this.metrics?.observations.forget(names))
        : null;
    const speaksTls = options.connectors.some(({ scheme }) => scheme === 'https');
    this.tickets = speaksTls ? new ChangingTicketKeys() : null;
    this.closed = new Promise((resolve) => {
      this.finish = resolve;
    });
  }

  get addresses(): readonly ServedAddress[] {
    const { endpoints } = this;
    if (endpoints === null) return [];
    return this.options.connectors.map(({ scheme }, at) => {
      const { address, port } = endpoints[at]!;
      return { scheme, host: address, port };
    });
  }

  async start(): Promise<void> {
    try {
      if (this.options.admin !== undefined) await this.startAdmin(this.options.admin);
      for (const [at, connector] of this.options.connectors.entries()) {
        if (await isTaken(connector)) throw new CannotListen(at, connector, 'EADDRINUSE');
      }
      await this.startUnit(0); // the first one learns the ports that the others share
      const others = Array.from({ length: this.options.units - 1 }, (_, i) => i + 1);
      await Promise.all(others.map((number) => this.startUnit(number)));
    } catch (error) {
      this.draining = true;
      this.admin?.close();
      await Promise.all([...this.units.values()].map((unit) => unit.worker.terminate()));
      throw error;
    }
    const addresses = this.addresses.map(addressText);
    this.log.info({ addresses, units: this.options.units, admin: this.adminAddress }, 'listening');
  }

  private async startAdmin(address: ListenAddress): Promise<void> {
    const supervisor = this;
    const metrics = new PlaneMetrics(this.figures(), () => this.configuration?.series([...this.units.values()]) ?? []);
    if (this.configuration !== null) metrics.followRoutes();
    const { configurationFigures } = this.options;
    if (configurationFigures !== undefined) registerConfigurationMetrics(metrics.registry, configurationFigures);
    this.metrics = metrics;
    this.admin = new AdminPort({
      registry: metrics.registry,
      get ready() {
        return supervisor.ready;
      },
      get status() {
        return supervisor.status;
      },
      prefix: this.options.serving.kind === 'configuration' ? this.options.serving.prefix : 'openig',
      monitoring: () => metrics.monitoring(),
      restartUnit: (number) => this.restartUnit(number),
    });
    this.adminAddress = await this.admin.listen(address).catch((error: unknown) => {
      throw new CannotListen('admin', address, reasonOf(error));
    });
    if (address.port !== 0 && this.adminAddress.port !== address.port) {
      this.log.warn({ taken: address.port, admin: this.adminAddress }, 'the admin port is taken: another one is used');
    }
  }

  private figures(): MetricsSource {
    const supervisor = this;
    return {
      read: () => readCounters([this.retired, ...[...this.units.values()].map((unit) => unit.block)]),
      get units() {
        return supervisor.serving;
      },
      get unitRestarts() {
        return supervisor.restarts;
      },
    };
  }

  private get serving(): number {
    return [...this.units.values()].filter((unit) => unit.serving).length;
  }

  private get ready(): boolean {
    return !this.draining && this.serving > 0;
  }

  private get status(): object {
    return {
      addresses: this.addresses,
      draining: this.draining,
      unitRestarts: this.restarts,
      units: [...this.units.values()].map(({ number, serving }) => ({ number, serving })),
    };
  }

  /** The connectors as units are to open them: where a port was to be found, with the one that was. */
  private get connectors(): readonly Connector[] {
    const { connectors } = this.options;
    const { endpoints } = this;
    return endpoints === null ? connectors : connectors.map((one, at) => ({ ...one, port: endpoints[at]!.port }));
  }

  private startUnit(number: number): Promise<void> {
    const counters = new SharedArrayBuffer(COUNTER_SLOTS * Float64Array.BYTES_PER_ELEMENT);
    const memory = this.memory.link();
    const slots = new SlotMemory();
    const { connectors } = this;
    const admin = this.adminAddress;
    const workerData: UnitOptions = {
      role: 'gatewarden-unit',
      unit: number,
      connectors,
      ticketSeed: this.tickets?.seed() ?? null,
      serving: this.servingFor(slots),
      trustedProxies: this.options.trustedProxies,
      admin: admin === undefined ? null : { address: admin.host, port: admin.port },
      log: this.destination === null ? 'off' : (this.destination.file ?? 'hand-over'),
      logLevel: this.options.logLevel,
      counters,
      slots: slots.chunks,
      memory,
    };
    const worker = new Worker(new URL('./unit.ts', import.meta.url), {
      workerData,
      transferList: [memory.port],
      name: `unit ${number}`,
    });
    const tell = (order: UnitOrder): void => worker.postMessage(order);
    const unit: Unit = { number, worker, block: new Float64Array(counters), slots, tell, serving: false };
    this.units.set(number, unit);
    return new Promise((resolve, reject) => {
      worker.on('message', (report: UnitReport) => {
        if (report.kind === 'listening') {
          this.endpoints ??= report.endpoints;
          unit.serving = true;
          this.problems = report.problems;
          this.failures = 0;
          resolve();
        } else if (report.kind === 'failed') reject(failure(report, connectors));
        else this.heard(unit, report);
      });
      worker.on('error', (error: Error) => {
        this.log.error({ unit: number, error: error.stack }, 'a unit failed');
        reject(error);
      });
      worker.on('exit', () => {
        this.lost(unit);
        reject(new Error(`unit ${number} ended before it served`));
      });
    });
  }

  /** What a unit that starts now serves: the first snapshot with all that changed since. */
  private servingFor(slots: SlotMemory): Serving {
    const { serving } = this.options;
    if (serving.kind !== 'configuration') return serving;
    if (this.configuration === null) throw new Error('a configuration is served, and there is none');
    return { ...serving, update: this.configuration.whole(slots) };
  }

  async apply(update: Update): Promise<readonly BuildProblem[]> {
    if (this.configuration === null) throw new Error('this plane serves one backend and takes no configuration');
    return this.configuration.apply(update, [...this.units.values()]);
  }

  private heard(unit: Unit, report: UnitReport): void {
    if (report.kind === 'log') this.destination?.write(report.lines);
    else if (report.kind === 'line') process.stderr.write(report.line);
    else if (report.kind === 'applied') this.configuration?.applied(unit, report.order, report.problems);
    else if (report.kind === 'observed') this.metrics?.observations.addAll(report.observations);
    else if (report.kind === 'shown') this.metrics?.gauges.set(unit.number, report.gauges);
    else if (report.kind === 'fault') this.log.error({ unit: unit.number, error: report.message }, 'a request failed');
    else if (report.kind === 'drained') {
      const { number } = unit;
      if (report.cut > 0)
        this.log.warn({ unit: number, connections: report.cut }, 'cut off what did not finish in time');
      if (report.droppedLines > 0) {
        this.log.warn(
          { unit: number, lines: report.droppedLines },
          'access log lines were dropped: the file was too slow',
        );
      }
    }
  }

  /** A unit is gone: its figures stay, and another one takes its place unless the plane stops. */
  private lost(unit: Unit): void {
    if (this.units.get(unit.number) !== unit) return;
    this.units.delete(unit.number);
    for (const gauge of GAUGES) unit.block[gauge] = 0;
    for (let i = 0; i < COUNTER_SLOTS; i++) this.retired[i]! += unit.block[i]!;
    this.configuration?.lost(unit);
    this.metrics?.gauges.lost(unit.number);
    if (this.draining) {
      if (this.units.size === 0) void this.stop();
      return;
    }
    if (this.endpoints === null) return;
    this.restarts++;
    this.log.warn({ unit: unit.number }, 'a unit ended and is replaced');
    this.replace(unit.number);
  }

  private replace(number: number): void {
    const delay = this.failures === 0 ? 0 : Math.min(LONGEST_RETRY, RETRY * 2 ** this.failures);
    this.failures++;
    setTimeout(() => {
      if (!this.draining) this.startUnit(number).catch(() => {}); // `lost` tries again
    }, delay);
  }

  private restartUnit(number: number): boolean {
    const unit = this.units.get(number);
    void unit?.worker.terminate();
    return unit !== undefined;
  }

  async drain(): Promise<void> {
    if (!this.draining) {
      this.draining = true;
      this.log.info({ timeout: this.options.drainTimeout }, 'draining');
      const order: UnitOrder = { kind: 'drain', timeout: this.options.drainTimeout };
      for (const unit of this.units.values()) unit.tell(order);
      if (this.units.size === 0) await this.stop();
    }
    await this.closed;
  }

  private async stop(): Promise<void> {
    this.metrics?.close();
    this.admin?.close();
    await this.destination?.close();
    if (this.destination !== null && this.destination.dropped > 0) {
      this.log.warn(
        { batches: this.destination.dropped },
        'access log lines were dropped: the destination was too slow',
      );
    }
    this.log.info('stopped');
    this.finish();
  }
}

function failure(
  { connector, message }: Extract<UnitReport, { kind: 'failed' }>,
  connectors: readonly Connector[],
): Error {
  return connector === null ? new Error(message) : new CannotListen(connector, connectors[connector]!, message);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
