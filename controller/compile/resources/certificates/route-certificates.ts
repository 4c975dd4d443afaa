import { isDeepStrictEqual } from 'node:util';
import type { Path } from '../../../../contract/problem.ts';
import { byAge } from '../../../../contract/resources/by-age.ts';
import { HostGrants } from '../../../../contract/resources/host-grants.ts';
import { type Resource, resourceKey } from '../../../../contract/resources/resource.ts';
import { compareTexts } from '../../../../contract/route-order.ts';
import { sharedResourceHash } from '../../../../contract/shared-resources.ts';
import { routeKeyText, type ServerCertificate, type SourceVersion } from '../../../../contract/snapshot.ts';
import type { Checker } from '../../checker.ts';
import type { TrustVersion } from '../compile-trust.ts';
import type { ResourceState } from '../resource-state.ts';
import type { ResourceVerdict } from '../resource-verdict.ts';
import type { CertificateFacts, CertificateFault, ShownCertificate } from './certificate-facts.ts';
import { mayMeet } from './may-meet.ts';
import { tlsOf, tlsSecretsOf } from './route-tls.ts';
import { type SecretCertificate, SecretCertificates } from './secret-certificates.ts';

/** What certificates are compiled from. */
export interface CertificateParts {
  readonly state: Pick<ResourceState, 'routes' | 'secrets'>;
  readonly trust: TrustVersion;
  /** Of Routes, by `namespace/name`. */
  readonly verdicts: ReadonlyMap<string, ResourceVerdict>;
  /** Secrets that are not read, because their namespace names too many. */
  readonly beyond: ReadonlySet<string>;
  /** The version of a Secret, by `namespace/name`. */
  sourceOf(secret: string): SourceVersion | null;
}

/** The certificates of all Routes. */
export interface CompiledCertificates {
  readonly resources: readonly ServerCertificate[];
  /** By the key of a certificate, the routes (by `routeKeyText`) that name it: planes get it with one of them. */
  readonly users: ReadonlyMap<string, ReadonlySet<string>>;
  /** By `namespace/name` of the Route, for Routes that name certificates. */
  readonly facts: ReadonlyMap<string, CertificateFacts>;
}

/** A host that a Route wants a certificate for. */
interface Claim {
  readonly route: Resource;
  readonly dataPlanes: ResourceVerdict['dataPlanes'];
  readonly secret: string;
}

/** What is gathered of one Secret. */
interface Gathered {
  readonly found: Extract<SecretCertificate, { fault: null }>;
  readonly tenant: string;
  readonly hosts: Map<string, string>;
  readonly users: Set<string>;
}

const NONE: CompiledCertificates = { resources: [], users: new Map(), facts: new Map() };

/**
 * Decides which certificate is shown for which host: a host needs a grant and must be a name of the certificate. Of two
 * Routes that want different certificates for one host, the older one wins.
 */
export class RouteCertificates {
  private readonly secrets: SecretCertificates;
  private inputs: readonly unknown[] = [];
  private last: CompiledCertificates = NONE;
  private readonly made = new Map<string, ServerCertificate>();
  private readonly grants = new WeakMap<TrustVersion, HostGrants>();

  constructor(checker: Pick<Checker, 'certificate'>) {
    this.secrets = new SecretCertificates(checker);
  }

  /** The same object as long as nothing changes. */
  compile(parts: CertificateParts): CompiledCertificates {
    const routes = [...parts.state.routes.values()].filter((route) => route.spec['tls'] !== undefined);
    if (routes.length === 0 && this.last === NONE) return NONE;
    const inputs = inputsOf(routes, parts);
    if (inputs.length === this.inputs.length && inputs.every((one, at) => one === this.inputs[at])) return this.last;
    this.inputs = inputs;
    this.last = routes.length === 0 ? NONE : this.compiled(routes.sort(byAge), parts);
    return this.last;
  }

  /** What is wrong with the certificates that a Route names, without a look at other Routes. */
  faultsOf(route: Resource, parts: Pick<CertificateParts, 'state' | 'trust' | 'beyond'>): readonly CertificateFault[] {
    const alone = { ...parts, verdicts: new Map(), sourceOf: () => null };
    return this.factsOf(route, alone, new Map(), new Map()).faults;
  }

  private compiled(routes: readonly Resource[], parts: CertificateParts): CompiledCertificates {
    const gathered = new Map<string, Gathered>();
    const claims = new Map<string, Claim[]>();
    const facts = new Map<string, CertificateFacts>();
    for (const route of routes) {
      const key = resourceKey(route);
      const own = this.factsOf(route, parts, gathered, claims);
      const before = this.last.facts.get(key);
      facts.set(key, before !== undefined && isDeepStrictEqual(before, own) ? before : own);
    }
    const resources = [...gathered].map(([secret, one]) => this.resourceOf(secret, one, parts.sourceOf(secret)));
    const keys = new Set(resources.map(({ key }) => key));
    for (const key of this.made.keys()) if (!keys.has(key)) this.made.delete(key);
    return {
      resources: resources.sort((a, b) => compareTexts(a.key, b.key)),
      users: new Map([...gathered].map(([secret, { users }]) => [certificateKey(secret), users])),
      facts,
    };
  }

  private factsOf(
    route: Resource,
    parts: CertificateParts,
    gathered: Map<string, Gathered>,
    claims: Map<string, Claim[]>,
  ): CertificateFacts {
    const { namespace } = route;
    const tenant = parts.trust.tenantOf(namespace);
    if (tenant === null) {
      const message = `the namespace ${namespace} belongs to no tenant, so it has no hosts`;
      return { faults: [{ reason: 'HostNotGranted', path: ['tls'], message }], shown: [] };
    }
    const verdict = parts.verdicts.get(resourceKey(route));
    const served = verdict?.remembered ?? verdict?.route ?? null;
    const faults: CertificateFault[] = [];
    const shown = new Map<string, ShownCertificate>();
    for (const [at, { hosts, secretName }] of tlsOf(route).entries()) {
      const secret = resourceKey({ namespace, name: secretName });
      const found = this.certificateOf(secret, parts);
      if (found.fault !== null) faults.push({ ...found.fault, path: ['tls', at, 'secretName'] });
      for (const [index, host] of hosts.entries()) {
        const path: Path = ['tls', at, 'hosts', index];
        if (this.grantsOf(parts.trust).tenantOf(host) !== tenant) {
          const message = `the host ${host} is not granted to the tenant ${tenant}`;
          faults.push({ reason: 'HostNotGranted', path, message });
          continue;
        }
        if (found.fault !== null) continue;
        if (!found.judged.covers(host)) {
          const message = `${host} is not among the names of the certificate in the Secret ${secret}`;
          faults.push({ reason: 'HostNotCovered', path, message });
          continue;
        }
        if (served === null) continue;
        const claim = { route, dataPlanes: verdict?.dataPlanes ?? null, secret };
        const winner = winnerOf(claims, `${tenant} ${host}`, claim, parts.trust);
        if (winner !== null) {
          const message = `for the host ${host}, data planes show the certificate of the Secret ${winner.secret}, which the older Route ${resourceKey(winner.route)} names`;
          faults.push({ reason: 'HostConflict', path, message });
        }
        const one = gathered.get(secret) ?? {
          found,
          tenant,
          hosts: new Map<string, string>(),
          users: new Set<string>(),
        };
        gathered.set(secret, one);
        if (!one.hosts.has(host)) one.hosts.set(host, `${route.created} ${resourceKey(route)}`);
        one.users.add(routeKeyText(served));
        const { notBefore, notAfter } = found.judged;
        if (winner === null) shown.set(secret, { secret, notBefore, notAfter });
      }
    }
    return { faults, shown: [...shown.values()] };
  }

  private certificateOf(secret: string, { state, beyond }: CertificateParts): SecretCertificate {
    if (!beyond.has(secret)) return this.secrets.of(state.secrets.get(secret), secret);
    const message = `the Secret ${secret} is not read: its namespace names too many Secrets`;
    return { fault: { reason: 'SecretNotFound', message }, judged: null };
  }

  private resourceOf(secret: string, gathered: Gathered, source: SourceVersion | null): ServerCertificate {
    const { tenant } = gathered;
    const { chain, privateKey } = gathered.found;
    const hosts = Object.fromEntries(gathered.hosts);
    const content = {
      type: 'server-certificate',
      key: certificateKey(secret),
      tenant,
      hosts,
      chain,
      privateKey,
    } as const;
    const before = this.made.get(content.key);
    const isSame = before !== undefined && isDeepStrictEqual(withoutHash(before), content);
    const sources = source === null ? [] : [source];
    if (isSame && isDeepStrictEqual(before.sources, sources)) return before;
    const hash = isSame ? before.hash : sharedResourceHash(content);
    const made: ServerCertificate = { ...content, hash, sources };
    this.made.set(content.key, made);
    return made;
  }

  private grantsOf(trust: TrustVersion): HostGrants {
    const known = this.grants.get(trust) ?? new HostGrants(trust.plane.tenants);
    this.grants.set(trust, known);
    return known;
  }
}

/** The key under which data planes get the certificate of a Secret. */
function certificateKey(secret: string): string {
  return `Certificate/${secret}`;
}

function inputsOf(routes: readonly Resource[], { state, trust, verdicts, beyond }: CertificateParts): unknown[] {
  const inputs: unknown[] = [trust, beyond];
  for (const route of routes) {
    const verdict = verdicts.get(resourceKey(route));
    inputs.push(
      route.spec,
      route.uid,
      verdict?.remembered === undefined && verdict?.route === null,
      verdict?.dataPlanes,
    );
    for (const secret of tlsSecretsOf(route)) inputs.push(state.secrets.get(secret));
  }
  return inputs;
}

/** The older claim that has the host already with another certificate, on planes that may serve both; null for none. */
function winnerOf(claims: Map<string, Claim[]>, host: string, claim: Claim, { settings }: TrustVersion): Claim | null {
  const known = claims.get(host) ?? [];
  claims.set(host, [...known, claim]);
  const group = settings.groups[0]?.name ?? '';
  return known.find((one) => one.secret !== claim.secret && mayMeet(one.dataPlanes, claim.dataPlanes, group)) ?? null;
}

function withoutHash({ hash, sources, ...content }: ServerCertificate): object {
  return content;
}
