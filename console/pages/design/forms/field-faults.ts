import { isJsonObject, type JsonValue, kindOf } from '../../../../contract/document/json-value.ts';
import { readDuration } from '../../../../contract/duration.ts';
import { ValueProblem } from '../../../../contract/problem.ts';
import type {
  ChoiceForm,
  ListForm,
  NumberForm,
  ReferenceForm,
  ShownForm,
  TextForm,
} from '../../../../contract/shown/shown-catalogue.ts';

/**
 * Returns what is wrong with a value by itself, in a few words; null if nothing is. The gateway checks more: it follows
 * names and compiles expressions. Parts of lists and objects have messages of their own.
 */
export function faultOf(form: ShownForm, value: JsonValue): string | null {
  if (isWritten(value)) return null;
  switch (form.kind) {
    case 'text':
      return textFault(form, value);
    case 'number':
      return isExpression(form, value) ? null : numberFault(form, value);
    case 'flag':
      return typeof value === 'boolean' || value === 'true' || value === 'false' || isExpression(form, value)
        ? null
        : 'must be true or false';
    case 'words':
      return isWord(form.words, value) || isExpression(form, value)
        ? null
        : `must be one of ${form.words.map((word) => JSON.stringify(word)).join(', ')}`;
    case 'list':
      return listFault(form, value);
    case 'map':
    case 'object':
      return isJsonObject(value) ? null : `must be an object, not ${kindOf(value)}`;
    case 'choice':
      return choiceFault(form, value);
    case 'reference':
      return referenceFault(form, value);
    case 'refused':
      return `cannot be given here: ${form.why}`;
    case 'any':
      return null;
  }
}

/** True if a form takes a value as far as its own type goes, so that the form can show it. */
export function fits(form: ShownForm, value: JsonValue): boolean {
  if (form.kind === 'reference') return referenceFault(form, value) === null;
  return faultOf(form, value) === null;
}

/** Tokens and transformations are resolved when the document is loaded. */
function isWritten(value: JsonValue): boolean {
  if (typeof value === 'string') return value.includes('&{');
  return isJsonObject(value) && Object.keys(value).some((key) => key.startsWith('$') && key !== '$schema');
}

function isExpression({ expression }: { readonly expression?: string }, value: JsonValue): boolean {
  return expression !== undefined && typeof value === 'string' && /[$#]\{/.test(value);
}

function textFault(form: TextForm, value: JsonValue): string | null {
  const { means, least = 0, most = Number.POSITIVE_INFINITY, patterns = [], isNumberToo, result } = form;
  if (typeof value === 'number' && isNumberToo) return null;
  if (typeof value === 'boolean' && result === 'boolean') return null;
  if (means === 'script' && Array.isArray(value) && value.every((line) => typeof line === 'string')) return null;
  if (typeof value !== 'string') return result === 'object' ? null : `must be a text, not ${kindOf(value)}`;
  if (means === 'target' && !/^[$#]\{/.test(value)) return "must be an expression such as ${attributes['name']}";
  if (isExpression(form, value)) return null;
  if (value.length < least) return least === 1 ? 'must not be empty' : `must have at least ${least} characters`;
  if (value.length > most) return `must have at most ${most} characters`;
  if (means === 'duration') return durationFault(value);
  return patterns.every((pattern) => new RegExp(pattern).test(value)) ? null : patternFault(means);
}

function durationFault(text: string): string | null {
  try {
    readDuration(text);
    return null;
  } catch (error) {
    if (!(error instanceof ValueProblem)) throw error;
    return error.message;
  }
}

function patternFault(means: TextForm['means']): string {
  if (means === 'secret') return "must be an id of letters, digits, '_' and '-', with single dots between";
  return 'does not have the required form';
}

function numberFault({ isWhole, least, most }: NumberForm, value: JsonValue): string | null {
  const number = typeof value === 'string' && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number') return `must be a number, not ${kindOf(value)}`;
  if (isWhole && !Number.isInteger(number)) return 'must be a whole number';
  if (least !== undefined && number < least) return `must be at least ${least}`;
  return most !== undefined && number > most ? `must be at most ${most}` : null;
}

function isWord(words: readonly JsonValue[], value: JsonValue): boolean {
  if (words.includes(value)) return true;
  return typeof value === 'string' && words.some((word) => String(word).toLowerCase() === value.toLowerCase());
}

function listFault({ least = 0, most = Number.POSITIVE_INFINITY }: ListForm, value: JsonValue): string | null {
  if (!Array.isArray(value)) return `must be a list, not ${kindOf(value)}`;
  if (value.length < least) return least === 1 ? 'needs at least one item' : `needs at least ${least} items`;
  return value.length > most ? `takes at most ${most} items` : null;
}

function choiceFault({ options }: ChoiceForm, value: JsonValue): string | null {
  const faults = options.map(({ form }) => faultOf(form, value));
  return faults.includes(null) ? null : (faults[0] ?? null);
}

function referenceFault({ several }: ReferenceForm, value: JsonValue): string | null {
  if (typeof value === 'string') return value === '' ? 'must be the name of an object' : null;
  if (Array.isArray(value)) return several === undefined ? 'must be one object, not a list' : null;
  return isJsonObject(value) ? null : `must be the name or the declaration of an object, not ${kindOf(value)}`;
}
