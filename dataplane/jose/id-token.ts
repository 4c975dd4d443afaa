import { audiencesOf, type Claims, type TimeFault } from './claims.ts';

/** What is wrong with the times of a JWT, in words for a log. */
export const TIME_FAULTS: Readonly<Record<TimeFault, string>> = {
  expired: 'the JWT has expired',
  'not yet valid': 'the JWT is not valid yet',
  'issued in the future': 'the JWT was issued in the future',
  'no date': "'exp', 'nbf' or 'iat' is no date",
};

/**
 * What is wrong with the claims of an ID token beside its times (OpenID Connect Core, section 3.1.3.7).
 * @param audience the client id that it must be issued for
 * @param issuer the issuer that it must be of; null where any is accepted
 */
export function idTokenFaults(claims: Claims, audience: string, issuer: string | null): string[] {
  const { azp, iss, exp, iat } = claims;
  const audiences = audiencesOf(claims);
  return [
    ...(audiences.includes(audience) ? [] : ['the ID token is for another audience']),
    ...(audiences.length > 1 && azp !== audience ? ["'azp' does not name this client"] : []),
    ...(issuer === null || iss === issuer ? [] : ['the ID token is of another issuer']),
    ...(exp === undefined ? ["'exp' is missing"] : []),
    ...(iat === undefined ? ["'iat' is missing"] : []),
  ];
}
