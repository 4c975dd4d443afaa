import type { Value } from './value.ts';

export type UnaryOperator = 'not' | 'empty' | 'negate';
export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';
export type ComparisonOperator = '<' | '>' | '<=' | '>=' | '==' | '!=';
export type BinaryOperator = ArithmeticOperator | ComparisonOperator | 'and' | 'or';

/** A literal: null, a boolean, a text, a Long as bigint, or a Double. */
export interface LiteralNode {
  readonly kind: 'literal';
  readonly value: Value;
}

/** A name at the start of an access, such as `request`. */
export interface RootNode {
  readonly kind: 'root';
  readonly name: string;
}

/** `base.key` and `base[key]`; a dotted key is a literal text. */
export interface AccessNode {
  readonly kind: 'access';
  readonly base: SyntaxNode;
  readonly key: SyntaxNode;
}

/** `base.name(…)` and `base[name](…)`. */
export interface MethodNode {
  readonly kind: 'method';
  readonly base: SyntaxNode;
  readonly name: SyntaxNode;
  readonly given: readonly SyntaxNode[];
}

/** `name(…)`. */
export interface CallNode {
  readonly kind: 'call';
  readonly name: string;
  readonly given: readonly SyntaxNode[];
  /** Where the name is in the source, from 0. */
  readonly offset: number;
}

export interface UnaryNode {
  readonly kind: 'unary';
  readonly operator: UnaryOperator;
  readonly operand: SyntaxNode;
}

export interface BinaryNode {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly left: SyntaxNode;
  readonly right: SyntaxNode;
}

/** `condition ? yes : no`. */
export interface ChoiceNode {
  readonly kind: 'choice';
  readonly condition: SyntaxNode;
  readonly yes: SyntaxNode;
  readonly no: SyntaxNode;
}

/** Literal text and evaluated parts, joined to one text. */
export interface JoinedNode {
  readonly kind: 'joined';
  readonly parts: readonly SyntaxNode[];
}

/** An expression as it was written, with its literals resolved: plain data. */
export type SyntaxNode =
  | LiteralNode
  | RootNode
  | AccessNode
  | MethodNode
  | CallNode
  | UnaryNode
  | BinaryNode
  | ChoiceNode
  | JoinedNode;
