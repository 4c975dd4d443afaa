import { serviceResourceKey } from '../../../contract/resources/service-reference.ts';
import type { ServiceEndpoints } from '../../../contract/snapshot.ts';
import type { ServiceContent } from '../../compile/resources/shared/service-content.ts';
import type { ApiCaller } from '../api/api-client.ts';
import type { ApiError } from '../api/api-error.ts';
import { PacedCaller } from '../api/paced-caller.ts';
import { Reflector, type ReflectorTimes } from '../api/reflector.ts';
import type { ReflectorFacts } from '../api/reflector-facts.ts';
import { resourcePath } from '../api/resource-path.ts';
import type { SourceFailure } from '../source-failure.ts';
import { type ServiceObject, serviceObject } from './service-objects.ts';
import { contentOf, endpointsOf } from './service-targets.ts';
import { type ServiceSlices, SliceBatches } from './slice-batches.ts';

/** Lists that are asked for at a time. */
const AT_A_TIME = 16;

export interface ServicesFollowerOptions {
  readonly api: ApiCaller;
  /** Called when Routes may have to be judged again. */
  changed(): void;
  /** Called when data planes have to get other endpoints. */
  endpointsChanged(endpoints: ReadonlyMap<string, ServiceEndpoints>): void;
  failed?(failure: SourceFailure): void;
  readonly times?: Partial<ReflectorTimes>;
  /** Milliseconds after which slices that found no room are listed again. */
  readonly reread?: number;
}

/** The Services and slices that are followed in one namespace. */
interface Place {
  readonly services: Reflector<ServiceObject>;
  readonly slices: SliceBatches;
  /** Names of the Services that Routes name. */
  names: ReadonlySet<string>;
  /** True if nothing may be read there, and nothing was. */
  isRefused: boolean;
}

const GONE = { ports: [], families: [], externalName: null };
const NO_SLICES: ServiceSlices = { slices: [], isCut: false };

/**
 * Follows the Services that Routes name, with their EndpointSlices. What was read last stays while the API server is away.
 */
export class ServicesFollower {
  /** By the keys of the resources, which stay the same objects until they change. */
  readonly endpoints = new Map<string, ServiceEndpoints>();
  private readonly options: ServicesFollowerOptions;
  private readonly api: ApiCaller;
  private readonly places = new Map<string, Place>();
  private readonly contents = new Map<string, ServiceContent | null>();
  private copy: ReadonlyMap<string, ServiceContent | null> | null = null;
  private allows: (externalName: string) => boolean = () => false;

  constructor(options: ServicesFollowerOptions) {
    this.options = options;
    this.api = new PacedCaller(options.api, AT_A_TIME);
  }

  /** By `namespace/name`: null for one that is not there, absent before it was read. The same map until it changes. */
  get services(): ReadonlyMap<string, ServiceContent | null> {
    this.copy ??= new Map(this.contents);
    return this.copy;
  }

  get facts(): readonly ReflectorFacts[] {
    return [...this.places.values()].flatMap(({ services, slices }) => [services.facts, ...slices.facts]);
  }

  /** Follows these, by `namespace/name`, and no others. */
  follow(wanted: ReadonlySet<string>): void {
    const byNamespace = Map.groupBy(wanted, (key) => key.slice(0, key.indexOf('/')));
    for (const [namespace, place] of this.places) {
      if (byNamespace.has(namespace)) continue;
      this.places.delete(namespace);
      void place.services.close();
      void place.slices.close();
    }
    for (const key of [...this.contents.keys()].filter((one) => !wanted.has(one))) this.forget(key);
    for (const [namespace, keys] of byNamespace) {
      const place = this.places.get(namespace) ?? this.begin(namespace);
      place.names = new Set(keys.map((key) => key.slice(namespace.length + 1)));
      place.slices.follow(place.names);
      this.look(namespace, place.names); // Services of the namespace may be known
    }
  }

  /** Sets which host names Services may stand for; none to begin with. */
  allow(allows: (externalName: string) => boolean): void {
    this.allows = allows;
    for (const [namespace, { names }] of this.places) this.look(namespace, names);
  }

  async close(): Promise<void> {
    const all = [...this.places.values()];
    await Promise.all(all.flatMap(({ services, slices }) => [services.close(), slices.close()]));
  }

  private begin(namespace: string): Place {
    const { failed, times, reread } = this.options;
    const more = times === undefined ? {} : { times };
    const place: Place = {
      services: new Reflector<ServiceObject>({
        ...{ api: this.api, kind: 'Service', scope: namespace, take: serviceObject, ...more },
        path: resourcePath({ version: 'v1', plural: 'services', namespace }),
        changed: () => this.look(namespace, place.names),
        failed: (error) => {
          failed?.({ kind: 'Service', scope: namespace, error });
          if (isFinal(error) && !place.services.isSynced) this.refuse(namespace, place);
        },
      }),
      slices: new SliceBatches({
        ...{ api: this.api, namespace, ...more },
        ...(reread !== undefined && { reread }),
        changed: (names) => this.look(namespace, names),
        failed: (error) => failed?.({ kind: 'EndpointSlice', scope: namespace, error }),
      }),
      names: new Set(),
      isRefused: false,
    };
    this.places.set(namespace, place);
    place.services.start();
    return place;
  }

  private refuse(namespace: string, place: Place): void {
    place.isRefused = true;
    this.look(namespace, place.names);
  }

  private forget(key: string): void {
    this.contents.delete(key);
    this.endpoints.delete(serviceResourceKey(key));
    this.copy = null;
  }

  /** Looks at Services again. */
  private look(namespace: string, names: Iterable<string>): void {
    const place = this.places.get(namespace);
    if (place === undefined) return;
    let isJudgedAnew = false;
    let isMoved = false;
    for (const name of names) {
      if (!place.names.has(name)) continue;
      const change = this.renew(`${namespace}/${name}`, name, place);
      isJudgedAnew ||= change.isJudgedAnew;
      isMoved ||= change.isMoved;
    }
    if (isJudgedAnew) this.copy = null;
    if (isMoved) this.options.endpointsChanged(this.endpoints);
    if (isJudgedAnew) this.options.changed();
  }

  private renew(
    key: string,
    name: string,
    place: Place,
  ): { readonly isJudgedAnew: boolean; readonly isMoved: boolean } {
    const { services, slices, isRefused } = place;
    const service = services.get(key);
    const isKnown = service === null ? services.isSynced || isRefused : slices.isListed(name);
    if (!isKnown) return { isJudgedAnew: false, isMoved: false };
    const own = service === null ? NO_SLICES : slices.slicesOf(name);
    const before = this.contents.get(key);
    const at = serviceResourceKey(key);
    const endpoints = endpointsOf(key, service ?? GONE, own.slices, slices.versionOf(name), this.allows);
    const content = service === null ? null : contentOf(service, own, endpoints, before ?? null);
    const isMoved = this.endpoints.get(at)?.hash !== endpoints.hash;
    this.contents.set(key, content);
    if (isMoved) this.endpoints.set(at, endpoints);
    return { isJudgedAnew: before !== content, isMoved };
  }
}

/** True if asking again would hardly change the answer. */
function isFinal({ status }: ApiError): boolean {
  return status === 403 || status === 404;
}
