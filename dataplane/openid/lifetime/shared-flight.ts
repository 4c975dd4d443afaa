import type { SessionTable } from '../../sessions/session-table.ts';
import type { GroupRefreshes } from './group-refreshes.ts';
import { type AskingState, LEASE, type RefreshState, readRefreshState } from './shared-refreshes.ts';

const LEASE_RENEWAL = 1000;
/** Milliseconds between looks at an entry that another unit works on; they double. */
const FIRST_LOOK = 5;
const LONGEST_LOOK = 100;
/** Milliseconds that a claim may take to be passed on. */
const CONTEST = 4000;

export type FinalState = Exclude<RefreshState, { readonly kind: 'asking' }>;

/** An answer; `isNew` says that it was asked for now. */
export interface FlightResult {
  readonly state: FinalState;
  readonly isNew: boolean;
}

/** One question that one unit of the plane asks, and one plane of its group, while the others wait for its answer. */
export class SharedFlight {
  private readonly table: SessionTable;
  private readonly id: string;
  private readonly now: () => number;
  private readonly group: GroupRefreshes | null;
  private version = 0;

  /** @param group the other planes; null where there are none */
  constructor(table: SessionTable, id: string, now: () => number, group: GroupRefreshes | null = null) {
    this.table = table;
    this.id = id;
    this.now = now;
    this.group = group;
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
    const claim = this.group?.newClaim();
    for (let look = FIRST_LOOK; ; look = Math.min(2 * look, LONGEST_LOOK)) {
      const found = this.table.add(this.id, this.asking(claim));
      if (found === 'full') {
        onFull();
        return { state: await ask(), isNew: true };
      }
      if (found === 'added') {
        this.version = 1;
        if (await this.isFirst(claim)) return this.answered(ask, onFull);
        continue;
      }
      const state = readRefreshState(found.text);
      if (state !== null && state.kind !== 'asking' && !isOver(state)) return { state, isNew: false };
      if (state?.kind === 'asking' && state.isElsewhere === true) this.group?.want(this.id);
      if (state?.kind !== 'asking' || this.now() >= state.until) {
        if (this.table.replace(this.id, found.version, this.asking(claim)) === 'saved') {
          this.version = (found.version + 1) | 0;
          if (await this.isFirst(claim)) return this.answered(ask, onFull);
          continue;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, look));
    }
  }

  /** Whether no other plane of the group asks. Where one does, the entry says so and this unit waits. */
  private async isFirst(claim: number | undefined): Promise<boolean> {
    if (this.group === null || claim === undefined) return true;
    if (!(await this.group.isTold(this.id, claim))) return this.isSaved(this.asking());
    const deadline = this.now() + CONTEST;
    for (let look = FIRST_LOOK; this.now() < deadline; look = Math.min(2 * look, LONGEST_LOOK)) {
      const found = this.table.find(this.id);
      const state = found === null ? null : readRefreshState(found.text);
      if (found === null || state?.kind !== 'asking' || state.isElsewhere === true) return false;
      if (state.claim === undefined) {
        this.version = found.version;
        return true;
      }
      await new Promise((resolve) => setTimeout(resolve, look));
    }
    return this.isSaved(this.asking()); // no leader passes claims on
  }

  /** Replaces the entry if nobody else did since. */
  private isSaved(text: string): boolean {
    if (this.table.replace(this.id, this.version, text) !== 'saved') return false;
    this.version = (this.version + 1) | 0;
    return true;
  }

  private async answered(ask: () => Promise<FinalState>, onFull: () => void): Promise<FlightResult> {
    const renewal = setInterval(() => {
      this.isSaved(this.asking());
      this.group?.goesOn(this.id);
    }, LEASE_RENEWAL);
    renewal.unref();
    try {
      const answer = await ask();
      const state = this.group?.settled(this.id, answer) ?? answer;
      if (!this.isKept(state)) onFull();
      this.group?.finished(this.id, state);
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

  private asking(claim?: number): string {
    const state: AskingState = { kind: 'asking', until: this.now() + LEASE, ...(claim !== undefined && { claim }) };
    return JSON.stringify(state);
  }
}
