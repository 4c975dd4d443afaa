import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type CompiledExpression, compileExpression } from '../../../contract/expression/expression.ts';
import { EvaluationError, valueType } from '../../../contract/expression/value.ts';
import { ValueProblem } from '../../../contract/problem.ts';
import { describedExchange } from '../../../dataplane/dry-run/described-exchange.ts';
import { valueJson } from '../../../dataplane/language/value-json.ts';
import { testLanguage, vectorRequest } from '../../support/programs/evaluation.ts';

interface Row {
  readonly expr: string;
  readonly outcome: 'value' | 'evalError' | 'parseError';
  readonly type: string;
  readonly value: unknown;
  readonly asCondition: boolean;
}

const language = testLanguage();

function rowsOf(file: string): Row[] {
  const text = readFileSync(new URL(`../../vectors/${file}`, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line): Row => JSON.parse(line));
}

function outcomeOf(source: string): Omit<Row, 'expr'> {
  const failed = { value: null, asCondition: false };
  let compiled: CompiledExpression;
  try {
    compiled = compileExpression(source, language, 'linear');
  } catch (error) {
    if (error instanceof ValueProblem) return { outcome: 'parseError', type: 'null', ...failed };
    throw error;
  }
  try {
    const value = compiled.evaluate(describedExchange(vectorRequest), null);
    const json: unknown = JSON.parse(valueJson(value, language.shapes));
    return { outcome: 'value', type: valueType(value), value: json, asCondition: value === true };
  } catch (error) {
    if (error instanceof EvaluationError) return { outcome: 'evalError', type: error.exception ?? 'null', ...failed };
    throw error;
  }
}

describe.each(['expressions.jsonl', 'juel-expressions.jsonl'])('%s', (file) => {
  it.each(rowsOf(file).map((row) => [row.expr, row] as const))('%s', (expr, row) => {
    expect({ expr, ...outcomeOf(expr) }).toEqual(row);
  });
});
