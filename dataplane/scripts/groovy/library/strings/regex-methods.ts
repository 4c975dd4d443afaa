import type { PatternMatch } from '../../../../../contract/pattern/pattern.ts';
import { type GMap, List } from '../../values/collections.ts';
import { GString } from '../../values/g-string.ts';
import type { LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { castFail } from '../../values/sam-results.ts';
import { countWhile } from '../collections/sequence-methods.ts';
import { itemsNow } from '../collections/walk.ts';
import { counted, expanded, matchesIn, PatternValue, type Regex, regexIn, replaceBy, splitBy } from './regex.ts';
import { needed, onTexts, strings } from './string-methods.ts';

function replaced(rt: Runtime, text: string, regex: Regex, template: Value, onlyFirst: boolean): string {
  if (template === null) rt.fail('java.lang.NullPointerException', null);
  const put = rt.text(template);
  return replaceBy(rt, regex, text, (match) => expanded(rt, put, match, regex.names), onlyFirst);
}

/** The text of a match, or a list of it and its groups where the pattern has groups. */
export function matchValue(match: PatternMatch): Value {
  return match.groups.length === 1 ? match.groups[0]! : new List([...match.groups]);
}

/** Calls a closure with a match: with its text and groups as far as it has parameters. */
export function* callWithMatch(rt: Runtime, closure: Value, match: PatternMatch): Steps {
  const arity = rt.arity(closure);
  if (match.groups.length === 1) return yield* rt.invoke(closure, [match.groups[0]!]);
  if (arity > 1) return yield* rt.invoke(closure, [...match.groups]);
  return yield* rt.invoke(closure, [new List([...match.groups])]);
}

function* replacedBy(rt: Runtime, text: string, regex: Regex, closure: Value, onlyFirst: boolean): Steps {
  let out = '';
  let end = 0;
  for (const match of matchesIn(rt, regex, text)) {
    const replacement = rt.text(yield* callWithMatch(rt, closure, match));
    rt.budget.allocate(2 * (match.index - end + replacement.length));
    out += text.slice(end, match.index) + replacement;
    end = match.end;
    if (onlyFirst) break;
  }
  return out + text.slice(end);
}

function firstMatch(rt: Runtime, text: string, regex: Regex): PatternMatch | null {
  return counted(rt, () => regex.pattern.exec(text));
}

function* findWith(rt: Runtime, text: string, regex: Regex, closure: Value): Steps {
  const match = firstMatch(rt, text, regex);
  if (match === null) return null;
  const found = yield* callWithMatch(rt, closure, match);
  return found instanceof GString ? found.text() : found;
}

function* findAllWith(rt: Runtime, text: string, regex: Regex, closure: Value): Steps {
  const out: Value[] = [];
  for (const match of matchesIn(rt, regex, text)) out.push(yield* callWithMatch(rt, closure, match));
  return new List(out);
}

function findAll(rt: Runtime, text: string, regex: Regex): List {
  const out: Value[] = [];
  for (const match of matchesIn(rt, regex, text)) out.push(match.groups[0]!);
  return new List(out);
}

/** Both `f(CharSequence)` and `f(Pattern)`. */
function both(
  name: string,
  more: string,
  code: (rt: Runtime, text: string, regex: Regex, args: readonly Value[]) => ReturnType<LibraryFunction>,
): Record<string, LibraryFunction> {
  const run = (rt: Runtime, text: string, [pattern, ...args]: Value[]): ReturnType<LibraryFunction> =>
    code(rt, text, regexIn(rt, pattern ?? rt.fail('java.lang.NullPointerException', null)), args);
  return onTexts({ [`${name}(CharSequence${more})`]: run, [`${name}(java.util.regex.Pattern${more})`]: run });
}

/** Methods of texts that take a pattern. */
export const regexMethods: Readonly<Record<string, LibraryFunction>> = {
  ...onTexts({
    'split(String)': (rt, text, [pattern]: [Value]) => strings(rt, splitBy(rt, regexIn(rt, pattern), text, 0)),
    'split(String, int)': (rt, text, [pattern, limit]: [Value, number]) =>
      strings(rt, splitBy(rt, regexIn(rt, pattern), text, limit)),
    'matches(String)': (rt, text, [pattern]: [Value]) => counted(rt, () => regexIn(rt, pattern).pattern.matches(text)),
    'matches(java.util.regex.Pattern)': (rt, text, [pattern]: [Value]) =>
      counted(rt, () => regexIn(rt, pattern).pattern.matches(text)),
    'minus(java.util.regex.Pattern)': (rt, text, [pattern]: [Value]) =>
      replaceBy(rt, regexIn(rt, pattern), text, () => '', true),
    'bitwiseNegate()': (rt, text) => new PatternValue(rt, text),
    'replace(Map)': (rt, text, [map]: [GMap | null]) => replacedByMap(rt, text, map),
    'eachLine(Closure)': function* (rt, text: string, [closure]: [Value]) {
      let last: Value = null;
      const lines = rt.now(rt.call(text, 'readLines', [])) as List;
      for (const [at, line] of lines.items.entries()) {
        last = rt.arity(closure) === 2 ? yield* rt.invoke(closure, [line, at]) : yield* rt.invoke(closure, [line]);
      }
      return last;
    },
    'takeWhile(Closure)': function* (rt, text: string, [closure]: [Value]) {
      return text.slice(0, yield* countWhile(rt, text, itemsNow(rt, text), closure));
    },
    'dropWhile(Closure)': function* (rt, text: string, [closure]: [Value]) {
      return text.slice(yield* countWhile(rt, text, itemsNow(rt, text), closure));
    },
    'collectReplacements(Closure)': function* (rt, text: string, [closure]: [Value]) {
      let out = '';
      for (const character of itemsNow(rt, text)) {
        const put = yield* rt.invoke(closure, [character]);
        if (put !== null && typeof put !== 'string') castFail(rt, put, 'java.lang.String');
        out += put ?? character;
      }
      return out;
    },
    'tr(CharSequence, CharSequence)': (rt, text, [from, to]: [Value, Value]) =>
      translated(rt, text, rt.text(needed(rt, from)), rt.text(needed(rt, to))),
    'splitEachLine(CharSequence, Closure)': function* (rt, text: string, [pattern, closure]: [Value, Value]) {
      let last: Value = null;
      const lines = rt.now(rt.call(text, 'readLines', [])) as List;
      for (const line of lines.items) {
        last = yield* rt.invoke(closure, [new List(splitBy(rt, regexIn(rt, pattern), line as string, 0))]);
      }
      return last;
    },
  }),
  ...both('replaceAll', ', CharSequence', (rt, text, regex, [put]) => replaced(rt, text, regex, put!, false)),
  ...both('replaceFirst', ', CharSequence', (rt, text, regex, [put]) => replaced(rt, text, regex, put!, true)),
  ...both('replaceAll', ', Closure', (rt, text, regex, [closure]) => replacedBy(rt, text, regex, closure!, false)),
  ...both('replaceFirst', ', Closure', (rt, text, regex, [closure]) => replacedBy(rt, text, regex, closure!, true)),
  ...both('find', '', (rt, text, regex) => firstMatch(rt, text, regex)?.groups[0] ?? null),
  ...both('find', ', Closure', (rt, text, regex, [closure]) => findWith(rt, text, regex, closure!)),
  ...both('findAll', '', (rt, text, regex) => findAll(rt, text, regex)),
  ...both('findAll', ', Closure', (rt, text, regex, [closure]) => findAllWith(rt, text, regex, closure!)),
  ...both('eachMatch', ', Closure', function* (rt, text, regex, [closure]): Steps {
    for (const match of matchesIn(rt, regex, text)) yield* callWithMatch(rt, closure!, match);
    return text;
  }),
};

/** A key or value of a map of replacements. */
function characters(rt: Runtime, value: Value): string {
  if (value !== null && !rt.isInstance(value, rt.class('java.lang.CharSequence')))
    castFail(rt, value, 'java.lang.CharSequence');
  return rt.text(value);
}

function replacedByMap(rt: Runtime, text: string, map: GMap | null): string {
  if (map === null) return text;
  const pairs = map
    .entries()
    .map((entry): [string, string] => [characters(rt, entry.entryKey), characters(rt, entry.value)]);
  let out = '';
  for (let at = 0; at < text.length; ) {
    rt.budget.spend(1 + pairs.length);
    const pair = pairs.find(([from]) => from !== '' && text.startsWith(from, at));
    const put = pair === undefined ? text[at]! : pair[1];
    rt.budget.allocate(2 * put.length);
    out += put;
    at += pair === undefined ? 1 : pair[0].length;
  }
  return out;
}

function translated(rt: Runtime, text: string, from: string, to: string): string {
  if (from.startsWith('^') || to === '')
    return rt.fail('java.lang.UnsupportedOperationException', 'this form of tr is not available');
  const [source, target] = [spelledOut(from), spelledOut(to)];
  rt.budget.spend(text.length);
  return Array.from(text, (character) => {
    const at = source.indexOf(character);
    return at < 0 ? character : target[Math.min(at, target.length - 1)]!;
  }).join('');
}

/** `a-e` as `abcde`. */
function spelledOut(set: string): string {
  return set.replaceAll(/(.)-(.)/g, (_, first: string, last: string) => {
    let out = '';
    for (let code = first.charCodeAt(0); code <= last.charCodeAt(0); code++) out += String.fromCharCode(code);
    return out;
  });
}
