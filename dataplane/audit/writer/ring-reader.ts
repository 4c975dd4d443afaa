import { RingConsumer, type TakeRecord } from './ring-consumer.ts';

/** Milliseconds between two looks at a ring that was just used: events come in batches, and units need not wake anybody. */
const LINGER = 5;
/** Records that are read before others get a turn. */
const MOST_RECORDS = 2000;

/** Reads the ring of a unit as long as it is open. An idle one costs nothing. */
export class RingReader {
  private readonly ring: RingConsumer;
  private readonly take: TakeRecord;
  private readonly taken: () => void;
  private isOpen = true;

  /** @param taken called after records were taken */
  constructor(memory: SharedArrayBuffer, take: TakeRecord, taken: () => void) {
    this.ring = new RingConsumer(memory);
    this.take = take;
    this.taken = taken;
  }

  /** Begins to read. */
  start(): void {
    void this.run();
  }

  /** Reads all that is there now. */
  readAll(): void {
    while (this.read() > 0);
  }

  close(): void {
    this.isOpen = false;
    this.ring.wake();
  }

  private read(): number {
    const count = this.ring.read(this.take, MOST_RECORDS);
    if (count > 0) this.taken();
    return count;
  }

  private async run(): Promise<void> {
    while (this.isOpen) {
      const count = this.read();
      if (count === MOST_RECORDS) await new Promise((resolve) => setImmediate(resolve));
      // a record that was not taken waits for its service, which is about to be opened
      else if (count > 0 || !this.ring.isEmpty) await new Promise((resolve) => setTimeout(resolve, LINGER));
      else await this.ring.sleep();
    }
  }
}
