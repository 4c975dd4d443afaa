import { MOST_EVENT_BYTES, MUCH, RING, recordBytes, SHORT, WAITS } from './ring-layout.ts';

/** What became of an event. */
export type Written = 'written' | 'full' | 'too-large';

/** UTF-8 needs at most this many bytes for a character of a string. */
const MOST_BYTES_PER_CHARACTER = 3;
/** The unit's end of its ring. It never waits. */
export class RingProducer {
  private readonly words: Int32Array;
  private readonly records: Buffer;
  private readonly mostEventBytes: number;
  private readonly muchBytes: number;
  private readonly shortBytes: number;
  /** Bytes of all records that it could hold. */
  readonly capacity: number;
  /** Place of the next record. */
  tail: number;

  constructor(memory: SharedArrayBuffer) {
    this.words = new Int32Array(memory);
    this.records = Buffer.from(memory, RING.words * Int32Array.BYTES_PER_ELEMENT);
    this.mostEventBytes = Math.min(MOST_EVENT_BYTES, this.records.length >> 2);
    this.muchBytes = this.records.length * MUCH;
    this.shortBytes = this.records.length * SHORT;
    this.capacity = this.records.length;
    this.tail = Atomics.load(this.words, RING.tail);
  }

  /** Place at which the writer reads. */
  get head(): number {
    return Atomics.load(this.words, RING.head);
  }

  /** Bytes that the writer has not read. */
  get used(): number {
    const used = this.tail - Atomics.load(this.words, RING.head);
    return used < 0 ? used + this.capacity : used;
  }

  /** Visits the records that the writer has not read. @returns where the first of them is */
  each(visit: (service: number, bytes: number) => void): number {
    const head = Atomics.load(this.words, RING.head);
    for (let at = head; at !== this.tail; ) {
      const word = RING.words + (at >> 2);
      const length = this.words[word]!;
      if (length === RING.skip) {
        at = 0;
        continue;
      }
      const bytes = recordBytes(length);
      visit(this.words[word + 1]!, bytes);
      at = at + bytes === this.capacity ? 0 : at + bytes;
    }
    return head;
  }

  /** Has the writer look at the events that were counted as not written. */
  reportUnwritten(): void {
    if (Atomics.exchange(this.words, RING.unwritten, 1) === 1) return;
    if (Atomics.load(this.words, RING.waits) === WAITS.anything) this.wake();
  }

  /** Appends an event, and wakes the writer if that is what it waits for. @param topic place in the topics of the service */
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
    const waits = Atomics.load(this.words, RING.waits);
    if (waits === WAITS.anything || (waits === WAITS.much && this.used >= this.muchBytes)) this.wake();
    return 'written';
  }

  /** Where the event fits, or -1. The tail never reaches the head: equal ones mean an empty ring. */
  private place(json: string, most: number): number {
    const { tail } = this;
    const head = Atomics.load(this.words, RING.head);
    const behind = head > tail ? head - tail - 4 : this.records.length - tail - (head === 0 ? 4 : 0);
    const isLong = head === tail && tail > this.shortBytes;
    if (behind >= recordBytes(most) && !isLong) return tail;
    const needed = recordBytes(Buffer.byteLength(json));
    if (behind >= needed && !(isLong && head - 4 >= needed)) return tail;
    if (head > tail || head - 4 < needed) return -1;
    this.words[RING.words + (tail >> 2)] = RING.skip;
    return 0;
  }

  private wake(): void {
    if (Atomics.exchange(this.words, RING.waits, WAITS.no) !== WAITS.no) Atomics.notify(this.words, RING.waits);
  }
}
