import { sharedResourceHash } from '../../../contract/shared-resources.ts';
import type { ServerCertificate } from '../../../contract/snapshot.ts';
import type { Certified } from '../identity/certificates.ts';

/** Names and owner of a certificate. */
export interface CertificateOwner {
  readonly tenant: string;
  /** Namespace and name of its Secret. */
  readonly secret: string;
  /** Age and name of the Route that wants it. */
  readonly claim?: string;
}

/** A certificate for hosts of a tenant as a shared resource. */
export function hostCertificate(
  { tenant, secret, claim = `2026-01-01T00:00:00Z ${secret}` }: CertificateOwner,
  hosts: readonly string[],
  { chain, key: privateKey }: Certified,
): ServerCertificate {
  const claims = Object.fromEntries(hosts.map((host) => [host, claim]));
  const key = `Certificate/${secret}`;
  const resource = { type: 'server-certificate', key, tenant, hosts: claims, chain, privateKey } as const;
  return { ...resource, hash: sharedResourceHash(resource) };
}
