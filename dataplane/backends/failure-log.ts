import type { Logger } from 'pino';
import type { Refusal } from '../http/refusal.ts';

/** How long further failures of one cause wait for each other, in milliseconds. */
const INTERVAL = 1000;

/** What an operator should do about requests that cannot be sent on. */
const ADVICE: Partial<Record<Refusal, string>> = {
  'backend-scheme': 'only http, https, ws and wss lead to backends',
  'backend-unnamed': 'requests without a Host header need a baseURI',
  'backend-egress': 'the request would come back to this gateway: give the route a baseURI',
  'backend-limit': 'there are too many backends at a time: give the route a baseURI',
  'backend-event-stream': "the backend sends events: set asyncBehavior to 'streaming'",
  loop: 'requests go round in a circle: check the baseURI of the route',
};

interface Cause {
  timer: NodeJS.Timeout;
  leftOut: number;
  backend: string;
  reason: string;
}

/** Tells of requests without an answer: the first of each cause at once, then one a second that counts the others. */
export class FailureLog {
  private readonly log: Logger;
  private readonly causes = new Map<Refusal, Cause>();

  constructor(log: Logger) {
    this.log = log;
  }

  add(refusal: Refusal, backend: string, reason: string): void {
    const cause = this.causes.get(refusal);
    if (cause !== undefined) {
      cause.leftOut++;
      cause.backend = backend;
      cause.reason = reason;
      return;
    }
    this.write(refusal, backend, reason, 0);
    this.wait(refusal);
  }

  /** Says what is left to say. */
  close(): void {
    for (const [refusal, { timer }] of this.causes) {
      clearTimeout(timer);
      this.writeLast(refusal);
    }
    this.causes.clear();
  }

  private wait(refusal: Refusal): void {
    const timer = setTimeout(() => {
      const more = this.writeLast(refusal);
      this.causes.delete(refusal);
      if (more) this.wait(refusal);
    }, INTERVAL);
    timer.unref();
    this.causes.set(refusal, { timer, leftOut: 0, backend: '', reason: '' });
  }

  private writeLast(refusal: Refusal): boolean {
    const { leftOut, backend, reason } = this.causes.get(refusal)!;
    if (leftOut > 0) this.write(refusal, backend, reason, leftOut - 1);
    return leftOut > 0;
  }

  private write(refusal: Refusal, backend: string, reason: string, leftOut: number): void {
    const message = ADVICE[refusal] ?? 'a request got no answer from its backend';
    this.log.warn({ refusal, backend, reason, ...(leftOut > 0 && { leftOut }) }, message);
  }
}
