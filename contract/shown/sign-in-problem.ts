/** Parameter of an address of the console with the reason why a sign-in failed. */
export const SIGN_IN_PROBLEM = 'sign-in-problem';

/**
 * Reasons why a sign-in at an OpenID provider failed. An address has one of these words and no text, because everybody
 * can write addresses.
 */
export const SIGN_IN_PROBLEMS = ['state', 'refused', 'failed', 'untrusted', 'too-long', 'unavailable', 'busy'] as const;

export type SignInProblem = (typeof SIGN_IN_PROBLEMS)[number];
