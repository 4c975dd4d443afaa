import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import { printable } from '../../../contract/document/printable-text.ts';

/** Characters of a reason that the other side gets to read. */
const LONGEST_DETAILS = 300;

/** A stream of messages with a plane or a peer, over a call of the gRPC library. */
export class MessageStream {
  private readonly call: ServerDuplexStream<Buffer, Buffer>;
  private readonly gone = new AbortController();
  /** Called when the stream ends before the transport has taken a message: listeners of the signal cost far more. */
  private readonly writing = new Set<(isTaken: boolean) => void>();
  private whenClosed: (() => void) | null = null;

  constructor(call: ServerDuplexStream<Buffer, Buffer>) {
    this.call = call;
    const close = (): void => this.close();
    call.on('cancelled', close);
    call.on('close', close);
    call.on('error', close);
    call.on('end', () => {
      this.close();
      call.end();
    });
  }

  /** Aborted when nothing can be sent or received any more. */
  get signal(): AbortSignal {
    return this.gone.signal;
  }

  /** Whether the other side has yet to take what was sent. */
  get isBusy(): boolean {
    return this.writing.size > 0;
  }

  /** The next message, for which nobody listens yet; null when none comes in time or the stream ends. */
  first(milliseconds: number): Promise<Buffer | null> {
    return new Promise((resolve) => {
      const done = (bytes: Buffer | null): void => {
        clearTimeout(timer);
        this.call.off('data', done);
        // What comes next waits until somebody listens.
        this.call.pause();
        this.signal.removeEventListener('abort', isOver);
        resolve(bytes);
      };
      const isOver = (): void => done(null);
      const timer = setTimeout(isOver, milliseconds);
      this.signal.addEventListener('abort', isOver, { once: true });
      if (this.signal.aborted) return isOver();
      this.call.on('data', done);
    });
  }

  /** Hands over what arrives from now on, and says when it is over. */
  listen(message: (bytes: Buffer) => void, closed: () => void): void {
    this.whenClosed = closed;
    this.call.on('data', (bytes: Buffer) => {
      if (!this.signal.aborted) message(bytes);
    });
    this.call.resume();
    if (this.signal.aborted) this.finish();
  }

  /** Sends a message. Resolves when the transport has taken it: false when the stream ended first. */
  send(bytes: Buffer): Promise<boolean> {
    if (this.signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.writing.add(resolve);
      this.call.write(bytes, () => {
        this.writing.delete(resolve);
        resolve(!this.signal.aborted);
      });
    });
  }

  /** Ends the stream without a fault. */
  end(): void {
    if (this.signal.aborted) return;
    this.close();
    this.call.end();
  }

  /** Ends the stream with a fault that the other side gets to read. */
  fail(code: keyof typeof status, reason: string): void {
    if (this.signal.aborted) return;
    this.close();
    // The library throws, outside of any call of ours, when the text cannot be written into a header.
    const details = printable(reason.slice(0, LONGEST_DETAILS));
    this.call.emit('error', Object.assign(new Error(details), { code: status[code], details }));
  }

  /** Calls back once when the transport has let go of the stream: what was sent last has left, or never will. */
  whenReleased(released: () => void): void {
    // Comes after the end was sent, which a peer that does not read can hold up; it comes in any case.
    this.call.once('cancelled', released);
  }

  private close(): void {
    if (this.signal.aborted) return;
    this.gone.abort();
    for (const resolve of this.writing) resolve(false);
    this.finish();
  }

  private finish(): void {
    const tell = this.whenClosed;
    this.whenClosed = null;
    tell?.();
  }
}
