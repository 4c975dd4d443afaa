import type { AuditOrder, AuditServiceSettings } from '../writer/audit-orders.ts';
import type { AuditLink, OpenService } from './audit-link.ts';
import { AuditState } from './audit-state.ts';
import { ringMemory } from './ring-layout.ts';
import { RingProducer } from './ring-producer.ts';

/** Bytes of events that wait until the secrets of their handlers are known. */
const MOST_WAITING = 4 << 20;

/** Part of these from which on requests are refused. */
const TIGHT_FROM = 0.75;

/** The ring of a unit, as its services share it. */
interface UnitRing {
  readonly memory: SharedArrayBuffer;
  readonly producer: RingProducer;
  /** Services with a handler that refuses traffic rather than lose events: the last of the room is theirs. */
  refusing: number;
}

/** The audit services of one unit. All of them share one ring, which is made for the first. */
export class UnitAuditLink implements AuditLink {
  private readonly send: (order: AuditOrder) => void;
  private services = 0;
  private ring: UnitRing | null = null;

  /** @param send passes orders to the writer, through the supervisor */
  constructor(send: (order: AuditOrder) => void) {
    this.send = send;
  }

  open(topics: readonly string[], mayRefuse: boolean): OpenService {
    const service = ++this.services;
    const memory = this.ring?.memory ?? ringMemory();
    this.ring ??= { memory, producer: new RingProducer(memory), refusing: 0 };
    return new LinkedService(service, topics, mayRefuse, this.ring, this.send);
  }
}

class LinkedService implements OpenService {
  private readonly service: number;
  private readonly places: ReadonlyMap<string, number>;
  private readonly mayRefuse: boolean;
  private readonly ring: UnitRing;
  private readonly send: (order: AuditOrder) => void;
  private readonly state: AuditState;
  private waiting: (readonly [topic: number, json: string])[] = [];
  private waitingBytes = 0;
  private isOpen = false;
  private isClosed = false;

  constructor(
    service: number,
    topics: readonly string[],
    mayRefuse: boolean,
    ring: UnitRing,
    send: (order: AuditOrder) => void,
  ) {
    this.service = service;
    this.places = new Map(topics.map((topic, place) => [topic, place]));
    this.mayRefuse = mayRefuse;
    this.ring = ring;
    if (mayRefuse) ring.refusing++;
    this.send = send;
    this.state = new AuditState(topics.length);
  }

  get refusesTraffic(): boolean {
    return this.mayRefuse && (this.state.refusesTraffic || this.isTight);
  }

  /** Whether events pile up on this side, because the writer is slow, away, or does not know the service yet. */
  private get isTight(): boolean {
    return this.isOpen ? this.ring.producer.isTight : this.waitingBytes >= MOST_WAITING * TIGHT_FROM;
  }

  write(topic: string, json: string, isOfRefused = false): void {
    const place = this.places.get(topic);
    if (place === undefined || this.isClosed) return;
    if (isOfRefused && this.refusesTraffic) {
      this.state.countOfRefused(place);
      this.ring.producer.reportUnwritten();
    } else if (this.isOpen) this.put(place, json);
    else if (this.waitingBytes + json.length > MOST_WAITING) this.state.countFull(place);
    else {
      this.waitingBytes += json.length;
      this.waiting.push([place, json]);
    }
  }

  change(settings: AuditServiceSettings): void {
    if (this.isClosed) return;
    const { memory: ring } = this.ring;
    this.send({ kind: 'audit-open', service: this.service, settings, ring, state: this.state.buffer });
    this.isOpen = true;
    const { waiting } = this;
    this.waiting = [];
    this.waitingBytes = 0;
    for (const [place, json] of waiting) this.put(place, json);
  }

  close(): number {
    if (this.isClosed) return 0;
    this.isClosed = true;
    if (this.mayRefuse) this.ring.refusing--;
    if (this.isOpen) {
      this.send({ kind: 'audit-close', service: this.service });
      return 0;
    }
    let lost = this.waiting.length;
    for (const place of this.places.values()) lost += this.state.take(place).full;
    this.waiting = [];
    return lost;
  }

  private put(topic: number, json: string): void {
    const { producer, refusing } = this.ring;
    const isLast = refusing > 0 && !this.mayRefuse && producer.isTight;
    const written = isLast ? 'full' : producer.write(this.service, topic, json);
    if (written === 'written') return;
    if (written === 'full') this.state.countFull(topic);
    else this.state.countTooLarge(topic);
    producer.reportUnwritten();
  }
}
