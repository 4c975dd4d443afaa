/** Decides between the owners of two points at the same place. */
export type IsBefore = (one: number, two: number) => boolean;

/** Bits of a place that choose its bucket when points are sorted, and the others. */
const BUCKET_BITS = 16;
const SHIFT = 32 - BUCKET_BITS;

/** Points on a ring in the order of their places, below 2^32, each with the number of its owner. */
export class RingPoints {
  static readonly empty = new RingPoints(new Uint32Array(0), new Uint32Array(0));
  readonly places: Uint32Array;
  readonly owners: Uint32Array;

  private constructor(places: Uint32Array, owners: Uint32Array) {
    this.places = places;
    this.owners = owners;
  }

  /** Sorts points in linear time, because places are spread evenly. */
  static sorted(places: Uint32Array, owners: Uint32Array, isBefore: IsBefore): RingPoints {
    const sorted = new RingPoints(new Uint32Array(places.length), new Uint32Array(places.length));
    const ends = new Uint32Array(1 << BUCKET_BITS);
    for (const place of places) ends[place >>> SHIFT]!++;
    for (let i = 1; i < ends.length; i++) ends[i]! += ends[i - 1]!;
    for (let i = 0; i < places.length; i++) {
      const at = --ends[places[i]! >>> SHIFT]!;
      sorted.places[at] = places[i]!;
      sorted.owners[at] = owners[i]!;
    }
    sorted.orderNeighbours(isBefore);
    return sorted;
  }

  /** Points are at most a bucket away from where they belong. */
  private orderNeighbours(isBefore: IsBefore): void {
    const { places, owners } = this;
    for (let i = 1; i < places.length; i++) {
      const place = places[i]!;
      const owner = owners[i]!;
      let at = i;
      for (; at > 0 && comesFirst(place, owner, places[at - 1]!, owners[at - 1]!, isBefore); at--) {
        places[at] = places[at - 1]!;
        owners[at] = owners[at - 1]!;
      }
      places[at] = place;
      owners[at] = owner;
    }
  }

  /** The points of those owners only. */
  keep(isKept: (owner: number) => boolean): RingPoints {
    const { places, owners } = this;
    let count = 0;
    for (const owner of owners) if (isKept(owner)) count++;
    if (count === owners.length) return this;
    const kept = new RingPoints(new Uint32Array(count), new Uint32Array(count));
    let at = 0;
    for (let i = 0; i < owners.length; i++) {
      if (!isKept(owners[i]!)) continue;
      kept.places[at] = places[i]!;
      kept.owners[at++] = owners[i]!;
    }
    return kept;
  }

  merge(others: RingPoints, isBefore: IsBefore): RingPoints {
    const { places, owners } = this;
    if (places.length === 0) return others;
    const length = places.length + others.places.length;
    const merged = new RingPoints(new Uint32Array(length), new Uint32Array(length));
    let one = 0;
    let two = 0;
    for (let at = 0; at < length; at++) {
      const isOther =
        one === places.length ||
        (two < others.places.length &&
          comesFirst(others.places[two]!, others.owners[two]!, places[one]!, owners[one]!, isBefore));
      const from = isOther ? others : this;
      const index = isOther ? two++ : one++;
      merged.places[at] = from.places[index]!;
      merged.owners[at] = from.owners[index]!;
    }
    return merged;
  }

  /** Index of the first point at a place or behind it. */
  next(place: number): number {
    const { places } = this;
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (places[middle]! >= place) high = middle;
      else low = middle + 1;
    }
    return low === places.length ? 0 : low;
  }
}

function comesFirst(place: number, owner: number, thanPlace: number, thanOwner: number, isBefore: IsBefore): boolean {
  return place < thanPlace || (place === thanPlace && owner !== thanOwner && isBefore(owner, thanOwner));
}
