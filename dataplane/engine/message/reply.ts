import type { Answer, Exchange } from './exchange.ts';
import { Response } from './response.ts';

/** A step on the way back. */
export type ResponseStep = (response: Response, exchange: Exchange) => Answer;

/** A step that also hears of what the steps before it threw, and that looks at the response only, not at the request. */
export interface Boundary {
  /** Null when nobody answered, which a handler of somebody's own may bring about. */
  answered(response: Response | null, exchange: Exchange): Response;
  failed(error: unknown, exchange: Exchange): Response;
}

/**
 * A response that has not arrived. It can be awaited, but makes its promise only when somebody does: a chain that
 * returns it untouched costs no microtask. `mapResponse` adds steps to it without a promise either.
 */
export class Reply implements PromiseLike<Response> {
  private readonly exchange: Exchange;
  private steps: (ResponseStep | Boundary)[] | null = null;
  private attentive = false;
  private promised: Promise<Response> | null = null;
  private resolve: ((answer: Answer) => void) | null = null;
  private value: Answer | null = null;
  private begun = false;
  private listener: ((exchange: Exchange, answer: Answer) => void) | null = null;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
  }

  /** True as soon as the response is here, while its steps still run. */
  get settled(): boolean {
    return this.begun;
  }

  /** Whether steps were added that may still look at the request. */
  get watched(): boolean {
    return this.attentive || this.promised !== null;
  }

  promise(): Promise<Response> {
    if (this.promised === null) {
      this.promised =
        this.value !== null
          ? Promise.resolve(this.value)
          : new Promise((resolve) => {
              this.resolve = resolve;
            });
    }
    return this.promised;
  }

  // biome-ignore lint/suspicious/noThenProperty: being awaitable is what this class is for
  then<A = Response, B = never>(
    fulfilled?: ((response: Response) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.promise().then(fulfilled, rejected);
  }

  /** Adds a step if nobody has seen the response yet. */
  addStep(step: ResponseStep | Boundary, attentive: boolean): boolean {
    if (this.value !== null || this.promised !== null) return false;
    if (attentive) this.attentive = true;
    if (this.steps === null) this.steps = [step];
    else this.steps.push(step);
    return true;
  }

  /** The engine's way to hear of it without a promise. */
  listen(listener: (exchange: Exchange, answer: Answer) => void): void {
    if (this.value !== null) listener(this.exchange, this.value);
    else this.listener = listener;
  }

  /** The response is here; steps run in the order they were added. */
  settle(response: Response): void {
    if (this.begun) return; // a step that sends the request once more ends the call that this answers
    this.begun = true;
    let answer: Answer = response;
    if (this.steps !== null) {
      for (const step of this.steps) answer = after(answer, this.exchange, step);
      if (!(answer instanceof Response)) void answer.then(null, ignore); // whoever waits for it hears of it still
    }
    this.value = answer;
    if (this.resolve !== null) this.resolve(answer);
    if (this.listener !== null) this.listener(this.exchange, answer);
  }
}

function ignore(): void {}

function after(answer: Answer, exchange: Exchange, step: ResponseStep | Boundary): Answer {
  if (typeof step !== 'function') return bounded(answer, exchange, step);
  try {
    return mapResponse(answer, exchange, step);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Ends a chain, now or when it does: whatever happened in it, the boundary hears of it once. */
export function bounded(answer: Answer, exchange: Exchange, boundary: Boundary): Answer {
  if (answer instanceof Response) return boundary.answered(answer, exchange);
  if (answer instanceof Reply && answer.addStep(boundary, false)) return answer;
  return answer.then(
    (response: Response | null | undefined) => boundary.answered(response ?? null, exchange),
    (error) => boundary.failed(error, exchange),
  );
}

/** Runs a step on the response, now or when it comes: what a response-side filter calls instead of `await`. */
export function mapResponse(answer: Answer, exchange: Exchange, step: ResponseStep): Answer {
  return mapped(answer, exchange, step, true);
}

/** The same for a step that does not look at the headers of the request: nobody keeps them for it. */
export function mapResponseAlone(answer: Answer, exchange: Exchange, step: ResponseStep): Answer {
  return mapped(answer, exchange, step, false);
}

function mapped(answer: Answer, exchange: Exchange, step: ResponseStep, attentive: boolean): Answer {
  if (answer instanceof Response) return step(answer, exchange);
  if (answer instanceof Reply && answer.addStep(step, attentive)) return answer;
  return answer.then((response) => step(response, exchange));
}
