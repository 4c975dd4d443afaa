/** Ways to sign in to the console. */
export type SignInWay = 'token';

/** The person in front of the console, as `/console/session` shows it. It never has the token. */
export type ShownSession = {
  /** Ways to sign in here; empty where nobody does. */
  readonly ways: readonly SignInWay[];
  /** User of the cluster; null for nobody. */
  readonly user: string | null;
  /** End of the session, in RFC 3339; null without one, and where it is not known. */
  readonly expires: string | null;
};
