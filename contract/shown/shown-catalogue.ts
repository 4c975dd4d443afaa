import type { JsonValue } from '../document/json-value.ts';

/** The types of objects, the fields of routes and the expression language, as data for forms. */
export interface ShownCatalogue {
  /** In the order of the alphabet. */
  readonly types: readonly ShownType[];
  /** Fields of a route. */
  readonly route: readonly ShownField[];
  /** Fields beside any declaration and at the top of a route, by decorator. */
  readonly decorations: readonly ShownField[];
  /** Objects that exist without a declaration. */
  readonly given: readonly ShownObject[];
  /** Names that users of OpenIG know and that this version does not have. */
  readonly unavailable: readonly string[];
  readonly language: ShownLanguage;
}

/** An object with a name. */
export interface ShownObject {
  readonly name: string;
  readonly type: string;
}

/** A type of objects. */
export interface ShownType {
  readonly type: string;
  /** Such as `filter`, `handler` or `secretStore`. */
  readonly kind: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** Reason why only operators may declare it. */
  readonly operatorOnly?: string;
  readonly fields: readonly ShownField[];
  /** Rules about several fields. */
  readonly rules?: readonly string[];
  /** Configuration for a new object: the first example of its reference page. */
  readonly example?: JsonValue;
}

/** A field of a configuration. */
export interface ShownField {
  readonly name: string;
  readonly description: string;
  readonly form: ShownForm;
  readonly isRequired?: true;
  /** Absent for none. */
  readonly default?: JsonValue;
  /** True for a field that most configurations do not need. */
  readonly isAdvanced?: true;
  /** Name of the field to use in its place. */
  readonly instead?: string;
  /** Reason why it does nothing. */
  readonly noEffect?: string;
}

/** The values that a field takes, in the words of a form. */
export type ShownForm =
  | TextForm
  | NumberForm
  | FlagForm
  | WordsForm
  | ListForm
  | MapForm
  | ObjectForm
  | ChoiceForm
  | ReferenceForm
  | AnyForm
  | RefusedForm;

/** Time at which the expressions of a field are evaluated. */
export type EvaluatedAt = 'runtime' | 'configuration';

export interface TextForm {
  readonly kind: 'text';
  readonly means?: 'duration' | 'url' | 'path' | 'secret' | 'pattern' | 'target' | 'script';
  readonly expression?: EvaluatedAt;
  /** Type of the value of a runtime expression, such as `boolean`. */
  readonly result?: string;
  readonly least?: number;
  readonly most?: number;
  readonly patterns?: readonly string[];
  /** True if a number may be written instead. */
  readonly isNumberToo?: true;
}

export interface NumberForm {
  readonly kind: 'number';
  readonly isWhole?: true;
  readonly least?: number;
  readonly most?: number;
  readonly expression?: EvaluatedAt;
}

export interface FlagForm {
  readonly kind: 'flag';
  readonly expression?: EvaluatedAt;
}

export interface WordsForm {
  readonly kind: 'words';
  readonly words: readonly JsonValue[];
  readonly expression?: EvaluatedAt;
}

export interface ListForm {
  readonly kind: 'list';
  readonly item: ShownForm;
  readonly least?: number;
  readonly most?: number;
}

export interface MapForm {
  readonly kind: 'map';
  readonly value: ShownForm;
}

export interface ObjectForm {
  readonly kind: 'object';
  readonly fields: readonly ShownField[];
  readonly rules?: readonly string[];
}

/** One of several forms. */
export interface ChoiceForm {
  readonly kind: 'choice';
  readonly options: readonly { readonly label: string; readonly form: ShownForm }[];
}

/** The name of an object, or its declaration in place. */
export interface ReferenceForm {
  readonly kind: 'reference';
  /** Kind of object, or `any`. */
  readonly to: string;
  /** Kind of objects of which a list can take the place of one. */
  readonly several?: string;
}

export interface AnyForm {
  readonly kind: 'any';
  readonly expression?: EvaluatedAt;
}

/** A field that must not be given. */
export interface RefusedForm {
  readonly kind: 'refused';
  readonly why: string;
}

/** The names that expressions can use. */
export interface ShownLanguage {
  readonly roots: readonly ShownName[];
  /** Members of objects by the name of the kind of object. */
  readonly shapes: Readonly<Record<string, readonly ShownName[]>>;
  readonly functions: readonly ShownFunction[];
}

export interface ShownName {
  readonly name: string;
  readonly description: string;
  /** Kind of value, such as `text` or `list`; absent if it can be any. */
  readonly kind?: string;
  /** Kind of object whose members follow after a dot. */
  readonly shape?: string;
}

export interface ShownFunction {
  readonly name: string;
  /** Such as `find(text, pattern)`. */
  readonly signature: string;
  readonly description: string;
  /** True if only documents of operators may call it. */
  readonly operatorOnly?: true;
  /** Name of the function to use in its place. */
  readonly instead?: string;
}
