import { MOST_EVENT_BYTES, RING, recordBytes } from './ring-layout.ts';

/** What became of an event. */
export type Written = 'written' | 'full' | 'too-large';

/** UTF-8 needs at most this many bytes for a character of a string. */
const MOST_BYTES_PER_CHARACTER = 3;
/** Part of the ring from which on it is tight; the rest is for the events of requests that are under way. */
const TIGHT_FROM = 0.75;

/** The unit's end of its ring. It never waits. */
export class RingProducer {
  private readonly words: Int32Array;
  private readonly records: Buffer;
  private readonly mostEventBytes: number;
  private tail: number;

  constructor(memory: SharedArrayBuffer) {
    this.words = new Int32Array(memory);
    this.records = Buffer.from(memory, RING.words * Int32Array.BYTES_PER_ELEMENT);
    this.mostEventBytes = Math.min(MOST_EVENT_BYTES, this.records.length >> 2);
    this.tail = Atomics.load(this.words, RING.tail);
  }

  /** Whether little room is left. */
  get isTight(): boolean {
    const used = this.tail - Atomics.load(this.words, RING.head);
    return (used < 0 ? used + this.records.length : used) >= this.records.length * TIGHT_FROM;
  }

  /** Has the writer look at the events that were counted as not written. */
  reportUnwritten(): void {
    if (Atomics.exchange(this.words, RING.unwritten, 1) === 1) return;
    if (Atomics.load(this.words, RING.sleeping) === 1) this.wake();
  }

  /** Appends an event and wakes the writer if it sleeps. @param topic place in the topics of the service */
  write(service: number, topic: number, json: string): Written {
    const most = json.length * MOST_BYTES_PER_CHARACTER;
    const isSmall = most <= this.mostEventBytes;
    // Counting bytes costs as much as writing them, and is needed only near the limits.
    if (!isSmall && Buffer.byteLength(json) > this.mostEventBytes) return 'too-large';
    const at = this.place(json, most);
    if (at < 0) return 'full';
    const start = at + RING.recordHead;
    const length = this.records.write(json, start, 'utf8');
    const word = RING.words + (at >> 2);
    this.words[word] = length;
    this.words[word + 1] = service;
    this.words[word + 2] = topic;
    const end = at + recordBytes(length);
    this.tail = end === this.records.length ? 0 : end;
    Atomics.store(this.words, RING.tail, this.tail);
    if (Atomics.load(this.words, RING.sleeping) === 1) this.wake();
    return 'written';
  }

  /** Where the event fits, or -1. The tail never reaches the head: equal ones mean an empty ring. */
  private place(json: string, most: number): number {
    const { tail } = this;
    const head = Atomics.load(this.words, RING.head);
    const behind = head > tail ? head - tail - 4 : this.records.length - tail - (head === 0 ? 4 : 0);
    if (behind >= recordBytes(most)) return tail;
    const needed = recordBytes(Buffer.byteLength(json));
    if (behind >= needed) return tail;
    if (head > tail || head - 4 < needed) return -1;
    this.words[RING.words + (tail >> 2)] = RING.skip;
    return 0;
  }

  private wake(): void {
    if (Atomics.compareExchange(this.words, RING.sleeping, 1, 0) === 1) Atomics.notify(this.words, RING.sleeping);
  }
}
