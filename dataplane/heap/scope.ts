import type { JsonValue } from '../../contract/document/json-value.ts';
import type { Path } from '../../contract/problem.ts';
import type { Reference } from '../../contract/vocabulary/reference.ts';
import type { TypeDefinition } from './definition.ts';
import type { BuiltKind } from './kinds.ts';

/** An object whose declaration has been checked and which can be built. */
export interface CheckedObject {
  readonly name: string;
  readonly definition: TypeDefinition;
  readonly config: unknown;
  /** The configuration as it was written. */
  readonly source: JsonValue;
  readonly path: Path;
  /** The scope it is built in. */
  readonly scope: Scope;
  /** What each reference in its configuration stands for. */
  readonly targets: ReadonlyMap<Reference, CheckedObject>;
  /** What is put around it, the innermost first. */
  readonly decorations: readonly CheckedDecoration[];
}

/** Kind of an object: that of its type or, for a delegate, that of its target. */
export function kindOf(object: CheckedObject): BuiltKind {
  if (object.definition.follows === undefined) return object.definition.kind;
  const seen = new Set<CheckedObject>();
  let at = object;
  let kind = knownKinds.get(at);
  while (kind === undefined && at.definition.follows !== undefined && at.config !== undefined && !seen.has(at)) {
    seen.add(at);
    const target: CheckedObject | undefined = at.targets.get(at.definition.follows(at.config));
    if (target === undefined) break;
    at = target;
    kind = knownKinds.get(at);
  }
  kind ??= at.definition.kind;
  if (kind !== 'any') for (const passed of seen) knownKinds.set(passed, kind);
  return kind;
}

/** What was found at the end of a chain: targets are found once and stay, so that long chains are walked once. */
const knownKinds = new WeakMap<CheckedObject, BuiltKind>();

/** A decorator and what it is told about one object. */
export interface CheckedDecoration {
  readonly decorator: CheckedObject;
  readonly value: unknown;
  /** The value as it was written. */
  readonly source: JsonValue;
}

/** What most documents have none of. Thousands of them share these. */
const NO_OBJECTS: ReadonlyMap<string, CheckedObject> = new Map();
const NO_NAMES: ReadonlySet<string> = new Set();
const NO_TYPES: ReadonlyMap<string, string> = new Map();
const NO_CONTEXTS: ReadonlyMap<string, ReadonlySet<string>> = new Map();

/** The objects of one document by name. Child scopes see their parents, never the other way round. */
export class Scope {
  /** With the names of the scopes around it: `gateway`, `gateway._router.orders`. */
  readonly name: string;
  readonly parent: Scope | null;
  /** Those declared in the heap, in the order declared. */
  readonly objects = new Map<string, CheckedObject>();
  /** Shared objects that the document refers to, by the name that it has for each. They are built elsewhere. */
  lent: ReadonlyMap<string, CheckedObject> = NO_OBJECTS;
  /** Names that are declared here by what has problems of its own, so that nobody can refer to it. */
  unsound: ReadonlySet<string> = NO_NAMES;
  /** Types that this version does not have, by the names of what is declared of them and not used yet. */
  unavailable: ReadonlyMap<string, string> = NO_TYPES;
  /** Whether every name that was to be declared here could be read. */
  namesAreKnown = true;
  /** What `secrets.stores` of the document stands for, in its order; null where it has no such field. */
  secretStores: CheckedObject[] | null = null;
  /** Decorations of every compatible object in this scope and below it. */
  readonly globalDecorations: CheckedDecoration[] = [];

  /** Qualified names of routers whose routes get requests with the host that the client named. */
  openRouters: ReadonlySet<string> = NO_NAMES;

  /** Contexts of requests that come to the routes of a router, by its qualified name. */
  routerContexts: ReadonlyMap<string, ReadonlySet<string>> = NO_CONTEXTS;

  private readonly hides: ((object: CheckedObject) => boolean) | null;

  /** @param hides tells what of the scopes around does not exist here */
  constructor(name: string, parent: Scope | null, hides: ((object: CheckedObject) => boolean) | null = null) {
    this.name = name;
    this.parent = parent;
    this.hides = hides;
  }

  /** The object of this name, here or in a scope around. */
  find(name: string): CheckedObject | undefined {
    const own = this.objects.get(name);
    if (own !== undefined) return own;
    const found = this.parent?.find(name);
    return found !== undefined && this.hides?.(found) === true ? undefined : found;
  }

  /** Whether a name that is not found may be that of something unsound, here or in a scope around. */
  mayDeclare(name: string): boolean {
    return !this.namesAreKnown || this.unsound.has(name) || this.parent?.mayDeclare(name) === true;
  }

  /** The type of an object that this version cannot make, here or in a scope around; undefined where there is none. */
  unavailableType(name: string): string | undefined {
    return this.unavailable.get(name) ?? (this.hides === null ? this.parent?.unavailableType(name) : undefined);
  }

  /** Every name that can be referred to from here. */
  names(): string[] {
    const around = this.parent?.names() ?? [];
    const known = this.hides === null ? around : around.filter((name) => this.find(name) !== undefined);
    return [...this.objects.keys(), ...known];
  }

  /** Whether this document or one around it has `secrets.stores`. */
  hasStores(): boolean {
    if (this.secretStores !== null) return true;
    return this.hides === null ? this.parent?.hasStores() === true : this.stores().length > 0;
  }

  /** The stores of `secrets.stores`, those of this document before those around it. */
  stores(): readonly CheckedObject[] {
    const around = this.parent?.stores() ?? [];
    const known = this.hides === null ? around : around.filter((store) => this.hides?.(store) !== true);
    return [...(this.secretStores ?? []), ...known];
  }

  /** Global decorations from the outermost scope to this one. */
  decorations(): readonly CheckedDecoration[] {
    return [...(this.parent?.decorations() ?? []), ...this.globalDecorations];
  }
}

/** Whether a decorator can be put around an object of this kind. */
export function decoratable({ decorator }: CheckedDecoration, kind: BuiltKind): boolean {
  const { decorates }: TypeDefinition = decorator.definition;
  return decorates?.includes(kind) === true;
}
