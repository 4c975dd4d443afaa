import { type DescribedRequest, type Explain, type Explained, MOST_EXPLAINED } from '../../contract/channel.ts';
import type { DryRun, DryRunStep } from '../../contract/shown/dry-run.ts';
import { errorText } from '../../platform/error-text.ts';

/** A data plane that may make dry runs. */
export interface ExplainingPlane {
  /**
   * Passes a request through its filters without sending it; missing where that is not possible.
   * @param route id of the one route whose objects are shown; null if all are
   */
  explain?(request: DescribedRequest, route: string | null): Promise<DryRun>;
}

const LONGEST_FAILURE = 500;
/** Bytes of an answer beside its steps. */
const REST = 4096;

/** Answers a controller that asks for a dry run. */
export async function explainedAnswer(plane: ExplainingPlane, { number, request, route }: Explain): Promise<Explained> {
  try {
    const run = await plane.explain?.(request, route ?? null);
    if (run === undefined) return { type: 'explained', number, failure: 'this data plane makes no dry runs' };
    return { type: 'explained', number, dryRun: shortened(run) };
  } catch (error) {
    return { type: 'explained', number, failure: errorText(error).slice(0, LONGEST_FAILURE) };
  }
}

/** Leaves out the last steps of a run that is too long. */
function shortened(run: DryRun): DryRun {
  let left = MOST_EXPLAINED - REST;
  const steps: DryRunStep[] = [];
  for (const step of run.steps) {
    left -= Buffer.byteLength(JSON.stringify(step)) + 1;
    if (left < 0) break;
    steps.push(step);
  }
  const leftOut = (run.leftOut ?? 0) + run.steps.length - steps.length;
  return { ...run, steps, ...(leftOut > 0 && { leftOut }) };
}
