import { type NativeHandle, nativeBindings } from './native-handle.ts';

/** The sending half of a wire on a native handle, from what cannot be sent yet to its end. */
export class SendingHalf {
  /** The wire is closed for its owner. */
  isDone = false;
  /** Nothing more is sent. */
  isOver = false;
  /** A write failed, which may have taken the error with it: the end that is read then is no orderly one. */
  isBroken = false;
  /** The end follows what is under way. */
  isEnding = false;
  /** The end is under way: everything before it has been sent, and a handle cannot be reset now. */
  isShutting = false;
  private backlog: Buffer[] | null = null;
  /** Bytes that wait. */
  waiting = 0;

  get isShut(): boolean {
    return this.isDone || this.isOver;
  }

  get hasBacklog(): boolean {
    return this.backlog !== null;
  }

  hold(bytes: Buffer): void {
    this.waiting += bytes.length;
    if (this.backlog === null) this.backlog = [bytes];
    else this.backlog.push(bytes);
  }

  /** Everything that waits, in one piece; null when nothing does. */
  takeBacklog(): Buffer | null {
    const { backlog } = this;
    if (backlog === null) return null;
    this.drop();
    return backlog.length === 1 ? backlog[0]! : Buffer.concat(backlog);
  }

  fail(): void {
    this.isOver = this.isBroken = true;
    this.drop();
  }

  shutdown(handle: Pick<NativeHandle, 'shutdown'>): void {
    this.isEnding = false;
    if (this.isShut) return;
    this.isOver = true;
    const request = nativeBindings()!.newShutdown();
    const completed = (): void => {
      this.isShutting = false;
    };
    request.oncomplete = completed;
    this.isShutting = handle.shutdown(request) === 0;
  }

  finish(): void {
    this.isDone = true;
    this.drop();
  }

  private drop(): void {
    this.backlog = null;
    this.waiting = 0;
  }
}
