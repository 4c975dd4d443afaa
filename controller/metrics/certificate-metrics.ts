import { Gauge, type Registry } from 'prom-client';
import { certificateState } from '../../contract/resources/certificate-state.ts';
import type { CertificateFacts, CertificateFault } from '../compile/resources/certificates/certificate-facts.ts';

/** Data source of the metrics at each scrape. */
export interface CertificateMetricsSource {
  /** Of every Route that names certificates. */
  certificates(): Iterable<CertificateFacts>;
  /** Milliseconds since 1970. */
  now(): number;
}

const STATES = ['Ready', 'Expiring', 'Expired', 'NotYetValid'] as const;
/** By reason; all of them are shown, also without a fault, so that an alert can tell none from unknown. */
const FAULTS: Readonly<Record<CertificateFault['reason'], 0>> = {
  SecretNotFound: 0,
  SecretNotAllowed: 0,
  CertificateInvalid: 0,
  HostNotGranted: 0,
  HostNotCovered: 0,
  HostConflict: 0,
  Pending: 0,
};

/** Adds the metrics of the certificates that Routes name. */
export function showCertificates(registers: Registry[], source: CertificateMetricsSource): void {
  new Gauge({
    name: 'gw_controller_certificate_expiry_seconds',
    help: 'Expiry of a certificate of spec.tls of Routes, in seconds since 1970, by Secret.',
    labelNames: ['secret'],
    registers,
    collect() {
      this.reset();
      for (const { shown } of source.certificates()) {
        for (const { secret, notAfter } of shown) this.set({ secret }, notAfter / 1000);
      }
    },
  });
  new Gauge({
    name: 'gw_controller_certificates',
    help: 'Certificates of spec.tls of Routes that data planes show, by state.',
    labelNames: ['state'],
    registers,
    collect() {
      const now = source.now();
      const states = new Map<string, string>();
      for (const { shown } of source.certificates()) {
        for (const one of shown) states.set(one.secret, certificateState(one, now));
      }
      for (const state of STATES) this.set({ state }, [...states.values()].filter((one) => one === state).length);
    },
  });
  new Gauge({
    name: 'gw_controller_certificate_faults',
    help: 'Hosts and Secrets of spec.tls of Routes for which no certificate is shown, by reason.',
    labelNames: ['reason'],
    registers,
    collect() {
      for (const reason of Object.keys(FAULTS)) this.set({ reason }, 0);
      for (const { faults } of source.certificates()) for (const { reason } of faults) this.inc({ reason });
    },
  });
}
