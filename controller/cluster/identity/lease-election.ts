import { type Clock, systemClock } from '../../../platform/clock.ts';
import { errorText } from '../../../platform/error-text.ts';
import type { ApiCaller, ApiRequest } from '../api/api-client.ts';
import { ApiError } from '../api/api-error.ts';
import { resourcePath } from '../api/resource-path.ts';
import { type ControllerIdentity, identityText, readIdentity } from './controller-identity.ts';
import { type LeaseRecord, leaseBody, microTime, readLease } from './lease-record.ts';

export interface LeaseElectionOptions {
  readonly api: Pick<ApiCaller, 'call'>;
  readonly namespace: string;
  readonly name: string;
  readonly identity: ControllerIdentity;
  readonly clock?: Clock;
  /** How long others wait after they saw the holder renew, in milliseconds. */
  readonly leaseDuration?: number;
  /** How long the holder may go on after it began to renew; shorter, so that it stops before anybody else may begin. */
  readonly renewDeadline?: number;
  /** How often it is renewed, or looked at. */
  readonly retryPeriod?: number;
  /** What a leader notes for the next one, in an annotation of the Lease. */
  readonly note?: LeaseNote;
  /** Hears when this controller begins or ceases to lead, and when another one does. */
  changed(state: LeaderState): void;
  /** Hears of what went wrong with the Lease; it goes on trying. */
  failed?(message: string): void;
}

export interface LeaseNote {
  readonly annotation: string;
  /** What is written with every renewal; null for nothing. */
  write(): string | null;
  /** Hears what the last leader noted, before this controller leads. */
  read(text: string): void;
}

export interface LeaderState {
  readonly isLeader: boolean;
  /** Who leads, as far as is known; null when nobody does. */
  readonly leader: ControllerIdentity | null;
}

/**
 * Decides by a Lease which of several controllers leads. Nobody's clock is compared with anybody else's: one that wants
 * the Lease counts from when it saw it change, and the holder from before it asked to renew it.
 */
export class LeaseElection {
  private readonly options: LeaseElectionOptions;
  private readonly clock: Clock;
  private readonly me: string;
  private readonly leaseDuration: number;
  private readonly renewDeadline: number;
  private readonly retryPeriod: number;
  private state: LeaderState = { isLeader: false, leader: null };
  private heldUntil = 0;
  private lease: LeaseRecord | null = null;
  private seenAt = 0;
  private stepping: Promise<void> | null = null;
  private waiting: (() => void) | null = null;
  private ending: (() => void) | null = null;
  private isClosed = false;

  constructor(options: LeaseElectionOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.me = identityText(options.identity);
    this.leaseDuration = options.leaseDuration ?? 15_000;
    this.renewDeadline = options.renewDeadline ?? 10_000;
    this.retryPeriod = options.retryPeriod ?? 2000;
    if (this.renewDeadline >= this.leaseDuration || this.retryPeriod >= this.renewDeadline) {
      throw new RangeError('a Lease needs retryPeriod < renewDeadline < leaseDuration');
    }
  }

  /** Whether this controller leads at this very moment: to be asked before each thing that only a leader does. */
  get isLeader(): boolean {
    return this.leadsFor > 0;
  }

  /** For how many milliseconds it does so even if nothing more is heard from the API server. */
  get leadsFor(): number {
    return Math.max(0, this.heldUntil - this.clock.steady());
  }

  get leader(): ControllerIdentity | null {
    return this.state.leader;
  }

  start(): void {
    if (this.stepping === null && this.waiting === null && !this.isClosed) this.step();
  }

  /** Stops, and gives the Lease back so that another controller need not wait for it to run out. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.waiting?.();
    await this.stepping;
    const held = this.isLeader ? this.lease : null;
    this.cease();
    if (held === null) return;
    const body = leaseBody(held.metadata, { ...held, holder: '', duration: 1000, renewTime: this.now() });
    await this.options.api.call({ method: 'PUT', path: this.path, body, timeout: this.retryPeriod }).catch(() => {});
  }

  private step(): void {
    this.waiting = null;
    this.stepping = this.attempt()
      .catch((error: unknown) => this.options.failed?.(errorText(error)))
      .then(() => {
        this.stepping = null;
        if (this.isClosed) return;
        // Controllers that start together would otherwise ask together for ever.
        const wait = this.retryPeriod * (this.isLeader ? 1 : 0.75 + Math.random() / 2);
        this.waiting = this.clock.after(wait, () => this.step());
      });
  }

  private async attempt(): Promise<void> {
    const begun = this.clock.steady();
    // The holder knows what it wrote: reading first would double what renewing costs.
    if (this.isLeader && this.lease !== null && this.took(await this.put(this.lease, {}), begun)) return;
    const lease = await this.ask({ method: 'GET', path: this.path, timeout: this.timeout }, 404);
    if (lease === null) return this.create();
    this.see(lease);
    const isFree = lease.holder === '' || lease.holder === this.me;
    if (!isFree && this.clock.steady() - this.seenAt < Math.max(lease.duration, this.leaseDuration)) return;
    if (this.isClosed) return;
    this.readNote(lease);
    const asked = this.clock.steady();
    const transitions = lease.transitions + (lease.holder === this.me ? 0 : 1);
    // When somebody else was faster, the next look says who.
    this.took(await this.put(lease, { acquireTime: this.now(), transitions }), asked);
  }

  private async create(): Promise<void> {
    if (this.isClosed) return;
    const begun = this.clock.steady();
    const { namespace, name } = this.options;
    const time = this.now();
    const body = leaseBody(
      { namespace, name },
      { holder: this.me, acquireTime: time, renewTime: time, duration: this.leaseDuration, transitions: 0 },
    );
    const path = leasePath({ namespace });
    this.took(await this.ask({ method: 'POST', path, body, timeout: this.timeout }, 409), begun);
  }

  /** @returns null when somebody else wrote it since, or it is gone. */
  private put(lease: LeaseRecord, record: Partial<LeaseRecord>): Promise<LeaseRecord | null> {
    const ours = { holder: this.me, renewTime: this.now(), duration: this.leaseDuration };
    const body = leaseBody(this.withNote(lease.metadata), { ...lease, ...record, ...ours });
    return this.ask({ method: 'PUT', path: this.path, body, timeout: this.timeout }, 409, 404);
  }

  private readNote({ metadata: { annotations } }: LeaseRecord): void {
    const { note } = this.options;
    const text = note === undefined ? undefined : annotations?.[note.annotation];
    if (text !== undefined) note?.read(text);
  }

  private withNote(metadata: LeaseRecord['metadata']): object {
    const { note } = this.options;
    if (note === undefined) return metadata;
    const { [note.annotation]: _, ...others } = metadata.annotations ?? {};
    const text = note.write();
    return { ...metadata, annotations: text === null ? others : { ...others, [note.annotation]: text } };
  }

  /** @returns null for the statuses that were expected. @throws ApiError for all others that are no success */
  private async ask(request: ApiRequest, ...expected: readonly number[]): Promise<LeaseRecord | null> {
    try {
      const lease = readLease((await this.options.api.call(request)).body);
      if (lease === null) throw new ApiError('the Lease is malformed', { status: 0, reason: 'Malformed' });
      return lease;
    } catch (error) {
      if (error instanceof ApiError && expected.includes(error.status)) return null;
      throw error;
    }
  }

  /** @returns whether the Lease is ours. */
  private took(lease: LeaseRecord | null, begun: number): boolean {
    if (lease === null || lease.holder !== this.me) return false;
    this.see(lease);
    this.heldUntil = begun + this.renewDeadline;
    this.ending?.();
    this.ending = this.clock.after(Math.max(0, this.heldUntil - this.clock.steady()), () => this.cease());
    if (this.isLeader) this.tell({ isLeader: true, leader: this.options.identity });
    return true;
  }

  private see(lease: LeaseRecord): void {
    if (this.lease?.resourceVersion !== lease.resourceVersion) this.seenAt = this.clock.steady();
    this.lease = lease;
    if (lease.holder === this.me) return;
    if (this.isLeader) this.cease();
    this.tell({ isLeader: false, leader: readIdentity(lease.holder) });
  }

  private cease(): void {
    this.heldUntil = 0;
    this.ending?.();
    this.ending = null;
    if (this.state.isLeader) this.tell({ isLeader: false, leader: null });
  }

  private tell(state: LeaderState): void {
    const { isLeader, leader } = this.state;
    if (
      isLeader === state.isLeader &&
      leader?.name === state.leader?.name &&
      leader?.address === state.leader?.address
    ) {
      return;
    }
    this.state = state;
    this.options.changed(state);
  }

  private now(): string {
    return microTime(this.clock.wall());
  }

  /** An answer that comes later than this helps no more. */
  private get timeout(): number {
    return Math.min(Math.ceil(this.renewDeadline / 2), 5000);
  }

  private get path(): string {
    return leasePath(this.options);
  }
}

function leasePath(lease: { readonly namespace: string; readonly name?: string }): string {
  const { namespace, name } = lease;
  const place = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', namespace };
  return resourcePath(name === undefined ? place : { ...place, name });
}
