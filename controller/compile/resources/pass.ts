import type { SourceVersion } from '../../../contract/snapshot.ts';
import type { TrustVersion } from './compile-trust.ts';
import type { GoodRoute } from './good-resources.ts';
import type { PassTerms } from './pass-terms.ts';
import type { ResourceState } from './resource-state.ts';
import type { SharedDrafts } from './shared/shared-drafts.ts';

/** Input of a pass. */
export interface PassStart {
  readonly state: ResourceState;
  readonly terms: PassTerms;
  readonly trust: TrustVersion;
  readonly baseSources: readonly SourceVersion[];
  readonly good: ReadonlyMap<string, GoodRoute>;
  /** Ids of the router's routes that are no Routes. */
  readonly takenIds: ReadonlySet<string>;
}

/**
 * One pass of the compiler over all resources. Terms, trust and base sources are the same objects as in the pass before
 * as long as nothing about them changed.
 */
export interface Pass extends PassStart {
  readonly shared: SharedDrafts;
  /** What the resource under this key was made from; the same array as long as Routes see the same resource. */
  sharedSources(key: string): readonly SourceVersion[];
}
