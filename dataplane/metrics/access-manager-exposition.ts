import type { Registry } from 'prom-client';
import type { Observation } from '../unit/unit-messages.ts';
import { registerCounted } from './counted-metric.ts';
import type { GaugeValue } from './gauges.ts';

/** Source of the metrics of access managers, read at each scrape. */
export interface AccessManagerMetricsSource {
  observations(): readonly Observation[];
  gauges(): readonly GaugeValue[];
}

const GAUGES = [
  ['gw_am_agent_login_failing', '1 if the last log-in of the agent of an AmService failed, otherwise 0.'],
  ['gw_am_notifications_connected', '1 while notifications of an access manager arrive, otherwise 0.'],
  [
    'gw_am_notifications_connected_since_seconds',
    'Start of the connection for notifications, in seconds since 1970; 0 without one.',
  ],
] as const;
const APPLIED = 'gw_am_notifications_applied_seconds';

/** Adds the metrics of access managers. */
export function registerAccessManagerMetrics(registry: Registry, source: AccessManagerMetricsSource): void {
  for (const [name, text] of GAUGES) {
    registerCounted(registry, name, 'gauge', text, () =>
      source
        .gauges()
        .filter(({ metric }) => metric === name)
        .map(({ labels, value }) => ({ labels, value })),
    );
  }
  const help = 'Time from the arrival of a notification until all units have applied it.';
  registerCounted(registry, APPLIED, 'summary', help, () =>
    source
      .observations()
      .filter(({ metric }) => metric === APPLIED)
      .flatMap(({ labels, seconds, count }) => [
        { labels, value: seconds, metricName: `${APPLIED}_sum` },
        { labels, value: count, metricName: `${APPLIED}_count` },
      ]),
  );
}
