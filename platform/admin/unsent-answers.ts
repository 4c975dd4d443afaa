import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes of answers that clients have not taken yet. */
const MOST = 256 << 20;
/** Bytes of an answer that is always sent, such as one to a probe. */
const SHORT = 65_536;

/** Counts the bytes of answers on their way: clients that do not read must not fill the memory. */
export class UnsentAnswers {
  private readonly held = new Map<Socket, number>();
  private total = 0;

  /** Returns true if there is room for an answer. One that is longer than everything has room if it is alone. */
  fits(size: number): boolean {
    return size <= SHORT || this.total === 0 || this.total + size <= MOST;
  }

  /** Counts an answer until it is sent. A response behind an unsent one does not learn that its connection is gone. */
  add(socket: Socket, response: ServerResponse, size: number): void {
    if (size <= SHORT || socket.destroyed) return;
    if (!this.held.has(socket)) {
      socket.once('close', () => {
        this.count(socket, -(this.held.get(socket) ?? 0));
        this.held.delete(socket);
      });
    }
    this.count(socket, size);
    response.once('close', () => {
      if (this.held.has(socket)) this.count(socket, -size);
    });
  }

  private count(socket: Socket, size: number): void {
    this.total += size;
    this.held.set(socket, (this.held.get(socket) ?? 0) + size);
  }
}
