/** A client-side session is a JWT, which can be long. Dots alone would be steps in a path. */
const SESSION_TOKEN = /^(?!\.+$)[!-~]{1,8192}$/;

/** Whether a text can be a session token: the access manager is not asked about any other. */
export function isSessionToken(text: string): boolean {
  return SESSION_TOKEN.test(text);
}
