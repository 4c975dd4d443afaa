import type { ClassNode, ClosureNode, Expression, Statement, SwitchNode } from '../syntax/tree.ts';
import type { FunctionContext, Scope, Unit } from './unit.ts';

/** The parts of the generator, which call each other through it. */
export interface Emitting {
  readonly unit: Unit;
  /** Code for the value of an expression. */
  value(node: Expression, scope: Scope): string;
  /** Code for a JavaScript boolean. */
  condition(node: Expression, scope: Scope): string;
  closure(node: ClosureNode, scope: Scope): string;
  /** Code for statements; of a tail, the value of the last one is returned. */
  statements(body: readonly Statement[], scope: Scope, isTail: boolean): string;
  statement(node: Statement, scope: Scope, isTail: boolean): string;
  switchCode(node: SwitchNode, scope: Scope, isTail: boolean): string;
  /** Code for the body of a function: declarations of temporaries, limits, statements. */
  functionBody(context: FunctionContext, write: () => string): string;
  anonymousClass(node: ClassNode, scope: Scope, args: string, isInterfaceAllowed: boolean): string;
}

/** Code that waits for an outcome that may be steps. */
export function settled(code: string): string {
  return `(typeof(t=${code})==="object"&&t!==null&&G(t)?(yield*t)??null:t)`;
}

export function quote(text: string): string {
  return JSON.stringify(text);
}
