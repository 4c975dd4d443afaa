import { createHash, timingSafeEqual } from 'node:crypto';
import { type OutsidePlanes, outsideGrant } from './outside-grant.ts';
import type { PlaneAuthenticator, PlaneGrant } from './plane-authentication.ts';

/** A token that planes outside of a cluster share, and what they get for it. */
export interface BootstrapToken extends OutsidePlanes {
  readonly token: string;
}

/** Fewer characters than this can be guessed. */
export const MIN_BOOTSTRAP_TOKEN_LENGTH = 32;

/** Judges tokens that an operator handed out. @throws Error for a token that is too short */
export function bootstrapAuthenticator(tokens: readonly BootstrapToken[]): PlaneAuthenticator {
  const known = tokens.map(({ token, ...planes }) => {
    if (token.length < MIN_BOOTSTRAP_TOKEN_LENGTH) {
      throw new Error(`a bootstrap token needs ${MIN_BOOTSTRAP_TOKEN_LENGTH} characters or more`);
    }
    return { digest: digestOf(token), planes };
  });
  return {
    async authenticate({ token }): Promise<PlaneGrant | null> {
      if (token === null) return null;
      const digest = digestOf(token);
      let found: OutsidePlanes | null = null;
      // All are compared, so that the time it takes does not tell which one was nearly right.
      for (const one of known) if (timingSafeEqual(one.digest, digest)) found = one.planes;
      return found === null ? null : outsideGrant(found, null);
    },
  };
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
