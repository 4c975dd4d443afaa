import { MOST_OF_NAMESPACE, MOST_OF_SERVICE } from '../../compile/resources/shared/service-content.ts';
import type { SliceObject } from './service-objects.ts';

/** Places for one Service: more than its endpoints that are used, so that slices that go have others to follow them. */
const PLACES_OF_SERVICE = 2 * MOST_OF_SERVICE;

/** A reader of slices: those that it takes in while it lists them are not among its objects yet. */
export type SliceReader = object;

interface Place {
  readonly service: string;
  readonly size: number;
}

/**
 * Bounds the endpoints that are kept for one namespace. Each takes a place for each of its ports. A slice that finds too
 * few of them is kept without its endpoints.
 */
export class SliceRoom {
  /** By the names of slices, which may have several readers. */
  private readonly places = new Map<string, Place>();
  private readonly byService = new Map<string, number>();
  private readonly arriving = new Map<SliceReader, Set<string>>();
  private used = 0;
  private isLacking = false;

  /** Slices that have gone should give their places back. */
  get isTight(): boolean {
    return this.isLacking || this.used > MOST_OF_NAMESPACE / 2;
  }

  /** Returns the slice as it is kept; `before` if that is the same. */
  take(slice: SliceObject, before: SliceObject | null, reader: SliceReader): SliceObject {
    const { name, service } = slice;
    const size = sizeOf(slice);
    this.release(name);
    if (!this.fits(service, size)) {
      this.isLacking = true;
      const isSame = before?.leftOut === size && before.service === service;
      return isSame ? before : { ...slice, ports: {}, endpoints: [], leftOut: size };
    }
    this.add(name, { service, size });
    const arriving = this.arriving.get(reader) ?? new Set<string>();
    this.arriving.set(reader, arriving.add(name));
    return slice;
  }

  /** Takes that all slices of a reader are among its objects, or that it reads no more. */
  settle(reader: SliceReader): void {
    this.arriving.delete(reader);
  }

  /** Counts anew. @param slices the objects of all readers */
  recount(slices: Iterable<SliceObject>): void {
    const kept = new Map<string, Place>();
    for (const names of this.arriving.values()) {
      for (const name of names) {
        const place = this.places.get(name);
        if (place !== undefined) kept.set(name, place);
      }
    }
    this.isLacking = false;
    for (const slice of slices) {
      if (slice.leftOut > 0) this.isLacking = true;
      else kept.set(slice.name, { service: slice.service, size: sizeOf(slice) });
    }
    this.places.clear();
    this.byService.clear();
    this.used = 0;
    for (const [name, place] of kept) this.add(name, place);
  }

  /** Tells if there are so many places for a Service. */
  fits(service: string, size: number): boolean {
    return this.used + size <= MOST_OF_NAMESPACE && (this.byService.get(service) ?? 0) + size <= PLACES_OF_SERVICE;
  }

  private add(name: string, place: Place): void {
    if (place.size === 0) return;
    this.places.set(name, place);
    this.byService.set(place.service, (this.byService.get(place.service) ?? 0) + place.size);
    this.used += place.size;
  }

  private release(name: string): void {
    const place = this.places.get(name);
    if (place === undefined) return;
    this.places.delete(name);
    this.used -= place.size;
    const left = (this.byService.get(place.service) ?? 0) - place.size;
    if (left > 0) this.byService.set(place.service, left);
    else this.byService.delete(place.service);
  }
}

function sizeOf({ endpoints, ports }: SliceObject): number {
  return endpoints.length * Math.max(1, Object.keys(ports).length);
}
