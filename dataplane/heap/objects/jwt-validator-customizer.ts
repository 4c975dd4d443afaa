import type { Exchange } from '../../engine/message/exchange.ts';
import type { Claims } from '../../jose/claims.ts';

/** Further checks of the claims of a JWT. */
export interface JwtValidatorCustomizer {
  /** Returns the violations of the claims, none if they are valid. Rejects if they cannot be judged: the JWT is then not valid. */
  violations(claims: Claims, exchange: Exchange): Promise<readonly string[]>;
}
