import type { Connect, ConnectFailure, ConnectResult, Protocol } from '../wire/connect.ts';
import { NEVER, type Swept, unwatch, watch } from '../wire/sweep.ts';
import { type Passed, REFUSED, type Wire, type WireOwner } from '../wire/wire.ts';
import type { Destination } from './backend-options.ts';

/** It took too long. */
const TIMED_OUT: ConnectFailure = {
  refusal: 'backend-connect-timeout',
  reason: 'the connection was not established in time',
};
const BROKEN: ConnectFailure = {
  refusal: 'backend-connect',
  reason: 'the connection broke off while it was established',
};

/** One attempt to connect to a backend: owns the wire until it is open. */
export class BackendDial implements WireOwner, Swept {
  deadline = NEVER;
  slot = -1;
  private wire: Wire | null = null;
  private outcome: ((result: ConnectResult) => void) | null = null;

  /**
   * Connects within `timeout` milliseconds; 0 for any time. `opened` gets the wire at once, because bytes may follow.
   * @returns why there is no connection, or null.
   */
  connect(
    connect: Connect,
    to: Destination,
    timeout: number,
    opened: (wire: Wire, protocol: Protocol) => void,
  ): Promise<ConnectFailure | null> {
    return new Promise((resolve) => {
      const outcome = (result: ConnectResult): void => {
        this.outcome = null;
        unwatch(this);
        if (typeof result === 'string') {
          opened(this.wire!, result);
          resolve(null);
          return;
        }
        this.wire?.destroy();
        resolve(result);
      };
      this.outcome = outcome;
      if (timeout > 0) {
        this.deadline = performance.now() + timeout;
        watch(this);
      }
      this.wire = connect(to, this, (result) => this.outcome?.(result));
    });
  }

  overdue(): void {
    this.outcome?.(TIMED_OUT);
  }

  ended(): void {
    this.outcome?.(BROKEN);
  }

  failed(): void {
    this.outcome?.(BROKEN);
  }

  receive(): void {
    // nobody has spoken yet: what a backend says now is answered by nobody
  }

  blocked(): void {
    // nothing was sent
  }

  drained(): void {
    // nothing was sent
  }

  passes(): Passed {
    return REFUSED;
  }
}
