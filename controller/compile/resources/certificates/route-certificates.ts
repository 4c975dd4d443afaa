import { isDeepStrictEqual } from 'node:util';
import { byAge } from '../../../../contract/resources/by-age.ts';
import { type Resource, resourceKey, type SecretContent } from '../../../../contract/resources/resource.ts';
import { compareTexts } from '../../../../contract/route-order.ts';
import { sharedResourceHash } from '../../../../contract/shared-resources.ts';
import { routeKeyText, type ServerCertificate, type SourceVersion } from '../../../../contract/snapshot.ts';
import type { Checker } from '../../checker.ts';
import type { TrustVersion } from '../compile-trust.ts';
import type { ResourceState } from '../resource-state.ts';
import type { ResourceVerdict } from '../resource-verdict.ts';
import type { CertificateFacts, CertificateFault, ShownCertificate } from './certificate-facts.ts';
import { JudgedRoutes, type TlsParts } from './judged-tls.ts';
import { mayMeet } from './may-meet.ts';
import { tlsSecretsOf } from './route-tls.ts';
import type { UsableCertificate } from './secret-certificates.ts';

/** What certificates are compiled from. */
export interface CertificateParts extends TlsParts {
  readonly state: Pick<ResourceState, 'secrets'>;
  /** Routes that name certificates. */
  readonly routes: readonly Resource[];
  /** Of Routes, by `namespace/name`. */
  readonly verdicts: ReadonlyMap<string, ResourceVerdict>;
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
  readonly found: UsableCertificate;
  readonly tenant: string;
  readonly hosts: Map<string, string>;
  readonly users: Set<string>;
}

interface Made {
  readonly found: UsableCertificate;
  readonly hosts: ReadonlyMap<string, string>;
  readonly resource: ServerCertificate;
}

const NONE: CompiledCertificates = { resources: [], users: new Map(), facts: new Map() };

/**
 * Decides which certificate is shown for which host: a host needs a grant and must be a name of the certificate. Of two
 * Routes that want different certificates for one host, the older one wins.
 */
export class RouteCertificates {
  private readonly judged: JudgedRoutes;
  private inputs: readonly unknown[] = [];
  private last: CompiledCertificates = NONE;
  private readonly made = new Map<string, Made>();

  constructor(checker: Pick<Checker, 'certificate'>) {
    this.judged = new JudgedRoutes(checker);
  }

  /** The same object as long as nothing changes. */
  compile(parts: CertificateParts): CompiledCertificates {
    const { routes } = parts;
    if (routes.length === 0 && this.last === NONE) return NONE;
    const inputs = inputsOf(routes, parts);
    if (inputs.length === this.inputs.length && inputs.every((one, at) => one === this.inputs[at])) return this.last;
    this.inputs = inputs;
    this.last = routes.length === 0 ? NONE : this.compiled([...routes].sort(byAge), parts);
    return this.last;
  }

  /** What is wrong with the certificates that a Route names, without a look at other Routes. */
  faultsOf(route: Resource, parts: TlsParts): readonly CertificateFault[] {
    return this.judged.of(route, parts).faults;
  }

  /** Reads the certificate of a Secret, if it has one. */
  readSecret(key: string, content: SecretContent): void {
    this.judged.secrets.of(content, key);
  }

  private compiled(routes: readonly Resource[], parts: CertificateParts): CompiledCertificates {
    const gathered = new Map<string, Gathered>();
    const claims = new Map<string, Claim[]>();
    const facts = new Map<string, CertificateFacts>();
    for (const route of routes) {
      const key = resourceKey(route);
      const own = this.factsOf(route, parts, gathered, claims);
      const before = this.last.facts.get(key);
      facts.set(key, before !== undefined && sameFacts(before, own) ? before : own);
    }
    const resources = [...gathered].map(([secret, one]) => this.resourceOf(secret, one, parts.sourceOf));
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
    const { tenant, faults, hosts } = this.judged.of(route, parts);
    const key = resourceKey(route);
    const verdict = parts.verdicts.get(key);
    const served = verdict?.remembered ?? verdict?.route ?? null;
    if (tenant === null || served === null) return { faults, shown: [] };
    const conflicts: CertificateFault[] = [];
    const shown = new Map<string, ShownCertificate>();
    for (const { host, path, secret, found } of hosts) {
      const claim = { route, dataPlanes: verdict?.dataPlanes ?? null, secret };
      const winner = winnerOf(claims, `${tenant} ${host}`, claim, parts.trust);
      if (winner !== null) {
        const message = `for the host ${host}, data planes show the certificate of the Secret ${winner.secret}, which the older Route ${resourceKey(winner.route)} names`;
        conflicts.push({ reason: 'HostConflict', path, message });
      }
      let one = gathered.get(secret);
      if (one === undefined) {
        one = { found, tenant, hosts: new Map(), users: new Set() };
        gathered.set(secret, one);
      }
      if (!one.hosts.has(host)) one.hosts.set(host, `${route.created} ${key}`);
      one.users.add(routeKeyText(served));
      const { notBefore, notAfter } = found.judged;
      if (winner === null) shown.set(secret, { secret, notBefore, notAfter });
    }
    return { faults: conflicts.length === 0 ? faults : [...faults, ...conflicts], shown: [...shown.values()] };
  }

  private resourceOf(secret: string, gathered: Gathered, sourceOf: CertificateParts['sourceOf']): ServerCertificate {
    const { found, tenant, hosts } = gathered;
    const key = certificateKey(secret);
    const before = this.made.get(key);
    const sameHosts = before?.resource.tenant === tenant && isDeepStrictEqual(before.hosts, hosts);
    if (sameHosts && before.found === found) return before.resource;
    const { chain, privateKey } = found;
    const content = {
      type: 'server-certificate',
      key,
      tenant,
      hosts: Object.fromEntries(hosts),
      chain,
      privateKey,
    } as const;
    const isSame = sameHosts && before.found.chain === chain && before.found.privateKey === privateKey;
    const source = sourceOf(secret);
    const sources = source === null ? [] : [source];
    const hash = isSame ? before.resource.hash : sharedResourceHash(content);
    const isKept = isSame && isDeepStrictEqual(before.resource.sources, sources);
    const resource: ServerCertificate = isKept ? before.resource : { ...content, hash, sources };
    this.made.set(key, { found, hosts, resource });
    return resource;
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

function sameFacts(a: CertificateFacts, b: CertificateFacts): boolean {
  if (a.shown.length !== b.shown.length || a.faults.length !== b.faults.length) return false;
  const isShown = a.shown.every(({ secret, notBefore, notAfter }, at) => {
    const other = b.shown[at]!;
    return secret === other.secret && notBefore === other.notBefore && notAfter === other.notAfter;
  });
  return isShown && (a.faults === b.faults || isDeepStrictEqual(a.faults, b.faults));
}
