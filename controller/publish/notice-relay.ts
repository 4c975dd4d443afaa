import type { EndedRecord } from '../../contract/channel.ts';
import { defaultNoticeLog, NoticeLog } from '../../contract/notice-log.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { PlaneIdentity } from './channel/plane-identity.ts';

/** Takes notices of a scope. */
export type NoticeReceiver = (scope: string, entries: readonly EndedRecord[]) => void;

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

  constructor(clock: Clock = systemClock) {
    this.clock = clock;
  }

  /** Takes a plane, which gets what its scope has to know at once and later. @returns what ends that */
  addPlane(scope: string, receive: NoticeReceiver): () => void {
    const members = this.planes.get(scope) ?? new Set<NoticeReceiver>();
    this.planes.set(scope, members.add(receive));
    this.tellAll(scope, receive);
    return () => {
      members.delete(receive);
      if (members.size === 0 && this.planes.get(scope) === members) this.planes.delete(scope);
    };
  }

  /** Takes another controller, which gets everything. @returns what ends that */
  addController(receive: NoticeReceiver): () => void {
    this.controllers.add(receive);
    for (const scope of this.logs.keys()) this.tellAll(scope, receive);
    return () => void this.controllers.delete(receive);
  }

  /** Passes on what is new. @param from who sent it, and does not get it back */
  receive(scope: string, entries: readonly EndedRecord[], from: NoticeReceiver | null): void {
    const added = this.logOf(scope).add(entries, this.clock.wall());
    if (added.length === 0) return;
    for (const receive of [...(this.planes.get(scope) ?? []), ...this.controllers]) {
      if (receive !== from) receive(scope, added);
    }
  }

  private tellAll(scope: string, receive: NoticeReceiver): void {
    const all = this.logs.get(scope)?.all(this.clock.wall()) ?? [];
    if (all.length > 0) receive(scope, all);
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
