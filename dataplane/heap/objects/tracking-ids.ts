/** Claims with ids that tell events of the same session or token from others. */
const CLAIMS = ['auditTrackingId', 'jti'] as const;
const LONGEST = 256;

/** Ids in the claims of a token for audit events. An id that is part of the token itself would be a credential. */
export function trackingIdsIn(claims: Readonly<Record<string, unknown>>, token: string): string[] {
  return CLAIMS.flatMap((claim): string[] => {
    const id = Object.hasOwn(claims, claim) ? claims[claim] : null;
    return typeof id === 'string' && id !== '' && id.length <= LONGEST && !token.includes(id) ? [id] : [];
  });
}
