import { type EndedRecord, MOST_ENTRIES } from './channel.ts';
import { MOST_SHARES, noticeShare } from './notice-share.ts';

export interface NoticeLogOptions {
  /** Most entries; the oldest ones make room, first those of tenants with many. */
  readonly most: number;
  /** Milliseconds that an entry is needed: longer than a default session lasts. */
  readonly lifetime: number;
}

/** A session lasts twelve hours by default, and clocks may differ. */
export const defaultNoticeLog: NoticeLogOptions = { most: 10_000, lifetime: 13 * 60 * 60 * 1000 };

/** Milliseconds by which clocks of planes and controllers may differ. */
const CLOCK_DIFFERENCE = 5 * 60 * 1000;

/** The newest entries that planes of one group have to know, so that one that comes later hears of them too. */
export class NoticeLog {
  private readonly options: NoticeLogOptions;
  /** By share, in the order in which they came. */
  private readonly shares = new Map<string, Map<string, number>>();

  constructor(options: NoticeLogOptions = defaultNoticeLog) {
    this.options = options;
  }

  get size(): number {
    let size = 0;
    for (const share of this.shares.values()) size += share.size;
    return size;
  }

  /** Takes entries. @returns those that say something new */
  add(entries: readonly EndedRecord[], now: number): EndedRecord[] {
    const { most, lifetime } = this.options;
    const added = new Map<string, EndedRecord>();
    for (const { key, at: given } of entries) {
      // a clock that is far ahead must not end sessions that have yet to begin
      const at = Math.min(given, Math.floor(now) + CLOCK_DIFFERENCE);
      const share = this.shareOf(key);
      if (at <= now - lifetime || at <= (share.get(key) ?? Number.NEGATIVE_INFINITY)) continue;
      share.delete(key);
      share.set(key, at);
      added.set(key, { key, at });
    }
    for (let size = this.size; size > most; size--) this.forgetOldest();
    return [...added.values()];
  }

  /** All entries that are still needed. */
  all(now: number): EndedRecord[] {
    const all: EndedRecord[] = [];
    for (const share of this.shares.values()) {
      for (const [key, at] of share) {
        if (at <= now - this.options.lifetime) share.delete(key);
        else all.push({ key, at });
      }
    }
    return all;
  }

  private shareOf(key: string): Map<string, number> {
    const name = noticeShare(key);
    const share = this.shares.get(name) ?? new Map<string, number>();
    this.shares.set(name, share);
    return share;
  }

  /** Operators have half of the room, and tenants the other half in equal shares; whoever has more gives way first. */
  private forgetOldest(): void {
    const fair = this.options.most / 2 / MOST_SHARES;
    let chosen = this.shares.get('');
    let most = chosen === undefined || chosen.size === 0 ? 0 : fair;
    for (const [name, share] of this.shares) {
      if (name === '' || share.size <= most) continue;
      chosen = share;
      most = share.size;
    }
    for (const key of chosen?.keys() ?? []) {
      chosen?.delete(key);
      return;
    }
  }
}

/** Entries in pieces that fit into one notice each. */
export function inNotices(entries: readonly EndedRecord[]): (readonly EndedRecord[])[] {
  const pieces = Array.from({ length: Math.ceil(entries.length / MOST_ENTRIES) }, (_, at) => at * MOST_ENTRIES);
  return pieces.map((from) => entries.slice(from, from + MOST_ENTRIES));
}
