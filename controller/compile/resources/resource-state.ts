import type { Resource, ResourceKind, SecretContent } from '../../../contract/resources/resource.ts';
import type { SourceFile } from '../source-file.ts';
import type { PlatformFacts } from './platform-facts.ts';
import type { ServiceContent } from './shared/service-content.ts';

/** All resources at one moment. Values are the same objects as long as nothing about them changed. */
export interface ResourceState {
  /** By `namespace/name`. */
  readonly routes: ReadonlyMap<string, Resource>;
  readonly secretStores: ReadonlyMap<string, Resource>;
  readonly auditServices: ReadonlyMap<string, Resource>;
  /** The Secrets that were asked for, by `namespace/name`; null for one that is not there; absent before it was read. */
  readonly secrets: ReadonlyMap<string, SecretContent | null>;
  /** The Services that were asked for, likewise; `assumed` where all are taken for granted, absent without a cluster. */
  readonly services?: ReadonlyMap<string, ServiceContent | null> | 'assumed';
  /** `trust.json`; null when there is none, which gives every namespace to one tenant with all hosts. */
  readonly trust: SourceFile | null;
  /** Where control planes are; absent outside of a cluster. The same object as long as nothing about it changes. */
  readonly platform?: PlatformFacts;
  /** The highest resourceVersion that was seen; null outside of a cluster. */
  readonly seen: string | null;
  /**
   * The resourceVersion up to which a resource or Secret is known, by `namespace/name`: what is not there was gone at
   * that version. Each kind has its own, as each is followed by itself. Null when it was not read
   * yet or may not be read: it may be there then, in any version.
   */
  seenOf?(kind: ResourceKind | 'Secret', key: string): string | null;
}
