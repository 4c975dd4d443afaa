import { boundsProblem } from '../../../contract/document/document-bounds.ts';
import { noReach } from '../../../contract/reach.ts';
import type { Checker, FoundRouter } from '../checker.ts';
import { type ResolveValue, valueResolver } from '../resolve-document.ts';
import type { TrustVersion } from './compile-trust.ts';

/** Terms under which a pass validates documents of tenants. The same object means unchanged terms. */
export interface PassTerms {
  /** The router that takes their Routes. */
  readonly router: FoundRouter;
  readonly sharedObjects: ReadonlySet<string>;
  /** Gives properties, tokens and transformations their values, as far as tenants may have them. */
  readonly resolve: ResolveValue;
}

/** Makes the terms that tenants get with a base and a trust. */
export function passTerms(router: FoundRouter, { settings }: TrustVersion, checker: Checker): PassTerms {
  const allowed = new Map(Object.entries(settings.tokens));
  const sources = { reach: noReach, files: new Map<string, string>(), instanceUrl: null, allowed };
  const resolve = valueResolver(sources, (text, constants) => checker.evaluate(text, constants, 'tenant'));
  return {
    router,
    sharedObjects: new Set(settings.sharedObjects),
    resolve(value, parent, found) {
      const resolved = resolve(value, parent, found);
      // tokens and transformations make more of a document than was written
      const excess = resolved.document === null ? null : boundsProblem(resolved.document);
      return excess === null ? resolved : { ...resolved, document: null, problems: [...resolved.problems, excess] };
    },
  };
}
