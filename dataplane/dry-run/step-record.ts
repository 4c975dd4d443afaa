import type { JsonValue } from '../../contract/document/json-value.ts';
import type { DryRunOutcome, DryRunStep } from '../../contract/shown/dry-run.ts';
import type { SeenValue } from '../../contract/shown/explanation.ts';
import { errorText } from '../../platform/error-text.ts';
import type { AccessEntry, Exchange, Filter, Next } from '../engine/message/exchange.ts';
import { emptyRefusal, type Response } from '../engine/message/response.ts';
import type { Verdict } from '../engine/message/verdict.ts';
import { requestChanges, requestState, responseChanges, responseState } from './exchange-changes.ts';
import type { KnownTexts } from './known-texts.ts';

/** An object of which a step is recorded. */
export interface RecordedObject extends Pick<DryRunStep, 'kind' | 'type' | 'name' | 'object'> {
  /** False for one that the caller may not see. */
  readonly isShown: boolean;
  /** Values that its expressions read of an exchange. */
  values(exchange: Exchange): readonly SeenValue[];
}

interface OpenStep {
  readonly about: Pick<DryRunStep, 'kind' | 'type' | 'name' | 'object' | 'depth'>;
  readonly isShown: boolean;
  readonly values: readonly SeenValue[];
  readonly facts: Record<string, JsonValue>;
  readonly changes: string[];
  readonly isUnsure: boolean;
  outcome: DryRunOutcome;
  status?: number;
  refusal?: string;
  reason?: string;
  backend?: string;
  milliseconds: number;
  /** Why the object cannot decide in a dry run, once one of its parts said so. */
  stopped: string | null;
}

const MOST_STEPS = 200;

/** Steps of one dry run, in the order in which the request came to the objects. */
export class StepRecord {
  private readonly known: KnownTexts;
  private readonly steps: OpenStep[] = [];
  private depth = 0;
  private current: OpenStep | null = null;
  private isUnsure = false;
  private leftOut = 0;

  /** Receives the verdicts of objects, as the recorder of audit events does. */
  readonly entry: AccessEntry = {
    answered() {},
    note: (verdict) => this.note(verdict),
    goesOn() {},
    track() {},
    enterRoute() {},
    finished() {},
  };

  constructor(known: KnownTexts) {
    this.known = known;
  }

  /** Says that the object that runs cannot decide here. */
  stop(reason: string): void {
    if (this.current !== null) this.current.stopped ??= reason;
  }

  /** Ends the record at the object that runs. */
  abort(reason: string): void {
    if (this.current !== null) Object.assign(this.current, { outcome: 'failed', reason });
  }

  get result(): Pick<
    DryRunStep & { readonly steps: readonly DryRunStep[]; readonly leftOut: number },
    'steps' | 'leftOut'
  > {
    return { steps: this.steps.map(shownStep), leftOut: this.leftOut };
  }

  /** A filter with a step of its own. */
  filter(filter: Filter, about: RecordedObject): Filter {
    return async (exchange, next) => {
      const step = this.begin(about, exchange);
      const depth = this.depth++;
      const before = requestState(exchange.request);
      const start = performance.now();
      let below = 0;
      let answered: ReturnType<typeof responseState> | null = null;
      let hasPassed = false;
      const goOn: Next = async (passed) => {
        if (!hasPassed) step.changes.push(...requestChanges(before, requestState(passed.request), this.known));
        hasPassed = true;
        const since = performance.now();
        this.depth = depth;
        try {
          const response = await next(passed);
          answered = responseState(response);
          return response;
        } finally {
          below += performance.now() - since;
          this.depth = depth + 1;
          this.current = step;
        }
      };
      try {
        const response = await filter(exchange, goOn);
        this.finish(step, depth, performance.now() - start - below);
        if (step.stopped !== null && !hasPassed) return await this.assume(step, step.stopped, exchange, next);
        if (hasPassed) step.outcome = 'passed';
        else this.answeredBy(step, response, exchange);
        if (answered !== null) step.changes.push(...responseChanges(answered, responseState(response), this.known));
        return response;
      } catch (error) {
        this.finish(step, depth, performance.now() - start - below);
        throw this.failedAt(step, error, exchange);
      }
    };
  }

  /** A filter that does not run: requests go on. */
  skippedFilter(about: RecordedObject, reason: string): Filter {
    return async (exchange, next) => this.assume(this.begin(about, exchange), reason, exchange, next);
  }

  /** A handler with a step of its own. */
  handler(handler: Next, about: RecordedObject): Next {
    return async (exchange) => {
      const step = this.begin(about, exchange);
      const depth = this.depth++;
      const start = performance.now();
      const count = this.steps.length;
      try {
        const response = await handler(exchange);
        const isLast = this.steps.length === count;
        this.finish(step, depth, isLast ? performance.now() - start : 0);
        if (isLast) this.answeredBy(step, response, exchange);
        else step.outcome = 'passed';
        return response;
      } catch (error) {
        this.finish(step, depth, performance.now() - start);
        throw this.failedAt(step, error, exchange);
      }
    };
  }

  /** A handler that does not run. @param answer stands for its answer */
  skippedHandler(about: RecordedObject, reason: (exchange: Exchange) => SkippedHandler, answer: () => Response): Next {
    return async (exchange) => {
      const step = this.begin(about, exchange);
      Object.assign(step, { outcome: 'assumed', ...reason(exchange) });
      this.isUnsure = true;
      return answer();
    };
  }

  /** A route that takes the request. */
  route(handler: Next, about: RecordedObject): Next {
    return async (exchange) => {
      this.begin(about, exchange).outcome = 'passed';
      return handler(exchange);
    };
  }

  private begin(about: RecordedObject, exchange: Exchange): OpenStep {
    const { kind, type, name, object, isShown } = about;
    const values = isShown ? about.values(exchange) : [];
    const step: OpenStep = {
      about: { kind, type, name, object, depth: this.depth },
      ...{ isShown, values, facts: {}, changes: [], isUnsure: this.isUnsure },
      ...{ outcome: 'passed', milliseconds: 0, stopped: null },
    };
    if (this.steps.length < MOST_STEPS) this.steps.push(step);
    else this.leftOut++;
    this.current = step;
    return step;
  }

  private finish(step: OpenStep, depth: number, milliseconds: number): void {
    this.depth = depth;
    step.milliseconds = milliseconds;
  }

  private async assume(step: OpenStep, reason: string, exchange: Exchange, next: Next): Promise<Response> {
    Object.assign(step, { outcome: 'assumed', reason });
    exchange.goesOn();
    this.isUnsure = true;
    return next(exchange);
  }

  private note({ facts }: Verdict): void {
    const step = this.steps.findLast(({ about }) => about.object === facts['object']) ?? this.current;
    if (step === null) return;
    for (const [name, value] of Object.entries(facts)) {
      if (!['type', 'object', 'outcome', 'code'].includes(name)) step.facts[name] = value;
    }
  }

  private answeredBy(
    step: OpenStep,
    { status, refusal }: Pick<Response, 'status' | 'refusal'>,
    exchange: Exchange,
  ): void {
    const { decision } = exchange;
    step.outcome = 'answered';
    step.status = status;
    const isOwn = decision !== null && decision.object === step.about.object;
    const code = isOwn ? decision.refusal : refusal;
    if (code !== null) step.refusal = code;
    if (isOwn && decision.reason !== null) step.reason = this.known.reason(decision.reason, exchange);
  }

  /** An error is told once, at the innermost object. */
  private failedAt(step: OpenStep, error: unknown, exchange: Exchange): Error {
    const { decision } = exchange;
    step.outcome = 'failed';
    if (error instanceof ToldFailure) return error;
    if (decision?.object === step.about.object) {
      // a refusal that others are to hear of, such as that of an open circuit
      this.answeredBy(step, emptyRefusal(decision.refusal), exchange);
      return new ToldFailure(error);
    }
    step.reason = this.known.error(errorText(error), exchange);
    return new ToldFailure(error);
  }
}

/** Why a handler did not run, and where the request would have gone. */
export interface SkippedHandler {
  readonly reason: string;
  readonly backend?: string;
}

/** A failure of which a step tells. */
export class ToldFailure extends Error {
  constructor(cause: unknown) {
    super(errorText(cause), { cause });
    this.name = 'ToldFailure';
  }
}

function shownStep({ about, isShown, values, facts, changes, isUnsure, stopped: _, ...rest }: OpenStep): DryRunStep {
  if (!isShown) return hiddenStep(about, rest, isUnsure);
  const milliseconds = Math.round(rest.milliseconds * 1000) / 1000;
  return { ...about, ...rest, milliseconds, values, facts, changes, ...(isUnsure && { unsure: true }) };
}

/** What somebody who may not see an object learns of it: a client could learn as much. */
function hiddenStep(
  { kind, depth }: OpenStep['about'],
  { outcome, status }: Pick<OpenStep, 'outcome' | 'status'>,
  isUnsure: boolean,
): DryRunStep {
  return {
    ...{ kind, type: '', name: '', object: '', depth, outcome, ...(status !== undefined && { status }) },
    ...{ milliseconds: 0, values: [], facts: {}, changes: [], hidden: true, ...(isUnsure && { unsure: true }) },
  };
}
