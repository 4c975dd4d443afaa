import type { Pattern } from '../pattern/pattern.ts';
import type { ProblemCode } from '../problem.ts';
import type { StaticKind } from './static-kind.ts';
import type { Value } from './value.ts';

/** One property of a host object. Without `set` it is read only, and assignments to it have no effect. */
export interface Property<T extends object = object> {
  get(object: T): Value;
  set?(object: T, value: Value): void;
  /** What the property always holds when it is not null, so that access to it is found out once. */
  readonly shape?: Shape;
  /** The kind of value it always holds when it is not null. An object of the host has a shape instead. */
  readonly kind?: StaticKind;
  /** What every item of a list always is. */
  readonly items?: Shape;
}

/** Map view of a host object: names that are known only at run time. */
export interface Entries<T extends object = object> {
  /** Null when there is no such entry. */
  get(object: T, key: string): Value;
  /** Returns the spelling of a name that `get` finds the soonest. */
  spelling?(name: string): string;
  set?(object: T, key: string, value: Value): void;
  keys?(object: T): readonly string[];
  /** The kind of every entry. */
  readonly kind?: StaticKind;
}

/** A method of a host object; typed so that the shape of one class can stand where the shape of any is wanted. */
export type ShapeMethod<T extends object = object> = { call(object: T, given: readonly Value[]): Value }['call'];

/** How expressions see the objects of one class of the host: what is declared here exists, and nothing else does. */
export interface Shape<T extends object = object> {
  readonly name: string;
  readonly properties: Readonly<Record<string, Property<T>>>;
  readonly methods?: Readonly<Record<string, ShapeMethod<T>>>;
  readonly entries?: Entries<T>;
  text?(object: T): string;
  /** The objects have the methods of texts, too. */
  readonly isText?: true;
}

/** Shapes by the prototype of the objects they describe. */
export type Shapes = ReadonlyMap<object | null, Shape>;

/** A name that expressions begin with. */
export interface Root<Subject = unknown, Answer = unknown> {
  get(subject: Subject, answer: Answer): Value;
  readonly shape?: Shape;
  readonly kind?: StaticKind;
}

/**
 * How an argument reaches a function: as text (null stays null), as bytes or else as text, as a whole number (null is
 * 0), as a list of texts, or as it is.
 */
export type Parameter = 'text' | 'content' | 'integer' | 'texts' | 'any';

interface FunctionFacts {
  /** The function that took this one's place: the name is accepted, and its writer told. */
  readonly replacedBy?: string;
  /** What it costs for each character or item it is given, in steps (see work-budget.ts); 1 unless it says so. */
  readonly steps?: number;
  /** Its value depends on more than its arguments. */
  readonly impure?: true;
}

/** A function that expressions can call. */
export type LanguageFunction = FunctionFacts &
  (
    | { readonly takes: 'one'; readonly first: Parameter; call(first: Value): Value }
    | {
        readonly takes: 'two';
        readonly first: Parameter;
        readonly second: Parameter;
        call(first: Value, second: Value): Value;
      }
    | { readonly takes: 'many'; readonly each: Parameter; call(given: readonly Value[]): Value }
    /** The second argument is a regular expression, which is compiled once when it is a literal. */
    | { readonly takes: 'pattern'; readonly first: Parameter; call(first: Value, pattern: Pattern): Value }
  );

/** Functions with their names. */
export type FunctionRows = readonly (readonly [string, LanguageFunction])[];

/** Why a name that exists cannot be used in this place. */
export interface Refusal {
  readonly code: ProblemCode;
  readonly message: string;
  readonly hint?: string;
}

/** Everything that an expression may name. */
export interface Language {
  readonly roots: ReadonlyMap<string, Root>;
  readonly functions: ReadonlyMap<string, LanguageFunction>;
  readonly shapes: Shapes;
  /** Configuration properties: roots whose value is known when the expression is compiled. */
  readonly constants: ReadonlyMap<string, Value>;
  /** Names that exist elsewhere, refused unless a configuration property has them. */
  readonly refusedRoots: ReadonlyMap<string, Refusal>;
  readonly refusedFunctions: ReadonlyMap<string, Refusal>;
}
