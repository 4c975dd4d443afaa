import type { X509Certificate } from 'node:crypto';
import { type OutsidePlanes, outsideGrant } from './outside-grant.ts';
import { type PlaneAuthenticator, PlaneRefused } from './plane-authentication.ts';

/** Planes whose certificates carry a name, and what they get for it. */
export interface CertifiedPlanes extends OutsidePlanes {
  /** Names in certificates: `edge-1.example.com`, or `*.edge.example.com` for one label in its place. */
  readonly names: readonly string[];
}

/**
 * Judges client certificates, whose chains the server has verified. The name of a plane is the first DNS name of its
 * certificate, or the common name of one without any.
 */
export function certificateAuthenticator(rules: readonly CertifiedPlanes[]): PlaneAuthenticator {
  return {
    async authenticate({ certificate }) {
      if (certificate === null) return null;
      const names = namesOf(certificate);
      for (const rule of rules) {
        const name = names.find((one) => rule.names.some((pattern) => fits(one, pattern)));
        if (name !== undefined) return outsideGrant(rule, name, certificate.validToDate.getTime());
      }
      throw new PlaneRefused('PERMISSION_DENIED', 'no group accepts data planes with the name in this certificate');
    },
  };
}

function namesOf(certificate: X509Certificate): string[] {
  const alternatives = certificate.subjectAltName?.split(', ') ?? [];
  const dns = alternatives.filter((name) => name.startsWith('DNS:')).map((name) => name.slice('DNS:'.length));
  if (dns.length > 0) return dns.map((name) => name.toLowerCase());
  const common = certificate.subject.split('\n').find((line) => line.startsWith('CN='));
  return common === undefined ? [] : [common.slice('CN='.length).toLowerCase()];
}

function fits(name: string, pattern: string): boolean {
  if (!pattern.startsWith('*.')) return name === pattern.toLowerCase();
  const dot = name.indexOf('.');
  return dot > 0 && name.slice(dot + 1) === pattern.slice(2).toLowerCase();
}
