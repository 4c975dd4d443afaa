import type { EndedRecord, RefreshNews } from '../../contract/channel.ts';
import { defaultNoticeLog, NoticeLog } from '../../contract/notice-log.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { PlaneIdentity } from './channel/plane-identity.ts';

/** Takes what planes of a scope tell each other. */
export interface NoticeReceiver {
  ended(scope: string, entries: readonly EndedRecord[]): void;
  /** @returns false when it takes none, as older versions do */
  refresh(scope: string, news: RefreshNews): boolean;
}

/** Most scopes with entries; those that were silent longest make room. */
const MOST_SCOPES = 1000;
/** Most entries of the sidecars of one namespace, whose owner may run any of them. */
const MOST_OF_SIDECARS = 1000;

/**
 * The planes that hear each other's notices: those of one group, and of sidecars those of one namespace, because whoever
 * makes Pods there can send any.
 */
export function noticeScope({ group, namespace, isSidecar }: PlaneIdentity): string {
  return JSON.stringify(isSidecar ? [group, namespace] : [group]);
}

/**
 * Passes notices of planes on to the other planes of their scope and to other controllers, and keeps them for planes
 * that come later.
 */
export class NoticeRelay {
  private readonly clock: Clock;
  /** By scope, the one that heard something last at the end. */
  private readonly logs = new Map<string, NoticeLog>();
  private readonly planes = new Map<string, Set<NoticeReceiver>>();
  private readonly controllers = new Set<NoticeReceiver>();
  /** Null where this controller leads, or nobody does. */
  private leader: NoticeReceiver | null = null;

  constructor(clock: Clock = systemClock) {
    this.clock = clock;
  }

  /** Takes a plane, which gets what its scope has to know at once and later. @returns what ends that */
  addPlane(scope: string, receiver: NoticeReceiver): () => void {
    const members = this.planes.get(scope) ?? new Set<NoticeReceiver>();
    this.planes.set(scope, members.add(receiver));
    this.tellAll(scope, receiver);
    return () => {
      members.delete(receiver);
      if (members.size === 0 && this.planes.get(scope) === members) this.planes.delete(scope);
    };
  }

  /** Takes the leader that this controller follows. @returns what ends that */
  addLeader(receiver: NoticeReceiver): () => void {
    this.leader = receiver;
    const leave = this.addController(receiver);
    return () => {
      if (this.leader === receiver) this.leader = null;
      leave();
    };
  }

  /** Takes another controller, which gets everything. @returns what ends that */
  addController(receiver: NoticeReceiver): () => void {
    this.controllers.add(receiver);
    for (const scope of this.logs.keys()) this.tellAll(scope, receiver);
    return () => void this.controllers.delete(receiver);
  }

  /** Passes on ended sessions that are new. @param from who sent it, and does not get it back */
  receive(scope: string, entries: readonly EndedRecord[], from: NoticeReceiver | null): void {
    const added = this.logOf(scope).add(entries, this.clock.wall());
    if (added.length === 0) return;
    for (const receiver of this.others(scope, from)) receiver.ended(scope, added);
  }

  /**
   * Passes on a refresh, which matters for seconds and is not kept. The leader tells all planes in one order, so that
   * they agree whose claim was first; other controllers pass on what their planes say and tell them what the leader says.
   */
  refresh(scope: string, news: RefreshNews, from: NoticeReceiver): void {
    const { leader } = this;
    if (leader !== null && leader !== from && leader.refresh(scope, news)) return;
    for (const receiver of this.others(scope, leader)) receiver.refresh(scope, news);
  }

  private others(scope: string, from: NoticeReceiver | null): NoticeReceiver[] {
    return [...(this.planes.get(scope) ?? []), ...this.controllers].filter((receiver) => receiver !== from);
  }

  private tellAll(scope: string, receiver: NoticeReceiver): void {
    const all = this.logs.get(scope)?.all(this.clock.wall()) ?? [];
    if (all.length > 0) receiver.ended(scope, all);
  }

  private logOf(scope: string): NoticeLog {
    const isOfSidecars = (JSON.parse(scope) as readonly unknown[]).length > 1;
    const most = isOfSidecars ? MOST_OF_SIDECARS : defaultNoticeLog.most;
    const log = this.logs.get(scope) ?? new NoticeLog({ ...defaultNoticeLog, most });
    this.logs.delete(scope);
    this.logs.set(scope, log);
    for (const silent of this.logs.keys()) {
      if (this.logs.size <= MOST_SCOPES) break;
      this.logs.delete(silent);
    }
    return log;
  }
}
