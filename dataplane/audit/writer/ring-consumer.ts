import { RING, recordBytes, WAITS } from '../link/ring-layout.ts';

/** The ring does not hold records where it should: everything in it is skipped. */
export class RingDamaged extends Error {
  constructor(length: number) {
    super(`the ring of the unit is damaged: a record has a length of ${length} bytes`);
    this.name = 'RingDamaged';
  }
}

/**
 * Gets a record. The bytes are those of the ring: what is kept of them has to be copied.
 *
 * @returns false to have the record again later, and nothing after it now
 */
export type TakeRecord = (service: number, topic: number, bytes: Buffer, start: number, end: number) => boolean;

/** The writer's end of the ring of one unit. */
export class RingConsumer {
  private readonly words: Int32Array;
  private readonly records: Buffer;

  constructor(memory: SharedArrayBuffer) {
    this.words = new Int32Array(memory);
    this.records = Buffer.from(memory, RING.words * Int32Array.BYTES_PER_ELEMENT);
  }

  /** Whether the unit has written nothing that was not read. */
  get isEmpty(): boolean {
    return Atomics.load(this.words, RING.head) === Atomics.load(this.words, RING.tail);
  }

  /**
   * Reads the records that are there, at most so many. Each is given back to the unit right after it was taken, so that
   * a writer that dies has taken none of those that follow.
   *
   * @returns how many were taken
   * @throws whatever `take` throws, after the record was skipped; or RingDamaged, after all were
   */
  read(take: TakeRecord, most: number): number {
    let head = Atomics.load(this.words, RING.head);
    let count = 0;
    while (count < most && head !== Atomics.load(this.words, RING.tail)) {
      const word = RING.words + (head >> 2);
      const length = this.words[word]!;
      if (length === RING.skip) {
        head = 0;
        continue;
      }
      const start = head + RING.recordHead;
      if (length < 0 || start + length > this.records.length) {
        Atomics.store(this.words, RING.head, Atomics.load(this.words, RING.tail));
        throw new RingDamaged(length);
      }
      const end = head + recordBytes(length);
      const next = end === this.records.length ? 0 : end;
      try {
        if (!take(this.words[word + 1]!, this.words[word + 2]!, this.records, start, start + length)) break;
      } catch (error) {
        Atomics.store(this.words, RING.head, next);
        throw error;
      }
      count++;
      head = next;
      Atomics.store(this.words, RING.head, head);
    }
    return count;
  }

  /** Whether the unit counted events that it could not write since the last call. */
  takeUnwritten(): boolean {
    return Atomics.exchange(this.words, RING.unwritten, 0) === 1;
  }

  /** Resolves when the unit writes a record or counts one it could not write, or somebody calls `wake`. */
  async sleep(): Promise<void> {
    Atomics.store(this.words, RING.waits, WAITS.anything);
    if (this.isEmpty && Atomics.load(this.words, RING.unwritten) === 0)
      await Atomics.waitAsync(this.words, RING.waits, WAITS.anything).value;
    Atomics.store(this.words, RING.waits, WAITS.no);
  }

  /** Resolves after so many milliseconds, when the unit has written much, or somebody calls `wake`. */
  async linger(milliseconds: number): Promise<void> {
    Atomics.store(this.words, RING.waits, WAITS.much);
    await Atomics.waitAsync(this.words, RING.waits, WAITS.much, milliseconds).value;
    Atomics.store(this.words, RING.waits, WAITS.no);
  }

  /** Ends a wait, for a reason other than a record. */
  wake(): void {
    Atomics.store(this.words, RING.waits, WAITS.no);
    Atomics.notify(this.words, RING.waits);
  }
}
