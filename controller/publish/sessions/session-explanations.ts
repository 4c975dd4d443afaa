import {
  type ControllerMessage,
  type DescribedRequest,
  type Explained,
  MOST_EXPLAINED,
} from '../../../contract/channel.ts';
import { DocumentBounds } from '../../../contract/document/document-bounds.ts';
import type { Clock } from '../../../platform/clock.ts';
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
  private readonly waiting = new Map<number, (answer: DryRunAnswer) => void>();
  private last = 0;

  constructor(options: SessionExplanationsOptions) {
    this.options = options;
  }

  /** How many it makes now. */
  get size(): number {
    return this.waiting.size;
  }

  ask(request: DescribedRequest, route: string | null): Promise<DryRunAnswer> {
    const { clock, timeout, plane, send } = this.options;
    if (this.waiting.size >= MOST) {
      return Promise.resolve(failed(`the data plane '${plane}' makes ${MOST} dry runs already, try again later`));
    }
    const number = ++this.last;
    return new Promise((resolve) => {
      const done = (answer: DryRunAnswer): void => {
        callOff();
        this.waiting.delete(number);
        resolve(answer);
      };
      const late = `the data plane '${plane}' did not answer within ${timeout / 1000} seconds`;
      const callOff = clock.after(timeout, () => done(failed(late)));
      this.waiting.set(number, done);
      send({ type: 'explain', number, request, ...(route !== null && { route }) });
    });
  }

  /** Sidecars are in the hands of tenants: an answer that other controllers or callers could not take is a failure. */
  answered({ number, dryRun, failure = 'it gave no reason' }: Explained): void {
    const { plane } = this.options;
    const done = this.waiting.get(number);
    if (done === undefined) return;
    const excess = dryRun === undefined ? null : new DocumentBounds(MOST_VALUES, MOST_EXPLAINED).add(dryRun);
    const reason = excess === null ? failure.slice(0, LONGEST_FAILURE) : `its answer ${excess.message}`;
    const isGood = dryRun !== undefined && excess === null;
    done(isGood ? { dryRun: { ...dryRun, plane } } : failed(`the dry run on '${plane}' failed: ${reason}`));
  }

  /** The stream has ended. */
  close(): void {
    const reason = `the data plane '${this.options.plane}' disconnected during the dry run`;
    for (const done of [...this.waiting.values()]) done(failed(reason));
  }
}

function failed(message: string): DryRunAnswer {
  return { failure: 'failed', message };
}
