/** Longest target that a browser is sent to, in characters. */
const LONGEST = 4096;
/** Visible ASCII without the backslash, which browsers read as a slash. Anything else is to be percent-encoded. */
const SAFE = /^[!-[\]-~]+$/;
/** A scheme without two slashes is a path to some readers and names a host to others. */
const AMBIGUOUS = /^[a-z][a-z0-9+.-]*:(?!\/\/[^/])/i;

/**
 * Returns where a browser may be sent after it signed in or out: a URL of the origin that it came to, always absolute,
 * so that no browser can read another host into it. Null for every other target.
 * @param base the absolute URL that the browser asked for, against which a relative target is resolved
 */
export function gotoTarget(target: string, base: string): string | null {
  if (target.length > LONGEST || !SAFE.test(target) || AMBIGUOUS.test(target)) return null;
  const wanted = URL.parse(target, base);
  if (wanted === null || wanted.origin !== new URL(base).origin) return null;
  if (wanted.username !== '' || wanted.password !== '') return null;
  return wanted.protocol === 'http:' || wanted.protocol === 'https:' ? wanted.href : null;
}
