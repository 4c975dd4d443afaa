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
  [
    'gw_tls_renewal_failing',
    '1 if the newest keys, certificates or CA certificates of a connector cannot be used; the previous ones stay in use.',
  ],
  [
    'gw_tls_certificate_expiry_seconds',
    'Earliest expiry of a server certificate of a connector, in seconds since 1970.',
  ],
  ['gw_tls_host_certificates', 'Certificates of hosts (spec.tls of Routes) that the data plane holds, by state.'],
  [
    'gw_tls_host_certificate_expiry_seconds',
    'Earliest expiry of a certificate of hosts that the data plane holds, in seconds since 1970; 0 without one.',
  ],
] as const;

/** Adds the metrics of the TLS of connectors. */
export function registerTlsMetrics(registry: Registry, source: TlsMetricsSource): void {
  const help = 'Reloads of keys, certificates and CA certificates of connectors, by outcome: taken or refused.';
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
