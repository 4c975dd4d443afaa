import { ValueProblem } from '../problem.ts';
import type { Reach } from '../reach.ts';
import type { PropertySet } from './property-set.ts';
import { environmentName, type ResolveToken } from './tokens.ts';

/** Sources of token values in addition to the properties of documents. */
export interface TokenSources {
  readonly reach: Reach;
  /** What the token files gave at the start. */
  readonly files: ReadonlyMap<string, string>;
  /** Where clients reach the instance, for the token `ig.instance.url`. */
  readonly instanceUrl: string | null;
  /** Tokens that an operator lets tenants use, with their values. */
  readonly allowed: ReadonlyMap<string, string>;
}

/** Gives tokens their values, and the names that it knows to whoever helps with a misspelt one. */
export interface TokenResolver {
  readonly resolve: ResolveToken;
  names(): readonly string[];
}

/**
 * For an operator's document: its properties, those around it, environment variables (`am.realm` is `AM_REALM`), system
 * properties, token files and last the built-in tokens. For a tenant's: its own properties and what the operator allows;
 * asking for anything else is refused, also where the token has a default, so that it never means two things.
 */
export function tokenResolver(properties: PropertySet | null, sources: TokenSources): TokenResolver {
  return sources.reach.origin === 'tenant' ? forTenant(properties, sources) : forOperator(properties, sources);
}

function forTenant(properties: PropertySet | null, { allowed }: TokenSources): TokenResolver {
  return {
    names: () => [...(properties?.tokens.keys() ?? []), ...allowed.keys()],
    resolve(name) {
      const value = properties?.tokens.get(name) ?? allowed.get(name);
      if (value !== undefined) return value;
      const own = 'a document of a tenant may use the tokens of its own properties';
      const list = allowed.size === 0 ? '' : ` and ${[...allowed.keys()].join(', ')}`;
      throw new ValueProblem('not-allowed', `has the token &{${name}}, which is not allowed here`, `${own}${list}`);
    },
  };
}

function forOperator(properties: PropertySet | null, { reach, files, instanceUrl }: TokenSources): TokenResolver {
  const builtIn = new Map<string, string>();
  if (reach.directories !== null) builtIn.set('ig.instance.dir', reach.directories.instance);
  if (instanceUrl !== null) builtIn.set('ig.instance.url', instanceUrl);
  return {
    resolve: (name) =>
      properties?.token(name) ??
      reach.env(environmentName(name)) ??
      reach.system(name) ??
      files.get(name) ??
      builtIn.get(name),
    // What the environment holds has no one name as a token, so it is not listed.
    names: () => [...(properties?.tokenNames() ?? []), ...reach.systemNames(), ...files.keys(), ...builtIn.keys()],
  };
}
