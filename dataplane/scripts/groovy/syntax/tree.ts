import type { Place } from './place.ts';

/** A type as written: `Map<String, List>[]` is the name `Map` with one dimension and two arguments. */
export interface TypeName {
  readonly name: string;
  readonly dimensions: number;
  readonly place: Place;
  /** Classes between `<` and `>`, at any depth: they only have to exist. */
  readonly args: readonly TypeName[];
}

export interface Annotation {
  readonly name: string;
  readonly place: Place;
  readonly members: ReadonlyMap<string, Expression>;
}

export interface Modifiers {
  readonly words: ReadonlySet<string>;
  readonly annotations: readonly Annotation[];
  readonly place: Place;
}

export interface Parameter {
  readonly name: string;
  readonly type: TypeName | null;
  readonly initial: Expression | null;
  readonly isFinal?: boolean;
  readonly isVariadic: boolean;
  readonly place: Place;
}

/** Named arguments come first in `entries`, as Groovy passes them: one map before the others. */
export interface Arguments {
  readonly positional: readonly Expression[];
  readonly named: readonly MapItem[];
}

export type MapItem = { readonly key: Expression; readonly value: Expression } | { readonly spread: Expression };

interface Node<K extends string> {
  readonly kind: K;
  readonly place: Place;
}

export interface ClosureNode extends Node<'closure'> {
  /** Null without an arrow: the closure has the implicit `it`. */
  readonly parameters: readonly Parameter[] | null;
  readonly body: readonly Statement[];
}

export type Expression =
  | (Node<'literal'> & { readonly value: LiteralValue })
  | (Node<'gstring'> & { readonly strings: readonly string[]; readonly values: readonly Expression[] })
  | (Node<'name'> & { readonly name: string })
  | Node<'this'>
  | Node<'super'>
  | (Node<'list'> & { readonly items: readonly Expression[] })
  | (Node<'map'> & { readonly items: readonly MapItem[] })
  | (Node<'range'> & {
      readonly from: Expression;
      readonly to: Expression;
      readonly skipsFirst: boolean;
      readonly skipsLast: boolean;
    })
  | ClosureNode
  | (Node<'property'> & {
      readonly of: Expression;
      readonly name: Expression;
      readonly navigation: Navigation;
      readonly isField: boolean;
    })
  | (Node<'index'> & {
      readonly of: Expression;
      readonly items: readonly Expression[];
      readonly isSafe: boolean;
      /** Place of the bracket. */
      readonly at: Place;
    })
  | (Node<'call'> & {
      readonly of: Expression | null;
      readonly name: Expression;
      readonly args: Arguments;
      readonly navigation: Navigation;
    })
  /** Call of a value: `f(1)(2)`, `{ it }(3)`. */
  | (Node<'invoke'> & { readonly of: Expression; readonly args: Arguments })
  | (Node<'new'> & { readonly type: TypeName; readonly args: Arguments; readonly body: ClassNode | null })
  | (Node<'new-array'> & {
      readonly type: TypeName;
      readonly sizes: readonly Expression[];
      readonly items: readonly Expression[] | null;
    })
  | (Node<'unary'> & { readonly operator: '-' | '+' | '!' | '~'; readonly of: Expression })
  | (Node<'step'> & { readonly operator: '++' | '--'; readonly isPrefix: boolean; readonly of: Expression })
  | (Node<'binary'> & {
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
      /** Place of the operator. */
      readonly at: Place;
    })
  | (Node<'type-test'> & {
      readonly of: Expression;
      readonly type: TypeName;
      readonly isNegated: boolean;
      /** Place of the operator. */
      readonly at: Place;
    })
  | (Node<'coerce'> & { readonly of: Expression; readonly type: TypeName; readonly isCast: boolean })
  | (Node<'ternary'> & { readonly condition: Expression; readonly yes: Expression | null; readonly no: Expression })
  | (Node<'assign'> & { readonly operator: string; readonly target: Expression; readonly value: Expression })
  | (Node<'assign-many'> & { readonly targets: readonly Expression[]; readonly value: Expression })
  | (Node<'spread'> & { readonly of: Expression })
  | (Node<'pointer'> & { readonly of: Expression; readonly name: Expression; readonly isReference: boolean })
  | (Node<'switch-value'> & { readonly switch: SwitchNode });

export type Navigation = 'plain' | 'safe' | 'spread';

export type LiteralValue = null | boolean | string | { readonly number: string };

export interface SwitchCase {
  /** Empty for `default`. */
  readonly values: readonly Expression[];
  readonly isDefault: boolean;
  readonly body: readonly Statement[];
  readonly place: Place;
}

export interface SwitchNode extends Node<'switch'> {
  readonly subject: Expression;
  readonly cases: readonly SwitchCase[];
  readonly isArrow: boolean;
}

export interface CatchClause {
  readonly types: readonly TypeName[];
  readonly name: string;
  readonly body: readonly Statement[];
  readonly place: Place;
}

export interface Variable {
  readonly name: string;
  readonly type: TypeName | null;
  readonly place: Place;
}

export interface LocalNode extends Node<'local'> {
  readonly variables: readonly { readonly variable: Variable; readonly initial: Expression | null }[];
  readonly modifiers: Modifiers;
}

export interface MethodNode extends Node<'method'> {
  readonly name: string;
  readonly modifiers: Modifiers;
  readonly returns: TypeName | null;
  readonly parameters: readonly Parameter[];
  /** Null for an abstract method. */
  readonly body: readonly Statement[] | null;
}

export interface FieldNode extends Node<'field'> {
  readonly name: string;
  readonly modifiers: Modifiers;
  readonly type: TypeName | null;
  readonly initial: Expression | null;
}

export interface InitializerNode extends Node<'initializer'> {
  readonly isStatic: boolean;
  readonly body: readonly Statement[];
}

export interface EnumConstant {
  readonly name: string;
  readonly args: Arguments;
  readonly body: ClassNode | null;
  readonly place: Place;
}

export interface ClassNode extends Node<'class'> {
  readonly name: string;
  readonly form: 'class' | 'interface' | 'enum' | 'trait' | 'record' | 'annotation';
  readonly modifiers: Modifiers;
  readonly superclass: TypeName | null;
  readonly interfaces: readonly TypeName[];
  readonly constants: readonly EnumConstant[];
  readonly fields: readonly FieldNode[];
  readonly methods: readonly MethodNode[];
  readonly constructors: readonly MethodNode[];
  readonly initializers: readonly InitializerNode[];
  readonly classes: readonly ClassNode[];
}

export interface ImportNode extends Node<'import'> {
  /** Without the star. */
  readonly name: string;
  readonly alias: string | null;
  readonly isStatic: boolean;
  readonly isStar: boolean;
}

export type Statement =
  | (Node<'expression'> & { readonly of: Expression })
  | LocalNode
  | (Node<'local-many'> & { readonly variables: readonly Variable[]; readonly value: Expression })
  | (Node<'block'> & { readonly body: readonly Statement[] })
  | (Node<'if'> & { readonly condition: Expression; readonly yes: Statement; readonly no: Statement | null })
  | (Node<'while'> & { readonly condition: Expression; readonly body: Statement; readonly isPostfix: boolean })
  | (Node<'for'> & {
      readonly init: readonly Statement[];
      readonly condition: Expression | null;
      readonly update: readonly Expression[];
      readonly body: Statement;
    })
  | (Node<'for-in'> & { readonly variable: Variable; readonly of: Expression; readonly body: Statement })
  | SwitchNode
  | (Node<'try'> & {
      readonly resources: readonly LocalNode[];
      readonly body: readonly Statement[];
      readonly catches: readonly CatchClause[];
      readonly last: readonly Statement[] | null;
    })
  | (Node<'throw'> & { readonly of: Expression })
  | (Node<'return'> & { readonly of: Expression | null })
  | (Node<'yield'> & { readonly of: Expression })
  | (Node<'break'> & { readonly label: string | null })
  | (Node<'continue'> & { readonly label: string | null })
  | (Node<'assert'> & {
      readonly condition: Expression;
      readonly message: Expression | null;
      /** From the word `assert` to the end of the condition. */
      readonly source: string;
      /** The source as a failure shows it. */
      readonly shown: string;
    })
  | (Node<'labelled'> & { readonly label: string; readonly body: Statement })
  | MethodNode
  | ClassNode
  | ImportNode
  | Node<'empty'>;

export interface ScriptNode {
  readonly packageName: string | null;
  readonly imports: readonly ImportNode[];
  readonly classes: readonly ClassNode[];
  readonly methods: readonly MethodNode[];
  readonly body: readonly Statement[];
}
