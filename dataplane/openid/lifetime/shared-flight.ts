import type { SessionTable } from '../../sessions/session-table.ts';
import { type RefreshState, readRefreshState } from './shared-refreshes.ts';

/** Milliseconds after which a unit that asks and has not said so again is taken for dead. */
const LEASE = 5000;
const LEASE_RENEWAL = 1000;
/** Milliseconds between looks at an entry that another unit works on; they double. */
const FIRST_LOOK = 5;
const LONGEST_LOOK = 100;

export type FinalState = Exclude<RefreshState, { readonly kind: 'asking' }>;

/** An answer; `isNew` says that it was asked for now. */
export interface FlightResult {
  readonly state: FinalState;
  readonly isNew: boolean;
}

/** One question that one unit of the plane asks, while the others wait for its answer. */
export class SharedFlight {
  private readonly table: SessionTable;
  private readonly id: string;
  private readonly now: () => number;
  private version = 0;

  constructor(table: SessionTable, id: string, now: () => number) {
    this.table = table;
    this.id = id;
    this.now = now;
  }

  /**
   * Returns the answer that is known, or asks.
   * @param ask must not reject
   * @param isOver whether an answer that is known is too old
   * @param onFull called when there is no room in the table: then this unit asks for itself
   */
  async run(
    ask: () => Promise<FinalState>,
    isOver: (state: FinalState) => boolean,
    onFull: () => void,
  ): Promise<FlightResult> {
    for (let look = FIRST_LOOK; ; look = Math.min(2 * look, LONGEST_LOOK)) {
      const found = this.table.add(this.id, this.asking());
      if (found === 'full') {
        onFull();
        return { state: await ask(), isNew: true };
      }
      if (found === 'added') {
        this.version = 1;
        return this.answered(ask, onFull);
      }
      const state = readRefreshState(found.text);
      if (state !== null && state.kind !== 'asking' && !isOver(state)) return { state, isNew: false };
      if (state?.kind !== 'asking' || this.now() >= state.until) {
        if (this.table.replace(this.id, found.version, this.asking()) === 'saved') {
          this.version = (found.version + 1) | 0;
          return this.answered(ask, onFull);
        }
      }
      await new Promise((resolve) => setTimeout(resolve, look));
    }
  }

  private async answered(ask: () => Promise<FinalState>, onFull: () => void): Promise<FlightResult> {
    const renewal = setInterval(() => {
      if (this.table.replace(this.id, this.version, this.asking()) === 'saved') this.version = (this.version + 1) | 0;
    }, LEASE_RENEWAL);
    renewal.unref();
    try {
      const state = await ask();
      if (!this.isKept(state)) onFull();
      return { state, isNew: true };
    } finally {
      clearInterval(renewal);
    }
  }

  /**
   * Saves an answer, also where another unit took this one for dead: the provider may give no second one.
   * @returns false when there is no room
   */
  private isKept(state: FinalState): boolean {
    const text = JSON.stringify(state);
    for (;;) {
      const saved = this.table.renew(this.id, this.version, this.id, text);
      if (saved === 'saved') return true;
      if (saved === 'gone') return this.table.add(this.id, text) !== 'full';
      if (saved === 'full') {
        // nobody must ask with a refresh token that was used, where the answer cannot be shared
        if (state.kind === 'failed') this.table.remove(this.id);
        else this.table.replace(this.id, this.version, JSON.stringify({ kind: 'refused' }));
        return false;
      }
      const found = this.table.find(this.id);
      if (found === null) continue;
      if (readRefreshState(found.text)?.kind === 'renewed') return true;
      this.version = found.version;
    }
  }

  private asking(): string {
    const state: RefreshState = { kind: 'asking', until: this.now() + LEASE };
    return JSON.stringify(state);
  }
}
