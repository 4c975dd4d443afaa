import type { Backend } from '../../engine/backend/backend.ts';
import type { Refusal } from '../../engine/message/refusal.ts';
import type { Uri } from '../../engine/message/uri.ts';
import type { BackendEndpoint } from '../../heap/objects/backends.ts';
import type { EndpointCounts } from './endpoint-meter.ts';
import type { HealthRecord } from './health-record.ts';
import type { PassiveHealth } from './passive-health.ts';

/** An endpoint as its source knows it. */
export interface EndpointSpec {
  /** Tells it from the others: `host:port`. */
  readonly key: string;
  readonly base: Uri;
  readonly serverName: string;
  /** Share of requests in relation to the others; 0 for none. */
  readonly weight: number;
  /** Text that stands for it in the affinity cookie. */
  readonly id: string;
  /** Set where it gets requests only if those without it cannot take them. */
  readonly isFar?: true;
}

/** Parts of an endpoint that outlive it, or that others see too. */
export interface EndpointParts {
  /** Milliseconds until it has its whole weight; 0 for at once. */
  readonly slowStart: number;
  readonly health: HealthRecord;
  readonly counts: EndpointCounts;
  /** Judges it by its answers; null where nobody does. */
  readonly judge: PassiveHealth | null;
}

/** Share of its weight that an endpoint begins with. */
const COLDEST = 0.1;

/** An endpoint with its load. */
export class BalancedEndpoint implements BackendEndpoint {
  readonly key: string;
  readonly id: string;
  readonly slot: number;
  readonly pools: Backend[] = [];
  readonly base: Uri;
  readonly serverName: string;
  readonly weight: number;
  readonly health: HealthRecord;
  /** True while others come first. */
  isFar: boolean;
  /** True while it is ejected, as this unit last saw it. */
  isOut = false;
  /** Tunnels that are open to it, which no pool knows of any more. */
  private tunnels = 0;
  private readonly counts: EndpointCounts;
  private readonly judge: PassiveHealth | null;
  /** When it joined the others, on the engine's clock. */
  private joined: number;
  /** Milliseconds until it has its whole weight; 0 for at once. */
  private readonly slowStart: number;

  constructor(spec: EndpointSpec, slot: number, joined: number, { slowStart, health, counts, judge }: EndpointParts) {
    this.health = health;
    this.counts = counts;
    this.judge = judge;
    this.key = spec.key;
    this.id = spec.id;
    this.slot = slot;
    this.base = spec.base;
    this.serverName = spec.serverName;
    this.weight = spec.weight;
    this.isFar = spec.isFar === true;
    this.joined = joined;
    this.slowStart = slowStart;
  }

  /** Requests that wait for it or that it works on, and tunnels. */
  get load(): number {
    let load = this.tunnels;
    for (let i = 0; i < this.pools.length; i++) load += this.pools[i]!.load;
    return load;
  }

  answered(status: number, isWhole: boolean, isJudged: boolean): void {
    if (isWhole) this.counts.answered();
    if (isJudged) this.judge?.answered(this, status, isWhole);
  }

  ended(status: number, isJudged: boolean): void {
    this.counts.answered();
    if (isJudged) this.judge?.ended(this, status);
  }

  broke(status: number, refusal: Refusal, isJudged: boolean): void {
    this.counts.failed();
    if (isJudged) this.judge?.broke(this, status, refusal);
  }

  refused(refusal: Refusal, isJudged: boolean): void {
    this.counts.failed();
    if (isJudged) this.judge?.refused(this, refusal);
  }

  tunnelled(): () => void {
    this.tunnels++;
    let isOpen = true;
    return () => {
      if (isOpen) this.tunnels--;
      isOpen = false;
    };
  }

  moved(): void {
    this.counts.moved();
  }

  /** It joins the others again. */
  rejoin(now: number): void {
    this.joined = now;
  }

  /** True if nothing about it has changed. */
  isLike({ base, serverName, weight, id }: EndpointSpec): boolean {
    return (
      base.scheme === this.base.scheme && serverName === this.serverName && weight === this.weight && id === this.id
    );
  }

  isWarming(now: number): boolean {
    return now - this.joined < this.slowStart;
  }

  /** Weight at a time: it grows while the endpoint is new. */
  weightAt(now: number): number {
    const age = now - this.joined;
    return age >= this.slowStart ? this.weight : this.weight * Math.max(COLDEST, age / this.slowStart);
  }
}
