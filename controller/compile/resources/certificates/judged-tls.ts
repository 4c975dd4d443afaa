import type { JsonObject } from '../../../../contract/document/json-value.ts';
import type { Path } from '../../../../contract/problem.ts';
import { HostGrants } from '../../../../contract/resources/host-grants.ts';
import { type Resource, resourceKey } from '../../../../contract/resources/resource.ts';
import type { Checker } from '../../checker.ts';
import type { TrustVersion } from '../compile-trust.ts';
import type { ResourceState } from '../resource-state.ts';
import type { CertificateFault } from './certificate-facts.ts';
import { tlsOf, tlsSecretsOf } from './route-tls.ts';
import { type SecretCertificate, SecretCertificates, type UsableCertificate } from './secret-certificates.ts';

/** What the certificates of one Route are judged by. */
export interface TlsParts {
  readonly state: Pick<ResourceState, 'secrets'>;
  readonly trust: TrustVersion;
  /** Secrets that are not read, because their namespace names too many. */
  readonly beyond: ReadonlySet<string>;
}

/** A host with a certificate that can be shown for it, as `namespace/name` of its Secret. */
export interface CertifiedHost {
  readonly host: string;
  readonly path: Path;
  readonly secret: string;
  readonly found: UsableCertificate;
}

/** The certificates of one Route, without a look at other Routes. */
export interface JudgedTls {
  /** Null for a namespace that belongs to no tenant. */
  readonly tenant: string | null;
  readonly faults: readonly CertificateFault[];
  readonly hosts: readonly CertifiedHost[];
}

interface Known {
  readonly inputs: readonly unknown[];
  readonly made: JudgedTls;
}

/** Judges the certificates of Routes: those of a Route again only when it, its Secrets or the grants have changed. */
export class JudgedRoutes {
  readonly secrets: SecretCertificates;
  private readonly known = new WeakMap<JsonObject, Known>();
  private readonly grants = new WeakMap<TrustVersion, HostGrants>();

  constructor(checker: Pick<Checker, 'certificate'>) {
    this.secrets = new SecretCertificates(checker);
  }

  /** The same object as long as nothing about it changes. */
  of(route: Resource, parts: TlsParts): JudgedTls {
    const inputs: unknown[] = [route.namespace, parts.trust];
    for (const secret of tlsSecretsOf(route)) inputs.push(parts.beyond.has(secret), parts.state.secrets.get(secret));
    const before = this.known.get(route.spec);
    if (before?.inputs.length === inputs.length && inputs.every((one, at) => one === before.inputs[at])) {
      return before.made;
    }
    const made = this.judged(route, parts);
    this.known.set(route.spec, { inputs, made });
    return made;
  }

  private judged(route: Resource, parts: TlsParts): JudgedTls {
    const { namespace } = route;
    const tenant = parts.trust.tenantOf(namespace);
    if (tenant === null) {
      const message = `the namespace ${namespace} belongs to no tenant, so it has no hosts`;
      return { tenant, faults: [{ reason: 'HostNotGranted', path: ['tls'], message }], hosts: [] };
    }
    const faults: CertificateFault[] = [];
    const certified: CertifiedHost[] = [];
    for (const [at, { hosts, secretName }] of tlsOf(route).entries()) {
      const secret = resourceKey({ namespace, name: secretName });
      const found = this.certificateOf(secret, parts);
      if (found.fault !== null) faults.push({ ...found.fault, path: ['tls', at, 'secretName'] });
      for (const [index, host] of hosts.entries()) {
        const path: Path = ['tls', at, 'hosts', index];
        if (this.grantsOf(parts.trust).tenantOf(host) !== tenant) {
          const message = `the host ${host} is not granted to the tenant ${tenant}`;
          faults.push({ reason: 'HostNotGranted', path, message });
        } else if (found.fault === null && !found.judged.covers(host)) {
          const message = `${host} is not among the names of the certificate in the Secret ${secret}`;
          faults.push({ reason: 'HostNotCovered', path, message });
        } else if (found.fault === null) certified.push({ host, path, secret, found });
      }
    }
    return { tenant, faults, hosts: certified };
  }

  private certificateOf(secret: string, { state, beyond }: TlsParts): SecretCertificate {
    if (!beyond.has(secret)) return this.secrets.of(state.secrets.get(secret), secret);
    const message = `the Secret ${secret} is not read: its namespace names too many Secrets`;
    return { fault: { reason: 'SecretNotFound', message }, judged: null };
  }

  private grantsOf(trust: TrustVersion): HostGrants {
    const known = this.grants.get(trust) ?? new HostGrants(trust.plane.tenants);
    this.grants.set(trust, known);
    return known;
  }
}
