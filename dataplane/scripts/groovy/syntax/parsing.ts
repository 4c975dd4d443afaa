import type { Cursor } from './cursor.ts';
import type { ClassNode, Expression, Modifiers, Statement, SwitchNode } from './tree.ts';

/** The parts of the parser, which call each other through it. */
export interface Parsing {
  readonly cursor: Cursor;
  /** The same for tokens within a string. */
  within(cursor: Cursor): Parsing;
  expression(): Expression;
  /** An expression that may be a call without parentheses. */
  statementExpression(): Expression;
  /** Statements in braces. */
  block(): Statement[];
  /** Statements up to a closing brace, which is left. */
  statements(): Statement[];
  statement(): Statement;
  switchNode(isValue: boolean): SwitchNode;
  classBody(
    name: string,
    form: ClassNode['form'],
    modifiers: Modifiers,
    header: Pick<ClassNode, 'superclass' | 'interfaces'>,
  ): ClassNode;
}
