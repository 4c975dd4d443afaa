import type { DryRun } from '../../../contract/shown/dry-run.ts';
import type { RequestExplanation } from '../../../contract/shown/explanation.ts';

/** Answer of the action `explain`. */
export interface Explanation extends RequestExplanation {
  readonly route: string | null;
  /** Absent where the server makes no dry runs, or where no route was asked. */
  readonly dryRun?: DryRun;
}
