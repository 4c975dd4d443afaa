/** Limits of one run of a script. */
export interface BudgetLimits {
  /** Time that the code of a script may take altogether, without the time it waits. */
  readonly milliseconds: number;
  /** Processor time between two waits, in which nothing else runs; by default all of it. */
  readonly stretch?: number;
  /** Bytes that a script may make in one run, whether it keeps them or not. */
  readonly bytes: number;
  /** Calls within calls. */
  readonly depth: number;
  /** Bytes of all runs that are under way, for scripts that share memory. */
  readonly pool?: BytePool;
}

/** Bytes that the unfinished runs of several scripts have made, which a run that waits keeps. */
export interface BytePool {
  readonly limit: number;
  used: number;
}

/** Limit that ended a run: work, memory, or the time that it may wait. */
export type Excess = 'time' | 'memory' | 'timeout';

const messages: Readonly<Record<Excess, string>> = {
  time: 'the script exceeded its time budget',
  memory: 'the script exceeded its memory budget',
  timeout: 'the script waited too long',
};

/** A run that went beyond its budget. Scripts do not see it. */
export class BudgetExceeded extends Error {
  readonly limit: Excess;

  constructor(limit: Excess) {
    super(messages[limit]);
    this.limit = limit;
  }
}
