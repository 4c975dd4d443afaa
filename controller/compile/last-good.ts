import type { JsonObject } from '../../contract/document/json-value.ts';
import type { PropertySet } from '../../contract/document/property-set.ts';
import type { Judgement } from './checker.ts';
import type { GoodResources } from './resources/good-resources.ts';
import type { GoodRoutes } from './router-walk.ts';

/** The versions that were sound last. */
export interface LastGood {
  readonly base: BaseVersion | null;
  readonly routes: GoodRoutes;
  /** Absent before there were custom resources. */
  readonly resources?: GoodResources;
}

export interface BaseVersion {
  readonly document: JsonObject;
  readonly properties: PropertySet;
  readonly judgement: Judgement;
  readonly hash: string;
  /** Whether somebody wrote it; otherwise it is what runs where there is no file. */
  readonly isFile: boolean;
}

export const nothingGood: LastGood = { base: null, routes: new Map() };
