import type { Exchange } from '../engine/message/exchange.ts';
import type { Verdict, VerdictFacts } from '../engine/message/verdict.ts';
import type { AccessToken } from '../heap/objects/access-tokens.ts';
import { trackingIdsIn } from '../heap/objects/tracking-ids.ts';
import type { Verdicts } from '../heap/objects/verdicts.ts';

/** Notes for audit events which tokens a resource server let pass. The last verdict is kept: clients repeat themselves. */
export class TokenVerdicts {
  private readonly verdicts: Verdicts;
  private token: AccessToken | null = null;
  private needed: readonly string[] = [];
  private cached = false;
  private verdict: Verdict | null = null;

  constructor(verdicts: Verdicts) {
    this.verdicts = verdicts;
  }

  allowed({ access }: Exchange, token: AccessToken, needed: readonly string[], cached: boolean): void {
    if (access === null) return;
    if (this.verdict === null || token !== this.token || needed !== this.needed || cached !== this.cached) {
      this.token = token;
      this.needed = needed;
      this.cached = cached;
      this.verdict = this.verdicts.of('allowed', tokenFacts(token, needed, cached));
    }
    access.note(this.verdict);
  }

  /** Adds the ids of a token that is valid, also where it lacks a scope. */
  track({ access }: Exchange, { token, info }: AccessToken): void {
    if (access === null) return;
    for (const id of trackingIdsIn(info, token)) access.track(id);
  }
}

/** Facts about a valid token. `needed` is null where the request was refused before its scopes mattered. */
export function tokenFacts(
  { info, scopes }: AccessToken,
  needed: readonly string[] | null,
  cached: boolean,
): VerdictFacts {
  const { iss } = info;
  return { issuer: typeof iss === 'string' ? iss : null, requiredScopes: needed, scopes: [...scopes], cached };
}
