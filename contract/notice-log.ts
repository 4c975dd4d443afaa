import { type EndedSessions, MOST_ENTRIES } from './channel.ts';

export interface NoticeLogOptions {
  /** Most entries; the oldest ones make room. */
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
  /** In the order in which they came. */
  private readonly entries = new Map<string, number>();

  constructor(options: NoticeLogOptions = defaultNoticeLog) {
    this.options = options;
  }

  get size(): number {
    return this.entries.size;
  }

  /** Takes entries. @returns those that say something new */
  add(entries: readonly EndedSessions[], now: number): EndedSessions[] {
    const { most, lifetime } = this.options;
    const added = new Map<string, EndedSessions>();
    for (const { key, at: given } of entries) {
      // a clock that is far ahead must not end sessions that have yet to begin
      const at = Math.min(given, Math.floor(now) + CLOCK_DIFFERENCE);
      if (at <= now - lifetime || at <= (this.entries.get(key) ?? Number.NEGATIVE_INFINITY)) continue;
      this.entries.delete(key);
      this.entries.set(key, at);
      added.set(key, { key, at });
    }
    for (const key of this.entries.keys()) {
      if (this.entries.size <= most) break;
      this.entries.delete(key);
    }
    return [...added.values()];
  }

  /** All entries that are still needed. */
  all(now: number): EndedSessions[] {
    for (const [key, at] of this.entries) if (at <= now - this.options.lifetime) this.entries.delete(key);
    return [...this.entries].map(([key, at]) => ({ key, at }));
  }
}

/** Entries in pieces that fit into one notice each. */
export function inNotices(entries: readonly EndedSessions[]): (readonly EndedSessions[])[] {
  const pieces = Array.from({ length: Math.ceil(entries.length / MOST_ENTRIES) }, (_, at) => at * MOST_ENTRIES);
  return pieces.map((from) => entries.slice(from, from + MOST_ENTRIES));
}
