import { isJsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import { compileExpression } from '../../contract/expression/expression.ts';
import { type TouchedPath, touchedPaths } from '../../contract/expression/touched-paths.ts';
import { EvaluationError } from '../../contract/expression/value.ts';
import { isCredentialName } from '../../contract/hiding/credential-names.ts';
import { hideSecrets } from '../../contract/hiding/hidden-secrets.ts';
import { hideUrlPasswords } from '../../contract/hiding/url-password.ts';
import { percentDecoded } from '../../contract/percent-decoded.ts';
import type { SeenValue } from '../../contract/shown/explanation.ts';
import type { Reading } from '../../contract/vocabulary/reading.ts';
import type { RuntimeExpression } from '../../contract/vocabulary/runtime.ts';
import type { Exchange } from '../../dataplane/engine/message/exchange.ts';
import { valueJson } from '../output/value-json.ts';

const HIDDEN = '********';
/** Roots of which nothing is shown: programs get their credentials there. */
const SECRET_ROOTS = new Set(['env', 'system']);
const PARAMETER = /(?<=^|[?&;])([^=?&;\s]{1,200})=[^&;\s]*/g;
const SCHEMED = /^\s*(basic|bearer|dpop|digest|negotiate)\s.*$/is;
const LONGEST_TEXT = 1000;
const MOST_VALUES = 50;

/** Returns the values that a condition reads of an exchange, with stars for credentials. */
export function seenValues(
  { compiled }: RuntimeExpression<unknown>,
  reading: Reading,
  exchange: Exchange,
): SeenValue[] {
  if (compiled === null) return [];
  const paths = new Map(touchedPaths(compiled.node).map((path) => [pathText(path), path]));
  return [...paths].slice(0, MOST_VALUES).map(([expression, path]) => ({
    expression,
    value: isSecret(path) ? HIDDEN : shown(evaluated(expression, reading, exchange)),
  }));
}

function pathText([root = '', ...names]: TouchedPath): string {
  const steps = names.map((name) => {
    if (/^\d+$/.test(name)) return `[${name}]`;
    return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name.replace(/[\\']/g, '\\$&')}']`;
  });
  return `${root}${steps.join('')}`;
}

/** The root itself is no credential: `request` is the name of one in a query. */
function isSecret([root = '', ...names]: TouchedPath): boolean {
  return SECRET_ROOTS.has(root) || names.some(isCredentialName);
}

function evaluated(expression: string, { runtime, patterns }: Reading, exchange: Exchange): JsonValue {
  try {
    const value = compileExpression(`\${${expression}}`, runtime, patterns).evaluate(exchange, null);
    return JSON.parse(valueJson(value, runtime.shapes)) as JsonValue;
  } catch (error) {
    if (error instanceof EvaluationError || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** A text may be a document, a query without its question mark, or the value of a header with a credential. */
function withoutCredentials(text: string): string {
  if (/^\s*[{[]/.test(text)) return hideSecrets(text);
  return hideUrlPasswords(text)
    .replace(PARAMETER, (all, name: string) => (isCredentialName(percentDecoded(name)) ? `${name}=${HIDDEN}` : all))
    .replace(SCHEMED, `$1 ${HIDDEN}`);
}

function shown(value: JsonValue): JsonValue {
  if (typeof value === 'string') {
    const text = withoutCredentials(value);
    return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT).toWellFormed()}…` : text;
  }
  if (Array.isArray(value)) return (value as readonly JsonValue[]).slice(0, MOST_VALUES).map(shown);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, JsonValue] => [
    name,
    isCredentialName(name) ? HIDDEN : shown(member),
  ]);
  return Object.fromEntries(members);
}
