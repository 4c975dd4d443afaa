import { CrestError } from '../../../contract/crest/crest-error.ts';
import type { AdminGuard, AdminRefusal } from '../../../platform/admin/admin-guard.ts';
import { CallRate } from '../../../platform/admin/call-rate.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import type { BudgetTerms } from '../../../platform/refilling-budget.ts';
import type { ApiCaller } from '../api/api-client.ts';
import { bearerCredentials } from '../sign-in/request-credentials.ts';
import { type Caller, CallerReview } from './caller-review.ts';

export interface CallerGateOptions {
  readonly api: Pick<ApiCaller, 'call'>;
  /** Requests in a second, for each party. */
  readonly rate: number;
  readonly clock?: Clock;
}

/** A caller, or the reason why a request is refused. */
export type JudgedCall =
  | { readonly refusal: null; readonly caller: Caller }
  | { readonly refusal: AdminRefusal; readonly caller: Caller | null };

/** All callers together may ask this many times as often as one. */
const SHARED = 10;
/** Seconds of its rate that a caller may use at once. */
const BURST = 5;

/** Admits users of the cluster to an admin port with TLS. All paths share its reviews and rates, so that callers take turns. */
export class CallerGate {
  readonly review: CallerReview;
  private readonly rate: CallRate;

  constructor({ api, rate, clock = systemClock }: CallerGateOptions) {
    this.review = new CallerReview({ api, clock });
    this.rate = new CallRate({ each: budgetOf(rate), all: budgetOf(SHARED * rate), clock });
  }

  /** Judges who sends a request, and counts it. @param from address that the token comes from */
  async judged(token: string | null, from: string): Promise<JudgedCall> {
    try {
      const caller = await this.review.caller(token, from);
      if (this.rate.take(caller.party)) return { refusal: null, caller };
      return { refusal: { status: 429, message: 'too many requests', headers: { 'retry-after': '1' } }, caller };
    } catch (error) {
      return { refusal: refusalOf(error), caller: null };
    }
  }

  /** Admits callers by their Authorization header whose rights allow the method of a request on its path as a non-resource URL. */
  get pathGuard(): AdminGuard {
    return {
      admit: async (request, path) => {
        const token = bearerCredentials.of(request);
        const { refusal, caller } = await this.judged(token, request.socket.remoteAddress ?? '');
        if (refusal !== null) return refusal;
        const { method = 'GET' } = request;
        const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
        try {
          if (await this.review.mayUse(caller, verb, path)) return null;
        } catch (error) {
          return refusalOf(error);
        }
        return { status: 403, message: `${caller.name} may not ${verb} the non-resource URL ${path}` };
      },
    };
  }
}

function refusalOf(error: unknown): AdminRefusal {
  if (!(error instanceof CrestError)) throw error;
  const { status, message, parts } = error;
  return { status, message, ...(parts.headers && { headers: parts.headers }) };
}

function budgetOf(rate: number): BudgetTerms {
  return { most: rate * BURST, perMillisecond: rate / 1000 };
}
