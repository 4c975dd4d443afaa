import type { Problem } from '../../contract/problem.ts';
import type { AdmissionRequest } from './admission-request.ts';

/** Verdict of the compiler on the object as requested. */
export interface AdmissionOpinion {
  /** With paths from the top of the object, `spec` first. An error keeps the object out, a warning is shown. */
  readonly problems: readonly Problem[];
  /** What its writer should know although nothing is wrong with the object, such as a store that is not there yet. */
  readonly notes: readonly string[];
  /** The Routes, as `namespace/name`, that are served now and would not be any more. */
  readonly breaks: readonly string[];
}

/** Judges without doing: what it is asked about changes nothing of what it knows. */
export interface AdmissionJudge {
  /** Null as long as not everything was read that a verdict depends on. */
  judge(request: AdmissionRequest): AdmissionOpinion | null;
}
