import type { Logger } from 'pino';
import type { Reach } from '../../contract/reach.ts';
import type { Connect } from '../http/connect.ts';
import type { Next } from '../http/exchange.ts';
import type { Parts } from './definition.ts';

/** What the plane lends to the objects that run in it. */
export interface PlaneServices {
  readonly log: Logger;
  readonly reach: Reach;
  /** Publishes one observation of a time, in seconds, under a metric of an object. */
  observe(metric: string, labels: Readonly<Record<string, string>>, seconds: number): void;
  /** Whether a backend may be at this address: never where the plane itself listens. */
  mayReach(address: string, port: number): boolean;
  /** Opens connections to backends. */
  readonly connect: Connect;
  /** The dispatcher over the routes of a router, which come and go without it. */
  router(parts: Parts, defaultHandler: Next | null): Next;
}
