/** Facts of a verdict by name, such as the issuer of a token; null for those that are not known. */
export type VerdictFacts = Readonly<Record<string, string | number | boolean | readonly string[] | null>>;

/** Decision of an object: it let a request pass, refused it, or sent the browser elsewhere, such as to a login page. */
export type Outcome = 'allowed' | 'refused' | 'redirected';

/**
 * Decision of one object about a request, for audit events. It holds no secret. An object may use the same one for many
 * requests, so that its text is made once.
 */
export class Verdict {
  readonly outcome: Outcome;
  readonly facts: VerdictFacts;
  /** Its JSON, which the first recorder that needs it makes. */
  json: string | null = null;

  /** @param facts the type and the qualified name of the object first */
  constructor(outcome: Outcome, facts: VerdictFacts) {
    this.outcome = outcome;
    this.facts = facts;
  }
}
