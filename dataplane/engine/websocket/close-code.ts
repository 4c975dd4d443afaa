/** Close codes that the gateway sends (RFC 6455 §7.4.1). */
export const GOING_AWAY = 1001;
export const PROTOCOL_ERROR = 1002;
export const TOO_LARGE = 1009;
export const UNEXPECTED = 1011;

/** What a Close without a code stands for, and a connection that ended without a Close: neither is ever sent. */
export const NO_STATUS = 1005;
export const ABNORMAL = 1006;

/** Whether a peer may send this code: those that only stand for the absence of one, and those nobody defined, it may not. */
export function isCloseCode(code: number): boolean {
  if (code < 1000) return false;
  if (code < 3000) return code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006;
  return code < 5000;
}
