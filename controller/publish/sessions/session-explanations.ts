import {
  type ControllerMessage,
  type DescribedRequest,
  type Explained,
  MOST_EXPLAINED,
} from '../../../contract/channel.ts';
import { DocumentBounds } from '../../../contract/document/document-bounds.ts';
import type { Clock } from '../../../platform/clock.ts';
import { AwaitedDryRuns } from '../awaited-dry-runs.ts';
import type { DryRunAnswer } from '../dry-run-question.ts';

export interface SessionExplanationsOptions {
  readonly clock: Clock;
  /** Milliseconds that the data plane has for an answer. */
  readonly timeout: number;
  /** Name of the data plane. */
  readonly plane: string;
  send(message: ControllerMessage): void;
}

/** Dry runs that a data plane is asked for at once by one controller. */
const MOST = 4;
/** Values in an answer: as many as fit into one of the greatest length. */
const MOST_VALUES = 200_000;
const LONGEST_FAILURE = 500;

/** Dry runs that one data plane was asked for. */
export class SessionExplanations {
  private readonly options: SessionExplanationsOptions;
  private readonly awaited: AwaitedDryRuns;

  constructor(options: SessionExplanationsOptions) {
    this.options = options;
    this.awaited = new AwaitedDryRuns(options.clock);
  }

  /** How many it makes now. */
  get size(): number {
    return this.awaited.size;
  }

  ask(request: DescribedRequest, route: string | null): Promise<DryRunAnswer> {
    const { timeout, plane, send } = this.options;
    if (this.awaited.size >= MOST) {
      return Promise.resolve(failed(`the data plane '${plane}' makes ${MOST} dry runs already, try again later`));
    }
    const late = `the data plane '${plane}' did not answer within ${timeout / 1000} seconds`;
    return this.awaited.ask(
      timeout,
      () => failed(late),
      (number) => send({ type: 'explain', number, request, ...(route !== null && { route }) }),
    );
  }

  /** Sidecars are in the hands of tenants: an answer that other controllers or callers could not take is a failure. */
  answered({ number, dryRun, failure = 'it gave no reason' }: Explained): void {
    const { plane } = this.options;
    if (!this.awaited.awaits(number)) return;
    const excess = dryRun === undefined ? null : new DocumentBounds(MOST_VALUES, MOST_EXPLAINED).add(dryRun);
    const reason = excess === null ? failure.slice(0, LONGEST_FAILURE) : `its answer ${excess.message}`;
    const isGood = dryRun !== undefined && excess === null;
    const answer = isGood ? { dryRun: { ...dryRun, plane } } : failed(`the dry run on '${plane}' failed: ${reason}`);
    this.awaited.answer(number, answer);
  }

  /** The stream has ended. */
  close(): void {
    this.awaited.end(failed(`the data plane '${this.options.plane}' disconnected during the dry run`));
  }
}

function failed(message: string): DryRunAnswer {
  return { failure: 'failed', message };
}
