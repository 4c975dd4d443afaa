import { hostname } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { EndedRecord } from '../../contract/channel.ts';
import { UnitAuditLink } from '../audit/link/unit-audit-link.ts';
import { unitCatalogue } from '../catalogue/unit-catalogue.ts';
import { AdminObjects } from '../connectors/admin-objects.ts';
import type { Connector } from '../connectors/connector.ts';
import { fileTransport } from '../connectors/file-transport.ts';
import { egressChanges } from '../engine/backend/egress-changes.ts';
import type { Next } from '../engine/message/exchange.ts';
import { refusalResponse } from '../engine/message/response.ts';
import { connectWire } from '../engine/wire/connect.ts';
import { OwnListeners } from '../engine/wire/own-listeners.ts';
import { loadNamedParts } from '../heap/named-parts.ts';
import type { TakeMemory } from '../heap/shared-memory.ts';
import type { LogLevel } from '../log/log-level.ts';
import { lineLog } from '../log/program-log.ts';
import { Gauges } from '../metrics/gauges.ts';
import { Observations } from '../metrics/observations.ts';
import { figuresIn, SlotMemory } from '../metrics/route-slots.ts';
import { endedSessionsOf } from '../openid/lifetime/ended-sessions.ts';
import { Configuration } from '../routes/configuration.ts';
import { noFigures } from '../routes/route-figures.ts';
import { TEMPORARY_FILES_MEMORY, TemporaryFiles } from '../services/temporary-files.ts';
import { showHostCertificates } from '../tls/hosts/host-certificate-figures.ts';
import { HostCertificates } from '../tls/hosts/host-certificates.ts';
import { operatorReach } from './operator-reach.ts';
import type { ConfigurationServing, UnitReport } from './unit-messages.ts';
import { UnitRefreshes } from './unit-refreshes.ts';
import type { UnitTraffic } from './unit-traffic.ts';

/** How often observations go to the supervisor, in milliseconds. */
const REPORT_INTERVAL = 1000;

/** Serves what documents say. @throws Error that says what of `admin.json` cannot be built. */
export async function configuredTraffic(
  { update, reach, admin, streaming, prefix, forbidden = [], appPorts = [], zone, ended = [] }: ConfigurationServing,
  connectors: readonly Connector[],
  slots: readonly SharedArrayBuffer[],
  level: LogLevel,
  port: MessagePort,
  sharedMemory: TakeMemory,
  unit: number,
): Promise<UnitTraffic> {
  await loadNamedParts(unitCatalogue, [admin, update]);
  const memory = new SlotMemory();
  memory.chunks.push(...slots);
  const observations = new Observations();
  const gauges = new Gauges();
  const listeners = new OwnListeners();
  const places = [...forbidden];
  const releases: (() => void)[] = [];
  const report = (message: UnitReport): void => port.postMessage(message);
  const files = new TemporaryFiles(sharedMemory('temporary files', TEMPORARY_FILES_MEMORY), unit);
  files.begin();
  releases.push(() => files.release());
  const refreshExchange = new UnitRefreshes(report);
  const shared = {
    reach: operatorReach(reach),
    log: lineLog(level, (line) => report({ kind: 'line', line })),
    observe: (metric: string, labels: Readonly<Record<string, string>>, seconds: number): void =>
      observations.add(metric, labels, seconds),
    count: (metric: string, labels: Readonly<Record<string, string>>): void => observations.add(metric, labels, 0),
    counter: (metric: string, labels: Readonly<Record<string, string>>): (() => void) =>
      observations.counter(metric, labels),
    gauge: (metric: string, labels: Readonly<Record<string, string>>, read: () => number): (() => void) =>
      gauges.add(metric, labels, read),
    sharedMemory,
    unit,
    announce: (entries: readonly EndedRecord[]): void => report({ kind: 'ended', entries }),
    refreshExchange,
    audit: report,
    mayReach: (address: string, at: number): boolean => !listeners.has(address, at),
    connect: connectWire,
    streaming,
    hostCertificates: new HostCertificates(),
  };
  // all units hold the same, and one is enough to read them
  if (unit === 0) showHostCertificates(shared.hostCertificates, shared.gauge);
  const takeEnded = endedSessionsTaker(sharedMemory, shared.log, releases);
  takeEnded(ended);
  const objects = new AdminObjects(admin, unitCatalogue, shared);
  const configuration = new Configuration({
    ...shared,
    catalogue: unitCatalogue,
    forbidden: places,
    appPorts,
    ...(zone !== undefined && { zone }),
    storage: objects.storage,
    auditLink: new UnitAuditLink(report),
    planeName: hostname(),
    figures: (slot) => {
      const figures = memory.slot(slot);
      return figures === null ? noFigures : figuresIn(figures);
    },
  });
  const problems = configuration.apply(update);
  const timer = setInterval(() => {
    const taken = observations.take();
    if (taken.length > 0) report({ kind: 'observed', observations: taken });
    const shown = gauges.changed();
    if (shown !== null) report({ kind: 'shown', gauges: shown });
  }, REPORT_INTERVAL);
  timer.unref();
  return {
    handle: withoutAdministration(prefix, configuration),
    refusedHead: configuration.refusedHead,
    problems,
    prepare: (order) => loadNamedParts(unitCatalogue, order.update),
    update(order) {
      memory.chunks.push(...order.slots);
      return configuration.apply(order.update);
    },
    tls(connector) {
      const files = connectors[connector]?.files;
      if (files === undefined) return objects.tls(connector);
      return fileTransport(files, shared, (release) => void releases.push(release));
    },
    listensAt: (endpoint) => listeners.add(endpoint),
    ended: takeEnded,
    refresh(order) {
      if (order.kind === 'refresh') refreshExchange.receive(order.news);
      else refreshExchange.told(order.number, order.isTold);
    },
    forbid(more) {
      const isKnown = (one: (typeof places)[number]): boolean =>
        places.some(({ address, port: at }) => address === one.address && at === one.port);
      places.push(...more.filter((one) => !isKnown(one)));
      egressChanges.count++;
    },
    async dryRun(request, shownRoute) {
      const { served } = configuration;
      if (served === null) throw new Error('nothing is served');
      // few ask for it, and what it needs stays out of memory until then
      const { dryRun } = await import('../dry-run/dry-run.ts');
      return dryRun(served, request, unit, shownRoute);
    },
    close() {
      clearInterval(timer);
      configuration.close();
      objects.close();
      for (const release of releases) release();
    },
  };
}

/** The administrative path is never for clients, whatever a route says. */
function withoutAdministration(prefix: string, configuration: Configuration): Next {
  const { handle } = configuration;
  const root = `/${prefix}`;
  const below = `${root}/`;
  return (exchange) => {
    const { rawPath } = exchange.request.uri;
    if (rawPath !== root && !rawPath.startsWith(below)) return handle(exchange);
    configuration.recordUnserved(exchange);
    return refusalResponse('no-answer');
  };
}

/** Puts what other planes ended where the filters of all units look. The memory is taken with the first entry. */
function endedSessionsTaker(
  sharedMemory: TakeMemory,
  log: Logger,
  releases: (() => void)[],
): (entries: readonly EndedRecord[]) => void {
  let opened: ReturnType<typeof endedSessionsOf> | null = null;
  return (entries) => {
    if (entries.length === 0) return;
    if (opened === null) {
      opened = endedSessionsOf(sharedMemory, log);
      releases.push(opened.release);
    }
    for (const record of entries) opened.ended.receive(record);
  };
}
