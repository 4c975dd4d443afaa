import type { Registry } from 'prom-client';
import { type AdminAnswer, jsonAnswer, textAnswer } from '../../platform/admin/admin-answer.ts';
import { closedGuard, loopbackGuard, openGuard } from '../../platform/admin/admin-guard.ts';
import { AdminServer } from '../../platform/admin/admin-server.ts';
import { type AdminPath, AdminTable } from '../../platform/admin/admin-table.ts';
import { MetricsText } from '../metrics/metrics-text.ts';
import type { MonitoringRecord } from '../metrics/monitoring.ts';
import { monitoringAnswer } from './monitoring-endpoint.ts';

/** Data and actions of the admin port. */
export interface AdminSource {
  readonly registry: Registry;
  readonly ready: boolean;
  readonly status: object;
  /** Administrative base path, under which the metrics are also found; the configuration may change it. */
  readonly prefix: string;
  /** Whether loopback says nothing of who asks: in a Pod, other containers and `kubectl port-forward` come over it. */
  readonly isInPod: boolean;
  monitoring(): MonitoringRecord[];
  /** @returns false when there is no such unit. */
  restartUnit(unit: number): boolean;
  /** Called when a request fails inside of the plane. */
  failed(error: unknown, path: string): void;
}

/**
 * Makes the admin server of a plane: health and metrics for anybody, everything else for loopback only and in a Pod for
 * nobody. It runs beside the units, so that it answers when they do not.
 */
export function adminPort(source: AdminSource): AdminServer {
  const metrics = new MetricsText(source.registry);
  const guard = source.isInPod ? closedGuard('ask the controller') : loopbackGuard;
  let built: { readonly prefix: string; readonly table: AdminTable } | null = null;
  const table = (): AdminTable => {
    const { prefix } = source;
    if (built?.prefix !== prefix) {
      built = { prefix, table: new AdminTable([...openPaths(source, prefix, metrics), ...ownPaths(source, guard)]) };
    }
    return built.table;
  };
  return new AdminServer({ table, guard, failed: (error, path) => source.failed(error, path) });
}

/** Paths for probes and scrapers. */
function openPaths(source: AdminSource, prefix: string, metrics: MetricsText): AdminPath[] {
  const open = { method: 'GET', guard: openGuard } as const;
  const alive = (): AdminAnswer => textAnswer(200, 'alive');
  return [
    { ...open, path: '/health/live', answer: alive },
    {
      ...open,
      path: '/health/ready',
      answer: () => (source.ready ? textAnswer(200, 'ready') : textAnswer(503, 'not ready')),
    },
    {
      ...open,
      path: '/metrics',
      aliases: [`/${prefix}/metrics/prometheus`, `/${prefix}/metrics/prometheus/0.0.4`],
      answer: async () => ({ status: 200, type: source.registry.contentType, body: await metrics.read() }),
    },
    { ...open, path: `/${prefix}/ping`, answer: alive },
    {
      ...open,
      path: `/${prefix}/metrics/api/*`,
      answer({ parameters, query }) {
        const { status, body } = monitoringAnswer(parameters['rest']!, query, () => source.monitoring());
        return jsonAnswer(status, JSON.stringify(body));
      },
    },
  ];
}

/** Paths for the operator. */
function ownPaths(source: AdminSource, guard: AdminPath['guard']): AdminPath[] {
  return [
    { method: 'GET', path: '/', guard, answer: () => jsonAnswer(200, JSON.stringify(source.status, null, 2)) },
    {
      method: 'POST',
      path: '/units/{unit}/restart',
      guard,
      answer({ parameters }) {
        const unit = parameters['unit']!;
        const isFound = /^\d{1,4}$/.test(unit) && source.restartUnit(Number(unit));
        return isFound ? textAnswer(202, 'restarting') : textAnswer(404, 'no such unit');
      },
    },
  ];
}
