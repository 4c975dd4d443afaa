import type { Logger } from 'pino';
import type { Report } from '../../contract/channel.ts';
import type { ForbiddenPlace } from '../../contract/egress.ts';
import type { Update } from '../../contract/snapshot.ts';
import type { AdminServer } from '../../platform/admin/admin-server.ts';
import { errorStack, errorText } from '../../platform/error-text.ts';
import type { ListenAddress } from '../../platform/listen-address.ts';
import { PacedWarning } from '../../platform/paced-warning.ts';
import type { WriterReach } from '../audit/writer/writer-messages.ts';
import { addressText, type Connector, type ServedAddress, servedAddresses } from '../connectors/connector.ts';
import { LogDestination, writeStdout } from '../log/log-destination.ts';
import { JSON_STYLE } from '../log/log-style.ts';
import { programLog, writeLogLine } from '../log/program-log.ts';
import { registerConfigurationMetrics } from '../metrics/configuration-exposition.ts';
import { registerLinkMetrics } from '../metrics/link-exposition.ts';
import type { SlotMemory } from '../metrics/route-slots.ts';
import type { BuildProblem } from '../routes/configuration.ts';
import { ChangingTicketKeys } from '../tls/ticket-keys.ts';
import type { BackendServing, ConfigurationServing, Serving, UnitReport } from '../unit/unit-messages.ts';
import { adminPort } from './admin-port.ts';
import { SupervisedAuditWriter } from './audit-writer.ts';
import { CannotListen } from './cannot-listen.ts';
import { ConfirmedAge } from './confirmed-age.ts';
import { DryRuns } from './dry-runs.ts';
import { CrowdedThread } from './one-thread.ts';
import { isBaseBad, PlaneConfiguration } from './plane-configuration.ts';
import { PlaneMetrics } from './plane-metrics.ts';
import { PlaneNotices } from './plane-notices.ts';
import type { PlaneStatus, PreparedPlaneOptions } from './plane-options.ts';
import { giveBackAtRest } from './spare-memory.ts';
import { SpareUnit } from './spare-unit.ts';
import { metricsSource, type SharedUnitOptions, type SupervisedUnit, SupervisedUnits } from './supervised-units.ts';
import { isTaken } from './taken-port.ts';
import { trafficReport } from './traffic-report.ts';

/** Initial configuration of a data plane. */
export interface PlaneBeginning {
  /** At least one. */
  readonly connectors: readonly Connector[];
  readonly serving: PlaneServing;
  readonly units: number;
}

export interface PlaneOptions extends PreparedPlaneOptions, PlaneBeginning {}

/** Initial configuration of a data plane, before routes have metric slots. */
export type PlaneServing = BackendServing | (Omit<ConfigurationServing, 'update'> & { readonly update: Update });

/** A running plane. */
export interface Plane {
  /** Where it accepts clients, in the order of its connectors. */
  readonly addresses: readonly ServedAddress[];
  readonly adminAddress: { readonly host: string; readonly port: number } | undefined;
  /** What could not be built at the start. */
  readonly problems: readonly BuildProblem[];
  /** Whether clients are served. */
  readonly ready: boolean;
  readonly unitsServing: number;
  /** Runs a new revision. Resolves when every unit does, with what could not be built. */
  apply(update: Update): Promise<readonly BuildProblem[]>;
  /** The same, but where the base cannot be built nothing is changed, not even routes. */
  applyWhole(update: Update): Promise<readonly BuildProblem[]>;
  /** Tenants' routes may not connect to these places either, from now on. */
  forbid(places: readonly ForbiddenPlace[]): void;
  /** Passes a request through the filters of a unit without sending it. */
  readonly dryRun: DryRuns['run'];
  /** Sessions that ended before their time, for the link to controllers. */
  readonly notices: PlaneNotices;
  /** The figures of every route that had requests, and the state of Backends. */
  report(): Pick<Report, 'routes' | 'backends'>;
  /**
   * Is ready no longer and asks clients to go, while others may come still. Resolves when nobody who knows of it comes
   * any more, which is after the delay of the plane.
   */
  dismiss(): Promise<void>;
  /** The same, and then stops to accept and lets running requests finish. */
  drain(): Promise<void>;
  readonly closed: Promise<void>;
}

/** A plane that is alive and serves nothing yet. */
export interface PreparedPlane extends Plane {
  /** Has the first unit load while it is not known yet what it will serve. @param units how many are expected */
  prepareUnits(units: number): void;
  /**
   * Begins to serve. Where the base cannot be built nothing is served, and it can be tried again.
   *
   * @returns what could not be built
   * @throws CannotListen
   */
  serve(beginning: PlaneBeginning): Promise<readonly BuildProblem[]>;
}

/** Starts a plane: units that serve, and a supervisor beside them that replaces the ones that die. */
export async function startPlane(options: PlaneOptions): Promise<Plane> {
  const supervisor = await prepared(options);
  try {
    await supervisor.serve(options);
  } catch (error) {
    supervisor.abandon();
    throw error;
  }
  return supervisor;
}

/** Starts the supervisor of a plane: its admin port answers, and clients find nobody yet. @throws CannotListen */
export async function preparePlane(options: PreparedPlaneOptions): Promise<PreparedPlane> {
  return prepared(options);
}

async function prepared(options: PreparedPlaneOptions): Promise<Supervisor> {
  const supervisor = new Supervisor(options, LogDestination.open(options.accessLog));
  if (options.admin !== undefined) await supervisor.startAdmin(options.admin);
  return supervisor;
}

/** Milliseconds that audit events get at a stop even when the units needed all of the drain time. */
const LEAST_AUDIT_DRAIN = 1000;

class Supervisor implements PreparedPlane {
  readonly closed: Promise<void>;
  adminAddress: { host: string; port: number } | undefined;
  problems: readonly BuildProblem[] = [];
  readonly notices = new PlaneNotices(() => this.units.all);
  private readonly options: PreparedPlaneOptions;
  private readonly destination: LogDestination | null;
  private readonly log: Logger;
  private readonly units: SupervisedUnits;
  private beginning: PlaneBeginning | null = null;
  private configuration: PlaneConfiguration | null = null;
  private metrics: PlaneMetrics | null = null;
  private draining = false;
  private dismissed: Promise<void> | null = null;
  private stopped: Promise<void> | null = null;
  private forbidden: readonly ForbiddenPlace[] = [];
  private admin: AdminServer | null = null;
  private tickets: ChangingTicketKeys | null = null;
  private readonly audit: SupervisedAuditWriter;
  private readonly crowdedThread: CrowdedThread;
  private readonly dryRuns = new DryRuns(() => this.units.all);
  readonly dryRun: DryRuns['run'] = (...asked) => this.dryRuns.run(...asked);
  private drainEnds = 0;
  private finish: () => void = () => {};

  constructor(options: PreparedPlaneOptions, destination: LogDestination | null) {
    this.options = options;
    this.destination = destination;
    this.log = programLog(options.logLevel, options.logStyle ?? JSON_STYLE);
    this.crowdedThread = new CrowdedThread(this.log);
    this.units = new SupervisedUnits({
      log: this.log,
      spare: options.spare ?? new SpareUnit(),
      heard: (unit, report) => this.heard(unit, report),
      lost: (unit) => {
        this.configuration?.lost(unit);
        this.metrics?.gauges.lost(unit.number);
        this.audit.lost(unit);
        this.dryRuns.lost(unit);
      },
      allGone: () => void this.stop(),
    });
    this.audit = new SupervisedAuditWriter({
      log: this.log,
      logLevel: options.logLevel,
      reach: () => this.auditReach(),
      writeLog: (line) => writeLogLine(line, options.logStyle ?? JSON_STYLE),
      writeStdout,
    });
    this.closed = new Promise((resolve) => {
      this.finish = resolve;
    });
  }

  get addresses(): readonly ServedAddress[] {
    return servedAddresses(this.beginning?.connectors ?? [], this.units.endpoints);
  }

  get ready(): boolean {
    return !this.draining && this.unitsServing > 0;
  }

  /** None counts before the base is known to be sound: until then units refuse everything. */
  get unitsServing(): number {
    return this.beginning === null ? 0 : this.units.serving;
  }

  prepareUnits(units: number): void {
    this.units.prepare(units);
  }

  async startAdmin(address: ListenAddress): Promise<void> {
    const supervisor = this;
    const metrics = new PlaneMetrics(
      metricsSource(this.units),
      () => this.configuration?.series(this.units.all) ?? [],
      () => this.audit.figures,
    );
    const { configurationFigures, link, unreadyAfter, isInPod = false, api, protection, console: pages } = this.options;
    const age = new ConfirmedAge({ log: this.log, figures: link?.figures, most: unreadyAfter });
    if (configurationFigures !== undefined) registerConfigurationMetrics(metrics.registry, configurationFigures);
    if (link !== undefined) registerLinkMetrics(metrics.registry, link.figures);
    this.metrics = metrics;
    const failures = new PacedWarning(this.log, 'admin request failed', { most: 5 });
    this.admin = adminPort({
      registry: metrics.registry,
      get ready() {
        return supervisor.ready && !age.isExceeded();
      },
      get status() {
        return supervisor.status;
      },
      get prefix() {
        const serving = supervisor.beginning?.serving;
        return serving?.kind === 'configuration' ? serving.prefix : 'openig';
      },
      ...{ isInPod, protection, console: pages, longestBody: this.options.adminMaxBodyLength },
      api: api?.({
        audits: this.audit,
        status: () => this.status,
        figures: () => metrics.shownFigures(),
        objects: () => metrics.objectFigures(),
        dryRun: this.dryRun,
      }),
      monitoring: () => metrics.monitoring(),
      restartUnit: (number) => this.units.restart(number),
      failed: (error, path) => failures.give({ path, error: errorStack(error) }),
    });
    this.adminAddress = await this.admin.listen(address).catch((error: unknown) => {
      throw new CannotListen('admin', address, errorText(error));
    });
    if (address.port !== 0 && this.adminAddress.port !== address.port) {
      this.log.warn({ taken: address.port, admin: this.adminAddress }, 'admin port in use; listening on another port');
    }
  }

  private get status(): PlaneStatus {
    return {
      ...{ addresses: this.addresses, ready: this.ready },
      draining: this.draining,
      unitRestarts: this.units.restarts,
      units: this.units.all.map(({ number, serving }) => ({ number, serving })),
      link: this.options.link?.status(),
      backends: this.metrics?.backends() ?? [],
    };
  }

  async serve(beginning: PlaneBeginning): Promise<readonly BuildProblem[]> {
    if (this.beginning !== null) throw new Error('this plane serves already');
    const { connectors, serving, units } = beginning;
    for (const [at, connector] of connectors.entries()) {
      if (await isTaken(connector)) throw new CannotListen(at, connector, 'EADDRINUSE');
    }
    if (this.draining) return [];
    if (connectors.some(({ scheme }) => scheme === 'https')) this.tickets ??= new ChangingTicketKeys();
    try {
      await this.units.start({ connectors, units, options: this.unitOptions, serving: this.unitServing(serving) });
      this.problems = this.units.problems;
      if (isBaseBad(this.problems)) await this.units.end();
      else this.beginning = beginning;
    } finally {
      if (this.beginning === null) this.configuration = null;
    }
    if (this.beginning === null) return this.problems;
    this.audit.reachChanged(); // starts the writer, if units have opened services
    if (this.configuration !== null) this.metrics?.followRoutes();
    this.log.info({ addresses: this.addresses.map(addressText), units, admin: this.adminAddress }, 'listening');
    if (!this.units.runsHere) giveBackAtRest();
    return this.problems;
  }

  /** What units get that start now or later: the first snapshot with all that changed since. */
  private unitServing(serving: PlaneServing): (slots: SlotMemory) => Serving {
    if (serving.kind !== 'configuration') return () => serving;
    const configuration = new PlaneConfiguration(serving.update, (names) => this.metrics?.observations.forget(names));
    this.configuration = configuration;
    return (slots) => ({
      ...serving,
      update: configuration.whole(slots),
      ended: this.notices.all(),
      forbidden: [...(serving.forbidden ?? []), ...this.forbidden],
    });
  }

  private readonly unitOptions = (): SharedUnitOptions => {
    const admin = this.adminAddress;
    return {
      ticketSeed: this.tickets?.seed() ?? null,
      trustedProxies: this.options.trustedProxies,
      admin: admin === undefined ? null : { address: admin.host, port: admin.port },
      log: this.destination === null ? 'off' : (this.destination.file ?? 'hand-over'),
      accessLogStyle: this.destination?.style(this.options.accessLogFormat ?? 'auto') ?? JSON_STYLE,
      logLevel: this.options.logLevel,
    };
  };

  async apply(update: Update): Promise<readonly BuildProblem[]> {
    return this.configured.apply(update, () => this.units.all).finally(() => this.changed());
  }

  async applyWhole(update: Update): Promise<readonly BuildProblem[]> {
    return this.configured.applyWhole(update, () => this.units.all).finally(() => this.changed());
  }

  private changed(): void {
    this.audit.reachChanged();
    if (this.units.runsHere) this.crowdedThread.check(this.configured.routeCount);
  }

  /** Addresses that audit handlers may and may not connect to; null before the plane serves. */
  private auditReach(): WriterReach | null {
    if (this.beginning === null) return null;
    const { serving } = this.beginning;
    const { adminAddress: admin } = this;
    const own = admin === undefined ? [] : [{ address: admin.host, port: admin.port }];
    const known = serving.kind === 'configuration' ? serving : null;
    return {
      listeners: [...(this.units.endpoints ?? []), ...own],
      egress: this.configuration?.trust?.egress ?? [],
      forbidden: [...(known?.forbidden ?? []), ...this.forbidden, ...(this.configuration?.forbidden ?? [])],
      appPorts: known?.appPorts ?? [],
      auditQueueBytes: this.configuration?.trust?.auditQueueBytes,
    };
  }

  private get configured(): PlaneConfiguration {
    if (this.configuration === null) throw new Error('this plane has no configuration that could change');
    return this.configuration;
  }

  forbid(places: readonly ForbiddenPlace[]): void {
    this.forbidden = places;
    for (const unit of this.units.all) unit.tell({ kind: 'forbid', places });
    this.audit.reachChanged();
  }

  report(): Pick<Report, 'routes' | 'backends'> {
    return trafficReport(this.configuration?.series(this.units.all) ?? [], this.metrics);
  }

  private heard(unit: SupervisedUnit, report: UnitReport): void {
    if (report.kind === 'log') this.destination?.write(report.lines);
    else if (report.kind === 'line') writeLogLine(report.line, this.options.logStyle ?? JSON_STYLE);
    else if (report.kind === 'applied') this.configuration?.applied(unit, report.order, report.problems);
    else if (report.kind === 'observed') this.metrics?.observations.addAll(report.observations);
    else if (report.kind === 'shown') this.metrics?.gauges.set(unit.number, report.gauges);
    else if (report.kind === 'ended' || report.kind === 'refresh') this.notices.heard(unit, report);
    else if (report.kind === 'dry-run') this.dryRuns.heard(report);
    else if (report.kind === 'fault') this.log.error({ unit: unit.number, error: report.message }, 'request failed');
    else if (report.kind === 'audit-open' || report.kind === 'audit-close') this.audit.heard(unit, report);
    else if (report.kind === 'drained') {
      const [{ number }, { cut: connections, droppedLines: lines }] = [unit, report];
      if (connections > 0) this.log.warn({ unit: number, connections }, 'drain timeout: closed unfinished connections');
      if (lines > 0) this.log.warn({ unit: number, lines }, 'access log lines dropped: the file was too slow');
    }
  }

  /** Gives up before anything was served. */
  abandon(): void {
    this.draining = true;
    this.metrics?.close();
    this.admin?.close();
  }

  dismiss(): Promise<void> {
    this.dismissed ??= this.askToGo();
    return this.dismissed;
  }

  private async askToGo(): Promise<void> {
    const { drainDelay: delay = 0, drainTimeout: timeout } = this.options;
    const isServing = this.ready;
    this.draining = true;
    this.log.info({ ...(delay === 0 ? {} : { delay }), timeout }, 'draining');
    if (delay === 0 || !isServing) return;
    this.units.dismiss();
    await new Promise((resolve) => setTimeout(resolve, delay));
  }

  async drain(): Promise<void> {
    this.stopped ??= this.dismiss().then(async () => {
      this.drainEnds = performance.now() + this.options.drainTimeout;
      if (!this.units.drain(this.options.drainTimeout)) await this.stop();
    });
    await this.stopped;
    await this.closed;
  }

  private async stop(): Promise<void> {
    await this.audit.drain(Math.max(LEAST_AUDIT_DRAIN, this.drainEnds - performance.now()));
    this.metrics?.close();
    this.admin?.close();
    await this.destination?.close();
    if (this.destination !== null && this.destination.dropped > 0) {
      this.log.warn({ batches: this.destination.dropped }, 'access log lines dropped: the destination was too slow');
    }
    this.log.info('stopped');
    this.finish();
  }
}
