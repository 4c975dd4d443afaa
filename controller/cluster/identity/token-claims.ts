/** Unverified claims of a ServiceAccount token. The cluster verifies it. */
export interface TokenClaims {
  /** When it ends, in milliseconds since 1970; null when it does not say. */
  readonly end: number | null;
  /** For whom it is. */
  readonly audiences: readonly string[];
}

/** Reads a token; null when it is none of the kind that a cluster makes. */
export function tokenClaims(token: string): TokenClaims | null {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return null;
  let claims: unknown;
  try {
    claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
  if (typeof claims !== 'object' || claims === null) return null;
  const end = 'exp' in claims ? claims.exp : null;
  const audiences: unknown[] = 'aud' in claims ? (Array.isArray(claims.aud) ? claims.aud : [claims.aud]) : [];
  return {
    end: typeof end === 'number' && Number.isFinite(end) ? end * 1_000 : null,
    audiences: audiences.filter((one) => typeof one === 'string'),
  };
}
