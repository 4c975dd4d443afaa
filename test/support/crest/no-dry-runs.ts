import type { DryRunAnswer } from '../../../controller/publish/dry-run-question.ts';

/** A controller without data planes that make dry runs. */
export const noDryRuns = {
  explainer: () => null,
  explain: async (): Promise<DryRunAnswer> => ({ failure: 'unconnected', message: 'no data plane is connected' }),
};

/** Data planes of a controller that no other one is asked for. */
export const noPeerDryRuns = {
  sessions: noDryRuns,
  askLeader: (): Promise<never> => Promise.reject(new Error('there is no leader')),
};
