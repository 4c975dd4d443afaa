import type { AuditOrder, AuditServiceSettings } from '../writer/audit-orders.ts';
import type { AuditLink, OpenService } from './audit-link.ts';
import { AuditState } from './audit-state.ts';
import { ringMemory } from './ring-layout.ts';
import { RingProducer } from './ring-producer.ts';

/** Bytes of events that wait until the secrets of their handlers are known. */
const MOST_WAITING = 4 << 20;

/** The audit services of one unit. All of them share one ring, which is made for the first. */
export class UnitAuditLink implements AuditLink {
  private readonly send: (order: AuditOrder) => void;
  private services = 0;
  private ring: { readonly memory: SharedArrayBuffer; readonly producer: RingProducer } | null = null;

  /** @param send passes orders to the writer, through the supervisor */
  constructor(send: (order: AuditOrder) => void) {
    this.send = send;
  }

  open(topics: readonly string[]): OpenService {
    const service = ++this.services;
    const memory = this.ring?.memory ?? ringMemory();
    this.ring ??= { memory, producer: new RingProducer(memory) };
    return new LinkedService(service, topics, this.ring, this.send);
  }
}

class LinkedService implements OpenService {
  private readonly service: number;
  private readonly places: ReadonlyMap<string, number>;
  private readonly ring: { readonly memory: SharedArrayBuffer; readonly producer: RingProducer };
  private readonly send: (order: AuditOrder) => void;
  private readonly state: AuditState;
  private waiting: (readonly [topic: number, json: string])[] = [];
  private waitingBytes = 0;
  private isOpen = false;
  private isClosed = false;

  constructor(
    service: number,
    topics: readonly string[],
    ring: { readonly memory: SharedArrayBuffer; readonly producer: RingProducer },
    send: (order: AuditOrder) => void,
  ) {
    this.service = service;
    this.places = new Map(topics.map((topic, place) => [topic, place]));
    this.ring = ring;
    this.send = send;
    this.state = new AuditState(topics.length);
  }

  get refusesTraffic(): boolean {
    return this.state.refusesTraffic;
  }

  write(topic: string, json: string): void {
    const place = this.places.get(topic);
    if (place === undefined || this.isClosed) return;
    if (this.isOpen) this.put(place, json);
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
    for (const [place, json] of waiting) this.put(place, json);
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    if (this.isOpen) this.send({ kind: 'audit-close', service: this.service });
  }

  private put(topic: number, json: string): void {
    const written = this.ring.producer.write(this.service, topic, json);
    if (written === 'full') this.state.countFull(topic);
    else if (written === 'too-large') this.state.countTooLarge(topic);
  }
}
