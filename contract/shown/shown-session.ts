/** Ways to sign in to the console: with a token of the cluster, or at an OpenID provider. */
export type SignInWay = 'token' | 'openid';

/** The person in front of the console, as `/console/session` shows it. It never has the token. */
export type ShownSession = {
  /** Ways to sign in here; empty where nobody does. */
  readonly ways: readonly SignInWay[];
  /** Name of the OpenID provider; null without one. */
  readonly provider: string | null;
  /** User of the cluster; null for nobody. */
  readonly user: string | null;
  /** End of the session, in RFC 3339; null without one, and where it is not known. */
  readonly expires: string | null;
};

/** Answer to a sign-out. */
export type LeftSession = ShownSession & {
  /** URL at which the OpenID provider ends its own session; null for none. */
  readonly location: string | null;
};
