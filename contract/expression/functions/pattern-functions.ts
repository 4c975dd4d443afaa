import type { Pattern } from '../../pattern/pattern.ts';
import type { FunctionRows } from '../language.ts';
import { EvaluationError, type Value } from '../value.ts';

/** Functions that take a regular expression. Searching in null is a failure and not an answer. */
export const patternFunctions: FunctionRows = [
  ['find', { takes: 'pattern', first: 'text', call: find }],
  ['findGroups', { takes: 'pattern', first: 'text', call: findGroups }],
  ['matchesWithRegex', { takes: 'pattern', first: 'text', call: (text, pattern) => pattern.matches(searched(text)) }],
  [
    'split',
    {
      takes: 'pattern',
      first: 'text',
      call: (text, pattern) => (typeof text === 'string' ? pattern.split(text) : null),
    },
  ],
  ['matches', { takes: 'pattern', first: 'text', replacedBy: 'find', call: find }],
  ['matchingGroups', { takes: 'pattern', first: 'text', replacedBy: 'findGroups', call: findGroups }],
];

function find(text: Value, pattern: Pattern): Value {
  return pattern.test(searched(text));
}

/** The whole match and its groups, or null. */
function findGroups(text: Value, pattern: Pattern): Value {
  return pattern.exec(searched(text))?.groups ?? null;
}

function searched(text: Value): string {
  if (typeof text !== 'string') throw new EvaluationError('a regular expression cannot be looked for in null');
  return text;
}
