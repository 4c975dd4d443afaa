import { SIGN_IN_PROBLEM, SIGN_IN_PROBLEMS, type SignInProblem } from '../../contract/shown/sign-in-problem.ts';

/** Returns the reason in an address why a sign-in failed; null for none, and for words of somebody else. */
export function problemIn(query: URLSearchParams): SignInProblem | null {
  const given = query.get(SIGN_IN_PROBLEM);
  return SIGN_IN_PROBLEMS.find((one) => one === given) ?? null;
}

/** Returns what a person should know about a sign-in that failed. @param provider its name */
export function problemText(problem: SignInProblem, provider: string): string {
  const texts: Readonly<Record<SignInProblem, string>> = {
    state: 'The sign-in took too long, was finished before, or was begun in another browser. Sign in again.',
    refused: `${provider} did not sign you in.`,
    failed: `The sign-in at ${provider} failed. The log of the controller has the reason.`,
    untrusted:
      `${provider} signed you in, but the cluster does not accept its ID token. The API server must trust this issuer ` +
      'and client id: ask the operator of the cluster.',
    'too-long': 'Your ID token is too long for a session, for example because it lists many groups.',
    unavailable: 'The cluster cannot check your sign-in at the moment. Sign in again.',
    busy: 'Too many people are signing in at the moment. Sign in again.',
  };
  return texts[problem];
}
