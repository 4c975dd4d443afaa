import type { VerdictFacts } from '../engine/message/verdict.ts';
import type { AccessToken } from '../heap/objects/access-tokens.ts';

/** How users must have authenticated (RFC 9470). */
export interface StepUpOptions {
  /** Authentication context classes, one of which must be that of the token. */
  readonly acrValues: readonly string[] | undefined;
  /** Milliseconds since the authentication, at most. */
  readonly maxAge: number | undefined;
}

/** How far ahead the clock of an authorization server may be; a later time is no time, or is written in other units. */
const CLOCKS_APART = 60_000;

/** Checks whether the user of a token has authenticated strongly and recently enough, and what to request otherwise. */
export class StepUp {
  private readonly acrValues: ReadonlySet<unknown> | null;
  private readonly maxAge: number | null;
  /** Parameters of the challenge. */
  readonly parameters: readonly (readonly [string, string])[];

  constructor({ acrValues, maxAge }: StepUpOptions) {
    this.acrValues = acrValues === undefined ? null : new Set(acrValues);
    this.maxAge = maxAge ?? null;
    this.parameters = [
      ...(acrValues === undefined ? [] : [['acr_values', acrValues.join(' ')] as const]),
      ...(maxAge === undefined ? [] : [['max_age', String(Math.floor(maxAge / 1000))] as const]),
    ];
  }

  /** Null when nothing is asked of the authentication. */
  static of(options: StepUpOptions): StepUp | null {
    return options.acrValues === undefined && options.maxAge === undefined ? null : new StepUp(options);
  }

  /** Required and actual authentication of a token, for audit events. */
  facts({ info }: AccessToken): VerdictFacts {
    const { acr } = info;
    const required = this.acrValues === null ? null : ([...this.acrValues] as string[]);
    return {
      requiredAcr: required,
      acr: typeof acr === 'string' ? acr : null,
      requiredMaxAge: this.maxAge === null ? null : this.maxAge / 1000,
    };
  }

  /** What a token does not say does not suffice. */
  suffices({ info }: AccessToken): boolean {
    if (this.acrValues !== null && !this.acrValues.has(info['acr'])) return false;
    if (this.maxAge === null) return true;
    const time = info['auth_time'];
    const age = typeof time === 'number' ? Date.now() - time * 1000 : Number.NaN;
    return age <= this.maxAge && age >= -CLOCKS_APART;
  }
}
