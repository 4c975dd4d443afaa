import type { SyntaxNode } from '../../contract/expression/syntax.ts';
import type { Path, Problem } from '../../contract/problem.ts';
import { expressionsIn, referencesIn } from './config-walk.ts';
import { type CheckedObject, kindOf, type Scope } from './scope.ts';

/** Contexts that filters give to the objects behind them. */
export type Provided = ReadonlySet<string>;

export interface FilterOrder {
  readonly problems: readonly Problem[];
  /** Contexts of requests that come to the routes of a router, by its qualified name. */
  readonly routers: ReadonlyMap<string, Provided>;
}

/** A filter that has no effect where no filter of the document checks the session. */
interface Unchecked {
  readonly object: CheckedObject;
  readonly at: Path;
}

const SIGN_ON = 'a SingleSignOnFilter or a CrossDomainSingleSignOnFilter';
/** The filters that set a context, for hints. */
const SET_BY: Readonly<Record<string, string>> = {
  ssoToken: SIGN_ON,
  cdsso: 'a CrossDomainSingleSignOnFilter',
  amSession: 'a SessionInfoFilter',
  userProfile: 'a UserProfileFilter',
  policyDecision: 'a PolicyEnforcementFilter',
};

/**
 * Warns of filters that read a context which no filter before them sets. A filter that runs for some requests only counts
 * as well: nobody knows before whether a condition is true.
 * @param provided contexts that requests have when they come to the document
 */
export function filterOrder(handler: CheckedObject, provided: Provided): FilterOrder {
  const own = handler.scope;
  const problems = new Map<string, Problem>();
  const routers = new Map<string, Provided>();
  const entered = new Map<CheckedObject, Set<string>>();
  const unchecked: Unchecked[] = [];
  let isChecked = provided.has('ssoToken');

  enter(handler, provided, ['handler']);
  if (!isChecked) for (const { object, at } of unchecked) noteUnchecked(object, at);
  return { problems: [...problems.values()], routers };

  /** @returns the contexts behind the object, where it is a filter */
  function enter(object: CheckedObject, before: Provided, at: Path): Provided {
    const { definition, config, scope, targets } = object;
    const kind = kindOf(object);
    if ((kind !== 'handler' && kind !== 'filter') || config === undefined) return before;
    const behind: Provided = new Set([...before, ...providedBy(object)]);
    const key = [...before].sort().join();
    const seen = entered.get(object) ?? new Set();
    if (seen.has(key)) return behind;
    entered.set(object, seen.add(key));
    const place = scope === own ? object.path : at;
    if (kind === 'filter' && definition.readsLate !== true) judge(object, before, place);
    if (definition.checksSession === true) isChecked = true;
    if (definition.needsSignOn?.(config) === true) unchecked.push({ object, at: place });
    if (definition.entersRoutes === true) {
      const name = `${scope.name}.${object.name}`;
      routers.set(name, new Set([...(routers.get(name) ?? []), ...behind]));
    }
    let passed: Provided = behind;
    for (const { value: reference, path } of referencesIn(config, [...object.path, 'config'])) {
      const target = targets.get(reference);
      const field = path[object.path.length + 1];
      if (target === undefined || definition.ownCalls?.includes(String(field)) === true) continue;
      const after = enter(target, passed, scope === own ? path : at);
      if (kindOf(target) === 'filter' || definition.inTurn === true) passed = after;
    }
    return passed;
  }

  function judge(object: CheckedObject, before: Provided, place: Path): void {
    const { config, scope } = object;
    if ((config as { readonly messageType?: unknown }).messageType === 'RESPONSE') return;
    for (const { value, path } of expressionsIn(config, [])) {
      if (value.compiled === null || path.includes('onResponse')) continue;
      for (const name of contextsRead(value.compiled.node)) {
        if (!Object.hasOwn(SET_BY, name) || before.has(name)) continue;
        const message = `reads 'contexts.${name}', which no filter before it sets: it has no value here`;
        const hint = `place ${SET_BY[name]} before this filter`;
        const at = scope === own ? [...place, 'config', ...path] : place;
        add({ code: 'expression', severity: 'warning', path: at, message, hint });
      }
    }
  }

  function noteUnchecked({ definition: { type } }: CheckedObject, path: Path): void {
    const message = `no filter behind this ${type} checks the session: requests without one pass`;
    add({ code: 'no-effect', severity: 'warning', path, message, hint: `place ${SIGN_ON} behind it` });
  }

  function add(problem: Problem): void {
    problems.set(JSON.stringify([problem.path, problem.message]), problem);
  }
}

/** Scripts can set any context. */
function providedBy({ definition: { type, provides = [] } }: CheckedObject): readonly string[] {
  return type.startsWith('Scriptable') ? Object.keys(SET_BY) : provides;
}

/** Contexts of routes below a router, where its document could be walked. */
export function contextsAt(router: string | undefined, parent: Scope): Provided {
  return (router === undefined ? undefined : parent.routerContexts.get(router)) ?? new Set();
}

/** Names of contexts whose members an expression reads. None where it asks first whether they are there. */
function contextsRead(node: SyntaxNode): ReadonlySet<string> {
  const names = new Set<string>();
  return visit(node) ? names : new Set();

  /** @returns whether no part of the node asks for a missing value */
  function visit(at: SyntaxNode): boolean {
    switch (at.kind) {
      case 'literal':
      case 'root':
        return true;
      case 'access':
        if (isRoot(at.base) && at.key.kind === 'literal') names.add(String(at.key.value));
        return visit(at.base) && visit(at.key);
      case 'method':
        return [at.base, at.name, ...at.given].every(visit);
      case 'call':
        return at.given.every(visit);
      case 'unary':
        return at.operator !== 'empty' && visit(at.operand);
      case 'binary':
        return !isNull(at.left) && !isNull(at.right) && visit(at.left) && visit(at.right);
      case 'choice':
        return false;
      case 'joined':
        return at.parts.every(visit);
    }
  }
}

function isRoot(node: SyntaxNode): boolean {
  return node.kind === 'root' && node.name === 'contexts';
}

function isNull(node: SyntaxNode): boolean {
  return node.kind === 'literal' && node.value === null;
}
