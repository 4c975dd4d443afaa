import type { Wire } from './wire.ts';

/** Where somebody who makes content waits until a wire has taken what it got. */
export class DrainGate {
  private waiter: (() => void) | null = null;

  /** Resolves when the wire has drained or is gone; at once, after a turn, when nothing waits in it. */
  wait(wire: Wire | null): Promise<void> {
    return new Promise((resolve) => {
      this.waiter = resolve;
      if (wire?.pending !== true) setImmediate(() => this.open());
    });
  }

  open(): void {
    const { waiter } = this;
    this.waiter = null;
    waiter?.();
  }
}
