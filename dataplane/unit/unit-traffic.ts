import type { EndedRecord } from '../../contract/channel.ts';
import type { ForbiddenPlace } from '../../contract/egress.ts';
import type { DryRun } from '../../contract/shown/dry-run.ts';
import type { RequestDescription } from '../dry-run/described-exchange.ts';
import type { RefusedHead } from '../engine/client/listener.ts';
import type { Next } from '../engine/message/exchange.ts';
import type { Endpoint } from '../engine/wire/wire.ts';
import type { ServerTls } from '../heap/objects/tls.ts';
import type { BuildProblem } from '../routes/configuration.ts';
import type { UnitOrder } from './unit-messages.ts';

/** Handler of a unit for the requests that it reads. */
export interface UnitTraffic {
  readonly handle: Next;
  /** Records a request that was refused before there was an exchange; missing where nothing is recorded. */
  readonly refusedHead?: (refused: RefusedHead) => void;
  /** What could not be built at the start. */
  readonly problems: readonly BuildProblem[];
  /** Loads code that the objects of an update need; null when everything is loaded. */
  prepare(order: Extract<UnitOrder, { kind: 'update' }>): Promise<void> | null;
  update(order: Extract<UnitOrder, { kind: 'update' }>): readonly BuildProblem[];
  /** What the connector at this place says to clients before they speak; null for one that is plain. */
  tls(connector: number): ServerTls | null;
  /** The plane accepts requests there: no backend may be at this place. */
  listensAt(endpoint: Endpoint): void;
  /** Tenants' routes may not connect there either. */
  forbid(places: readonly ForbiddenPlace[]): void;
  /** Other planes ended these sessions. */
  ended(entries: readonly EndedRecord[]): void;
  /** Other planes refresh a token, or heard of one. */
  refresh(order: Extract<UnitOrder, { kind: 'refresh' | 'told' }>): void;
  /** Passes a request through the configuration without sending it; missing where there is none. */
  dryRun?(request: RequestDescription, shownRoute: string | null): Promise<DryRun>;
  close(): void;
}
