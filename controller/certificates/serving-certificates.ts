import { type Clock, systemClock } from '../../platform/clock.ts';
import type { CertificateAuthority, IssuedCertificate } from './certificate-authority.ts';
import type { CertifiedKey } from './issue-certificate.ts';

export interface ServingCertificatesOptions {
  readonly authority: CertificateAuthority;
  /** Host names and addresses under which this controller is reached. */
  readonly names: readonly string[];
  readonly clock?: Clock;
  /** There is another certificate, which servers are to show from now on. */
  renewed(certificate: CertifiedKey): void;
}

/** A later moment is waited for in steps, since clocks are put right and machines sleep while timers do not count. */
const LONGEST_WAIT = 60 * 60 * 1_000;
/** An authority that is about to end, or has, signs nothing that lasts: to try at once again would never end. */
const SHORTEST_WAIT = 60 * 1_000;

/** The certificate that the servers of this controller show, made anew before it ends. */
export class ServingCertificates {
  private readonly options: ServingCertificatesOptions;
  private readonly clock: Clock;
  private authority: CertificateAuthority;
  private issued: IssuedCertificate;
  private callOff: () => void = () => undefined;

  constructor(options: ServingCertificatesOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.authority = options.authority;
    this.issued = this.authority.issue(options.names, this.clock.wall());
    this.wait();
  }

  get current(): CertifiedKey {
    return this.issued;
  }

  /** The authority was rotated, here or by another controller. */
  take(authority: CertificateAuthority): void {
    if (authority.serialised() === this.authority.serialised()) return;
    this.authority = authority;
    this.renew();
  }

  close(): void {
    this.callOff();
  }

  private renew(): void {
    this.callOff();
    this.issued = this.authority.issue(this.options.names, this.clock.wall());
    this.wait();
    this.options.renewed(this.issued);
  }

  private wait(): void {
    const left = this.issued.renewAt - this.clock.wall();
    this.callOff = this.clock.after(Math.min(Math.max(left, SHORTEST_WAIT), LONGEST_WAIT), () => {
      if (this.clock.wall() >= this.issued.renewAt) this.renew();
      else this.wait();
    });
  }
}
