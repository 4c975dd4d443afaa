import type { Kind } from '../../contract/vocabulary/reference.ts';
import type { Filter, Next } from '../http/exchange.ts';
import type { Decorator } from './decorator.ts';
import type { Executor } from './executor.ts';
import type { TemporaryStorage } from './temporary-storage.ts';

/** What stands behind a reference of each kind, once it is built. */
export interface Built {
  handler: Next;
  filter: Filter;
  decorator: Decorator;
  executor: Executor;
  temporaryStorage: TemporaryStorage;
  /** Milliseconds since 1970. */
  clock: () => number;
  any: unknown;
}

/** Kinds of which this version has types. */
export type BuiltKind = keyof Built & Kind;
