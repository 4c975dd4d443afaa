import { readJsonObject } from './strict-json.ts';

/** Claims of a token, by name. */
export type Claims = Readonly<Record<string, unknown>>;

/** Seconds since 1970, before and after, that a date can have; what lies beyond is no date. */
const FARTHEST_SECOND = 8.64e12;

/** The claims in the payload of a token, or null: a JSON object in UTF-8, no name twice, not nested deeply. */
export function readClaims(payload: Buffer): Claims | null {
  return readJsonObject(payload);
}

/**
 * A claim that is a NumericDate (RFC 7519, section 2) such as `exp`, in milliseconds since 1970; undefined when it is
 * absent and null when it is anything but a number that can be a date.
 */
export function timeClaim(claims: Claims, name: string): number | null | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (value === undefined) return undefined;
  return typeof value === 'number' && Math.abs(value) <= FARTHEST_SECOND ? value * 1000 : null;
}

/** Whom a token is for: the members of `aud`, or its only value. */
export function audiencesOf({ aud }: Claims): readonly unknown[] {
  return Array.isArray(aud) ? aud : [aud];
}

/** Why a token must not be used now. */
export type TimeFault = 'expired' | 'not yet valid' | 'issued in the future' | 'no date';

/**
 * Why `exp`, `nbf` or `iat` forbid the use of a token now, or null. All are milliseconds; clocks may differ by `skew`.
 * A claim that is absent forbids nothing. At the very moment of `exp` a token has expired.
 */
export function timeFault(claims: Claims, now: number, skew: number): TimeFault | null {
  const expires = timeClaim(claims, 'exp');
  const begins = timeClaim(claims, 'nbf');
  const issued = timeClaim(claims, 'iat');
  if (expires === null || begins === null || issued === null) return 'no date';
  if (expires !== undefined && now >= expires + skew) return 'expired';
  if (begins !== undefined && begins > now + skew) return 'not yet valid';
  return issued !== undefined && issued > now + skew ? 'issued in the future' : null;
}
