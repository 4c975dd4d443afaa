import type { Logger } from 'pino';
import type { Refusal } from '../engine/message/refusal.ts';

/** How long further failures of one cause wait for each other, in milliseconds. */
const INTERVAL = 1000;

/** How many causes are told apart by their backends at a time: beyond it the backends of a refusal wait for each other. */
const MOST_CAUSES = 16;

/** What an operator should do about requests that cannot be sent on. */
const ADVICE: Partial<Record<Refusal, string>> = {
  'backend-scheme': 'unsupported backend scheme; use http, https, ws or wss',
  'backend-unnamed': 'request without a Host header; set a baseURI on the route',
  'backend-egress': 'request would come back to this gateway; set a baseURI on the route',
  'backend-limit': 'too many different backends at a time; set a baseURI on the route',
  'backend-event-stream': "backend sends server-sent events; set asyncBehavior to 'streaming'",
  'backend-body-too-large':
    "response too large to buffer; set asyncBehavior to 'streaming', or raise fileLimit of the TemporaryStorage",
  'body-too-large':
    "request too large to buffer; set asyncBehavior to 'streaming', or raise fileLimit of the TemporaryStorage",
  'storage-full':
    "temporary files of the data plane are full; set asyncBehavior to 'streaming', or raise temporaryFileBytes",
  'memory-full': 'memory for buffered bodies is full; raise heldBytes, or send fewer bodies at a time',
  loop: 'requests loop through the gateway; check the baseURI of the route',
};

interface Cause {
  readonly refusal: Refusal | null;
  readonly message: string;
  timer: NodeJS.Timeout;
  leftOut: number;
  backend: string;
  reason: string;
}

/**
 * Tells of requests without a good answer: the first of each cause at once, then one a second that counts the others.
 * A cause is a refusal of one backend; null where it answered, and the answer is not good enough.
 */
export class FailureLog {
  private readonly log: Logger;
  private readonly causes = new Map<string, Cause>();

  constructor(log: Logger) {
    this.log = log;
  }

  add(refusal: Refusal | null, backend: string, reason: string, message = messageFor(refusal)): void {
    const own = `${refusal} ${backend}`;
    const key = this.causes.has(own) || this.causes.size < MOST_CAUSES ? own : `${refusal}`;
    const cause = this.causes.get(key);
    if (cause !== undefined) {
      cause.leftOut++;
      cause.backend = backend;
      cause.reason = reason;
      return;
    }
    this.write(refusal, backend, reason, message, 0);
    this.wait(key, refusal, message);
  }

  /** Says what is left to say. */
  close(): void {
    for (const cause of this.causes.values()) {
      clearTimeout(cause.timer);
      this.writeLast(cause);
    }
    this.causes.clear();
  }

  private wait(key: string, refusal: Refusal | null, message: string): void {
    const timer = setTimeout(() => {
      const more = this.writeLast(cause);
      this.causes.delete(key);
      if (more) this.wait(key, refusal, message);
    }, INTERVAL);
    timer.unref();
    const cause: Cause = { refusal, message, timer, leftOut: 0, backend: '', reason: '' };
    this.causes.set(key, cause);
  }

  private writeLast({ refusal, message, leftOut, backend, reason }: Cause): boolean {
    if (leftOut > 0) this.write(refusal, backend, reason, message, leftOut - 1);
    return leftOut > 0;
  }

  private write(refusal: Refusal | null, backend: string, reason: string, message: string, leftOut: number): void {
    const which = refusal === null ? { backend, reason } : { refusal, backend, reason };
    this.log.warn({ ...which, ...(leftOut > 0 && { leftOut }) }, message);
  }
}

function messageFor(refusal: Refusal | null): string {
  return (refusal === null ? undefined : ADVICE[refusal]) ?? 'request to the backend failed';
}
