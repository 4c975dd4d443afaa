import type { EndedRecord, RefreshNews } from '../../contract/channel.ts';
import { NoticeLog } from '../../contract/notice-log.ts';
import type { UnitReport } from '../unit/unit-messages.ts';
import { PacedNotices } from './paced-notices.ts';
import type { ConfiguredUnit } from './plane-configuration.ts';
import { RefreshBudgets } from './refresh-budgets.ts';

/** The way to other planes of a group. */
export interface PlaneGroup {
  ended(entries: readonly EndedRecord[]): void;
  /** @returns false when nobody can be told now */
  refresh(news: RefreshNews): boolean;
}

/** What the units of a plane and other planes of its group tell each other: ended sessions, and token refreshes. */
export class PlaneNotices {
  private readonly log = new NoticeLog();
  private readonly units: () => readonly ConfiguredUnit[];
  private readonly budgets = new RefreshBudgets();
  private group: PlaneGroup | null = null;
  private announcements: PacedNotices | null = null;

  constructor(units: () => readonly ConfiguredUnit[]) {
    this.units = units;
  }

  /** All ended sessions that are known, for a unit that starts and for a controller. */
  all(): readonly EndedRecord[] {
    return this.log.all(Date.now());
  }

  /** Tells these planes what units say from now on. */
  announceTo(group: PlaneGroup): void {
    this.group = group;
    this.announcements = new PacedNotices((entries) => group.ended(entries));
  }

  /** A unit ended sessions, which the other units know because they share memory, or refreshes a token. */
  heard(unit: ConfiguredUnit, report: Extract<UnitReport, { kind: 'ended' | 'refresh' }>): void {
    if (report.kind === 'refresh') {
      const { number, news } = report;
      const isTold = this.group !== null && this.budgets.take(news) && this.group.refresh(news);
      unit.tell({ kind: 'told', number, isTold });
      return;
    }
    const added = this.log.add(report.entries, Date.now());
    if (added.length > 0) this.announcements?.add(added);
  }

  /** Another plane ended sessions. */
  receive(entries: readonly EndedRecord[]): void {
    const added = this.log.add(entries, Date.now());
    if (added.length === 0) return;
    for (const unit of this.units()) unit.tell({ kind: 'ended', entries: added });
  }

  /** Another plane refreshes a token: one unit puts it where all look. */
  refresh(news: RefreshNews): void {
    this.units()[0]?.tell({ kind: 'refresh', news });
  }
}
