import type { DryRun } from '../../../contract/shown/dry-run.ts';
import type { RequestExplanation } from '../../../contract/shown/explanation.ts';

/** Answer of the action `explain`. */
export interface Explanation extends RequestExplanation {
  readonly route: string | null;
  /** Absent if there was none. */
  readonly dryRun?: DryRun;
  /** Reason why a dry run that is allowed was not made. */
  readonly noDryRun?: string;
}
