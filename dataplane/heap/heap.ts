import type { Logger } from 'pino';
import type { RouteKey } from '../../contract/snapshot.ts';
import type { Reference } from '../../contract/vocabulary/reference.ts';
import { errorText } from '../../platform/error-text.ts';
import { confinedFilter, confinedHandler } from '../engine/message/confined.ts';
import type { Filter, Next } from '../engine/message/exchange.ts';
import { declarationKey } from './declaration-key.ts';
import type { Parts } from './definition.ts';
import type { Built, BuiltKind } from './kinds.ts';
import { bufferingFilter, bufferingHandler, type NeededEntities, neededEntities } from './objects/buffering.ts';
import type { Decorated } from './objects/decorator.ts';
import { secretsInOrder } from './objects/secrets-in-order.ts';
import type { ClaimedPlace, PlaneServices } from './plane-services.ts';
import { type Release, releaseAll } from './release-all.ts';
import { type CheckedDecoration, type CheckedObject, decoratable, kindOf, type Scope } from './scope.ts';
import { survivalKey } from './survival-key.ts';
import type { Survivors } from './survivors.ts';

/** An object could not be built: its name, and why. */
export class BuildFailure extends Error {
  readonly object: CheckedObject;

  constructor(object: CheckedObject, cause: unknown) {
    super(`'${object.name}' cannot be built: ${errorText(cause)}`, { cause });
    this.name = 'BuildFailure';
    this.object = object;
  }
}

/** Context of a heap in addition to its objects. */
export interface HeapOptions {
  /** The route that its objects are of; null outside of routes. */
  readonly route?: RouteKey | null;
  /** The tenant whose objects they are; by default an operator's. */
  readonly realm?: string;
  /** Holds objects that stay the same when this heap is replaced; without it all are made anew. */
  readonly survivors?: Survivors;
  /** Whose objects they are, what their document is read with, and what they may do. */
  readonly owner?: string;
  /** The files that their secret stores read. */
  readonly files?: string;
  /** Builds the dispatcher over the routes of a router; without it there can be no router. */
  readonly dispatcher?: (place: RouterPlace, defaultHandler: Next | null) => Next;
}

/** A router of a heap, which its routes inherit from. */
export interface RouterPlace extends Pick<Parts, 'qualifiedName' | 'onClose'> {
  readonly heap: Heap;
}

const NO_PLACES: readonly ClaimedPlace[] = [];

/** The built objects of one scope. Whatever cannot be built leaves nothing behind. */
export class Heap {
  readonly scope: Scope;
  /** The route that its objects are of; null outside of routes. */
  readonly route: RouteKey | null;
  private readonly parent: Heap | null;
  private readonly plane: PlaneServices;
  private readonly log: Logger;
  /** What this scope declares, with the decorations that stand beside it. */
  private readonly own = new Map<CheckedObject, unknown>();
  /** What objects of this scope get to see instead where there are global decorations. */
  private seen: Map<CheckedObject, unknown> | null = null;
  /** How many objects of each name were built. */
  private readonly names = new Map<string, number>();
  /** Objects that others of the same name came before, with how many did. */
  private namesakes: Map<CheckedObject, number> | null = null;
  private readonly releases: Release[] = [];
  /** Places that the object claims which is being created; null otherwise. */
  private claims: ClaimedPlace[] | null = null;
  /** The services with a record of claimed places, for objects that may outlive this heap. */
  private recording: PlaneServices | null = null;

  private readonly options: HeapOptions;
  private readonly keys = new Map<CheckedObject, string | null>();
  private declarations: Map<CheckedObject, string> | null = null;

  constructor(scope: Scope, parent: Heap | null, plane: PlaneServices, options: HeapOptions = {}) {
    this.scope = scope;
    this.route = options.route ?? null;
    this.options = options;
    this.parent = parent;
    this.plane = plane;
    this.log = plane.log;
  }

  /** Puts what lives elsewhere in the place of an object of this scope, which is then neither built nor closed here. */
  lend(name: string, built: unknown, key = `lent ${name}`, release?: Release): void {
    // what is given back last is what was there first
    if (release !== undefined) this.releases.push(release);
    const object = this.scope.objects.get(name) ?? this.scope.lent.get(name);
    if (object === undefined) return;
    this.own.set(object, built);
    this.seen?.delete(object); // it may have been built before
    this.keys.set(object, key);
  }

  /** Builds everything that the scope declares, what is needed before what needs it. @throws BuildFailure */
  buildAll(): void {
    try {
      for (const object of this.scope.objects.values()) this.get(object);
    } catch (error) {
      void this.close();
      throw error;
    }
  }

  /**
   * The object as the objects of this scope see it, built now if it was not. Global decorations are of the scope that
   * asks: those of a route are also put around what the route refers to in the scopes around it.
   */
  get(object: CheckedObject): unknown {
    if (object.scope !== this.scope && this.scope.globalDecorations.length === 0)
      return this.lent(this.around(object).get(object), object);
    if (this.seen?.has(object) === true) return this.seen.get(object);
    const kind = kindOf(object);
    const decorations = this.scope.decorations().filter((decoration) => decoratable(decoration, kind));
    const built = this.built(object);
    if (decorations.length === 0 && object.scope === this.scope) return built;
    const seen = this.decorate(built, object.name, object, decorations);
    this.seen ??= new Map();
    this.seen.set(object, seen);
    return seen;
  }

  /** The main handler of the document with what its top-level keys put around it. */
  decorated(object: CheckedObject, decorations: readonly CheckedDecoration[]): unknown {
    return this.decorate(this.get(object), 'top-level-handler', object, decorations);
  }

  /** The route that an object of this heap or of one around is of; null outside of routes. */
  routeOf(object: CheckedObject): RouteKey | null {
    return object.scope === this.scope || this.parent === null ? this.route : this.parent.routeOf(object);
  }

  /** Releases what the objects hold, the last built first. Every one is asked, whatever others do. */
  async close(): Promise<void> {
    this.own.clear();
    this.seen = null;
    await releaseAll(this.releases, this.log, this.scope.name);
  }

  private around(object: CheckedObject): Heap {
    if (this.parent === null) throw new Error(`'${object.name}' belongs to no heap around this one`);
    return this.parent;
  }

  private built(object: CheckedObject): unknown {
    if (object.scope !== this.scope) return this.lent(this.around(object).built(object), object);
    if (!this.own.has(object)) this.own.set(object, this.build(object));
    return this.own.get(object);
  }

  /** What an operator's object is to a tenant's: it does as before, but goes nowhere that a tenant may not. */
  private lent(built: unknown, object: CheckedObject): unknown {
    const { egress } = this.plane;
    if (egress === undefined) return built;
    const kind = kindOf(object);
    if (kind === 'handler') return confinedHandler(built as Next, egress);
    return kind === 'filter' ? confinedFilter(built as Filter, egress) : built;
  }

  private build(object: CheckedObject): unknown {
    const { survivors } = this.options;
    this.identify(object);
    const key = survivors === undefined ? null : this.keyOf(object);
    if (survivors === undefined || key === null) {
      return this.create(object, this.plane, (release) => this.releases.push(release));
    }
    // whoever holds an object holds what it needs, also when it was made for another heap
    for (const target of object.targets.values()) this.get(target);
    for (const { decorator } of object.decorations) this.get(decorator);
    const survivor = survivors.take(key, (onClose) => this.claiming(object, onClose));
    this.releases.push(survivor.release);
    const built = survivor.built as { readonly object: unknown; readonly claims: readonly ClaimedPlace[] };
    for (const place of built.claims) this.plane.claim?.(place);
    return built.object;
  }

  /** Creates an object that may outlive this heap, with the places that it claims: heaps after this one claim them, too. */
  private claiming(object: CheckedObject, onClose: Parts['onClose']): unknown {
    const around = this.claims;
    const claims: ClaimedPlace[] = [];
    this.claims = claims;
    this.recording ??= { ...this.plane, claim: (place) => void this.claims?.push(place) };
    try {
      const built = this.create(object, this.recording, onClose);
      return { object: built, claims: claims.length === 0 ? NO_PLACES : claims };
    } finally {
      this.claims = around;
    }
  }

  private create(object: CheckedObject, plane: PlaneServices, onClose: Parts['onClose']): unknown {
    const { name, definition, config } = object;
    const { route, scope } = this;
    const parts = new ObjectParts(this, object, {
      ...{ type: definition.type, name, qualifiedName: `${scope.name}.${name}`, onClose, plane, route },
      ...{ scope: scope.name, realm: this.options.realm ?? '' },
    });
    try {
      const created = definition.create(config, parts);
      const built = waiting(created, kindOf(object), neededEntities(config));
      return this.decorate(built, name, object, object.decorations);
    } catch (error) {
      throw failure(object, error);
    }
  }

  /** Names an object by what it is made of; null for one that is made anew with every update. */
  private keyOf(object: CheckedObject): string | null {
    if (object.scope !== this.scope && this.parent !== null) return this.parent.keyOf(object);
    const known = this.keys.get(object);
    if (known !== undefined) return known;
    this.keys.set(object, null); // what comes back to itself on the way has no key
    const kind = kindOf(object);
    const { owner = '', files = '' } = this.options;
    const read = object.definition.filesOf?.(object.config, this.plane.reach) ?? '';
    const key = survivalKey(object, {
      owner: JSON.stringify([owner, this.route, kind === 'secretStore' ? files : read]),
      global: this.scope.decorations().filter((decoration) => decoratable(decoration, kind)),
      keyOf: (other) => this.keyOf(other),
    });
    this.keys.set(object, key);
    return key;
  }

  /** The dispatcher of a router of this heap. */
  dispatched(place: Omit<RouterPlace, 'heap'>, defaultHandler: Next | null): Next {
    const { dispatcher } = this.options;
    if (dispatcher === undefined) throw new Error('there are no routes here');
    const { qualifiedName, onClose } = place;
    return dispatcher({ qualifiedName, onClose, heap: this }, defaultHandler);
  }

  /** Names an object by its declaration, whatever route it is in. */
  declarationOf(object: CheckedObject): string {
    if (object.scope !== this.scope && this.parent !== null) return this.parent.declarationOf(object);
    this.declarations ??= new Map();
    const known = this.declarations.get(object);
    if (known !== undefined) return known;
    this.declarations.set(object, ''); // an object that comes back to itself needs no name for that
    const { owner = '', files = '' } = this.options;
    const isLent = this.scope.objects.get(object.name) !== object && this.scope.lent.get(object.name) === object;
    const lent = isLent ? (this.keys.get(object) ?? '') : '';
    const key = declarationKey(object, {
      owner: JSON.stringify([owner, lent, kindOf(object) === 'secretStore' ? files : '']),
      keyOf: (other) => this.declarationOf(other),
    });
    this.declarations.set(object, key);
    return key;
  }

  /** Names may have dots in them, and objects in place may have the name of another: the order of building tells them apart. */
  private identify(object: CheckedObject): void {
    const before = this.names.get(object.name) ?? 0;
    this.names.set(object.name, before + 1);
    if (before > 0) {
      this.namesakes ??= new Map();
      this.namesakes.set(object, before);
    }
  }

  /** The identity of an object that was built here or in a heap around. */
  identityOf(object: CheckedObject): string {
    if (object.scope !== this.scope && this.parent !== null) return this.parent.identityOf(object);
    const scopes: string[] = [];
    for (let scope: Scope | null = this.scope; scope !== null; scope = scope.parent) scopes.push(scope.name);
    return JSON.stringify([scopes, object.name, this.namesakes?.get(object) ?? 0]);
  }

  /** @param name what the decorators are told that the object is called */
  private decorate(
    built: unknown,
    name: string,
    object: CheckedObject,
    decorations: readonly CheckedDecoration[],
  ): unknown {
    const { type } = object.definition;
    const kind = kindOf(object);
    const decorated: Decorated = { kind, name, qualifiedName: `${this.scope.name}.${name}`, type };
    let result = built;
    try {
      for (const { decorator, value } of decorations) {
        const by = this.get(decorator) as Built['decorator'];
        if (kind === 'filter') result = by.filter?.(result as Filter, value, decorated) ?? result;
        else if (kind === 'handler') result = by.handler?.(result as Next, value, decorated) ?? result;
        else if (kind === 'accessTokenResolver') {
          result = by.accessTokenResolver?.(result as Built['accessTokenResolver'], value, decorated) ?? result;
        }
        result = waiting(result, kind, neededEntities(value));
      }
    } catch (error) {
      throw failure(object, error);
    }
    return result;
  }
}

type PlainParts = Omit<Parts, 'identity' | 'log' | 'declaration' | 'resolve' | 'kindOf' | 'dispatcher'>;

/** Parts of an object. Thousands of routes keep theirs: what few objects use is made when one asks for it. */
class ObjectParts implements Parts {
  readonly type: string;
  readonly name: string;
  readonly qualifiedName: string;
  readonly onClose: Parts['onClose'];
  readonly plane: PlaneServices;
  readonly scope: string;
  readonly route: RouteKey | null;
  readonly realm: string;
  private readonly heap: Heap;
  private readonly object: CheckedObject;
  private logger: Logger | null = null;

  constructor(heap: Heap, object: CheckedObject, plain: PlainParts) {
    this.type = plain.type;
    this.name = plain.name;
    this.qualifiedName = plain.qualifiedName;
    this.onClose = plain.onClose;
    this.plane = plain.plane;
    this.scope = plain.scope;
    this.route = plain.route;
    this.realm = plain.realm;
    this.heap = heap;
    this.object = object;
  }

  get identity(): string {
    return this.heap.identityOf(this.object);
  }

  get log(): Logger {
    this.logger ??= this.plane.log.child({ object: this.qualifiedName });
    return this.logger;
  }

  // Functions, because objects take them out of their parts.

  get declaration(): Parts['declaration'] {
    return () => this.heap.declarationOf(this.object);
  }

  get resolve(): Parts['resolve'] {
    return <K extends BuiltKind>(reference: Reference<K>): Built[K] => {
      const one = (single: Reference): unknown => this.heap.get(this.target(single));
      const stores = reference.members.map((member) => one(member) as Built['secretStore']);
      return (stores.length === 0 ? one(reference) : secretsInOrder(stores)) as Built[K];
    };
  }

  get kindOf(): Parts['kindOf'] {
    return (reference) => kindOf(this.target(reference));
  }

  get dispatcher(): Parts['dispatcher'] {
    return (defaultHandler) => this.heap.dispatched(this, defaultHandler);
  }

  private target(reference: Reference): CheckedObject {
    const target = this.object.targets.get(reference);
    if (target === undefined) throw new Error(`a reference of '${this.name}' was not checked`);
    return target;
  }
}

function failure(object: CheckedObject, error: unknown): BuildFailure {
  return error instanceof BuildFailure ? error : new BuildFailure(object, error);
}

/** Expressions cannot wait for a body, so an object whose expressions read one gets it whole. */
function waiting(object: unknown, kind: BuiltKind, needs: NeededEntities): unknown {
  if (needs.request === 'never' && !needs.response) return object;
  if (kind === 'filter') return bufferingFilter(object as Filter, needs);
  return kind === 'handler' ? bufferingHandler(object as Next, needs) : object;
}
