import { ValueProblem } from '../problem.ts';
import { type JsonPointer, readJsonPointer } from './json-pointer.ts';

/** Value in a comparison. */
export type FilterValue = string | number | boolean;

/** A filter of Common REST. Operators beyond the known ones are for those who evaluate it to know. */
export type QueryFilter =
  | { readonly kind: 'literal'; readonly value: boolean }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly QueryFilter[] }
  | { readonly kind: 'not'; readonly part: QueryFilter }
  | { readonly kind: 'present'; readonly field: JsonPointer }
  | { readonly kind: 'compare'; readonly field: JsonPointer; readonly operator: string; readonly value: FilterValue };

const LONGEST = 16_384;
const DEEPEST = 256;
const OPERATOR = /^[\w.]+$/;
const NUMBER = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** A word of a filter; `quoted` is the value of a string. */
interface Token {
  readonly text: string;
  readonly quoted: string | null;
}

/** Reads the value of `_queryFilter`. @throws ValueProblem */
export function readQueryFilter(text: string): QueryFilter {
  if (text.length > LONGEST) throw problem(`is longer than ${LONGEST} characters`);
  const tokens = tokensOf(text);
  let at = 0;
  const filter = either(0);
  if (at < tokens.length) throw problem(`has something after its end: ${shown(tokens[at]!)}`);
  return filter;

  function word(): string | null {
    const token = tokens[at];
    return token === undefined || token.quoted !== null ? null : token.text.toLowerCase();
  }

  function joined(kind: 'and' | 'or', depth: number, next: (depth: number) => QueryFilter): QueryFilter {
    const parts = [next(depth)];
    while (word() === kind) {
      at++;
      parts.push(next(depth));
    }
    return parts.length === 1 ? parts[0]! : { kind, parts };
  }

  function either(depth: number): QueryFilter {
    if (depth > DEEPEST) throw problem(`is nested more than ${DEEPEST} times`);
    return joined('or', depth, all);
  }

  function all(depth: number): QueryFilter {
    return joined('and', depth, negated);
  }

  function negated(depth: number): QueryFilter {
    if (word() !== '!') return primary(depth);
    at++;
    return { kind: 'not', part: primary(depth) };
  }

  function primary(depth: number): QueryFilter {
    const first = tokens[at++];
    if (first === undefined) throw problem('ends too early');
    if (first.quoted !== null) throw problem(`has a string where a field is expected: ${shown(first)}`);
    if (first.text === '(') {
      const inner = either(depth + 1);
      if (tokens[at++]?.text !== ')') throw problem("has a '(' without its ')'");
      return inner;
    }
    const lower = first.text.toLowerCase();
    if (lower === 'true' || lower === 'false') return { kind: 'literal', value: lower === 'true' };
    if (first.text === ')' || first.text === '!') throw problem(`has '${first.text}' where a field is expected`);
    const field = readJsonPointer(first.text);
    const operator = tokens[at++];
    if (operator === undefined || operator.quoted !== null) throw problem(`has no operator after ${shown(first)}`);
    if (!OPERATOR.test(operator.text)) throw problem(`has no valid operator after ${shown(first)}`);
    const name = operator.text.toLowerCase();
    if (name === 'pr') return { kind: 'present', field };
    return { kind: 'compare', field, operator: name, value: comparedValue(tokens[at++]) };
  }
}

function comparedValue(token: Token | undefined): FilterValue {
  if (token === undefined) throw problem('has a comparison without a value');
  if (token.quoted !== null) return token.quoted;
  const lower = token.text.toLowerCase();
  if (lower === 'true' || lower === 'false') return lower === 'true';
  const number = Number(token.text);
  if (!NUMBER.test(token.text) || !Number.isFinite(number)) {
    throw problem(`has a value that is no string, number or boolean: ${shown(token)}`);
  }
  return number;
}

/** Words end at spaces and parentheses only; what follows a string must be one of these. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const one = text[at]!;
    if (one === ' ') {
      at++;
    } else if (one === '(' || one === ')' || one === '!') {
      tokens.push({ text: one, quoted: null });
      at++;
    } else if (one === '"' || one === "'") {
      const end = endOfString(text, at);
      tokens.push({ text: text.slice(at, end), quoted: unquoted(text.slice(at + 1, end - 1)) });
      if (end < text.length && !' )'.includes(text[end]!)) throw problem('has no space after a string');
      at = end;
    } else {
      const end = /[ ()]|$/.exec(text.slice(at))!.index + at;
      tokens.push({ text: text.slice(at, end), quoted: null });
      at = end;
    }
  }
  return tokens;
}

/** Place after the closing quote. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === text[from]) return at + 1;
  }
  throw problem('has a string without its end');
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The escapes of JSON; a backslash before any other character stands for that character. */
function unquoted(inside: string): string {
  return inside.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (_, code: string | undefined, one: string | undefined) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return ESCAPES[one!] ?? one!;
  });
}

function shown({ text }: Token): string {
  return `'${text.slice(0, 40)}'`;
}

function problem(message: string): ValueProblem {
  return new ValueProblem('value', `the query filter ${message}`);
}
