import type { Value } from '../../contract/expression/value.ts';
import { jsonText } from '../language/json-text.ts';

/** What expressions gave, as the JSON of claims. @throws EvaluationError when it holds what JSON cannot say. */
export function claimsText(value: Value): string {
  return jsonText(value);
}
