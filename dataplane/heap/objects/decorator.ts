import type { Kind } from '../../../contract/vocabulary/reference.ts';
import type { Filter, Next } from '../../engine/message/exchange.ts';
import type { AccessTokenResolver } from './access-tokens.ts';

/** Object that is decorated. */
export interface Decorated {
  readonly kind: Kind;
  /** The name of the object, given or generated. */
  readonly name: string;
  /** The name with those of the scopes around it. */
  readonly qualifiedName: string;
  readonly type: string;
}

/** Puts itself around an object. It is asked only for the kinds that it says it decorates. */
export interface Decorator<Decoration = unknown> {
  filter?(filter: Filter, decoration: Decoration, decorated: Decorated): Filter;
  handler?(handler: Next, decoration: Decoration, decorated: Decorated): Next;
  accessTokenResolver?(
    resolver: AccessTokenResolver,
    decoration: Decoration,
    decorated: Decorated,
  ): AccessTokenResolver;
}
