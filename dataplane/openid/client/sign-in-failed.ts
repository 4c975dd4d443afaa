import { errorCode } from '../../oauth2/client/error-code.ts';

/** Codes of sign-ins that failed. */
export const signInRefusals = ['sign-in-request', 'sign-in-state', 'sign-in-refused', 'sign-in-failed'] as const;

export type SignInRefusal = (typeof signInRefusals)[number];

/** Longest text of a provider that is handed on. */
const LONGEST = 200;

/** What to do about errors that no user can mend, by their code. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['invalid_client', "check 'clientId', the secret or key, and 'tokenEndpointAuthMethod' of the registration"],
  ['unauthorized_client', 'allow this client the authorization code flow at the provider'],
  ['invalid_scope', "check 'scopes' of the registration"],
]);

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

/**
 * The failure that an error response of a provider is: in the query of a callback, or as JSON. A refusal concerns one
 * user; a wrong client or scope concerns all of them, so that the log has to say it.
 */
export function providerError(place: string, error: unknown, description: unknown): SignInFailed {
  const code = errorCode(error) ?? 'server_error';
  const message = `${place} answered ${code}`;
  const words = shownText(description);
  const remedy = REMEDIES.get(code);
  if (remedy === undefined) return new SignInFailed('sign-in-refused', code, message, words);
  return new SignInFailed('sign-in-failed', code, `${message}: ${remedy}`, words ?? message);
}

/** A provider that cannot be asked. Users do not see the reason, because it may name addresses and secret ids. */
export function unreachable(reason: string): SignInFailed {
  return new SignInFailed(
    'sign-in-failed',
    'temporarily_unavailable',
    reason,
    'sign-in is not available at the moment',
  );
}

/** Printable ASCII without angle brackets, because pages show it. */
function shownText(text: unknown): string | null {
  if (typeof text !== 'string' || text === '') return null;
  return text.slice(0, LONGEST).replace(/[^\x20-\x7e]|[<>]/g, ' ');
}
