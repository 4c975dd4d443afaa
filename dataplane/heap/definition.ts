import type { Logger } from 'pino';
import type { z } from 'zod';
import type { LatePart } from '../../contract/document/late-part.ts';
import type { Path, ProblemCode } from '../../contract/problem.ts';
import type { Reach } from '../../contract/reach.ts';
import type { ServiceUse } from '../../contract/resources/service-reference.ts';
import type { RouteKey } from '../../contract/snapshot.ts';
import type { Reference } from '../../contract/vocabulary/reference.ts';
import type { Next } from '../engine/message/exchange.ts';
import type { Built, BuiltKind } from './kinds.ts';
import type { Decorator } from './objects/decorator.ts';
import type { PlaneServices } from './plane-services.ts';

/** Input for building an object. A copy by `...` lacks members that are made when they are asked for. */
export interface Parts {
  /** Its type, such as `Chain`. */
  readonly type: string;
  /** Its name, given or generated. */
  readonly name: string;
  /** The name with those of the scopes around it, such as `gateway._router`. */
  readonly qualifiedName: string;
  /** Tells it from all others, also from those of the same name; as before when it is built anew. */
  readonly identity: string;
  /** Returns a key that equal declarations of one tenant share, also in different routes. */
  declaration(): string;
  /** The object behind a reference; it has been built before. */
  resolve<K extends BuiltKind>(reference: Reference<K>): Built[K];
  /** The kind of the object behind a reference, for references to any kind. */
  kindOf(reference: Reference): BuiltKind;
  /** Called when the object is no longer used, in reverse order of building. */
  onClose(release: () => void | Promise<void>): void;
  readonly log: Logger;
  readonly plane: PlaneServices;
  /** The name of the scope that declares it, with those of the scopes around it. */
  readonly scope: string;
  /** The route that it belongs to; null outside of routes. */
  readonly route: RouteKey | null;
  /** The tenant whose document declares it; empty for operators. */
  readonly realm: string;
  /** For a router: the dispatcher over its routes, which come and go without it. */
  dispatcher(defaultHandler: Next | null): Next;
}

/** Something to say of a place in the configuration of an object. */
export interface Remark {
  readonly at: Path;
  readonly message: string;
  /** By default that of what cannot be served. */
  readonly code?: ProblemCode;
}

/** Entry of a type in the catalogue. */
export interface TypeDefinition<K extends BuiltKind = BuiltKind, Config = unknown> {
  /** The name that `type` in a declaration has. */
  readonly type: string;
  readonly kind: K;
  /** Other names under which OpenIG knows it. */
  readonly aliases?: readonly string[];
  /** What it does, in a paragraph for its reference page. */
  readonly summary: string;
  readonly config: z.ZodType<Config>;
  /** Configurations for its reference page, which a test checks. */
  readonly examples?: readonly { readonly title: string; readonly config: unknown }[];
  /** Why a tenant may not declare it, or nothing. */
  readonly operatorOnly?: string;
  /** Whether requests that pass it get a credential of whoever declared it, so that others may not put it in their way. */
  readonly lendsCredentials?: true;
  /** False for a type whose objects are made anew with every update, although nothing about them changed. */
  readonly survives?: false;
  /** Code that is loaded before its objects are checked: by their configuration as written, or all that they may need. */
  parts?(config: unknown): readonly LatePart<unknown>[];
  /** Content of files that its objects are made of, so that they are made anew when it changed. */
  filesOf?(config: Config, reach: Reach): string;
  /** For handlers that send requests on: to the host that the client names, the one that something sets, or backends of theirs. */
  sendsOn?(config: Config): 'anywhere' | 'where-told' | 'to-backends';
  /** Whether it sets the host of the URI of requests, for all or for some; unsure if only a run can tell. */
  setsUri?(config: Config): boolean | 'unsure';
  /** References to handlers for whose requests it sets the host of the URI. */
  setsUriFor?(config: Config): readonly Reference[];
  /** For objects that send requests to a Service of the cluster: the one that `service` of the configuration names. */
  serviceOf?(config: Config): ServiceUse | null;
  /** Whether its handlers get the same request one after the other. */
  readonly inTurn?: true;
  /** Fields with handlers that get no requests of clients but those that the object makes itself. */
  readonly ownCalls?: readonly string[];
  /** Whether routes of other documents get its requests. */
  readonly entersRoutes?: true;
  /** For filters: the contexts that the objects behind it get. */
  readonly provides?: readonly string[];
  /** For filters: whether expressions are evaluated when the response is there. */
  readonly readsLate?: true;
  /** For filters: whether requests without a valid session of an access manager are refused. */
  readonly checksSession?: true;
  /** For filters: whether a filter behind it has to check the session. */
  needsSignOn?(config: Config): boolean;
  /** For decorators: the schema of what stands beside the decorated object. */
  readonly decoration?: z.ZodType;
  /** For decorators: what they can be put around. */
  readonly decorates?: readonly BuiltKind[];
  /** For decorators: why a decoration does nothing, or null. `kind` is null where it is for objects of every kind. */
  inVain?(decoration: unknown, kind: BuiltKind | null): string | null;
  /** For decorators: why requests that it decorates cannot be served, or null. */
  unserved?(decoration: unknown): string | null;
  /** For decorators: whether they set the host of the URI of requests. */
  rebases?(decoration: unknown): boolean;
  /** For objects that answer requests to a path of their own: one such path, and what happens where none arrive. */
  ownPath?(config: Config): { readonly field: string; readonly path: string; readonly consequence: string } | null;
  /** What the writer of a sound configuration should know: what of it cannot be served, or is not safe. */
  remarks?(config: Config): readonly Remark[];
  /** For a type that stands for another object: the reference to it, which decides what kind of object this one is. */
  follows?(config: Config): Reference;
  create(config: Config, parts: Parts): Built[K];
}

type DecoratorsOnly = 'decoration' | 'decorates' | 'inVain' | 'unserved' | 'rebases';
type Definition<K extends BuiltKind, Config> = Omit<TypeDefinition<K, Config>, 'kind' | DecoratorsOnly>;

/** A filter: `(exchange, next) => Answer`. */
export function defineFilter<Config>(definition: Definition<'filter', Config>): TypeDefinition<'filter', Config> {
  return { ...definition, kind: 'filter' };
}

/** A handler: `(exchange) => Answer`. */
export function defineHandler<Config>(definition: Definition<'handler', Config>): TypeDefinition<'handler', Config> {
  return { ...definition, kind: 'handler' };
}

/** An object that others use and that no request passes through. */
export function defineService<K extends BuiltKind, Config>(
  definition: Omit<TypeDefinition<K, Config>, DecoratorsOnly>,
): TypeDefinition<K, Config> {
  return definition;
}

interface DecoratorDefinition<Config, Decoration>
  extends Omit<TypeDefinition<'decorator', Config>, 'kind' | 'create' | DecoratorsOnly> {
  readonly decoration: z.ZodType<Decoration>;
  readonly decorates: readonly BuiltKind[];
  inVain?(decoration: Decoration, kind: BuiltKind | null): string | null;
  unserved?(decoration: Decoration): string | null;
  rebases?(decoration: Decoration): boolean;
  create(config: Config, parts: Parts): Decorator<Decoration>;
}

/** An object that is put around others. */
export function defineDecorator<Config, Decoration>(
  definition: DecoratorDefinition<Config, Decoration>,
): TypeDefinition<'decorator', Config> {
  return { ...definition, kind: 'decorator' };
}
