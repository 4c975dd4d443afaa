import { WrittenEvent } from './audit-event.ts';

const FIRST_BLOCK = 4 << 10;
const LARGEST_BLOCK = 64 << 10;
/** Blocks that are kept for the next events. */
const MOST_KEPT = 32;
const NOTHING = Buffer.alloc(0);

/**
 * Copies the events of a topic out of rings, many into one block of memory: one for each costs more than the copy.
 * Blocks are used again, because memory outside of the heap makes the garbage collector look at all of it.
 */
export class EventBlocks {
  private readonly topic: string;
  private readonly blocks: Buffer[] = [];
  private current = -1;
  private block: Buffer = NOTHING;
  private used = 0;

  constructor(topic: string) {
    this.topic = topic;
  }

  /** An event with the bytes from `start` to `end`. */
  keep(bytes: Buffer, start: number, end: number): WrittenEvent {
    const size = end - start;
    if (this.used + size > this.block.length) this.next(size);
    const at = this.used;
    bytes.copy(this.block, at, start, end);
    this.used = at + size;
    return new WrittenEvent(this.topic, this.block, at, size);
  }

  /** Number of blocks that are kept for the next events. */
  get kept(): number {
    return this.blocks.length;
  }

  /** Nobody has the event that `keep` returned last: its bytes are used for the next one. */
  giveBack({ size }: WrittenEvent): void {
    this.used -= size;
  }

  /** Nobody has events any more: their memory is used for the next ones. */
  reset(): void {
    this.current = -1;
    this.block = NOTHING;
    this.used = 0;
  }

  /** Goes on to a block with room. They grow, so that a topic with few events holds little memory. */
  private next(size: number): void {
    const known = this.blocks[++this.current];
    if (known !== undefined && known.length >= size) this.block = known;
    else {
      const larger = Math.min(LARGEST_BLOCK, Math.max(FIRST_BLOCK, (this.blocks.at(-1)?.length ?? 0) * 2));
      this.block = Buffer.allocUnsafeSlow(Math.max(larger, size));
      // One that is larger than the others is for its event alone. Those over the limit go with the last of their
      // events, since a handler that waits for its destination may keep the others from being used again for days.
      if (this.block.length <= LARGEST_BLOCK && this.current < MOST_KEPT) this.blocks[this.current] = this.block;
      else this.current--;
    }
    this.used = 0;
  }
}
