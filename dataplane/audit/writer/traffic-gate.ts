import type { Logger } from 'pino';

/** Part of the room from which on requests are refused, so that those under way still find room for their events. */
export const REFUSE_FROM = 0.9;
/** Part of the room under which requests are let in again. */
const ADMIT_UNDER = 0.75;

/** Refuses requests while there is little room for their events, and lets them in again once there is much more. */
export class TrafficGate {
  private readonly refuse: (refuses: boolean) => void;
  private readonly log: Logger;
  private isRefusing = false;

  constructor(refuse: (refuses: boolean) => void, log: Logger) {
    this.refuse = refuse;
    this.log = log;
  }

  /** @param used part of the room that events use @param waiting number of these events */
  judge(used: number, waiting: number): void {
    const refuses = used >= (this.isRefusing ? ADMIT_UNDER : REFUSE_FROM);
    if (refuses === this.isRefusing) return;
    this.isRefusing = refuses;
    this.refuse(refuses);
    if (refuses) this.log.warn({ waiting }, 'audit events cannot be stored; requests are refused');
    else this.log.info({ waiting }, 'audit events can be stored again; requests are accepted');
  }

  /** Lets requests in for good. */
  open(): void {
    if (this.isRefusing) this.refuse(false);
  }
}
