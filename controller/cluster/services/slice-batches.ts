import { compareTexts } from '../../../contract/route-order.ts';
import { MOST_OF_SERVICE } from '../../compile/resources/shared/service-content.ts';
import { Pace } from '../../source/pace.ts';
import { TimeShare } from '../../source/time-share.ts';
import type { ApiCaller } from '../api/api-client.ts';
import type { ApiError } from '../api/api-error.ts';
import { Reflector, type ReflectorTimes } from '../api/reflector.ts';
import type { ReflectorFacts } from '../api/reflector-facts.ts';
import { resourcePath } from '../api/resource-path.ts';
import { SERVICE_NAME, type SliceObject, sliceObject } from './service-objects.ts';
import { SliceRoom } from './slice-room.ts';

/** Names in one selector: it is part of a URL. */
const MOST_NAMES = 250;
/** Milliseconds between two looks at slices that keep changing. */
const GAP = 10;
/** Part of the time that slices of one watch may take: whoever writes slices must not hold up those of others. */
const MOST_SHARE = 0.1;
/** Milliseconds that they may take at once: a collection in one look must not delay the next one. */
const RESERVE = 100;
/** Milliseconds after which slices that found no room are listed again, if there is some. */
const REREAD = 60_000;

export interface SliceBatchesOptions {
  readonly api: ApiCaller;
  readonly namespace: string;
  /** Called with the names of the Services whose slices have changed, or were listed for the first time. */
  changed(services: Iterable<string>): void;
  failed?(error: ApiError): void;
  readonly times?: Partial<ReflectorTimes>;
  readonly reread?: number;
}

/** The slices of one Service. */
export interface ServiceSlices {
  readonly slices: readonly SliceObject[];
  /** It has more endpoints than are read. */
  readonly isCut: boolean;
}

/** Slices of some Services, read with one list and one watch. */
interface Batch {
  readonly names: ReadonlySet<string>;
  readonly reflector: Reflector<SliceObject>;
  readonly pace: Pace;
  byService: ReadonlyMap<string, ServiceSlices>;
  /** Version of `byService` while the slices have changed since; null otherwise. */
  behindAt: string | null;
}

const NONE: ServiceSlices = { slices: [], isCut: false };

/**
 * Follows the EndpointSlices of some Services of a namespace, and no others. A watch is for many Services, whose names
 * are in its selector. New names get a new watch, which takes those in that are not larger: there are few watches, and a
 * name is listed again a few times at most. What was read stays in use until what takes its place has been listed.
 */
export class SliceBatches {
  private readonly options: SliceBatchesOptions;
  private batches: Batch[] = [];
  private wanted: ReadonlySet<string> = new Set();
  private readonly room = new SliceRoom();
  private rereading: NodeJS.Timeout | null = null;

  constructor(options: SliceBatchesOptions) {
    this.options = options;
  }

  get facts(): readonly ReflectorFacts[] {
    return this.batches.map(({ reflector }) => reflector.facts);
  }

  /** Whether the slices of a Service were listed. */
  isListed(service: string): boolean {
    return this.batchOf(service) !== undefined;
  }

  /** The slices of a Service; none before they were listed. */
  slicesOf(service: string): ServiceSlices {
    return this.batchOf(service)?.byService.get(service) ?? NONE;
  }

  /** The resourceVersion up to which the slices of a Service are known; null before they were listed. */
  versionOf(service: string): string | null {
    const batch = this.batchOf(service);
    return batch?.behindAt ?? batch?.reflector.position ?? null;
  }

  /** Follows the slices of these Services. */
  follow(services: ReadonlySet<string>): void {
    this.wanted = services;
    const sparse = this.batches.filter(({ names }) => names.intersection(services).size * 2 < names.size);
    const covered = new Set(this.batches.filter((one) => !sparse.includes(one)).flatMap(({ names }) => [...names]));
    const missing = [...services].filter((name) => !covered.has(name));
    for (let at = 0; at < missing.length; at += MOST_NAMES) this.begin(missing.slice(at, at + MOST_NAMES));
    this.sweep();
  }

  async close(): Promise<void> {
    const all = this.batches;
    this.batches = [];
    if (this.rereading !== null) clearTimeout(this.rereading);
    await Promise.all(all.map((batch) => this.end(batch)));
  }

  /** Later batches take the place of earlier ones as soon as they were listed. */
  private batchOf(service: string): Batch | undefined {
    return this.batches.findLast(({ names, reflector }) => reflector.isSynced && names.has(service));
  }

  private begin(missing: readonly string[]): void {
    const names = new Set(missing);
    for (const { names: others } of [...this.batches].reverse()) {
      const joined = names.union(others.intersection(this.wanted));
      if (others.size > names.size || joined.size > MOST_NAMES) break;
      for (const name of joined) names.add(name);
    }
    const { api, namespace, failed, times } = this.options;
    const reflector = new Reflector<SliceObject>({
      ...{ api, kind: 'EndpointSlice', scope: namespace },
      path: resourcePath({ group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices', namespace }),
      labelSelector: `${SERVICE_NAME} in (${[...names].sort().join(',')})`,
      take: (raw, before) => {
        const slice = sliceObject(raw, before);
        return slice === null ? null : this.room.take(slice, before, batch);
      },
      changed: () => {
        this.room.settle(batch);
        // what was listed first is known at once: without it the Services would have no endpoints
        if (batch.byService.size > 0) {
          batch.behindAt ??= seen;
          batch.pace.ask();
        } else look();
      },
      ...(failed && { failed }),
      ...(times && { times }),
    });
    let seen: string | null = null;
    const time = new TimeShare(MOST_SHARE, RESERVE);
    const look = (): void => {
      seen = reflector.position;
      batch.behindAt = null;
      time.spend(() => this.changed(batch));
    };
    const pace = new Pace(() => Math.max(GAP, time.wait), look);
    const batch: Batch = { names, reflector, pace, byService: new Map(), behindAt: null };
    this.batches.push(batch);
    reflector.start();
  }

  private changed(batch: Batch): void {
    const before = batch.byService;
    const isFirst = before.size === 0;
    const grouped = Map.groupBy(batch.reflector.objects.values(), ({ service }) => service);
    const after = new Map([...grouped].map(([service, own]) => [service, taken(own)]));
    batch.byService = after;
    const all = isFirst ? batch.names : new Set([...before.keys(), ...after.keys()]);
    const changed = [...all].filter((name) => isFirst || !isSame(before.get(name) ?? NONE, after.get(name) ?? NONE));
    this.sweep();
    if (this.room.isTight) this.makeRoom();
    this.options.changed(changed.filter((name) => this.batchOf(name) === batch));
  }

  /** Ends batches that are of no use any more: later ones that were listed have all of their names that are wanted. */
  private sweep(): void {
    this.batches = this.batches.filter((batch, index) => {
      const later = this.batches.slice(index + 1).filter(({ reflector }) => reflector.isSynced);
      const isNeeded = [...batch.names].some(
        (name) => this.wanted.has(name) && !later.some(({ names }) => names.has(name)),
      );
      if (!isNeeded) void this.end(batch);
      return isNeeded;
    });
  }

  private end(batch: Batch): Promise<void> {
    batch.pace.close();
    this.room.settle(batch);
    return batch.reflector.close();
  }

  /** Gives the places of slices that have gone to those that found none. */
  private makeRoom(): void {
    this.room.recount(this.batches.flatMap(({ reflector }) => [...reflector.objects.values()]));
    const { reread = REREAD } = this.options;
    if (this.batchesToReread.length > 0) this.rereading ??= setTimeout(() => this.readAgain(), reread);
  }

  private get batchesToReread(): readonly Batch[] {
    return this.batches.filter((batch) =>
      batch.reflector.objects
        .values()
        .some(
          ({ service, leftOut }) => leftOut > 0 && this.room.fits(service, leftOut) && this.batchOf(service) === batch,
        ),
    );
  }

  private readAgain(): void {
    this.rereading = null;
    for (const { names } of this.batchesToReread) this.begin([...names.intersection(this.wanted)]);
  }
}

/** The slices of a Service by name, without those that would be too many; the same ones in every controller. */
function taken(own: readonly SliceObject[]): ServiceSlices {
  const isLacking = own.some(({ leftOut }) => leftOut > 0);
  let count = 0;
  for (const { endpoints } of own) count += endpoints.length;
  if (count <= MOST_OF_SERVICE) return { slices: own, isCut: isLacking };
  let left = MOST_OF_SERVICE;
  const slices: SliceObject[] = [];
  for (const slice of own.toSorted((a, b) => compareTexts(a.name, b.name))) {
    if (left <= 0) break;
    left -= slice.endpoints.length;
    slices.push(slice);
  }
  return { slices, isCut: isLacking || slices.length < own.length };
}

function isSame(a: ServiceSlices, b: ServiceSlices): boolean {
  return (
    a.isCut === b.isCut && a.slices.length === b.slices.length && a.slices.every((one, at) => one === b.slices[at])
  );
}
