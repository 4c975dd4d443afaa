import type { Registry } from 'prom-client';
import type { CrestEndpoint } from '../../contract/crest/provider.ts';
import { jsonAnswer, textAnswer } from '../../platform/admin/admin-answer.ts';
import { type AdminGuard, openGuard } from '../../platform/admin/admin-guard.ts';
import { type AdminCertificate, AdminServer } from '../../platform/admin/admin-server.ts';
import { type AdminPath, AdminTable } from '../../platform/admin/admin-table.ts';
import { crestAnswer } from '../../platform/admin/crest-path.ts';

/** Data source of the admin addresses of a controller. */
export interface ControllerAdminSource {
  readonly registry: Registry;
  /** Null when it is ready; otherwise what it waits for. */
  waitsFor(): string | null;
  status(): object | Promise<object>;
  /** Redacted, as text of JSON. */
  dump(): string;
  /** Common REST view of the metrics. */
  readonly monitoring: CrestEndpoint;
}

export interface ControllerAdminOptions {
  readonly source: ControllerAdminSource;
  /** Guard of everything but health and metrics. */
  readonly guard: AdminGuard;
  readonly certificate: AdminCertificate | null;
  /** Further paths, each with a guard of its own. */
  readonly paths?: readonly AdminPath[];
  failed(error: unknown, path: string): void;
}

/** Room for the tokens of people, which carry their groups. */
const LONGEST_HEAD = 32_768;
/** How long the text of the metrics is shown again, in milliseconds: anybody may ask, and it takes long to write. */
const METRICS_AGE = 1000;
const PREFIX = '/openig';

/** Makes one admin server of a controller: health and metrics for anybody, everything else for callers that its guard admits. */
export function controllerAdmin(options: ControllerAdminOptions): AdminServer {
  const { source, guard, certificate, paths = [], failed } = options;
  const table = new AdminTable([...pathsOf(source, guard), ...paths]);
  return new AdminServer({ table: () => table, guard, certificate, longestHead: LONGEST_HEAD, failed });
}

function pathsOf(source: ControllerAdminSource, guard: AdminGuard): AdminPath[] {
  const { registry } = source;
  const metrics = recentText(() => registry.metrics());
  const method = 'GET';
  return [
    { method, path: '/health/live', guard: openGuard, answer: () => textAnswer(200, 'alive') },
    {
      ...{ method, path: '/health/ready', guard: openGuard },
      answer() {
        const waitsFor = source.waitsFor();
        return waitsFor === null ? textAnswer(200, 'ready') : textAnswer(503, `not ready: ${waitsFor}`);
      },
    },
    {
      ...{ method, path: '/metrics', guard: openGuard },
      aliases: [`${PREFIX}/metrics/prometheus`, `${PREFIX}/metrics/prometheus/0.0.4`],
      answer: async () => ({ status: 200, type: registry.contentType, body: await metrics() }),
    },
    { method, path: '/status', guard, answer: async () => jsonAnswer(200, JSON.stringify(await source.status())) },
    { method, path: '/dump', guard, answer: () => jsonAnswer(200, source.dump()) },
    {
      ...{ method, path: `${PREFIX}/metrics/api/*`, guard },
      answer: (call) => crestAnswer(source.monitoring, `${PREFIX}/metrics/api`, call),
    },
  ];
}

/** Writes a text at most once in a while, for whoever asks. */
function recentText(write: () => Promise<string>): () => Promise<string> {
  let last: { readonly at: number; readonly text: Promise<string> } | null = null;
  return () => {
    const now = performance.now();
    if (last === null || now - last.at >= METRICS_AGE) last = { at: now, text: write() };
    return last.text;
  };
}
