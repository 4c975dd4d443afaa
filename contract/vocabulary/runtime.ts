import type { z } from 'zod';
import type { ExpressionRemark } from '../expression/compilation.ts';
import { type CompiledExpression, compileExpression } from '../expression/expression.ts';
import { kindNames, type StaticKind } from '../expression/static-kind.ts';
import { compileTarget, type Target } from '../expression/target.ts';
import { EvaluationError, type Value } from '../expression/value.ts';
import { ValueProblem } from '../problem.ts';
import { wrongType } from './configured.ts';
import { leaf } from './leaf.ts';
import { theReading } from './reading.ts';
import type { AddBreach } from './rules-about.ts';

/** A value that is computed for each request, or that is the same for all. */
export interface RuntimeExpression<T> {
  /** As written. */
  readonly source: string;
  /** What it was compiled to; null when it is a plain value. */
  readonly compiled: CompiledExpression | null;
  /** What its writer should know. */
  readonly remarks: readonly ExpressionRemark[];
  /** The value for this exchange; null when there is none, it has another type or its computation fails. */
  read(subject: unknown, answer: unknown): T | null;
}

/** A runtime expression that gives a text. */
export function runtimeText(): z.ZodType<RuntimeExpression<string>, unknown> {
  return runtime('text', { type: 'string' }, (value): value is string => typeof value === 'string', 'a string');
}

/** A runtime expression that gives true or false. */
export function runtimeFlag(): z.ZodType<RuntimeExpression<boolean>, unknown> {
  const json = { anyOf: [{ type: 'boolean' }, { type: 'string' }] };
  return runtime(
    'boolean',
    json,
    (value): value is boolean => typeof value === 'boolean',
    'true, false or an expression',
  );
}

/** Whether a condition is not true for any exchange. */
export function isNeverTrue({ compiled, read }: RuntimeExpression<boolean>): boolean {
  if (compiled === null) return read(null, null) !== true;
  return compiled.constant !== undefined && compiled.constant !== true;
}

/** The text that an expression has for every exchange; null if it depends on the exchange. */
export function constantText({ compiled, read }: RuntimeExpression<string>): string | null {
  const value = compiled === null ? read(null, null) : compiled.constant;
  return typeof value === 'string' ? value : null;
}

/** Adds a problem for a key of requests that is the same for all of them. */
export function refuseConstantKey(key: RuntimeExpression<string> | undefined, field: string, add: AddBreach): void {
  if (key === undefined || constantText(key) === null) return;
  const hint = "an expression is written ${…}, such as ${request.headers['X-User'][0]}";
  add([field], 'is the same text for every request, so that all of them would go to one place', 'value', hint);
}

/** A runtime expression that gives whatever it gives; a value that is not a text stands for itself. */
export function runtimeValue(): z.ZodType<RuntimeExpression<Value>, unknown> {
  return runtime(null, {}, (_): _ is Value => true, 'a value');
}

function runtime<T extends Value>(
  wanted: 'text' | 'boolean' | null,
  json: Readonly<Record<string, unknown>>,
  fits: (value: Value) => value is T,
  expected: string,
): z.ZodType<RuntimeExpression<T>, unknown> {
  const type = wanted === null ? 'object' : wanted === 'text' ? 'string' : wanted;
  return leaf(`runtime expression<${type}>`, json, (value): RuntimeExpression<T> => {
    if (typeof value !== 'string') {
      if (value === undefined || !fits(value as Value)) throw wrongType(expected, value);
      return constant(JSON.stringify(value), value as T);
    }
    const { runtime: language, patterns, evaluationFailed } = theReading();
    const compiled = compileExpression(value, language, patterns);
    if (compiled.literal) {
      const literal = compiled.evaluate(null, null);
      if (!fits(literal)) throw notAnExpression(wrongType(expected, value));
      return constant(value, literal);
    }
    return {
      source: value,
      compiled,
      remarks: allRemarks(compiled.remarks, wanted === null ? [] : judgeKind(compiled, wanted)),
      read(subject, answer) {
        try {
          const result = compiled.evaluate(subject, answer);
          if (result === null || fits(result)) return result as T | null;
          evaluationFailed(value, `gave a value of another type than ${type}`);
        } catch (error) {
          if (!(error instanceof EvaluationError)) throw error;
          evaluationFailed(value, error.message);
        }
        return null;
      },
    };
  });
}

/**
 * What is always of another kind would be taken for null each time. Where a condition is wanted it is an error: routes
 * that never match leave their requests to others.
 */
function judgeKind(compiled: CompiledExpression, wanted: 'text' | 'boolean'): ExpressionRemark[] {
  const { kind, constant } = compiled;
  if (kind === null || kind === wanted) return [];
  const never = wanted === 'boolean' ? 'never true or false' : 'never a text';
  const hint = kindHint(compiled, kind, wanted);
  if (wanted === 'boolean' || constant !== undefined) {
    throw new ValueProblem('expression', `is always ${kindNames[kind]}, ${never}`, hint);
  }
  return [{ message: `is always ${kindNames[kind]}, ${never}, and taken for null`, hint }];
}

function kindHint({ node, constant }: CompiledExpression, kind: StaticKind, wanted: 'text' | 'boolean'): string {
  if (node.kind === 'joined')
    return 'what stands before or after the ${…} makes a text of it: take it away, spaces too';
  if (kind === 'list') return 'name one of its items: [0]';
  if (wanted === 'text') return 'toString(…) makes a text of it';
  const isKnownText = constant !== undefined && kind === 'text';
  return isKnownText ? 'bool(…) makes true or false of a text' : "compare it with something: ${… == '…'}";
}

/** The first list itself where the second is empty: there are thousands of expressions. */
function allRemarks(first: readonly ExpressionRemark[], second: readonly ExpressionRemark[]) {
  return second.length === 0 ? first : [...first, ...second];
}

function notAnExpression({ code, message }: ValueProblem): ValueProblem {
  return new ValueProblem(code, message, 'an expression is written ${…}');
}

function constant<T>(source: string, value: T): RuntimeExpression<T> {
  return { source, compiled: null, remarks: [], read: () => value };
}

/** A place that a value is assigned to, such as `${attributes.user}`. */
export function target(): z.ZodType<Target, unknown> {
  return leaf('lvalue expression', { type: 'string', pattern: '^[$#]\\{' }, (value) => {
    if (typeof value !== 'string') throw wrongType("an expression such as '${attributes.name}'", value);
    return compileTarget(value, theReading().runtime);
  });
}
