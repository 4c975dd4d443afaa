import type { X509Certificate } from 'node:crypto';
import { BlockList, isIP } from 'node:net';

/** The names that a certificate is for: host names, perhaps with a wildcard, and addresses. */
export interface CertifiedNames {
  /** The first common name of the subject, or null. */
  readonly commonName: string | null;
  readonly hosts: readonly string[];
  readonly addresses: readonly string[];
}

/** What a name that is matched may be made of; whatever else a certificate says is no name of a host. */
const HOST = /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/;

export function certifiedNames(certificate: X509Certificate): CertifiedNames {
  const { subject, subjectaltname = '' } = certificate.toLegacyObject();
  const common: unknown = (subject as { readonly CN?: unknown } | undefined)?.CN;
  const first: unknown = Array.isArray(common) ? common[0] : common;
  const alternatives = splitAlternatives(subjectaltname);
  return {
    commonName: typeof first === 'string' ? first : null,
    hosts: alternatives.flatMap((entry) => (entry.startsWith('DNS:') ? [entry.slice('DNS:'.length)] : [])),
    addresses: alternatives.flatMap((entry) =>
      entry.startsWith('IP Address:') ? [entry.slice('IP Address:'.length)] : [],
    ),
  };
}

/** Entries with a quote in them are quoted as a whole by the runtime; none of these is the name of a host. */
function splitAlternatives(text: string): string[] {
  return text
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '"')
    .split(', ')
    .filter((entry) => !entry.includes('"'));
}

/** Whether a certificate with these names is one for this host: its first common name or an alternative is it. */
export function isFor(names: CertifiedNames, host: string): boolean {
  const { commonName, hosts, addresses } = names;
  if (isIP(host) !== 0) return commonName === host || addresses.some((address) => isSameAddress(address, host));
  const wanted = lower(host);
  return [...(commonName === null ? [] : [commonName]), ...hosts].some((name) => matches(lower(name), wanted));
}

/** A wildcard stands for one label, the leftmost, and for all of it. */
function matches(name: string, host: string): boolean {
  if (!HOST.test(name) || isIP(name) !== 0) return false;
  if (!name.startsWith('*.')) return name === host;
  const rest = name.slice(1);
  const dot = host.indexOf('.');
  return dot > 0 && host.slice(dot) === rest;
}

function lower(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

function isSameAddress(one: string, other: string): boolean {
  const family = isIP(one);
  if (family === 0 || family !== isIP(other)) return false;
  if (one === other) return true;
  const list = new BlockList();
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  list.addAddress(one, kind);
  return list.check(other, kind);
}
