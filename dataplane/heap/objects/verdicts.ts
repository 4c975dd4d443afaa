import type { Exchange } from '../../engine/message/exchange.ts';
import { type Outcome, Verdict, type VerdictFacts } from '../../engine/message/verdict.ts';
import type { Parts } from '../definition.ts';

/** Creates the verdicts of an object for audit events. Refusals come from `denials`, which notes them itself. */
export class Verdicts {
  private readonly type: string;
  private readonly object: string;
  private readonly plain: Verdict;

  constructor({ type, qualifiedName }: Pick<Parts, 'type' | 'qualifiedName'>) {
    this.type = type;
    this.object = qualifiedName;
    this.plain = this.of('allowed', {});
  }

  /** A verdict that can be noted for many requests. The facts must contain no secret. */
  of(outcome: Outcome, facts: VerdictFacts): Verdict {
    const { type, object } = this;
    return new Verdict(outcome, { type, object, outcome, ...facts });
  }

  /** Notes that the object let a request pass. Costs nothing where nobody records the request. */
  allowed({ access }: Exchange): void {
    if (access !== null) access.note(this.plain);
  }

  /** Notes that the object sent the browser elsewhere. */
  redirected({ access }: Exchange, facts: VerdictFacts = {}): void {
    if (access !== null) access.note(this.of('redirected', facts));
  }
}
