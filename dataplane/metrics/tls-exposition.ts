import type { Registry } from 'prom-client';
import { registerCounted } from './counted-metric.ts';
import type { GaugeValue } from './gauges.ts';

const GAUGES = [
  ['gw_tls_renewal_failing', 'Whether keys or authorities of connectors could not be renewed: 1 if so.'],
  [
    'gw_tls_certificate_expiry_timestamp_seconds',
    'When the first certificate of connectors expires; 0 before it is known.',
  ],
] as const;

/** Adds what the TLS of connectors shows. */
export function registerTlsMetrics(registry: Registry, gauges: () => readonly GaugeValue[]): void {
  for (const [name, help] of GAUGES) {
    registerCounted(registry, name, 'gauge', help, () =>
      gauges()
        .filter(({ metric }) => metric === name)
        .map(({ labels, value }) => ({ labels, value })),
    );
  }
}
