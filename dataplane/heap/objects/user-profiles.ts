import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { Exchange } from '../../engine/message/exchange.ts';

/** Profile of a user at an access manager. */
export interface UserProfile {
  readonly username: string;
  readonly realm: string;
  /** Attributes by name. */
  readonly asMap: JsonObject;
  /** What the access manager answered. */
  readonly rawInfo: JsonObject;
}

/** Profiles of users at an access manager. */
export interface UserProfiles {
  /** Returns the profile of a user, from the cache or from the access manager. Rejects when there is none. */
  profile(username: string, exchange: Exchange): UserProfile | Promise<UserProfile>;
}
