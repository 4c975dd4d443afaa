import type { AuditServiceSettings } from '../writer/audit-orders.ts';

/** A service of this unit, as the audit writer knows it. */
export interface OpenService {
  /** Whether a handler that must not lose events is full. */
  readonly refusesTraffic: boolean;
  /** Hands an event to the writer. Never waits; what cannot be taken is counted as dropped. */
  write(topic: string, json: string): void;
  /** Has new settings take effect, such as those with a rotated secret. Events that wait are kept. */
  change(settings: AuditServiceSettings): void;
  /** No more events will come. Those that were taken are delivered still. */
  close(): void;
}

/** The way from the audit services of a unit to the writer. */
export interface AuditLink {
  /** @param topics of the events, which no settings change */
  open(topics: readonly string[]): OpenService;
}

/** Discards everything, where there is no writer. */
export const noAuditLink: AuditLink = {
  open: () => ({ refusesTraffic: false, write: () => {}, change: () => {}, close: () => {} }),
};
