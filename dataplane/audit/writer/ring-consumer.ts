import { RING, recordBytes } from '../link/ring-layout.ts';

/** Gets a record with bytes of its own. @returns false to have the record again later, and nothing after it now */
export type TakeRecord = (service: number, topic: number, event: Buffer) => boolean;

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
      if (
        !take(this.words[word + 1]!, this.words[word + 2]!, Buffer.from(this.records.subarray(start, start + length)))
      ) {
        break;
      }
      count++;
      const end = head + recordBytes(length);
      head = end === this.records.length ? 0 : end;
      Atomics.store(this.words, RING.head, head);
    }
    return count;
  }

  /** Resolves when the unit writes a record, or somebody calls `wake`; at once where there is a record. */
  async sleep(): Promise<void> {
    Atomics.store(this.words, RING.sleeping, 1);
    if (this.isEmpty) await Atomics.waitAsync(this.words, RING.sleeping, 1).value;
    Atomics.store(this.words, RING.sleeping, 0);
  }

  /** Ends a sleep, for a reason other than a record. */
  wake(): void {
    Atomics.store(this.words, RING.sleeping, 0);
    Atomics.notify(this.words, RING.sleeping);
  }
}
