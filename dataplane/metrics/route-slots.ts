import { addFigures, FIGURE, FIGURE_COUNT, FIRST_BUCKET } from '../../contract/route-report.ts';
import type { RouteFigures } from '../routes/route-figures.ts';

const SLOTS_PER_CHUNK = 128;
const CHUNK_BYTES = FIGURE_COUNT * SLOTS_PER_CHUNK * Float64Array.BYTES_PER_ELEMENT;

/** The figures of routes in memory that one unit counts into and its supervisor reads, in chunks added as routes come. */
export class SlotMemory {
  readonly chunks: SharedArrayBuffer[] = [];
  private readonly numbers: Float64Array[] = [];

  /** Makes room for slots up to this one. @returns the chunks that were added. */
  reach(slot: number): SharedArrayBuffer[] {
    const added: SharedArrayBuffer[] = [];
    while (this.chunks.length * SLOTS_PER_CHUNK <= slot) {
      const chunk = new SharedArrayBuffer(CHUNK_BYTES);
      this.chunks.push(chunk);
      added.push(chunk);
    }
    return added;
  }

  /** The numbers of one slot; null when nobody made room for it. */
  slot(slot: number): Float64Array | null {
    const chunk = this.chunks[Math.floor(slot / SLOTS_PER_CHUNK)];
    if (slot < 0 || chunk === undefined) return null;
    const offset = (slot % SLOTS_PER_CHUNK) * FIGURE_COUNT * Float64Array.BYTES_PER_ELEMENT;
    return new Float64Array(chunk, offset, FIGURE_COUNT);
  }

  /** One number of a slot, without an object for the slot; 0 when nobody made room for it. */
  numberAt(slot: number, figure: number): number {
    const at = Math.floor(slot / SLOTS_PER_CHUNK);
    const chunk = this.chunks[at];
    if (slot < 0 || chunk === undefined) return 0;
    this.numbers[at] ??= new Float64Array(chunk);
    return this.numbers[at][(slot % SLOTS_PER_CHUNK) * FIGURE_COUNT + figure]!;
  }

  /** Adds everything that another one counted; what was active there ended with it. */
  absorb(other: SlotMemory): void {
    this.reach(other.chunks.length * SLOTS_PER_CHUNK - 1);
    for (let slot = 0; slot < other.chunks.length * SLOTS_PER_CHUNK; slot++) {
      const from = other.slot(slot)!;
      if (from[FIGURE.begun] === 0) continue;
      const into = this.slot(slot)!;
      addFigures(into, from);
      into[FIGURE.begun]! += from[FIGURE.ended]! - from[FIGURE.begun]!;
    }
  }
}

/** Counts into the numbers of one slot. */
export function figuresIn(slot: Float64Array): RouteFigures {
  return {
    begin() {
      slot[FIGURE.begun]!++;
    },
    end(status, milliseconds, failed) {
      const family = (status / 100) | 0;
      slot[family >= 1 && family <= 5 ? FIGURE.informational + family - 1 : FIGURE.unknown]!++;
      if (failed) slot[FIGURE.error]!++;
      time(slot, milliseconds);
    },
    endUnanswered(milliseconds) {
      slot[FIGURE.unanswered]!++;
      time(slot, milliseconds);
    },
  };
}

function time(slot: Float64Array, milliseconds: number): void {
  const seconds = milliseconds / 1000;
  slot[FIGURE.ended]!++;
  slot[FIGURE.seconds]! += seconds;
  slot[FIGURE.squaredSeconds]! += seconds * seconds;
  if (seconds > slot[FIGURE.longest]!) slot[FIGURE.longest] = seconds;
  if (seconds < slot[FIGURE.shortest]! || slot[FIGURE.ended] === 1) slot[FIGURE.shortest] = seconds;
  slot[FIRST_BUCKET + bucketFor(milliseconds)]!++;
}

function bucketFor(milliseconds: number): number {
  const microseconds = milliseconds > 2_000_000 ? 2_000_000_000 : (milliseconds * 1000) | 0;
  const doubling = 31 - Math.clz32(microseconds | 1);
  const quarter = doubling < 2 ? (microseconds << (2 - doubling)) & 3 : (microseconds >> (doubling - 2)) & 3;
  return (doubling << 2) + quarter;
}
