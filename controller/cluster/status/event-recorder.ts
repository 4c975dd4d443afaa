import { randomBytes } from 'node:crypto';
import { GROUP, VERSION } from '../../../contract/resources/resource.ts';
import { pauseAfter } from '../../../platform/back-off.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import type { ApiCaller } from '../api/api-client.ts';
import { ApiError } from '../api/api-error.ts';
import { resourcePath } from '../api/resource-path.ts';
import { microTime } from '../identity/lease-record.ts';
import type { StateChange } from './status-transitions.ts';

/** Subject of an Event: a resource of ours, or another object with its `apiVersion`. */
export interface EventSubject {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Absent where the object is gone. */
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface EventRecorderOptions {
  readonly api: Pick<ApiCaller, 'call'>;
  /** Name of this controller. */
  readonly controller: string;
  readonly clock?: Clock;
  /** Hears of every Event: written, or dropped because there are too many or the API server will not have it. */
  recorded?(outcome: 'written' | 'dropped'): void;
}

/** How many Events an object gets at once, and how long it waits for one more. */
const BURST = 10;
const REFILL = 60_000;
/** How long one that is told again counts as the same, in milliseconds. */
const SERIES = 10 * 60_000;
/** How many objects are remembered, and how many Events wait. */
const MOST_OBJECTS = 10_000;
const MOST_WAITING = 1000;
/** The API takes no longer note. */
const LONGEST_NOTE = 1024;
const TIMEOUT = 5000;
const BACK_OFF = { first: 500, longest: TIMEOUT, jitter: 0 };

interface Told {
  readonly name: string;
  readonly namespace: string;
  count: number;
  at: number;
}

interface Allowance {
  left: number;
  since: number;
  readonly told: Map<string, Told>;
}

/**
 * Tells of state changes as Events of the API group `events.k8s.io`. What is told again within minutes is counted in a
 * series; an object that changes its state all the time gets few of them. An Event that cannot be written is dropped: the
 * status says what counts.
 */
export class EventRecorder {
  private readonly options: EventRecorderOptions;
  private readonly clock: Clock;
  private readonly allowances = new Map<string, Allowance>();
  private readonly waiting: (() => Promise<void>)[] = [];
  private isWriting = false;

  constructor(options: EventRecorderOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
  }

  record(regarding: EventSubject, change: StateChange): void {
    const allowance = this.allowanceOf(regarding);
    const key = `${change.reason} ${change.note}`;
    const told = allowance.told.get(key);
    if (allowance.left < 1 || this.waiting.length >= MOST_WAITING) {
      this.options.recorded?.('dropped');
      return;
    }
    allowance.left--;
    const now = this.clock.wall();
    if (told !== undefined && now - told.at < SERIES) {
      told.count++;
      told.at = now;
      this.enqueue(() => this.repeat(told));
      return;
    }
    const { namespace } = regarding;
    const name = `${regarding.name.slice(0, 200)}.${randomBytes(8).toString('hex')}`;
    allowance.told.set(key, { name, namespace, count: 1, at: now });
    if (allowance.told.size > BURST)
      for (const oldest of [...allowance.told.keys()].slice(0, 1)) allowance.told.delete(oldest);
    const body = this.eventBody(name, regarding, change, now);
    this.enqueue(() => this.write('POST', resourcePath({ ...EVENTS, namespace }), body, 'application/json'));
  }

  /** What waits is dropped. */
  close(): void {
    this.waiting.length = 0;
  }

  private eventBody(name: string, regarding: EventSubject, change: StateChange, now: number): object {
    const { apiVersion = `${GROUP}/${VERSION}`, kind, namespace, uid, resourceVersion } = regarding;
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name, namespace },
      eventTime: microTime(now),
      reportingController: `${GROUP}/controller`,
      reportingInstance: this.options.controller.slice(0, 128),
      action: 'Judge',
      reason: change.reason,
      type: change.type,
      note: shortened(change.note),
      regarding: { apiVersion, kind, namespace, name: regarding.name, uid, resourceVersion },
    };
  }

  private repeat({ name, namespace, count, at }: Told): Promise<void> {
    const body = { series: { count, lastObservedTime: microTime(at) } };
    return this.write('PATCH', resourcePath({ ...EVENTS, namespace, name }), body, 'application/merge-patch+json');
  }

  private async write(method: 'POST' | 'PATCH', path: string, body: object, contentType: string): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await this.options.api.call({ method, path, body, contentType, timeout: TIMEOUT });
        this.options.recorded?.('written');
        return;
      } catch (error) {
        if (attempt === 2 || !mayPass(error)) {
          this.options.recorded?.('dropped');
          return;
        }
        const wait =
          error instanceof ApiError && error.retryAfter !== null ? error.retryAfter : pauseAfter(attempt, BACK_OFF);
        await new Promise<void>((resolve) => this.clock.after(Math.min(wait, TIMEOUT), resolve));
      }
    }
  }

  private enqueue(write: () => Promise<void>): void {
    this.waiting.push(write);
    if (!this.isWriting) void this.drain();
  }

  private async drain(): Promise<void> {
    this.isWriting = true;
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) await next();
    this.isWriting = false;
  }

  private allowanceOf({ kind, namespace, name, uid = `${kind} ${namespace}/${name}` }: EventSubject): Allowance {
    const now = this.clock.steady();
    const known = this.allowances.get(uid);
    if (known === undefined) {
      if (this.allowances.size >= MOST_OBJECTS) {
        for (const oldest of [...this.allowances.keys()].slice(0, MOST_OBJECTS / 10)) this.allowances.delete(oldest);
      }
      const fresh: Allowance = { left: BURST, since: now, told: new Map() };
      this.allowances.set(uid, fresh);
      return fresh;
    }
    const refilled = Math.floor((now - known.since) / REFILL);
    known.left = Math.min(BURST, known.left + refilled);
    known.since += refilled * REFILL;
    return known;
  }
}

const EVENTS = { group: 'events.k8s.io', version: 'v1', plural: 'events' } as const;

/** Whether trying again may help. */
function mayPass(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

/** The API counts bytes. */
function shortened(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= LONGEST_NOTE) return note;
  return `${bytes
    .subarray(0, LONGEST_NOTE - 6)
    .toString('utf8')
    .replace(/\uFFFD$/, '')}…`;
}
