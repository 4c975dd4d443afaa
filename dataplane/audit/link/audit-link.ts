import type { AuditServiceSettings } from '../writer/audit-orders.ts';

/** A service of this unit, as the audit writer knows it. */
export interface OpenService {
  /** Whether there is no room for events of a handler that must not lose them. */
  readonly refusesTraffic: boolean;
  /**
   * Hands an event to the writer. Never waits; what cannot be taken is counted as dropped.
   *
   * @param isOfRefused true for a request that was refused for want of room: its event takes no room either
   */
  write(topic: string, json: string, isOfRefused?: boolean): void;
  /** Has new settings take effect, such as those with a rotated secret. Events that wait are kept. */
  change(settings: AuditServiceSettings): void;
  /**
   * No more events will come. Those that were taken are delivered still.
   *
   * @returns how many events are lost because the writer never knew the service
   */
  close(): number;
}

/** The way from the audit services of a unit to the writer. */
export interface AuditLink {
  /**
   * @param topics of the events, which no settings change
   * @param mayRefuse whether a handler refuses traffic rather than lose events
   * @param owner the tenant; empty for operators
   */
  open(topics: readonly string[], mayRefuse: boolean, owner: string): OpenService;
}

/** Discards everything, where there is no writer. */
export const noAuditLink: AuditLink = {
  open: () => ({ refusesTraffic: false, write: () => {}, change: () => {}, close: () => 0 }),
};
