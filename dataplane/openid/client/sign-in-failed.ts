/** Codes of sign-ins that failed. */
export const signInRefusals = ['sign-in-request', 'sign-in-state', 'sign-in-refused', 'sign-in-failed'] as const;

export type SignInRefusal = (typeof signInRefusals)[number];

/** Longest text of a provider that is handed on. */
const LONGEST = 200;

/** A sign-in came to nothing. The message holds no secret and no code, so that a log may show it. */
export class SignInFailed extends Error {
  readonly refusal: SignInRefusal;
  /** A code of RFC 6749, section 4.1.2.1 or 5.2, or of OpenID Connect. */
  readonly error: string;
  /** What users may read instead of the message, such as the words of the provider; null where it is the message. */
  readonly description: string | null;

  constructor(refusal: SignInRefusal, error: string, message: string, description: string | null = null) {
    super(message);
    this.name = 'SignInFailed';
    this.refusal = refusal;
    this.error = error;
    this.description = description;
  }
}

/** The failure that an error response of a provider is: in the query of a callback, or as JSON. */
export function providerError(place: string, error: unknown, description: unknown): SignInFailed {
  const code = typeof error === 'string' && /^[\w.-]{1,60}$/.test(error) ? error : 'server_error';
  return new SignInFailed('sign-in-refused', code, `${place} answered ${code}`, shownText(description));
}

/** A provider that gives no answer. Users are not told why, because the reason may name addresses. */
export function unreachable(reason: string): SignInFailed {
  return new SignInFailed('sign-in-failed', 'temporarily_unavailable', reason, 'the provider does not answer');
}

/** Printable ASCII without angle brackets, because pages show it. */
function shownText(text: unknown): string | null {
  if (typeof text !== 'string' || text === '') return null;
  return text.slice(0, LONGEST).replace(/[^\x20-\x7e]|[<>]/g, ' ');
}
