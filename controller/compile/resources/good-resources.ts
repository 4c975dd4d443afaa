import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { RouteIdentity } from '../route-identity.ts';
import type { TrustVersion } from './compile-trust.ts';
import type { PlaneSelector } from './resource-verdict.ts';

/** The versions that were sound last. */
export interface GoodResources {
  readonly trust: TrustVersion | null;
  /** `admin.json`, resolved; null when there never was a sound one. */
  readonly admin: JsonObject | null;
  /** By `namespace/name`. */
  readonly routes: ReadonlyMap<string, GoodRoute>;
}

/** The version of a Route that was accepted last. What it refers to is looked for anew whenever it serves. */
export interface GoodRoute {
  readonly uid: string;
  readonly generation: number;
  /** The hash that planes knew it by when it was accepted. */
  readonly hash: string;
  readonly identity: RouteIdentity;
  /** With its tokens resolved. */
  readonly document: JsonObject;
  /** Absent where only planes kept it: they serve it where its newer version is to be. */
  readonly dataPlanes?: PlaneSelector | null;
  /** The tokens that tenants were allowed then; absent where it has none, and where only planes kept it. */
  readonly tokens?: Readonly<Record<string, string>>;
}

export const noGoodResources: GoodResources = { trust: null, admin: null, routes: new Map() };
