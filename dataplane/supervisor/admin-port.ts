import type { Registry } from 'prom-client';
import type { CrestEndpoint } from '../../contract/crest/provider.ts';
import { type AdminAnswer, jsonAnswer, textAnswer } from '../../platform/admin/admin-answer.ts';
import {
  type AdminGuard,
  closedGuard,
  loopbackGuard,
  openedHereGuard,
  openGuard,
  pageGuard,
} from '../../platform/admin/admin-guard.ts';
import { AdminServer } from '../../platform/admin/admin-server.ts';
import { type AdminPath, AdminTable } from '../../platform/admin/admin-table.ts';
import { CallRate, CREST_RATE, rateGuard } from '../../platform/admin/call-rate.ts';
import type { ConsoleFiles } from '../../platform/admin/console-files.ts';
import { consolePaths } from '../../platform/admin/console-paths.ts';
import {
  type CrestTree,
  crestAnswer,
  crestRefusal,
  folderAnswer,
  treeAnswer,
} from '../../platform/admin/crest-path.ts';
import type { AdminProtection } from '../connectors/admin-protection.ts';
import { inTurns, MetricsText } from '../metrics/metrics-text.ts';
import type { MonitoringRecord } from '../metrics/monitoring.ts';
import { monitoringEndpoint } from './monitoring-endpoint.ts';

/** Data and actions of the admin port. */
export interface AdminSource {
  readonly registry: Registry;
  readonly ready: boolean;
  readonly status: object;
  /** Administrative base path, under which the metrics are also found; the configuration may change it. */
  readonly prefix: string;
  /** Whether loopback says nothing of who asks: in a Pod, other containers and `kubectl port-forward` come over it. */
  readonly isInPod: boolean;
  /** Filters in front of paths: the one of the API is in place of the guard of the port. */
  readonly protection?: AdminProtection | undefined;
  /** Most bytes of a document that is sent to the admin port; 1 MiB unless said otherwise. */
  readonly longestBody?: number | undefined;
  /** Endpoints below `/api`; absent where there are none. */
  readonly api?: CrestTree | undefined;
  /** Files of the console, which shows the API to people; absent where there is none. */
  readonly console?: ConsoleFiles | undefined;
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
  const metrics = new MetricsText(inTurns(source.registry));
  const guard = source.isInPod ? closedGuard('ask the controller') : loopbackGuard;
  const monitoring = monitoringEndpoint(() => source.monitoring());
  const rate = new CallRate(CREST_RATE);
  let built: { readonly prefix: string; readonly table: AdminTable } | null = null;
  const table = (): AdminTable => {
    const { prefix } = source;
    if (built?.prefix !== prefix) {
      const open = [...openPaths(source, prefix, metrics), monitoringPath(source, monitoring, rate)];
      built = {
        prefix,
        table: new AdminTable([
          ...open,
          ...ownPaths(source, guard),
          ...apiPaths(source, prefix, guard),
          ...pagePaths(source),
        ]),
      };
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
      filter: source.protection?.metrics ?? undefined,
      aliases: [`/${prefix}/metrics/prometheus`, `/${prefix}/metrics/prometheus/0.0.4`],
      answer: async () => ({ status: 200, type: source.registry.contentType, body: await metrics.read() }),
    },
    { ...open, path: `/${prefix}/ping`, answer: alive },
  ];
}

function monitoringPath({ prefix, protection }: AdminSource, endpoint: CrestEndpoint, rate: CallRate): AdminPath {
  const path = `/${prefix}/metrics/api`;
  return {
    method: 'GET',
    path: `${path}/*`,
    guard: rateGuard(openGuard, rate),
    filter: protection?.metrics ?? undefined,
    refused: crestRefusal,
    async answer(call) {
      const begun = performance.now();
      try {
        return await crestAnswer(endpoint, path, call);
      } finally {
        rate.charge(performance.now() - begun);
      }
    },
  };
}

const LONGEST_BODY = 1 << 20;

/** Endpoints of Common REST, without the prefix and with it. */
function apiPaths(
  { api, protection, longestBody = LONGEST_BODY }: AdminSource,
  prefix: string,
  own: AdminGuard,
): AdminPath[] {
  if (api === undefined) return [];
  const filter = protection?.api ?? undefined;
  const guard = filter === undefined ? own : pageGuard;
  return [
    ...['/api', `/${prefix}/api`].map(
      (root): AdminPath => ({
        method: '*',
        path: `${root}/*`,
        guard,
        filter,
        longestBody,
        refused: crestRefusal,
        answer: (call) => treeAnswer(api, root, call),
      }),
    ),
    {
      method: '*',
      path: `/${prefix}`,
      aliases: [`/${prefix}/`],
      guard,
      filter,
      refused: crestRefusal,
      answer: (call) => folderAnswer(api, `/${prefix}/api`, [], call),
    },
  ];
}

/** Paths of the console. Where a filter decides about the API, other machines may reach it and its pages. */
function pagePaths({ console, isInPod, protection }: AdminSource): AdminPath[] {
  if (console === undefined || isInPod) return [];
  return consolePaths(console, (protection?.api ?? null) === null ? openedHereGuard : openGuard);
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
