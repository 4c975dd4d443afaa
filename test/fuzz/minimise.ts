import type { Complaint, Lane, Subject } from './subject.ts';

/** A case that shows something wrong, as small as it could be made in the time given. */
export interface Finding<Case> {
  readonly input: Case;
  readonly complaint: Complaint;
}

/** Makes a case smaller as long as the same kind of complaint stays. */
export async function minimise<Case>(
  subject: Subject<Case>,
  lane: Lane<Case>,
  found: Finding<Case>,
  milliseconds: number,
): Promise<Finding<Case>> {
  const until = performance.now() + milliseconds;
  let smallest = found;
  for (let progress = true; progress; ) {
    progress = false;
    for (const input of subject.smaller(smallest.input)) {
      if (performance.now() > until) return smallest;
      const complaint = await lane.check(input);
      if (complaint?.kind !== found.complaint.kind) continue;
      smallest = { input, complaint };
      progress = true;
      break;
    }
  }
  return smallest;
}
