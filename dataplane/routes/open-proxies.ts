import type { Path, Problem } from '../../contract/problem.ts';
import { referencesIn } from '../heap/config-walk.ts';
import { type CheckedDecoration, type CheckedObject, decoratable, kindOf, type Scope } from '../heap/scope.ts';
import type { CheckedDocument } from './checked-document.ts';

export interface OpenProxyOptions {
  /** Whether requests come to the document with the host that the client named. */
  readonly isOpen: boolean;
  /** Whether a tenant wrote the document, who cannot have a forward proxy. */
  readonly isTenant: boolean;
}

export interface OpenProxies {
  readonly problems: readonly Problem[];
  /** Qualified names of routers whose routes get requests with the host that the client named. */
  readonly routers: ReadonlySet<string>;
}

/**
 * Finds handlers that would send requests to whatever host a client names, because nothing on the way sets the URI: no
 * baseURI of the document, of an object or of a binding, and no filter. A condition counts as true: its writer knows for
 * which requests it is. A script counts only if it surely sets the host.
 */
export function openProxies(
  document: Pick<CheckedDocument, 'scope' | 'handler' | 'decorations'>,
  options: OpenProxyOptions,
): OpenProxies {
  const { scope: own, handler, decorations } = document;
  const problems: Problem[] = [];
  const routers = new Set<string>();
  const entered = new Map<CheckedObject, Set<boolean>>();
  const contradictory = new Set<CheckedObject>();

  const isRebased = decorations.some(setsUri);
  enter(handler, options.isOpen && !isRebased, ['handler'], own, isRebased, null);
  return { problems, routers };

  /**
   * @param isOpen whether requests have the host that the client named @param at the place that refers to it
   * @param isRebased whether that place sets the URI for this object alone
   * @param unsure type of an object before it that may set the host
   */
  function enter(
    object: CheckedObject,
    isOpen: boolean,
    at: Path,
    from: Scope,
    isRebased: boolean,
    unsure: string | null,
  ): void {
    const kind = kindOf(object);
    if ((kind !== 'handler' && kind !== 'filter') || object.config === undefined) return;
    const sends = object.definition.sendsOn?.(object.config);
    if (sends === 'to-backends') {
      if (isRebased || object.decorations.some(setsUri)) contradict(object, at);
      return;
    }
    const isOpenHere = isOpen && !object.decorations.some(setsUri) && !globally(object, from);
    const before = entered.get(object) ?? new Set();
    if (before.has(isOpenHere)) return;
    entered.set(object, before.add(isOpenHere));
    const { definition, scope } = object;
    const place = scope === own ? object.path : at;
    if (isOpenHere && sends !== undefined) judge(object, sends, at, place, unsure);
    if (isOpenHere && definition.entersRoutes === true) routers.add(`${scope.name}.${object.name}`);
    pass(object, isOpenHere, at, unsure);
  }

  /** Follows requests to the objects that an object hands them to. */
  function pass(object: CheckedObject, isOpen: boolean, at: Path, before: string | null): void {
    const { definition, config, scope, targets } = object;
    const set = definition.setsUriFor?.(config) ?? [];
    let isStillOpen = isOpen && definition.setsUri?.(config) !== true;
    let unsure = before;
    for (const { value: reference, path } of referencesIn(config, [...object.path, 'config'])) {
      const target = targets.get(reference);
      const field = path[object.path.length + 1];
      if (target === undefined || definition.ownCalls?.includes(String(field)) === true) continue;
      const isSet = set.includes(reference);
      enter(target, isStillOpen && !isSet, scope === own ? path : at, scope, isSet, unsure);
      const isPassed = kindOf(target) === 'filter' || definition.inTurn === true;
      if (!isStillOpen || !isPassed) continue;
      const changes = changesUri(target, scope, new Set());
      if (changes === true) isStillOpen = false;
      else if (changes !== false) unsure = changes;
    }
  }

  /** A baseURI of a handler with endpoints of its own changes nothing; its writer meant one or the other. */
  function contradict(object: CheckedObject, at: Path): void {
    if (contradictory.has(object)) return;
    contradictory.add(object);
    const message = `a baseURI and 'backends' of the ${object.definition.type} cannot be given together`;
    const hint = 'leave one of them out: requests go to the endpoints of the Backends, or to the baseURI';
    problems.push({ code: 'exclusive', severity: 'error', path: at, message, hint });
  }

  function judge(
    object: CheckedObject,
    sends: 'anywhere' | 'where-told',
    at: Path,
    place: Path,
    unsure: string | null,
  ): void {
    const { type } = object.definition;
    if (options.isTenant && sends === 'anywhere' && object.scope === own) {
      const message = 'is for operators only: it lets clients choose where requests go';
      problems.push({ code: 'not-allowed', severity: 'error', path: [...place, 'config', 'forwardProxy'], message });
      return;
    }
    if (sends === 'anywhere' && !options.isTenant) return;
    const message = `no baseURI covers this ${type}: requests would go to whatever host the client names`;
    const proxy = `, or "forwardProxy": true in the config of the ${type} if a forward proxy is meant`;
    const rest = unsure === null ? '' : `: it counts for requests whose host the ${unsure} before it does not set`;
    const hint = `set a baseURI on the route${rest}${options.isTenant ? '' : proxy}`;
    problems.push({ code: 'missing', severity: 'error', path: at, message, hint });
  }
}

/** Whether what comes after an object has another URI than what came to it; the type of an object that only may change it. */
function changesUri(object: CheckedObject, from: Scope, seen: Set<CheckedObject>): boolean | string {
  if (seen.has(object) || object.config === undefined) return false;
  seen.add(object);
  const { definition, config, scope, targets } = object;
  if (object.decorations.some(setsUri) || globally(object, from)) return true;
  const itself = definition.setsUri?.(config) ?? false;
  if (itself === true) return true;
  const passed = [...targets.values()].filter((target) => kindOf(target) === 'filter' || definition.inTurn === true);
  const found = passed.map((target) => changesUri(target, scope, seen));
  if (found.includes(true)) return true;
  return itself === 'unsure' ? definition.type : (found.find((each) => each !== false) ?? false);
}

/** Whether the decorations of a whole scope set the URI for an object that is used in it. */
function globally(object: CheckedObject, from: Scope): boolean {
  const kind = kindOf(object);
  return from.decorations().some((one) => decoratable(one, kind) && setsUri(one));
}

function setsUri({ decorator, value }: CheckedDecoration): boolean {
  return decorator.definition.rebases?.(value) === true;
}
