import type { Registry } from 'prom-client';
import type { Observation } from '../unit/unit-messages.ts';
import { registerCounted, registerObserved } from './counted-metric.ts';
import type { GaugeValue } from './gauges.ts';

/** Source of the TLS metrics of connectors, read at each scrape. */
export interface TlsMetricsSource {
  observations(): readonly Observation[];
  gauges(): readonly GaugeValue[];
}

const GAUGES = [
  ['gw_tls_renewal_failing', 'Whether keys or authorities of a connector could not be renewed the last time: 1 if so.'],
  ['gw_tls_certificate_expiry_seconds', 'When the first certificate of a connector expires, in seconds since 1970.'],
] as const;

/** Adds the metrics of the TLS of connectors. */
export function registerTlsMetrics(registry: Registry, source: TlsMetricsSource): void {
  const help = 'Changes of keys, certificates and authorities of connectors, by whether they were taken.';
  registerObserved(registry, 'gw_tls_renewals_total', help, () => source.observations());
  for (const [name, text] of GAUGES) {
    registerCounted(registry, name, 'gauge', text, () =>
      source
        .gauges()
        .filter(({ metric }) => metric === name)
        .map(({ labels, value }) => ({ labels, value })),
    );
  }
}
