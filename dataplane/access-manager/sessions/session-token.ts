/** A client-side session is a JWT, which can be long. Dots alone would be steps in a path. */
const SESSION_TOKEN = /^(?!\.+$)[!-~]{1,8192}$/;

/** Whether a text can be a session token: the access manager is not asked about any other. */
export function isSessionToken(text: string): boolean {
  return SESSION_TOKEN.test(text);
}

/**
 * Whether the access manager may take other texts for the same token, such as `%41QIC` for `AQIC`: events name sessions in
 * one spelling, so that nothing may be cached under such a token.
 */
export function hasOtherSpellings(token: string): boolean {
  return token.includes('%');
}
