import { isAllowedTo } from '../../../../contract/resources/allowed-namespaces.ts';
import {
  MOST_USED_ENDPOINTS,
  SERVICE_GRANT,
  type ServiceUse,
  serviceResourceKey,
  serviceText,
} from '../../../../contract/resources/service-reference.ts';
import type { TrustVersion } from '../compile-trust.ts';
import type { ReferenceFault } from '../reference-fault.ts';
import type { ResourceState } from '../resource-state.ts';
import { MOST_OF_NAMESPACE, MOST_OF_SERVICE, type ServiceContent, type ServiceNote } from './service-content.ts';
import { referredResource } from './shared-objects.ts';

/** A Service as Routes see it. It stays the same object until that view changes. */
export interface ServiceOffer {
  readonly key: string;
  /** Null when there is none, undefined before it was read. */
  readonly content: ServiceContent | null | undefined;
  /** Whether it is not read, because its namespace names too many. */
  readonly isBeyond: boolean;
  /** Whether Routes may use the host name that it stands for; true for a Service that stands for none. */
  readonly isAllowed: boolean;
  readonly stores: readonly string[];
  readonly secrets: readonly string[];
  readonly uses: readonly string[];
}

/** A Service among what Routes share. Data planes get its endpoints apart from the snapshot. */
export interface ServiceDraft {
  readonly problems: readonly never[];
  readonly faults: readonly never[];
  readonly offer: ServiceOffer;
  readonly resource: null;
}

/** State of Services that is kept between compilations. */
export type ServiceMemory = Map<string, ServiceDraft>;

/** What a Route finds under the name of a Service. */
export interface FoundService {
  /** The key of the resource with its endpoints. */
  readonly key: string;
  readonly offer: ServiceOffer;
  readonly fault: Omit<ReferenceFault, 'path'> | null;
  readonly note: ServiceNote | null;
}

type Fault = FoundService['fault'];

/** Whether a Route with this fault may go on with its last good version: nobody withdrew what it was allowed. */
export function isServiceLost({ reason }: Pick<ReferenceFault, 'reason'>): boolean {
  return reason === 'ServiceNotFound' || reason === 'ServicePortNotFound' || reason === 'ServiceNotSupported';
}

/** The Services at one moment. */
export class ServiceDrafts {
  private readonly services: ResourceState['services'];
  private readonly trust: Pick<TrustVersion, 'allowsExternalName'>;
  private readonly beyond: ReadonlySet<string>;
  private readonly memory: ServiceMemory;

  /** @param beyond Services that are not read, because Routes of a namespace name too many */
  constructor(
    { services }: Pick<ResourceState, 'services'>,
    trust: Pick<TrustVersion, 'allowsExternalName'>,
    beyond: ReadonlySet<string>,
    memory: ServiceMemory,
  ) {
    this.services = services;
    this.trust = trust;
    this.beyond = beyond;
    this.memory = memory;
  }

  /** @param key `namespace/name` */
  get(key: string): ServiceDraft {
    const content = knownIn(this.services)?.get(key);
    const isBeyond = content === undefined && this.beyond.has(key);
    const { externalName = null } = content ?? {};
    const isAllowed = externalName === null || this.trust.allowsExternalName(externalName);
    const known = this.memory.get(key);
    if (known !== undefined && isSameOffer(known.offer, { content, isBeyond, isAllowed })) return known;
    const offer = { key, content, isBeyond, isAllowed, stores: [], secrets: [], uses: [] };
    const draft: ServiceDraft = { problems: [], faults: [], offer, resource: null };
    this.memory.set(key, draft);
    return draft;
  }

  /**
   * What a document of this namespace finds.
   * @param keeps whether it served before: it then goes on without endpoints
   */
  find(use: ServiceUse, namespace: string, keeps: boolean): FoundService {
    const { key, owner } = referredResource(serviceText(use), namespace);
    const { offer } = this.get(key);
    const { content } = offer;
    const isAllowed = isAllowedTo(namespace, owner, content?.allowedNamespaces);
    if (this.services === 'assumed') return { key: serviceResourceKey(key), offer, fault: null, note: null };
    if (this.services === undefined) return { key: serviceResourceKey(key), offer, fault: noCluster(key), note: null };
    const fault = isAllowed || (content ?? null) === null ? faultOf(offer, use) : notGranted(key, namespace);
    const isFault = fault !== null && !(keeps && (isServiceLost(fault) || fault.reason === 'Pending'));
    const note = fault === null && content ? noteOf(key, content, use) : null;
    return { key: serviceResourceKey(key), offer, fault: isFault ? fault : null, note };
  }

  /** Forgets Services that no Route asks for. @param wanted `namespace/name` of the others */
  sweep(wanted: ReadonlySet<string>): void {
    for (const key of this.memory.keys()) if (!wanted.has(key) && !this.beyond.has(key)) this.memory.delete(key);
  }
}

type Seen = Pick<ServiceOffer, 'content' | 'isBeyond' | 'isAllowed'>;

function isSameOffer(one: Seen, two: Seen): boolean {
  return one.content === two.content && one.isBeyond === two.isBeyond && one.isAllowed === two.isAllowed;
}

function faultOf({ key, content, isBeyond, isAllowed }: ServiceOffer, { port }: ServiceUse): Fault {
  if (isBeyond) return notFound(`the Service ${key} is not read: the Routes of a namespace name too many Services`);
  if (content === undefined) return { reason: 'Pending', message: `the Service ${key} was not read yet` };
  if (content === null) return notFound(`there is no Service ${key}`);
  if (!isAllowed) {
    const message =
      `the Service ${key} is of type ExternalName, and 'externalNames' of trust.json does not list ` +
      `${content.externalName}: use 'dns' with that name, or ask the operator to allow it`;
    return { reason: 'ServiceNotSupported', message };
  }
  // such a Service needs no ports: its host is asked for the one that the Route names
  if (content.externalName !== null && content.ports.length === 0 && typeof port === 'number') return null;
  if (portOf(content, port) !== null) return null;
  const named = content.ports.map((one) => (one.name === '' ? `${one.port}` : `${one.port} (${one.name})`));
  const all = named.length === 0 ? 'it has none' : `it has ${named.join(', ')}`;
  const message = `the Service ${key} has no TCP port ${port}: ${all}`;
  return { reason: 'ServicePortNotFound', message };
}

function noteOf(key: string, content: ServiceContent, { port }: ServiceUse): ServiceNote | null {
  if (content.externalName !== null) return null;
  const own = portOf(content, port);
  if (own === null || !content.servedPorts.includes(own.name)) {
    return { reason: 'NoReadyEndpoints', message: whyNone(key, content, port) };
  }
  if (content.isCut) {
    const message =
      `not all endpoints of the Service ${key} are used: controllers read at most ${MOST_OF_SERVICE} of a Service ` +
      `and ${MOST_OF_NAMESPACE} of a namespace`;
    return { reason: 'EndpointsLeftOut', message };
  }
  if (!content.crowdedPorts.includes(own.name)) return null;
  const message = `data planes use ${MOST_USED_ENDPOINTS} endpoints of the Service ${key} at port ${port}: it has more`;
  return { reason: 'EndpointsLeftOut', message };
}

function whyNone(key: string, { hasHostNames, isCut }: ServiceContent, port: number | string): string {
  if (hasHostNames) return `the EndpointSlices of the Service ${key} have host names, which are not used`;
  if (isCut) {
    return (
      `the endpoints of the Service ${key} are not read: controllers read at most ${MOST_OF_SERVICE} of a Service ` +
      `and ${MOST_OF_NAMESPACE} of a namespace`
    );
  }
  return `the Service ${key} has no ready endpoints at port ${port}`;
}

function portOf({ ports }: ServiceContent, wanted: number | string): ServiceContent['ports'][number] | null {
  const tcp = ports.filter(({ protocol }) => protocol === 'TCP');
  return tcp.find(({ name, port }) => (typeof wanted === 'number' ? port === wanted : name === wanted)) ?? null;
}

/** Services that were read. */
export function knownIn(services: ResourceState['services']): ReadonlyMap<string, ServiceContent | null> | undefined {
  return services === 'assumed' ? undefined : services;
}

function noCluster(key: string): NonNullable<Fault> {
  const message = `the Service ${key} cannot be found: there is no cluster; use 'dns' or 'endpoints'`;
  return { reason: 'ServiceNotSupported', message };
}

function notFound(message: string): NonNullable<Fault> {
  return { reason: 'ServiceNotFound', message };
}

function notGranted(key: string, namespace: string): NonNullable<Fault> {
  const message = `the annotation ${SERVICE_GRANT} of the Service ${key} does not list the namespace ${namespace}`;
  return { reason: 'ServiceNotGranted', message };
}
