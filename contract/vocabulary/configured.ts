import type { z } from 'zod';
import { conceal, concealQuoted } from '../conceal.ts';
import { didYouMean } from '../did-you-mean.ts';
import { kindOf } from '../document/json-value.ts';
import { type Duration, readDuration } from '../duration.ts';
import { compileExpression } from '../expression/expression.ts';
import { Double, type Value } from '../expression/value.ts';
import { hideUrlPasswords } from '../hiding/url-password.ts';
import { compilePattern, type Pattern } from '../pattern/pattern.ts';
import type { PatternOptions } from '../pattern/read-pattern.ts';
import { ValueProblem } from '../problem.ts';
import { type JsonSchema, leaf } from './leaf.ts';
import { theReading } from './reading.ts';

/** Evaluates a text with `${…}` in it; every other value stands for itself. */
function configuredValue(value: unknown): unknown {
  if (typeof value !== 'string' || !/[$#]\{/.test(value)) return value;
  const { configuration, patterns } = theReading();
  const expression = compileExpression(value, configuration, patterns);
  const [unknown] = expression.unknownRoots;
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, [...configuration.constants.keys(), ...configuration.roots.keys()]);
    throw new ValueProblem('expression', `'${unknown}' is not known here`, hint && `did you mean '${hint}'?`);
  }
  let result: Value;
  try {
    result = expression.evaluate(null, null);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new ValueProblem('expression', `${value} cannot be evaluated: ${concealQuoted(error.message, value)}`);
  }
  return result;
}

/** `texts` is a pattern of the texts that are read like the value. */
function expressionOr(json: JsonSchema, texts?: string): JsonSchema {
  return { anyOf: [json, { type: 'string', pattern: texts === undefined ? '[$#]\\{' : `[$#]\\{|${texts}` }] };
}

function configured<T>(
  type: string,
  json: JsonSchema,
  read: (value: unknown) => T,
  texts?: string,
): z.ZodType<T, unknown> {
  return leaf(`configuration expression<${type}>`, expressionOr(json, texts), (value) => readConfigured(value, read));
}

/** A number as a token leaves it behind. */
const NUMBER_TEXT = '^\\s*-?\\d+(?:\\.\\d+)?\\s*$';

/** Reads what a value or an expression gives; a problem shows the expression, and never what it gave. */
export function readConfigured<T>(value: unknown, read: (value: unknown) => T): T {
  const result = configuredValue(value);
  try {
    return read(result);
  } catch (error) {
    if (!(error instanceof ValueProblem) || typeof result !== 'string' || typeof value !== 'string') throw error;
    throw new ValueProblem(error.code, conceal(error.message, [result], value), error.hint);
  }
}

/** A text; at least one character unless told otherwise. */
export function text(rule: { readonly allowEmpty?: boolean } = {}): z.ZodType<string, unknown> {
  const json = rule.allowEmpty === true ? { type: 'string' } : { type: 'string', minLength: 1 };
  return configured('string', json, (value) => {
    if (typeof value !== 'string') throw wrongType('a string', value);
    if (value === '' && rule.allowEmpty !== true) throw new ValueProblem('value', 'must not be empty');
    return value;
  });
}

/** Bounds of a number, both included. */
export interface NumberRule {
  readonly min?: number;
  readonly max?: number;
}

/** A whole number, also as the text that a token leaves behind. */
export function integer(rule: NumberRule = {}): z.ZodType<number, unknown> {
  return configured(
    'integer',
    { type: 'integer', ...jsonBounds(rule) },
    (value) => {
      const number = numberOf(value);
      if (number === null) throw wrongType('a whole number', value);
      if (!Number.isSafeInteger(number)) throw new ValueProblem('value', `must be a whole number, not ${number}`);
      return within(number, rule);
    },
    NUMBER_TEXT,
  );
}

/** A number, also as the text that a token leaves behind. */
export function number(rule: NumberRule = {}): z.ZodType<number, unknown> {
  return configured(
    'number',
    { type: 'number', ...jsonBounds(rule) },
    (value) => {
      const number = numberOf(value);
      if (number === null) throw wrongType('a number', value);
      return within(number, rule);
    },
    NUMBER_TEXT,
  );
}

/** True or false, also as the text that a token leaves behind. */
export function flag(): z.ZodType<boolean, unknown> {
  return configured(
    'boolean',
    { type: 'boolean' },
    (value) => {
      if (typeof value === 'boolean') return value;
      if (value === 'true' || value === 'false') return value === 'true';
      throw wrongType('true or false', value);
    },
    '^(?:true|false)$',
  );
}

/** One of these words, in upper or lower case; the result is spelt as listed. */
export function choice<const Word extends string>(
  words: readonly Word[],
  hintFor: (given: string) => string | undefined = () => undefined,
): z.ZodType<Word, unknown> {
  return configured(
    'enumeration',
    { type: 'string', enum: words },
    (value) => {
      const word = typeof value === 'string' ? value.toLowerCase() : null;
      const chosen = words.find((candidate) => candidate.toLowerCase() === word);
      if (chosen !== undefined) return chosen;
      const { code, message } = wrongType(`one of ${words.join(', ')}`, value);
      throw new ValueProblem(code, message, word === null ? undefined : hintFor(word));
    },
    `^(?:${words.map(inAnyCase).join('|')})$`,
  );
}

/** A pattern of a word in upper or lower case. */
function inAnyCase(word: string): string {
  return word.replace(/[^\d]/g, (one) => `[${[...new Set([one.toUpperCase(), one.toLowerCase()])].join('')}]`);
}

/** Further rules for a duration. */
export interface DurationRule {
  readonly unlimited?: boolean;
  readonly zero?: boolean;
  /** The longest allowed, such as `1 day`. */
  readonly max?: string;
}

/** A length of time; zero and unlimited only where the rule allows them. */
export function duration(rule: DurationRule = {}): z.ZodType<Duration, unknown> {
  return configured('duration', { type: 'string' }, (value) => {
    if (typeof value !== 'string') throw wrongType("a duration such as '10 seconds'", value);
    const read = readDuration(value);
    if (read.unlimited && rule.unlimited !== true) throw new ValueProblem('duration', 'must not be unlimited');
    if (read.zero && rule.zero !== true) throw new ValueProblem('duration', 'must be longer than zero');
    if (rule.max !== undefined && read.milliseconds > readDuration(rule.max).milliseconds) {
      throw new ValueProblem('duration', `must be at most ${rule.max}`);
    }
    return read;
  });
}

/** An absolute URL of one of these schemes. */
export function url(schemes: readonly string[] = ['http', 'https']): z.ZodType<URL, unknown> {
  return configured('url', { type: 'string', format: 'uri' }, (value) => {
    if (typeof value !== 'string') throw wrongType('a URL', value);
    const parsed = URL.parse(value);
    if (parsed === null) throw new ValueProblem('value', `is not an absolute URL: ${shown(value)}`);
    if (!schemes.includes(parsed.protocol.slice(0, -1))) {
      throw new ValueProblem(
        'value',
        `must have the scheme ${schemes.join(' or ')}, not ${parsed.protocol.slice(0, -1)}`,
      );
    }
    return parsed;
  });
}

/** The identifier under which a secrets provider looks up a secret. */
export function secretId(): z.ZodType<string, unknown> {
  const json = { type: 'string', pattern: '^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$' };
  const read = (id: unknown): string => {
    if (typeof id !== 'string') throw wrongType('a secret id', id);
    if (/^[\w-]+(?:\.[\w-]+)*$/.test(id)) return id;
    // not what it is: whoever takes the field for that of the secret wrote the secret
    throw new ValueProblem(
      'value',
      "must be the id of a secret: letters, digits, '_' and '-' with single dots between",
    );
  };
  return leaf('secret-id', expressionOr(json), (value) => readConfigured(value, read));
}

/** A regular expression in Java's syntax. */
export function pattern(options: PatternOptions = {}): z.ZodType<Pattern, unknown> {
  return leaf('regular expression', { type: 'string' }, (value) => {
    if (typeof value !== 'string') throw wrongType('a regular expression', value);
    return compilePattern(value, theReading().patterns, options);
  });
}

export function wrongType(expected: string, value: unknown): ValueProblem {
  if (value === undefined) return new ValueProblem('missing', 'is required');
  const found = typeof value === 'string' ? shown(value) : kindOf(value);
  return new ValueProblem('value', `must be ${expected}, not ${found}`);
}

/** A value as a message may show it: short, and never a whole object. */
export function shown(value: unknown): string {
  if (typeof value === 'object' || value === undefined) return kindOf(value);
  const said = typeof value === 'string' ? `'${hideUrlPasswords(value)}'` : String(value);
  return said.length > 80 ? `${said.slice(0, 77)}…'` : said;
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Double) return value.value;
  return typeof value === 'string' && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : null;
}

function within(number: number, { min, max }: NumberRule): number {
  if (min !== undefined && number < min) throw new ValueProblem('value', `must be at least ${min}, not ${number}`);
  if (max !== undefined && number > max) throw new ValueProblem('value', `must be at most ${max}, not ${number}`);
  return number;
}

function jsonBounds({ min, max }: NumberRule): JsonSchema {
  return { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) };
}
