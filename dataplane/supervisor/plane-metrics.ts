import type { Registry } from 'prom-client';
import type { BackendsSummary } from '../../contract/channel.ts';
import type { ObjectFigures } from '../../contract/shown/object-figures.ts';
import type { ShownFigures } from '../../contract/shown/shown-figures.ts';
import { registerAccessManagerMetrics } from '../metrics/access-manager-exposition.ts';
import { type AuditFigures, registerAuditMetrics } from '../metrics/audit-exposition.ts';
import { registerBackendsMetrics } from '../metrics/backends-exposition.ts';
import { type BackendsStatus, backendsStatus } from '../metrics/backends-status.ts';
import { backendsSummaries } from '../metrics/backends-summary.ts';
import { registerBreakerMetrics } from '../metrics/breaker-exposition.ts';
import { registerCacheMetrics } from '../metrics/cache-exposition.ts';
import { countsByRoute } from '../metrics/counts-by-route.ts';
import { registerDenialMetrics } from '../metrics/denial-exposition.ts';
import { type MetricsSource, metricsRegistry } from '../metrics/exposition.ts';
import { PlaneGauges } from '../metrics/gauges.ts';
import { type MonitoringRecord, monitoringRecords, recordPrefix } from '../metrics/monitoring.ts';
import { objectFigures } from '../metrics/object-figures.ts';
import { Observations } from '../metrics/observations.ts';
import { RATE_INTERVAL, Rates } from '../metrics/rates.ts';
import { registerRetryMetrics } from '../metrics/retry-exposition.ts';
import { registerRouteMetrics } from '../metrics/route-exposition.ts';
import type { CountedSeries } from '../metrics/route-series.ts';
import { registerScriptMetrics } from '../metrics/script-exposition.ts';
import { shownFigures } from '../metrics/shown-figures.ts';
import { registerThrottlingMetrics } from '../metrics/throttling-exposition.ts';
import { registerTlsMetrics } from '../metrics/tls-exposition.ts';

/** The metrics of a plane: the registry that is scraped, and what Common REST monitoring shows. */
export class PlaneMetrics {
  readonly registry: Registry;
  /** What objects of the units observed. */
  readonly observations = new Observations();
  /** What objects of the units show. */
  readonly gauges = new PlaneGauges();
  private readonly series: () => readonly CountedSeries[];
  private readonly audit: () => readonly AuditFigures[];
  private readonly rates = new Rates();
  private ticking: NodeJS.Timeout | null = null;

  constructor(source: MetricsSource, series: () => readonly CountedSeries[], audit: () => readonly AuditFigures[]) {
    this.series = series;
    this.audit = audit;
    this.registry = metricsRegistry(source);
  }

  /** Adds the metrics of routes, whose rates are averages over time. */
  followRoutes(): void {
    registerRouteMetrics(this.registry, { series: this.series, observations: () => this.observations.all });
    const objects = { observations: () => this.observations.all, gauges: () => this.gauges.all };
    registerBackendsMetrics(this.registry, objects);
    registerBreakerMetrics(this.registry, objects);
    registerRetryMetrics(this.registry, () => this.observations.all);
    registerScriptMetrics(
      this.registry,
      () => this.observations.all,
      () => this.gauges.all,
    );
    registerThrottlingMetrics(this.registry, {
      observations: () => this.observations.all,
      gauges: () => this.gauges.all,
    });
    registerCacheMetrics(this.registry, () => this.observations.all);
    registerAccessManagerMetrics(this.registry, {
      observations: () => this.observations.all,
      gauges: () => this.gauges.all,
    });
    registerTlsMetrics(this.registry, { observations: () => this.observations.all, gauges: () => this.gauges.all });
    registerAuditMetrics(this.registry, this.audit);
    registerDenialMetrics(this.registry, () => this.observations.all);
    this.ticking = setInterval(() => this.tick(), RATE_INTERVAL);
    this.ticking.unref();
  }

  /** Rates that cannot be counted now are counted at the next turn; nothing serves worse without them. */
  private tick(): void {
    try {
      const counts = this.series().map((series) => [recordPrefix(series), series.ended] as const);
      this.rates.tick(counts, Date.now());
    } catch {}
  }

  /** What the objects of routes counted and show, by the text of the route's key. */
  counts(): Map<string, Float64Array> {
    return countsByRoute(this.observations.all, this.gauges.all);
  }

  /** The same for each object. */
  objectFigures(): readonly ObjectFigures[] {
    return objectFigures(this.observations.all, this.gauges.all);
  }

  /** State of the endpoints of all Backends. */
  backends(): readonly BackendsStatus[] {
    return backendsStatus(this.gauges.all, this.observations.all);
  }

  /** The same in numbers, for controllers. */
  backendsSummaries(): readonly BackendsSummary[] {
    return backendsSummaries(this.gauges.all);
  }

  monitoring(): MonitoringRecord[] {
    return monitoringRecords(this.series(), this.rates, Date.now());
  }

  /** Figures of routes for people, by the text of the route's key. */
  shownFigures(): ReadonlyMap<string, ShownFigures> {
    return shownFigures(this.series(), this.rates, Date.now());
  }

  close(): void {
    if (this.ticking !== null) clearInterval(this.ticking);
  }
}
