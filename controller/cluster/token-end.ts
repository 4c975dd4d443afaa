/**
 * When a token of a ServiceAccount ends, in milliseconds since 1970; null when it does not say. Only for a token that the
 * cluster has called good: nothing is verified here.
 */
export function tokenEnd(token: string): number | null {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const end = typeof claims === 'object' && claims !== null && 'exp' in claims ? claims.exp : null;
    return typeof end === 'number' && Number.isFinite(end) ? end * 1_000 : null;
  } catch {
    return null;
  }
}
