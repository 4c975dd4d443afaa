import type { BaseEntry } from '../../contract/snapshot.ts';
import type { Auditing } from '../audit/service/audited.ts';
import type { Next } from '../engine/message/exchange.ts';
import type { Heap } from '../heap/heap.ts';
import type { SessionManager } from '../heap/objects/sessions.ts';
import type { PlaneServices } from '../heap/plane-services.ts';
import type { CheckedDocument } from './checked-document.ts';
import type { Lease } from './instrumented.ts';
import type { RouterTable } from './router-table.ts';
import type { Tenancy } from './tenancy.ts';

/** Everything that was built from one `config.json`. */
export interface Generation {
  readonly tenancy: Tenancy;
  /** What the tenancy was made of. */
  readonly trust: BaseEntry['trust'];
  readonly main: Next;
  readonly lease: Lease;
  readonly heap: Heap;
  /** The checked `config.json`. */
  readonly document: CheckedDocument;
  readonly defaults: Heap;
  /** Keeps the sessions of everything that has no manager of its own. */
  readonly session: SessionManager | null;
  /** Records the requests of everything that has no audit service of its own; null for nothing. */
  readonly auditing: Auditing | null;
  tables: Map<string, RouterTable>;
}

/** Parts of a configuration that serves, for dry runs. */
export interface ServedParts extends Pick<Generation, 'heap' | 'document' | 'tables'> {
  readonly plane: PlaneServices;
  readonly revision: string;
}
