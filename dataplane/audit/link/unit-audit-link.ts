import type { AuditOrder, AuditServiceSettings } from '../writer/audit-orders.ts';
import type { AuditLink, OpenService } from './audit-link.ts';
import { AuditState } from './audit-state.ts';
import { ringMemory } from './ring-layout.ts';
import { RingProducer } from './ring-producer.ts';
import { RingShares } from './ring-shares.ts';
import { WaitingRoom } from './waiting-room.ts';

/** Part of the room for its events from which on a service refuses requests: the rest is for those under way. */
const TIGHT_FROM = 0.75;

/** Room that the services of a unit share. */
interface UnitRing {
  readonly memory: SharedArrayBuffer;
  readonly producer: RingProducer;
  readonly shares: RingShares;
  readonly waiting: WaitingRoom;
  /** Number of the service that was opened last: its order comes after those with lower numbers. */
  last: number;
}

/** The audit services of one unit. All of them share one ring, which is made for the first. */
export class UnitAuditLink implements AuditLink {
  private readonly send: (order: AuditOrder) => void;
  private ring: UnitRing | null = null;

  /** @param send passes orders to the writer, through the supervisor */
  constructor(send: (order: AuditOrder) => void) {
    this.send = send;
  }

  open(topics: readonly string[], mayRefuse: boolean, owner: string): OpenService {
    this.ring ??= newRing();
    return new LinkedService({ topics, mayRefuse, owner, ring: this.ring, send: this.send });
  }
}

function newRing(): UnitRing {
  const memory = ringMemory();
  const producer = new RingProducer(memory);
  return { memory, producer, shares: new RingShares(producer), waiting: new WaitingRoom(), last: 0 };
}

interface LinkedServiceOptions {
  readonly topics: readonly string[];
  readonly mayRefuse: boolean;
  readonly owner: string;
  readonly ring: UnitRing;
  send(order: AuditOrder): void;
}

class LinkedService implements OpenService {
  private readonly options: LinkedServiceOptions;
  private readonly places: ReadonlyMap<string, number>;
  private readonly state: AuditState;
  private readonly ring: UnitRing;
  private waiting: (readonly [topic: number, json: string])[] = [];
  private waitingLength = 0;
  /** Number at the writer, given with the first order; 0 before. */
  private number = 0;
  private isClosed = false;

  constructor(options: LinkedServiceOptions) {
    const { topics, ring } = options;
    this.options = options;
    this.ring = ring;
    this.places = new Map(topics.map((topic, place) => [topic, place]));
    this.state = new AuditState(topics.length);
  }

  get refusesTraffic(): boolean {
    return this.options.mayRefuse && (this.state.refusesTraffic || this.isTight);
  }

  /** Whether events pile up on this side, because the writer is slow, away, or does not know the service yet. */
  private get isTight(): boolean {
    const { ring, number } = this;
    if (number > 0) return ring.shares.isTight(number, TIGHT_FROM);
    return ring.waiting.isTight(this.waitingLength, this.options.owner, TIGHT_FROM);
  }

  write(topic: string, json: string, isOfRefused = false): void {
    const place = this.places.get(topic);
    if (place === undefined || this.isClosed) return;
    if (isOfRefused && this.refusesTraffic) {
      this.state.countOfRefused(place);
      this.ring.producer.reportUnwritten();
    } else if (this.number > 0) this.put(place, json);
    else if (!this.ring.waiting.take(this.waitingLength, this.options.owner, json.length)) this.state.countFull(place);
    else {
      this.waitingLength += json.length;
      this.waiting.push([place, json]);
    }
  }

  change(settings: AuditServiceSettings): void {
    if (this.isClosed) return;
    const { memory, shares } = this.ring;
    const { owner, send } = this.options;
    const isFirst = this.number === 0;
    // given here, so that the orders of a unit have rising numbers: a record with a higher one waits for its order
    if (isFirst) this.number = ++this.ring.last;
    send({ kind: 'audit-open', service: this.number, settings, ring: memory, state: this.state.buffer });
    if (!isFirst) return;
    shares.open(this.number, owner);
    for (const [place, json] of this.forgetWaiting()) this.put(place, json);
  }

  close(): number {
    if (this.isClosed) return 0;
    this.isClosed = true;
    const { owner, send } = this.options;
    if (this.number > 0) {
      this.ring.shares.close(this.number, owner);
      send({ kind: 'audit-close', service: this.number });
      return 0;
    }
    let lost = this.forgetWaiting().length;
    for (const place of this.places.values()) lost += this.state.take(place).full;
    return lost;
  }

  private forgetWaiting(): (readonly [topic: number, json: string])[] {
    const { waiting } = this;
    this.ring.waiting.give(this.options.owner, this.waitingLength);
    this.waiting = [];
    this.waitingLength = 0;
    return waiting;
  }

  private put(topic: number, json: string): void {
    const { producer, shares } = this.ring;
    const written = shares.write(this.number, topic, json);
    if (written === 'written') return;
    if (written === 'full') this.state.countFull(topic);
    else this.state.countTooLarge(topic);
    producer.reportUnwritten();
  }
}
