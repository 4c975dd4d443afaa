import { temporaryFileLimit } from '../engine/wire/temporary-file-limit.ts';
import type { SharedMemory } from '../heap/shared-memory.ts';

const PAGE = 4096;
/** Units with a count of their own; more of them share. */
const UNITS = 1024;
/** Memory that the units of a plane count in. */
export const TEMPORARY_FILES_MEMORY = UNITS * Int32Array.BYTES_PER_ELEMENT;

/** Counts the pages that the temporary files of each unit take. A unit that takes the place of a dead one begins at 0. */
export class TemporaryFiles {
  private readonly pages: Int32Array;
  private readonly unit: number;
  private readonly memory: SharedMemory;

  constructor(memory: SharedMemory, unit: number) {
    this.memory = memory;
    this.pages = new Int32Array(memory.buffer);
    this.unit = unit % UNITS;
  }

  /** Nothing of this unit is in a file yet: what one before it left is gone with it. */
  begin(): void {
    Atomics.store(this.pages, this.unit, 0);
  }

  /** Lets a file grow. @returns false when the files of the plane would take too much: then nothing changes. */
  grow(from: number, to: number): boolean {
    const more = pagesOf(to) - pagesOf(from);
    Atomics.add(this.pages, this.unit, more);
    if (this.bytes <= temporaryFileLimit.bytes) return true;
    Atomics.sub(this.pages, this.unit, more);
    return false;
  }

  /** A file of this length is gone. */
  shrink(length: number): void {
    Atomics.sub(this.pages, this.unit, pagesOf(length));
  }

  /** What the files of all units take. */
  get bytes(): number {
    let pages = 0;
    for (let unit = 0; unit < UNITS; unit++) pages += Math.max(0, Atomics.load(this.pages, unit));
    return pages * PAGE;
  }

  release(): void {
    this.memory.release();
  }
}

function pagesOf(bytes: number): number {
  return Math.ceil(bytes / PAGE);
}
