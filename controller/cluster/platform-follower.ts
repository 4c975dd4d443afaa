import { isIP } from 'node:net';
import type { ForbiddenPlace } from '../../contract/egress.ts';
import type { PlatformFacts, PodFacts, ServiceFacts } from '../compile/resources/platform-facts.ts';
import type { ApiCaller } from './api/api-client.ts';
import type { ApiError } from './api/api-error.ts';
import type { Take } from './api/object-cache.ts';
import { Reflector, type ReflectorTimes } from './api/reflector.ts';
import type { ReflectorFacts } from './api/reflector-facts.ts';
import { type ResourcePlace, resourcePath } from './api/resource-path.ts';
import { endpointAddresses, podFacts, serviceFacts } from './platform-objects.ts';
import type { SourceFailure } from './source-failure.ts';

export interface PlatformFollowerOptions {
  readonly api: ApiCaller;
  /** The URL by which the API server is asked. */
  readonly server: string;
  /** Namespace and name of the controller's own Pod. */
  readonly controller: { readonly namespace: string; readonly pod: string };
  changed(): void;
  failed?(failure: SourceFailure): void;
  readonly times?: Partial<ReflectorTimes>;
}

/** Where the API server says that it is. */
const API_SERVER = { namespace: 'default', name: 'kubernetes' };

interface Followed<T> {
  readonly reflector: Reflector<T>;
  /** Resolves when it was listed, or may not be: a controller with fewer rights goes on without. */
  readonly settled: Promise<void>;
}

type AnyReflector = Pick<Reflector<unknown>, 'start' | 'close' | 'facts'>;

/**
 * Follows where the API server, controllers and planes are: what tenants' routes must not reach. What may not be read is
 * logged, and planes then forbid what is known otherwise.
 */
export class PlatformFollower {
  /** Resolves when everything was listed once, but for Pods of namespaces that were asked for later. */
  readonly settled: Promise<unknown>;
  private readonly options: PlatformFollowerOptions;
  private readonly endpoints: Followed<readonly string[]>;
  private readonly service: Followed<ServiceFacts>;
  private readonly services: Followed<ServiceFacts>;
  private readonly pods = new Map<string, Followed<PodFacts>>();
  private readonly unsettled = new Set<string>();
  private copy: PlatformFacts | null = null;
  private isStarted = false;

  constructor(options: PlatformFollowerOptions) {
    this.options = options;
    const { namespace } = options.controller;
    const slices = { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices' };
    const services = { version: 'v1', plural: 'services' };
    this.endpoints = this.follow('EndpointSlice', { ...slices, ...API_SERVER }, endpointAddresses);
    this.service = this.follow('Service', { ...services, ...API_SERVER }, serviceFacts);
    this.services = this.follow('Service', { ...services, namespace }, serviceFacts);
    this.followPods([]);
    this.settled = Promise.all(this.all.map(({ settled }) => settled));
  }

  start(): void {
    this.isStarted = true;
    for (const { reflector } of this.all) reflector.start();
  }

  /** As it is now; the same object until something in it changes. */
  get facts(): PlatformFacts {
    if (this.copy !== null) return this.copy;
    const { server, controller } = this.options;
    const listed = [
      ...[...this.endpoints.reflector.objects.values()].flat(),
      ...[...this.service.reflector.objects.values()].flatMap(({ addresses }) => addresses),
    ];
    const apiServer = [...asked(server), ...listed.map((address) => ({ address }))];
    const pods = new Map([...this.pods].map(([namespace, { reflector }]) => [namespace, reflector.objects]));
    this.copy = { apiServer, pods, services: this.services.reflector.objects, controller };
    return this.copy;
  }

  get reflectors(): readonly ReflectorFacts[] {
    return this.all.map(({ reflector }) => reflector.facts);
  }

  /** Whether the Pods of a namespace that was asked for are still to be listed. */
  get isPending(): boolean {
    return this.unsettled.size > 0;
  }

  /** Follows the Pods of these namespaces and of the controller's own, and no others. */
  followPods(namespaces: Iterable<string>): void {
    const wanted = new Set([this.options.controller.namespace, ...namespaces]);
    for (const [namespace, { reflector }] of this.pods) {
      if (wanted.has(namespace)) continue;
      this.pods.delete(namespace);
      this.unsettled.delete(namespace);
      this.copy = null;
      void reflector.close();
    }
    for (const namespace of wanted) {
      if (this.pods.has(namespace)) continue;
      const followed = this.follow('Pod', { version: 'v1', plural: 'pods', namespace }, podFacts);
      this.pods.set(namespace, followed);
      this.unsettled.add(namespace);
      void followed.settled.then(() => {
        if (this.unsettled.delete(namespace)) this.note();
      });
      if (this.isStarted) followed.reflector.start();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map(({ reflector }) => reflector.close()));
  }

  private get all(): readonly { readonly reflector: AnyReflector; readonly settled: Promise<void> }[] {
    return [this.endpoints, this.service, this.services, ...this.pods.values()];
  }

  private note(): void {
    this.copy = null;
    this.options.changed();
  }

  /** Objects of a namespace, or the one that is named: a role can then name it too. */
  private follow<T>(kind: string, { name, ...place }: ResourcePlace, take: Take<T>): Followed<T> {
    const { api, failed, times } = this.options;
    const refused = Promise.withResolvers<void>();
    const scope = name === undefined ? place.namespace! : `${place.namespace}/${name}`;
    const reflector = new Reflector<T>({
      api,
      kind,
      scope,
      path: resourcePath(place),
      ...(name !== undefined && { fieldSelector: `metadata.name=${name}` }),
      take,
      changed: () => this.note(),
      failed: (error) => {
        if (isFinal(error)) refused.resolve();
        failed?.({ kind, scope, error });
      },
      ...(times && { times }),
    });
    return { reflector, settled: Promise.race([reflector.synced, refused.promise]) };
  }
}

/** Whether asking again soon will not help. */
function isFinal({ status }: ApiError): boolean {
  return status === 403 || status === 404;
}

/** Where a URL leads that has an address and no name; that port alone, because others may be somebody else's. */
function asked(server: string): ForbiddenPlace[] {
  const { hostname, port } = new URL(server);
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 ? [] : [{ address, port: port === '' ? 443 : Number(port) }];
}
