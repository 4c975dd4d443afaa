import type { NativeHandle } from './native-handle.ts';
import { type RestingWire, restOfTurn } from './turn-share.ts';

type ReadableHandle = Pick<NativeHandle, 'readStart' | 'readStop'>;

/** The reading half of a wire on a native handle. */
export class ReadingHalf {
  /** The owner wants what comes. */
  isWanted = false;
  /** It has read its share of this turn. */
  isResting = false;

  /** Reading goes on without further ado. */
  get isUnderWay(): boolean {
    return this.isWanted && !this.isResting;
  }

  pause(handle: ReadableHandle): void {
    if (!this.isWanted) return;
    this.isWanted = false;
    if (!this.isResting) handle.readStop();
  }

  resume(handle: ReadableHandle): void {
    if (!this.isWanted) this.isWanted = this.isResting || handle.readStart() === 0;
  }

  /** Others have their turn before this wire is read on. */
  rest(handle: ReadableHandle, wire: RestingWire): void {
    if (!this.isWanted || this.isResting) return;
    this.isResting = true;
    handle.readStop();
    restOfTurn(wire);
  }

  /** The rest is over. */
  readOn(handle: ReadableHandle): void {
    this.isResting = false;
    if (!this.isWanted) return;
    this.isWanted = false;
    this.resume(handle);
  }
}
