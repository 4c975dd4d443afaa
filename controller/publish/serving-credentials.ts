import { experimental, type ServerCredentials } from '@grpc/grpc-js';

/** What a server shows of itself, as PEM texts. */
export interface ServingCertificate {
  /** Its certificate, then those between it and the authority. */
  readonly certificate: string;
  readonly key: string;
  /** The authorities whose certificates clients may show; null when none is asked for. */
  readonly clientAuthorities: string | null;
}

type IdentityListener = experimental.IdentityCertificateUpdateListener;
type AuthorityListener = experimental.CaCertificateUpdateListener;

/** TLS of a gRPC server, whose certificate can be replaced while streams go on. */
export class ServingCredentials {
  readonly credentials: ServerCredentials;
  private current: ServingCertificate;
  private readonly identityListeners = new Set<IdentityListener>();
  private readonly authorityListeners = new Set<AuthorityListener>();

  /** Whether clients are asked for certificates is decided by the first one, for as long as the server runs. */
  constructor(first: ServingCertificate) {
    this.current = first;
    const provider: experimental.CertificateProvider = {
      addCaCertificateListener: (listener) => {
        this.authorityListeners.add(listener);
        listener(this.authorities);
      },
      removeCaCertificateListener: (listener) => this.authorityListeners.delete(listener),
      addIdentityCertificateListener: (listener) => {
        this.identityListeners.add(listener);
        listener(this.identity);
      },
      removeIdentityCertificateListener: (listener) => this.identityListeners.delete(listener),
    };
    const authorities = first.clientAuthorities === null ? null : provider;
    // The library names these two the other way round than it uses them; the certificate is the first.
    this.credentials = experimental.createCertificateProviderServerCredentials(provider, authorities, false);
  }

  /** New connections get this certificate; those that are there stay. */
  renew(certificate: ServingCertificate): void {
    this.current = certificate;
    for (const listener of this.authorityListeners) listener(this.authorities);
    for (const listener of this.identityListeners) listener(this.identity);
  }

  private get identity(): experimental.IdentityCertificateUpdate {
    const { certificate, key } = this.current;
    return { certificate: Buffer.from(certificate), privateKey: Buffer.from(key) };
  }

  private get authorities(): experimental.CaCertificateUpdate {
    return { caCertificate: Buffer.from(this.current.clientAuthorities ?? '') };
  }
}
