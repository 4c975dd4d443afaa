import { unwatchInput, type Watched, watchInput } from './input-loop.ts';
import type { NativeHandle } from './native-handle.ts';

/** Input of a handle: the loop for input waits for it, or the handle reads by itself. */
export class HandleInput {
  private readonly handle: NativeHandle;
  private readonly watched: Watched;
  /** Of the handle, once it is open: to ask for it is a call. */
  descriptor = -1;
  private slot = -1;
  /** The handle reads by itself, into larger buffers. */
  private isOut = false;

  constructor(handle: NativeHandle, watched: Watched) {
    this.handle = handle;
    this.watched = watched;
  }

  readStart(): number {
    if (this.descriptor < 0) this.descriptor = this.handle.fd;
    if (!this.isOut) this.slot = watchInput(this.descriptor, this.watched);
    if (this.slot >= 0) return 0;
    this.isOut = true;
    return this.handle.readStart();
  }

  readStop(): number {
    if (this.isOut) return this.handle.readStop();
    this.release();
    return 0;
  }

  /** From now on the handle reads by itself. */
  leave(): void {
    this.release();
    this.isOut = true;
    this.handle.readStart();
  }

  /** The handle reads no more by itself; `isReading` tells if the loop goes on. */
  rejoin(isReading: boolean): void {
    if (!this.isOut) return;
    if (isReading) this.handle.readStop();
    this.isOut = false;
    if (isReading) this.readStart();
  }

  /** To be called before the handle is closed. */
  release(): void {
    if (this.slot < 0) return;
    unwatchInput(this.descriptor, this.slot);
    this.slot = -1;
  }
}
