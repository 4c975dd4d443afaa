import { didYouMean } from '../did-you-mean.ts';
import { type Path, type Problem, ValueProblem } from '../problem.ts';
import { decodeBase64, encodeBase64 } from './base64-text.ts';
import { readJsonText } from './json-text.ts';
import { isExactAsNumber, isJsonObject, type JsonObject, type JsonValue, kindOf, mapMembers } from './json-value.ts';
import { LONGEST_SUBSTITUTED } from './tokens.ts';

const CHARSET = '$charset';

/** Makes something of a text. @throws ValueProblem when the text is not what it takes. */
type Transformation = (text: string, charset: string) => JsonValue;

const TRANSFORMATIONS: ReadonlyMap<string, Transformation> = new Map<string, Transformation>([
  ['$array', readArray],
  ['$base64:decode', decodeBase64],
  ['$base64:encode', encodeBase64],
  ['$bool', readBoolean],
  ['$int', readInteger],
  ['$list', readList],
  ['$number', readNumber],
  ['$object', readObject],
  ['$string', (text: string) => text],
]);
const NAMES = [...TRANSFORMATIONS.keys()];

/** Alone in an object, such a key can only be meant as a transformation. */
const LOOKS_LIKE_ONE = /^\$[A-Za-z][\w:]*$/;

/**
 * Replaces every `{"$int": "8080"}` and the like by what it makes, from the inside out; run it after the tokens are
 * substituted. An object is a transformation when it has a key of the known list, and is then refused if it has others
 * (but `$charset` beside `$base64:…`), or when its only key is a `$` and a word, and is then refused as an unknown one.
 * Other objects may have keys that begin with `$`. A value without transformations comes back as the same value.
 */
export function applyTransformations(value: JsonValue, report: (problem: Problem) => void, path: Path = []): JsonValue {
  return apply(value, path);

  function apply(node: JsonValue, at: Path): JsonValue {
    if (isJsonObject(node)) return applyToObject(node, at);
    if (typeof node !== 'object' || node === null) return node;
    const items = node.map((item, index) => apply(item, [...at, index]));
    return items.every((item, index) => item === node[index]) ? node : items;
  }

  function applyToObject(object: JsonObject, at: Path): JsonValue {
    const keys = Object.keys(object);
    const name = keys.find((key) => TRANSFORMATIONS.has(key)) ?? (keys.length === 1 ? keys[0]! : '');
    if (TRANSFORMATIONS.has(name) || LOOKS_LIKE_ONE.test(name)) return transform(object, name, keys, at);
    return mapMembers(object, (member, key) => (typeof member === 'object' ? apply(member, [...at, key]) : member));
  }

  /** Null where it fails: the problem makes the document unusable anyway. */
  function transform(object: JsonObject, name: string, keys: readonly string[], at: Path): JsonValue {
    const make = TRANSFORMATIONS.get(name);
    if (make === undefined) return unknown(name, at);
    const isBase64 = name.startsWith('$base64');
    const other = keys.find((key) => key !== name && !(isBase64 && key === CHARSET));
    if (other !== undefined) return fail(at, `has the transformation ${name} and another key '${other}'`);
    const argument = apply(object[name]!, [...at, name]);
    const hasFailed = argument === null && object[name] !== null;
    if (hasFailed) return null;
    if (typeof argument !== 'string')
      return fail(at, `has the transformation ${name} of ${kindOf(argument)}, and it takes a text`);
    const charset = apply(object[CHARSET] ?? 'UTF-8', [...at, CHARSET]);
    if (typeof charset !== 'string') return fail([...at, CHARSET], `must be a text and not ${kindOf(charset)}`);
    try {
      return within(make(argument, charset));
    } catch (error) {
      if (!(error instanceof ValueProblem)) throw error;
      return fail(at, `has the transformation ${name} of a text that ${error.message}`);
    }
  }

  function unknown(name: string, at: Path): null {
    if (name === '$location') return fail(at, 'has a $location, which only properties of a document may have');
    const meant = didYouMean(name, NAMES);
    const hint = meant === undefined ? `there are ${NAMES.join(', ')}` : `did you mean '${meant}'?`;
    return fail(at, `has an unknown transformation ${name}`, hint);
  }

  function fail(at: Path, message: string, hint?: string): null {
    report({
      code: 'transformation',
      severity: 'error',
      path: at,
      message,
      ...(hint === undefined ? {} : { hint }),
    });
    return null;
  }
}

/** Transformations of each other can make much of little. */
function within(made: JsonValue): JsonValue {
  if (typeof made !== 'string' || made.length <= LONGEST_SUBSTITUTED) return made;
  throw bad(`becomes longer than ${LONGEST_SUBSTITUTED} characters`);
}

function readArray(text: string): JsonValue {
  const value = readJson(text);
  if (!Array.isArray(value)) throw bad('is not a JSON array');
  return value;
}

function readObject(text: string): JsonValue {
  const value = readJson(text);
  if (!isJsonObject(value)) throw bad('is not a JSON object');
  return value;
}

function readJson(text: string): JsonValue {
  const { value, problems } = readJsonText(text, { comments: false });
  // Keys and values are left out of the message: such texts often come from a secret.
  const { line, column } = problems[0]?.place ?? { line: 1, column: 1 };
  if (problems[0] !== undefined) throw bad(`is not sound JSON in its line ${line}, column ${column}`);
  return value;
}

/** OpenIG takes every other word for false; a misspelt `true` would then switch something off. */
function readBoolean(text: string): boolean {
  const word = text.trim().toLowerCase();
  if (word !== 'true' && word !== 'false') throw bad("is neither 'true' nor 'false'");
  return word === 'true';
}

function readInteger(text: string): number {
  const digits = text.trim();
  if (!/^[-+]?\d{1,400}$/.test(digits)) throw bad('is not a whole number');
  const integer = BigInt(digits.replace('+', ''));
  if (!isExactAsNumber(integer)) throw bad('is a number that cannot be kept exactly');
  return Number(integer);
}

function readNumber(text: string): number {
  const number = text.trim();
  if (/^[-+]?\d+$/.test(number)) return readInteger(number);
  if (!/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(number)) throw bad('is not a number');
  if (!Number.isFinite(Number(number))) throw bad('is a number that is too large');
  return Number(number);
}

/** Blanks around the items do not count, and a text of blanks is an empty list. */
function readList(text: string): JsonValue {
  if (text.trim() === '') return [];
  const items = text.split(',').map((item) => item.trim());
  if (items.includes('')) throw bad('has an empty item between its commas');
  return items;
}

function bad(message: string): ValueProblem {
  return new ValueProblem('transformation', message);
}
