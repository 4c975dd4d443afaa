import { createSecureContext } from 'node:tls';
import { experimental, type ServerCredentials } from '@grpc/grpc-js';

/** Certificate and key of a server, as PEM texts. */
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

  /**
   * Whether clients are asked for certificates is decided by the first one, for as long as the server runs.
   * @throws Error when it is not usable
   */
  constructor(first: ServingCertificate) {
    this.current = usable(first);
    // The library has to hear of the first certificate after it has begun to listen, not while it does so.
    const provider: experimental.CertificateProvider = {
      addCaCertificateListener: (listener) => {
        this.authorityListeners.add(listener);
        queueMicrotask(() => listener(this.authorities));
      },
      removeCaCertificateListener: (listener) => this.authorityListeners.delete(listener),
      addIdentityCertificateListener: (listener) => {
        this.identityListeners.add(listener);
        queueMicrotask(() => listener(this.identity));
      },
      removeIdentityCertificateListener: (listener) => this.identityListeners.delete(listener),
    };
    const authorities = first.clientAuthorities === null ? null : provider;
    // The library names these two the other way round than it uses them; the certificate is the first.
    this.credentials = experimental.createCertificateProviderServerCredentials(provider, authorities, false);
  }

  /** New connections get this certificate; those that are there stay. @throws Error when it is not usable */
  renew(certificate: ServingCertificate): void {
    this.current = usable(certificate);
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

/** The library would refuse every connection after a certificate that is not usable, so that one never gets there. */
function usable(certificate: ServingCertificate): ServingCertificate {
  const { certificate: cert, key, clientAuthorities } = certificate;
  try {
    createSecureContext({ cert, key, ...(clientAuthorities === null ? {} : { ca: clientAuthorities }) });
  } catch {
    throw new Error('the server certificate and its key cannot be used together');
  }
  return certificate;
}
