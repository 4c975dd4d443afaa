import { clock } from '../http/clock.ts';
import type { Answer, Exchange, Next } from '../http/exchange.ts';
import { faultResponse } from '../http/fault.ts';
import { Reply } from '../http/reply.ts';
import { Response, refusalResponse } from '../http/response.ts';
import type { RouteFigures } from './route-figures.ts';

/** Requests that are under way, and what to do when the last of them is answered. */
export class Lease {
  private active = 0;
  private whenFree: (() => void) | null = null;

  take(): void {
    this.active++;
  }

  giveBack(): void {
    this.active--;
    if (this.active === 0) this.whenFree?.();
  }

  /** Runs something once nothing is under way any more; nothing new may begin. */
  onceFree(run: () => void): void {
    if (this.active === 0) run();
    else this.whenFree = run;
  }
}

/** The boundary of a route: counts what passes, and turns what its objects throw into an answer. */
export function instrumented(
  handler: Next,
  figures: RouteFigures,
  lease: Lease,
  failed: (error: unknown) => void,
): Next {
  const ended = (response: Response | null | undefined, exchange: Exchange): Response => {
    lease.giveBack();
    const milliseconds = clock.now - exchange.startedAt;
    if (response === null || response === undefined) {
      figures.endUnanswered(milliseconds);
      return refusalResponse('no-answer');
    }
    figures.end(response.status, milliseconds, response.cause !== null);
    return response;
  };
  const threw = (error: unknown, exchange: Exchange): Response => ended(faultResponse(error, failed), exchange);
  return function route(exchange): Answer {
    figures.begin();
    lease.take();
    let answer: Answer | null;
    try {
      answer = handler(exchange);
    } catch (error) {
      return threw(error, exchange);
    }
    if (answer === null || answer === undefined || answer instanceof Response) return ended(answer, exchange);
    if (answer instanceof Reply && answer.addStep(ended)) return answer;
    return answer.then(
      (response) => ended(response, exchange),
      (error) => threw(error, exchange),
    );
  };
}
