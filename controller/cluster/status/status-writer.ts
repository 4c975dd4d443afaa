import { isDeepStrictEqual } from 'node:util';
import { GROUP, type Resource, type ResourceKind, VERSION } from '../../../contract/resources/resource.ts';
import { routeKeyText } from '../../../contract/snapshot.ts';
import { pauseAfter } from '../../../platform/back-off.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { changedItems } from '../../changed-items.ts';
import type { ResourceVerdict } from '../../compile/resources/resource-verdict.ts';
import type { RoutePlanes, SelectedPlanes } from '../../publish/route-planes.ts';
import type { ApiCaller } from '../api/api-client.ts';
import { ApiError } from '../api/api-error.ts';
import { PacedWrites } from '../api/paced-writes.ts';
import { resourcePath } from '../api/resource-path.ts';
import { certificatesCondition, nextStateChange } from './certificates-condition.ts';
import type { GroupAddress, GroupAddresses } from './group-addresses.ts';
import { loginNoteOf, type Programmed, programmedOf, scriptNoteOf } from './programmed.ts';
import {
  asJson,
  differsInCountsOnly,
  type ResourceStatus,
  readShown,
  type Shown,
  saysTheSame,
  statusOf,
} from './resource-status.ts';
import { entryKey, isSameVerdict, isWrittenByOthers, placeOf, type StatusEntry, shownOf } from './status-entry.ts';
import { type StateChange, stateChanges } from './status-transitions.ts';
import { UNCOUNTED, uncountedProgrammed } from './uncounted-programmed.ts';

/** Every field of a status belongs to it, whichever controller writes. */
const FIELD_MANAGER = 'gatewarden-controller';

/** Asks for no more of an object than its version: in a burst of thousands, answers with whole objects fill the memory. */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';

export interface StatusWriterOptions {
  readonly api: Pick<ApiCaller, 'call'>;
  readonly planes: RoutePlanes;
  readonly clock?: Clock;
  /** For how many milliseconds more this controller leads; 0 when it does not. */
  leadsFor(): number;
  /** Hears of what was written and changed somebody's state. */
  stateChanged(resource: Resource, change: StateChange): void;
  /** Hears of every write. @param outcome `written`, or a word for why not */
  wrote?(kind: ResourceKind, outcome: string): void;
  /** Least milliseconds between two writes of one object. */
  readonly gap?: number;
  /** How long planes get to run something new before it is written that they do not, in milliseconds. */
  readonly gather?: number;
  /** How long a change of nothing but the number of planes may wait, in milliseconds; up to twice as long. */
  readonly counts?: number;
  /** How long a new leader waits for planes to be heard of before it says how many there are, in milliseconds. */
  readonly settle?: number;
  readonly concurrency?: number;
}

const TIMEOUT = 5000;
const BACK_OFF = { first: 500, longest: 30_000, jitter: 0.5 };
/** How long what planes do is collected, in milliseconds: of a few routes, and at least of all. */
const COLLECT = 20;
const COLLECT_ALL = 250;
const NO_ADDRESSES: GroupAddresses = new Map();
/** Of all groups that a Route selects. */
const MOST_ADDRESSES = 64;
/** Timers are not set for longer, in milliseconds: clocks are corrected. */
const LONGEST_WAIT = 3_600_000;
/** How many objects are looked at before others get a turn. */
const SLICE = 200;

/**
 * Writes what verdicts and planes say into the status of resources: only while this controller leads, only what differs
 * from what the API shows, and only on top of the very version that was judged, so that one that led before cannot undo
 * what a newer leader wrote.
 */
export class StatusWriter {
  private readonly options: StatusWriterOptions;
  private readonly clock: Clock;
  private readonly writes: PacedWrites;
  private readonly entries = new Map<string, StatusEntry>();
  private readonly byRoute = new Map<string, string>();
  private verdicts: readonly ResourceVerdict[] = [];
  private readonly touched = new Set<string>();
  private collecting: (() => void) | null = null;
  private collectingAll: (() => void) | null = null;
  private settling: (() => void) | null = null;
  /** Calls off the next look at certificates. */
  private expiring: (() => void) | null = null;
  private isLeading = false;
  private collectAll = COLLECT_ALL;
  private baseNote: string | null = null;
  private addresses: GroupAddresses = NO_ADDRESSES;

  constructor(options: StatusWriterOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.writes = new PacedWrites({
      clock: this.clock,
      gap: options.gap ?? 500,
      concurrency: options.concurrency ?? 24,
      write: (key) => this.write(key),
    });
  }

  /**
   * Everything that the newest compilation says. Objects that it does not name are gone.
   * @param baseNote what is to be said of the base configuration; null when the newest one serves
   * @param addresses where clients reach groups of data planes
   */
  judged(
    verdicts: readonly ResourceVerdict[],
    baseNote: string | null = null,
    addresses: GroupAddresses = NO_ADDRESSES,
  ): void {
    const isOther = baseNote !== this.baseNote || !isDeepStrictEqual(addresses, this.addresses);
    this.baseNote = baseNote;
    this.addresses = addresses;
    const changes = changedItems(this.verdicts, verdicts);
    const gone = new Set<string>();
    for (const before of changes.gone) gone.add(entryKey(before.resource));
    for (const verdict of changes.added) {
      const key = entryKey(verdict.resource);
      gone.delete(key);
      const before = this.entries.get(key) ?? null;
      if (before !== null && isSameVerdict(before.verdict, verdict)) continue;
      this.entries.set(key, this.follow(key, verdict, before));
      this.consider(key);
    }
    for (const key of gone) this.drop(key);
    this.verdicts = verdicts;
    const changed = [...changes.gone, ...changes.added];
    if (changed.some(({ certificates }) => certificates !== undefined)) this.awaitCertificates();
    if (isOther) void this.considerAll();
  }

  /** Planes run something else than before. @param routes by `routeKeyText`; null for all */
  planesChanged(routes: readonly string[] | null): void {
    this.options.planes.forget();
    if (!this.isLeading) return;
    if (routes === null) {
      this.collectingAll ??= this.clock.after(this.collectAll, () => {
        this.collectingAll = null;
        void this.considerAll();
      });
      return;
    }
    for (const route of routes) this.touched.add(route);
    if (this.touched.size === 0) return;
    this.collecting ??= this.clock.after(COLLECT, () => {
      this.collecting = null;
      for (const route of this.touched) {
        const key = this.byRoute.get(route);
        if (key !== undefined) this.consider(key);
      }
      this.touched.clear();
    });
  }

  /** This controller begins or ceases to lead. */
  setLeading(isLeading: boolean): void {
    if (isLeading === this.isLeading) return;
    this.isLeading = isLeading;
    if (!isLeading) {
      this.calm();
      // Another controller writes from now on: what it writes is not foreign.
      for (const entry of this.entries.values()) entry.written = null;
      return;
    }
    this.settling = this.clock.after(this.options.settle ?? 5000, () => {
      this.settling = null;
      void this.considerAll();
    });
    void this.considerAll();
    this.awaitCertificates();
  }

  close(): void {
    this.isLeading = false;
    this.calm();
  }

  private calm(): void {
    this.writes.forgetAll();
    this.touched.clear();
    for (const cancel of [this.collecting, this.collectingAll, this.settling, this.expiring]) cancel?.();
    this.collecting = null;
    this.collectingAll = null;
    this.settling = null;
    this.expiring = null;
  }

  /** Certificates come of age without a change of any resource. */
  private awaitCertificates(): void {
    this.expiring?.();
    this.expiring = null;
    if (!this.isLeading) return;
    const now = this.clock.wall();
    let next: number | null = null;
    for (const { certificates } of this.verdicts) {
      const change = certificates === undefined ? null : nextStateChange(certificates, now);
      if (change !== null && (next === null || change < next)) next = change;
    }
    if (next === null) return;
    this.expiring = this.clock.after(Math.min(next - now, LONGEST_WAIT), () => {
      void this.considerAll();
      this.awaitCertificates();
    });
  }

  private follow(key: string, verdict: ResourceVerdict, before: StatusEntry | null): StatusEntry {
    const served = verdict.remembered ?? verdict.route;
    const route = served === null ? null : routeKeyText(served);
    if (before !== null && before.route !== null && before.route !== route) this.byRoute.delete(before.route);
    if (route !== null) this.byRoute.set(route, key);
    const isSame = before?.verdict.resource.uid === verdict.resource.uid;
    return { verdict, route, written: isSame ? before.written : null, failures: isSame ? before.failures : 0 };
  }

  private drop(key: string): void {
    const entry = this.entries.get(key);
    if (entry !== undefined && entry.route !== null) this.byRoute.delete(entry.route);
    this.entries.delete(key);
    this.writes.forget(key);
  }

  /** Looks at every object. What this takes decides when it is done next, so that it never fills all of the time. */
  private async considerAll(): Promise<void> {
    const begun = this.clock.steady();
    let count = 0;
    for (const key of [...this.entries.keys()]) {
      if (!this.isLeading) return;
      this.consider(key);
      if (++count % SLICE === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    }
    this.collectAll = Math.max(COLLECT_ALL, 10 * (this.clock.steady() - begun));
  }

  /** Has it written if that is necessary. */
  private consider(key: string): void {
    const entry = this.entries.get(key);
    if (!this.isLeading || entry === undefined) return;
    const shown = shownOf(entry);
    const { status, isPending } = this.wanted(entry, shown);
    if (saysTheSame(status, shown.status)) return;
    const { gather = 100, counts = 5000 } = this.options;
    const isForeign = isWrittenByOthers(entry, shown);
    // When planes come and go, one after the other, every Route would be written for each of them.
    const isCounted = !isForeign && shown.status?.programmed !== UNCOUNTED;
    const isCount = isCounted && differsInCountsOnly(status, shown.status);
    // Somebody waits for the status of what they just wrote.
    const isUrgent = isForeign || shown.status?.observedGeneration !== status.observedGeneration;
    this.writes.ask(key, isCount ? counts * (1 + Math.random()) : isPending && !isForeign ? gather : 0, isUrgent);
  }

  private wanted(entry: StatusEntry, shown: Shown): { readonly status: ResourceStatus; readonly isPending: boolean } {
    const { verdict } = entry;
    const isRoute = verdict.resource.kind === 'Route';
    const programmed = isRoute ? this.programmed(verdict, shown.status) : null;
    const planes = isRoute ? this.planesOf(verdict) : null;
    const notes = {
      base: this.baseNote,
      login: planes && loginNoteOf(verdict, planes),
      script: planes && scriptNoteOf(verdict, planes),
      addresses: planes === null ? [] : this.addressesOf(planes),
      certificates: verdict.certificates ? certificatesCondition(verdict.certificates, this.clock.wall()) : null,
    };
    const now = new Date(this.clock.wall()).toISOString().replace(/\.\d+Z$/, 'Z');
    return {
      status: statusOf(verdict, programmed, shown.status, now, notes),
      isPending: programmed?.reason === 'Pending' && verdict.accepted.status,
    };
  }

  private programmed(verdict: ResourceVerdict, shown: ResourceStatus | null): Programmed {
    const counted = programmedOf(verdict, this.planesOf(verdict));
    return this.settling === null ? counted : uncountedProgrammed(verdict, counted, shown);
  }

  private addressesOf({ planes }: SelectedPlanes): readonly GroupAddress[] {
    const groups = new Set(planes.map(({ identity }) => identity.group));
    return [...groups]
      .sort()
      .flatMap((group) => this.addresses.get(group) ?? [])
      .slice(0, MOST_ADDRESSES);
  }

  private planesOf({ resource: { namespace }, dataPlanes }: ResourceVerdict): SelectedPlanes {
    return this.options.planes.of({ namespace, dataPlanes });
  }

  /** @returns when to try again; null when it is done, or something has to happen first */
  private async write(key: string): Promise<number | null> {
    const entry = this.entries.get(key);
    const leadsFor = this.options.leadsFor();
    if (entry === undefined || !this.isLeading || leadsFor <= 0) return null;
    const shown = shownOf(entry);
    const { status } = this.wanted(entry, shown);
    if (saysTheSame(status, shown.status)) return null;
    const { resource } = entry.verdict;
    const place = placeOf(resource);
    const metadata = { name: resource.name, namespace: resource.namespace, uid: resource.uid };
    const body = {
      apiVersion: `${GROUP}/${VERSION}`,
      kind: resource.kind,
      metadata: { ...metadata, resourceVersion: shown.resourceVersion },
      status: asJson(status),
    };
    try {
      const answer = await this.options.api.call({
        method: 'PATCH',
        path: resourcePath({ ...place, subresource: 'status' }),
        query: { fieldManager: FIELD_MANAGER, force: true },
        contentType: 'application/apply-patch+yaml',
        accept: METADATA_ONLY,
        body,
        timeout: Math.min(TIMEOUT, Math.ceil(leadsFor)),
      });
      this.options.wrote?.(resource.kind, 'written');
      const version = readShown(answer.body);
      this.confirm(key, entry, version === null ? null : { ...version, status });
      for (const change of stateChanges(shown.status, status)) this.options.stateChanged(resource, change);
      return null;
    } catch (error) {
      return this.failed(key, entry, error);
    }
  }

  private confirm(key: string, entry: StatusEntry, shown: Shown | null): void {
    entry.failures = 0;
    const current = this.entries.get(key);
    if (current !== undefined && current.verdict.resource.uid === shown?.uid) current.written = shown;
    this.consider(key);
  }

  private async failed(key: string, entry: StatusEntry, error: unknown): Promise<number | null> {
    const { kind } = entry.verdict.resource;
    const { status, retryAfter } = error instanceof ApiError ? error : { status: 0, retryAfter: null };
    this.options.wrote?.(kind, error instanceof ApiError ? error.reason : 'Failed');
    entry.failures++;
    if (status === 429 || status === 0 || status >= 500) this.writes.slowDown();
    // It is gone, and the watch is about to say so.
    if (status === 404) return BACK_OFF.longest;
    if (status === 409 && (await this.readAgain(key, entry))) return 0;
    return retryAfter ?? pauseAfter(entry.failures, BACK_OFF);
  }

  /** Somebody changed the object since it was judged. @returns whether it can be written on top of that */
  private async readAgain(key: string, entry: StatusEntry): Promise<boolean> {
    const { resource } = entry.verdict;
    try {
      const { body } = await this.options.api.call({
        method: 'GET',
        path: resourcePath(placeOf(resource)),
        timeout: TIMEOUT,
      });
      const shown = readShown(body);
      const isJudged = shown?.uid === resource.uid && shown.generation === resource.generation;
      const current = this.entries.get(key);
      if (!isJudged || current === undefined) return false;
      current.written = shown;
      return entry.failures < 3;
    } catch {
      return false;
    }
  }
}
