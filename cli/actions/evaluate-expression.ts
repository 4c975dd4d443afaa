import { compileExpression } from '../../contract/expression/expression.ts';
import { EvaluationError, valueType } from '../../contract/expression/value.ts';
import { type Problem, ValueProblem } from '../../contract/problem.ts';
import { tenantReach } from '../../contract/reach.ts';
import type { EvaluatedExpression } from '../../contract/shown/evaluated-expression.ts';
import type { AskedExpression } from '../../controller/manage/asked-expression.ts';
import { describedExchange } from '../../dataplane/dry-run/described-exchange.ts';
import type { Exchange } from '../../dataplane/engine/message/exchange.ts';
import { noteExpression } from '../../dataplane/heap/remarks.ts';
import { valueJson } from '../../dataplane/language/value-json.ts';
import { documentReading } from '../../dataplane/routes/document-reading.ts';

const LONGEST_VALUE = 8192;

/**
 * Evaluates an expression for somebody who may not read files, environment variables and properties of the gateway: with
 * the reach of a tenant, whoever asks. The work is bounded as it is for each request.
 */
export function evaluateExpression({ expression, request, properties }: AskedExpression): EvaluatedExpression {
  const warnings: string[] = [];
  const report = ({ message, hint }: Pick<Problem, 'message' | 'hint'>): void => {
    warnings.push(withHint(message, hint));
  };
  if (expression.includes('&{')) {
    return { outcome: 'unavailable', message: 'tokens are resolved when the route is loaded', warnings };
  }
  const reading = documentReading(tenantReach({}), [{ properties }], () => {});
  try {
    const compiled = compileExpression(expression, reading.runtime, 'bounded');
    noteExpression({ compiled, remarks: compiled.remarks }, [], { reading, report });
    const exchange = sampleExchange(request);
    if (exchange === null) return { outcome: 'failed', message: 'the sample request has no valid host', warnings };
    const value = compiled.evaluate(exchange, null);
    const text = valueJson(value, reading.runtime.shapes);
    const shown = text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
    return { outcome: 'value', type: valueType(value), value: shown, warnings };
  } catch (error) {
    if (error instanceof EvaluationError) return { outcome: 'failed', message: error.message, warnings };
    // The text of an entity may be JSON of any depth, and the stack is limited.
    if (error instanceof RangeError) return { outcome: 'failed', message: 'the value is nested too deeply', warnings };
    if (!(error instanceof ValueProblem)) throw error;
    if (error.code === 'not-allowed') {
      return { outcome: 'unavailable', message: `not tried here: ${error.message}`, warnings };
    }
    const place = error.offset === undefined ? {} : { offset: error.offset };
    return { outcome: 'invalid', message: withHint(error.message, error.hint), ...place, warnings };
  }
}

/** Null for a request without a valid host. */
function sampleExchange(request: AskedExpression['request']): Exchange | null {
  try {
    return describedExchange(request);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function withHint(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message}; ${hint}`;
}
