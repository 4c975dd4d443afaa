import type { EndedRecord } from '../../contract/channel.ts';
import { NoticeLog } from '../../contract/notice-log.ts';
import { PacedNotices } from './paced-notices.ts';
import type { ConfiguredUnit } from './plane-configuration.ts';

/** Tells other planes of a group. */
type Announce = (entries: readonly EndedRecord[]) => void;

/** Sessions that ended before their time: what the units of a plane and other planes of its group tell each other. */
export class PlaneNotices {
  private readonly log = new NoticeLog();
  private readonly units: () => readonly ConfiguredUnit[];
  private announcements: PacedNotices | null = null;

  constructor(units: () => readonly ConfiguredUnit[]) {
    this.units = units;
  }

  /** All that is known, for a unit that starts and for a controller. */
  all(): readonly EndedRecord[] {
    return this.log.all(Date.now());
  }

  /** Calls this with what units end from now on. */
  announceTo(announce: Announce): void {
    this.announcements = new PacedNotices(announce);
  }

  /** A unit ended sessions; the other units know it, because they share memory. */
  ended(entries: readonly EndedRecord[]): void {
    const added = this.log.add(entries, Date.now());
    if (added.length > 0) this.announcements?.add(added);
  }

  /** Another plane ended sessions. */
  receive(entries: readonly EndedRecord[]): void {
    const added = this.log.add(entries, Date.now());
    if (added.length === 0) return;
    for (const unit of this.units()) unit.tell({ kind: 'ended', entries: added });
  }
}
