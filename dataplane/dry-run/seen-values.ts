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
import type { Exchange } from '../engine/message/exchange.ts';
import { valueJson } from '../language/value-json.ts';

const HIDDEN = '********';
/** Roots of which nothing is shown: programs get their credentials there. */
const SECRET_ROOTS = new Set(['env', 'system']);
const PARAMETER = /(?<=^|[?&;])([^=?&;\s]{1,200})=[^&;\s]*/g;
const SCHEMED = /^\s*(basic|bearer|dpop|digest|negotiate)\s.*$/is;
/** A JWT, wherever it stands. */
const COMPACT_TOKEN = /\beyJ[\w-]{8,}\.[\w-]*\.[\w.-]*/g;
const LONGEST_TEXT = 1000;
const MOST_VALUES = 50;

/** Returns a text that an expression read as it may be shown; null if nothing of it may. */
export type ShownText = (path: TouchedPath, text: string) => string | null;
/** Tells whether a text is part of the request that the caller sent. */
export type IsSent = (text: string) => boolean;

/** Returns the values that expressions read of an exchange, with stars for credentials. @param shownText by default all */
export function seenValues(
  expressions: readonly RuntimeExpression<unknown>[],
  reading: Reading,
  exchange: Exchange,
  shownText: ShownText = (_, text) => text,
): SeenValue[] {
  const touched = expressions.flatMap(({ compiled }) => (compiled === null ? [] : touchedPaths(compiled.node)));
  const paths = new Map(touched.map((path) => [pathText(path), path]));
  return [...paths].slice(0, MOST_VALUES).map(([expression, path]) => ({
    expression,
    value: isSecret(path)
      ? HIDDEN
      : shown(evaluated(expression, reading, exchange), (text) => {
          const open = shownText(path, text);
          return open === null ? HIDDEN : withoutCredentials(open);
        }),
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
    // A RangeError is that of JSON in an entity that is nested too deeply.
    const isOfValue = error instanceof EvaluationError || error instanceof SyntaxError || error instanceof RangeError;
    if (isOfValue) return null;
    throw error;
  }
}

/** A text may be a document, a query without its question mark, or the value of a header with a credential. */
export function withoutCredentials(text: string): string {
  if (/^\s*[{[]/.test(text)) return hideSecrets(text);
  return hideUrlPasswords(text)
    .replace(PARAMETER, (all, name: string) => (isCredentialName(percentDecoded(name)) ? `${name}=${HIDDEN}` : all))
    .replace(SCHEMED, `$1 ${HIDDEN}`)
    .replace(COMPACT_TOKEN, HIDDEN);
}

/** Returns a query with stars for the values of parameters that filters added: API keys have any name. */
export function withoutAddedParameters(query: string, isSent: IsSent): string {
  const parts = query.split('&').map((part) => {
    if (isSent(part)) return part;
    const at = part.indexOf('=');
    return at === -1 ? HIDDEN : `${part.slice(0, at)}=${HIDDEN}`;
  });
  return parts.join('&');
}

function shown(value: JsonValue, hide: (text: string) => string): JsonValue {
  if (typeof value === 'string') {
    const text = hide(value);
    return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT).toWellFormed()}…` : text;
  }
  if (Array.isArray(value)) return (value as readonly JsonValue[]).slice(0, MOST_VALUES).map((one) => shown(one, hide));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, JsonValue] => [
    name,
    isCredentialName(name) ? HIDDEN : shown(member, hide),
  ]);
  return Object.fromEntries(members);
}
