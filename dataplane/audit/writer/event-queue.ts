import type { AuditEvent } from './audit-event.ts';

/** An event that waits for its delivery. */
export interface QueuedEvent {
  readonly event: AuditEvent;
  /** Where its record in the spool ends; null while it is in memory only. */
  spooled: number | null;
}

/** Limits of events together. */
export interface EventLimits {
  readonly events: number;
  readonly bytes: number;
}

/** Slots that may be empty at the beginning before the others move up. */
const MOST_EMPTY = 1024;

/** Events in order, with their size. */
export class EventQueue {
  bytes = 0;
  private entries: QueuedEvent[] = [];
  private first = 0;

  get length(): number {
    return this.entries.length - this.first;
  }

  /** True where its events are in the spool, too. */
  get isSpooled(): boolean {
    return this.length > 0 && this.entries[this.first]!.spooled !== null;
  }

  push(entry: QueuedEvent): void {
    this.entries.push(entry);
    this.bytes += entry.event.size;
  }

  /** The first events within the limits; one at least, if there is any. */
  batch({ events, bytes }: EventLimits): AuditEvent[] {
    const batch: AuditEvent[] = [];
    let size = 0;
    for (let at = this.first; at < this.entries.length && batch.length < events; at++) {
      const { event } = this.entries[at]!;
      size += event.size;
      if (batch.length > 0 && size > bytes) break;
      batch.push(event);
    }
    return batch;
  }

  /** Takes the first ones away. @returns where the record of the last of them ends in the spool, or null */
  shift(count: number): number | null {
    let spooled: number | null = null;
    for (const end = this.first + count; this.first < end; this.first++) {
      const entry = this.entries[this.first]!;
      this.bytes -= entry.event.size;
      spooled = entry.spooled;
    }
    if (this.first === this.entries.length || this.first > MOST_EMPTY) {
      this.entries = this.entries.slice(this.first);
      this.first = 0;
    }
    return spooled;
  }

  *[Symbol.iterator](): Generator<QueuedEvent> {
    for (let at = this.first; at < this.entries.length; at++) yield this.entries[at]!;
  }
}
