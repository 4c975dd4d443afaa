import { errorText } from '../../../platform/error-text.ts';
import {
  type DryRunAnswer,
  type DryRunQuestion,
  decodeDryRunAnswer,
  isAskedFor,
  withoutPlane,
} from '../dry-run-question.ts';
import type { PlaneLedger } from '../plane-ledger.ts';
import type { PlaneSessions } from '../sessions/plane-sessions.ts';

export interface PeerDryRunsOptions {
  /** Name of this controller. */
  readonly controller: string;
  readonly ledger: PlaneLedger;
  /** Data planes of this controller. */
  readonly sessions: Pick<PlaneSessions, 'explain' | 'explainer'>;
  isLeader(): boolean;
  /** Asks another controller that follows this one; null if it does not follow, or is of an older version. */
  askFollower(controller: string, question: DryRunQuestion): Promise<DryRunAnswer> | null;
  /** Asks the leader. @throws Error when there is none, or when it does not answer */
  askLeader(question: DryRunQuestion): Promise<Buffer>;
}

/** Dry runs on the data planes of all controllers: each data plane is connected to one. */
export class PeerDryRuns {
  private readonly options: PeerDryRunsOptions;

  constructor(options: PeerDryRunsOptions) {
    this.options = options;
  }

  explainer(question: Pick<DryRunQuestion, 'plane'>): ReturnType<PlaneSessions['explainer']> {
    return this.options.sessions.explainer(question);
  }

  /** Has a data plane of this controller make a dry run, or one of another controller if there is none here. */
  async explain(question: DryRunQuestion): Promise<DryRunAnswer> {
    const { isLeader, sessions } = this.options;
    if (isLeader()) return this.answer(question);
    const own = await sessions.explain(question);
    return isFinal(own) ? own : this.viaLeader(question, own);
  }

  /** Answers a follower, or a caller of the leader. */
  async answer(question: DryRunQuestion): Promise<DryRunAnswer> {
    const { sessions, ledger } = this.options;
    const own = await sessions.explain(question);
    if (isFinal(own)) return own;
    for (const controller of this.holders(question)) {
      const answer = await this.options.askFollower(controller, question);
      if (answer !== null && isFinal(answer)) return answer;
    }
    const asked = ledger.planes.filter((facts) => ledger.isConnected(facts.identity.id) && isAskedFor(facts, question));
    return withoutPlane(asked, question.plane);
  }

  /** Other controllers with data planes that make such dry runs. */
  private holders(question: DryRunQuestion): ReadonlySet<string> {
    const { ledger, controller } = this.options;
    const able = ledger.planes.filter((facts) => facts.explains === true && isAskedFor(facts, question));
    return new Set(able.map((facts) => facts.controller)).difference(new Set([controller, '']));
  }

  private async viaLeader(question: DryRunQuestion, own: DryRunAnswer): Promise<DryRunAnswer> {
    try {
      return decodeDryRunAnswer(await this.options.askLeader(question));
    } catch (error) {
      if ('failure' in own && own.failure !== 'unconnected') return own;
      const { group } = question.plane;
      const here = `no data plane of the group '${group}' is connected to this controller`;
      return { failure: 'unconnected', message: `${here}, and the leader cannot be asked: ${errorText(error)}` };
    }
  }
}

/** Whether a data plane was asked, so that no other one has to be. */
function isFinal(answer: DryRunAnswer): boolean {
  return 'dryRun' in answer || answer.failure === 'failed';
}
