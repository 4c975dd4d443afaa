import type { Path } from '../../../contract/problem.ts';
import type { ResolvedRefsReason } from './resource-verdict.ts';
import type { ServiceNote } from './shared/service-content.ts';

/** Something that a resource refers to and that it cannot have. */
export interface ReferenceFault {
  readonly reason: Exclude<ResolvedRefsReason, 'ResolvedRefs' | ServiceNote['reason']>;
  /** Where the spec refers to it. */
  readonly path: Path;
  readonly message: string;
}

/** Whether all that is wrong is that something was not read yet. */
export function isOnlyPending(faults: readonly ReferenceFault[]): boolean {
  return faults.length > 0 && faults.every(({ reason }) => reason === 'Pending');
}
