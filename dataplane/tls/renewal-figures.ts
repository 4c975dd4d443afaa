import type { TlsKey } from '../heap/objects/secrets.ts';
import type { PlaneServices } from '../heap/plane-services.ts';

/** Metrics of the certificates of connectors. */
export class RenewalFigures {
  private readonly name: string;
  private readonly services: Pick<PlaneServices, 'count'>;
  private isFailing = false;
  private expires = 0;

  /** @param name what it is called there */
  constructor(name: string, services: Pick<PlaneServices, 'count' | 'gauge'>, onClose: (release: () => void) => void) {
    this.name = name;
    this.services = services;
    const labels = { name };
    onClose(services.gauge('gw_tls_renewal_failing', labels, () => (this.isFailing ? 1 : 0)));
    onClose(services.gauge('gw_tls_certificate_expiry_seconds', labels, () => this.expires));
  }

  /** These are shown from now on. */
  show(keys: readonly TlsKey[]): void {
    const ends = keys.flatMap(({ certificates: [own] }) => (own === undefined ? [] : [own.validToDate.getTime()]));
    this.expires = ends.length === 0 ? 0 : Math.min(...ends) / 1000;
  }

  renewed(): void {
    this.services.count('gw_tls_renewals_total', { name: this.name, outcome: 'taken' });
  }

  /** What was to be shown next cannot be. */
  refused(): void {
    this.services.count('gw_tls_renewals_total', { name: this.name, outcome: 'refused' });
  }

  /** Whether something is wrong with what was to be shown, as far as it was looked at last. */
  failing(isFailing: boolean): void {
    this.isFailing = isFailing;
  }
}
