import type { z } from 'zod';
import { type CompiledExpression, compileExpression } from '../expression/expression.ts';
import { compileTarget, type Target } from '../expression/target.ts';
import { EvaluationError, type Value } from '../expression/value.ts';
import { ValueProblem } from '../problem.ts';
import { wrongType } from './configured.ts';
import { leaf } from './leaf.ts';
import { theReading } from './reading.ts';

/** A value that is computed for each request, or that is the same for all. */
export interface RuntimeExpression<T> {
  /** As written. */
  readonly source: string;
  /** What it was compiled to; null when it is a plain value. */
  readonly compiled: CompiledExpression | null;
  /** The value for this exchange; null when there is none, it has another type or its computation fails. */
  read(subject: unknown, answer: unknown): T | null;
}

/** A runtime expression that gives a text. */
export function runtimeText(): z.ZodType<RuntimeExpression<string>, unknown> {
  return runtime('string', { type: 'string' }, (value): value is string => typeof value === 'string', 'a string');
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

/** A runtime expression that gives whatever it gives; a value that is not a text stands for itself. */
export function runtimeValue(): z.ZodType<RuntimeExpression<Value>, unknown> {
  return runtime('object', {}, (_): _ is Value => true, 'a value');
}

function runtime<T extends Value>(
  type: string,
  json: Readonly<Record<string, unknown>>,
  fits: (value: Value) => value is T,
  expected: string,
): z.ZodType<RuntimeExpression<T>, unknown> {
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

function notAnExpression({ code, message }: ValueProblem): ValueProblem {
  return new ValueProblem(code, message, 'an expression is written ${…}');
}

function constant<T>(source: string, value: T): RuntimeExpression<T> {
  return { source, compiled: null, read: () => value };
}

/** A place that a value is assigned to, such as `${attributes.user}`. */
export function target(): z.ZodType<Target, unknown> {
  return leaf('lvalue expression', { type: 'string', pattern: '^[$#]\\{' }, (value) => {
    if (typeof value !== 'string') throw wrongType("an expression such as '${attributes.name}'", value);
    return compileTarget(value, theReading().runtime);
  });
}
