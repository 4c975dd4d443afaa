import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { SignInProblem } from '../../../contract/shown/sign-in-problem.ts';

/** Tokens of a person who signed in at an OpenID provider. */
export interface OpenidTokens {
  /** Credential of the cluster. Its signature and claims were verified. */
  readonly idToken: string;
  /** Input of `renew` and `end`, which the session holds. It may contain a refresh token: never log it. */
  readonly grant: JsonObject;
}

/** Reason why a sign-in failed. */
export interface OpenidFailure {
  readonly problem: SignInProblem;
  /** Words for the log, without secrets. */
  readonly reason: string;
}

/** A sign-in that has begun. */
export interface OpenidBegun {
  /** URL of the provider. */
  readonly location: string;
  /** `Set-Cookie` lines that bind the sign-in to the browser. */
  readonly cookies: readonly string[];
}

/** Result of a callback. */
export interface OpenidFinished {
  readonly outcome: OpenidTokens | OpenidFailure;
  /** Page of the console that the person wanted; null if it is not known. */
  readonly goto: string | null;
  /** `Set-Cookie` lines that end the attempt. */
  readonly cookies: readonly string[];
}

/**
 * Signs people in to the console at an OpenID provider, with the code of data planes: controllers do not import it, and
 * the command line hands it in.
 */
export interface OpenidSignIn {
  /** Name of the provider for people. */
  readonly name: string;
  /** Scheme, host and port of the console. Sign-ins begin and end there. */
  readonly origin: string;
  /** Begins a sign-in. @param goto page of the console for the time after it */
  begin(request: IncomingMessage, goto: string): Promise<OpenidBegun | OpenidFailure>;
  /** Finishes the sign-in that a callback belongs to. */
  finish(request: IncomingMessage): Promise<OpenidFinished>;
  /**
   * Renews the ID token of a session. It returns the same token, for its remaining time, if the provider does not renew it.
   *
   * @returns null if the person has to sign in again, `unavailable` if the token is over and the provider does not answer
   */
  renew(tokens: OpenidTokens): Promise<OpenidTokens | null | 'unavailable'>;
  /** Ends a sign-in at the provider as far as possible. @returns the URL that ends the session there; null for none */
  end(grant: JsonObject): Promise<string | null>;
}
