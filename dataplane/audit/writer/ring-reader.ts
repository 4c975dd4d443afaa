import { RingConsumer, type TakeRecord } from './ring-consumer.ts';

/**
 * Milliseconds between two looks at a ring that was just used. Each costs a wake-up of this thread and a write of each
 * destination, which many events share then.
 */
const LINGER = 25;
/** Records that are read before others get a turn. */
const MOST_RECORDS = 2000;

export interface RingReaderOptions {
  readonly take: TakeRecord;
  /** Called after records were taken. */
  taken(): void;
  /** The unit counted events that it could not write. */
  unwritten(): void;
  /** Something failed; so many records were skipped. */
  failed(error: unknown, skipped: number): void;
}

/** Reads the ring of a unit as long as it is open. An idle one costs nothing. */
export class RingReader {
  private readonly ring: RingConsumer;
  private readonly options: RingReaderOptions;
  private isOpen = true;

  constructor(memory: SharedArrayBuffer, options: RingReaderOptions) {
    this.ring = new RingConsumer(memory);
    this.options = options;
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

  /** One bad record, or one service that fails, must not stop the others. @returns how many records went away */
  private read(): number {
    const { take, taken, unwritten, failed } = this.options;
    let count = 0;
    try {
      if (this.ring.takeUnwritten()) unwritten();
      this.ring.read((service, topic, bytes, start, end) => {
        const isTaken = take(service, topic, bytes, start, end);
        if (isTaken) count++;
        return isTaken;
      }, MOST_RECORDS);
    } catch (error) {
      count++;
      failed(error, 1);
    }
    try {
      if (count > 0) taken();
    } catch (error) {
      failed(error, 0);
    }
    return count;
  }

  private async run(): Promise<void> {
    while (this.isOpen) {
      const count = this.read();
      if (count >= MOST_RECORDS) await new Promise((resolve) => setImmediate(resolve));
      // a record that was not taken waits for its service, which is about to be opened
      else if (count > 0 || !this.ring.isEmpty) await this.ring.linger(LINGER);
      else await this.ring.sleep();
    }
  }
}
