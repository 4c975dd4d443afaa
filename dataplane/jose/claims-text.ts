import type { Value } from '../../contract/expression/value.ts';
import { jsonText } from '../language/json-text.ts';

/**
 * Writes the results of expressions as the JSON of claims.
 * @throws EvaluationError for values that JSON cannot represent.
 */
export function claimsText(value: Value): string {
  return jsonText(value);
}
