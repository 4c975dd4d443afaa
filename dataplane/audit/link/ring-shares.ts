import type { RingProducer, Written } from './ring-producer.ts';

/** Part of the ring that is kept for services that use less than their share of it. */
const RESERVED = 0.5;
/** Smallest share of an owner in bytes, however many there are: some tens of events. */
const LEAST_SHARE = 64 << 10;
/** Part of the ring that the writer must have read before the services far over their share are counted again. */
const STALE = 1 / 32;

/** Services of one tenant, or of operators. */
interface RingOwner {
  services: number;
  bytes: number;
}

/**
 * Shares of the services of a unit in its ring. A service that fills the ring, because it is busy or the writer is away,
 * must not cost the events of others: when little room is left, only those under their share may write. Tenants have equal
 * shares, and so have the services of one tenant. What each has in the ring is counted only then, by reading the ring.
 */
export class RingShares {
  private readonly producer: RingProducer;
  private readonly owners = new Map<string, RingOwner>();
  private readonly ownerOf = new Map<number, RingOwner>();
  private readonly bytes = new Map<number, number>();
  /** Head and tail when bytes were counted; -1 before. */
  private countedHead = -1;
  private countedTail = -1;
  private openRoom: number;

  constructor(producer: RingProducer) {
    this.producer = producer;
    this.openRoom = producer.capacity;
  }

  /** @param owner the tenant; empty for operators */
  open(service: number, owner: string): void {
    const own = this.owners.get(owner) ?? { services: 0, bytes: 0 };
    own.services++;
    this.owners.set(owner, own);
    this.ownerOf.set(service, own);
    this.changed();
  }

  close(service: number, owner: string): void {
    const own = this.ownerOf.get(service);
    if (own === undefined || --own.services > 0) this.ownerOf.delete(service);
    else {
      this.ownerOf.delete(service);
      this.owners.delete(owner);
    }
    this.changed();
  }

  private changed(): void {
    this.openRoom = this.producer.capacity * (1 - RESERVED * withoutOne(this.ownerOf.size));
    this.countedTail = -1;
  }

  /** Appends an event, unless the rest of the ring is for others. */
  write(service: number, topic: number, json: string): Written {
    const { producer } = this;
    if (producer.used >= this.openRoom && !this.isUnderShare(service, 1)) return 'full';
    const before = producer.tail;
    const written = producer.write(service, topic, json);
    if (written === 'written' && before === this.countedTail) {
      this.count(service, distance(before, producer.tail, producer.capacity));
      this.countedTail = producer.tail;
    }
    return written;
  }

  /** True for a service with so little room left that only events of requests under way should follow. */
  isTight(service: number, part: number): boolean {
    return this.producer.used >= this.openRoom * part && !this.isUnderShare(service, part);
  }

  private isUnderShare(service: number, part: number): boolean {
    const owner = this.ownerOf.get(service);
    if (owner === undefined) return false;
    const { producer } = this;
    const share = part * Math.max(LEAST_SHARE, (producer.capacity * RESERVED) / this.owners.size);
    const least = (RESERVED * share) / owner.services;
    if (this.countedTail !== producer.tail) this.countAll();
    const own = this.bytes.get(service) ?? 0;
    const moved = distance(this.countedHead, producer.head, producer.capacity);
    // one that is far over its share would have the ring counted for each of its events
    if (moved > 0 && (own < 2 * least || moved > producer.capacity * STALE)) this.countAll();
    return owner.bytes < share * (1 - RESERVED * withoutOne(owner.services)) || (this.bytes.get(service) ?? 0) < least;
  }

  private countAll(): void {
    this.bytes.clear();
    for (const owner of this.owners.values()) owner.bytes = 0;
    this.countedHead = this.producer.each((service, bytes) => this.count(service, bytes));
    this.countedTail = this.producer.tail;
  }

  private count(service: number, bytes: number): void {
    this.bytes.set(service, (this.bytes.get(service) ?? 0) + bytes);
    const owner = this.ownerOf.get(service);
    if (owner !== undefined) owner.bytes += bytes;
  }
}

/** Part of so many that all but one are. */
function withoutOne(count: number): number {
  return count === 0 ? 0 : (count - 1) / count;
}

function distance(from: number, to: number, capacity: number): number {
  return to >= from ? to - from : to - from + capacity;
}
