import type { PatternMatch } from '../../../../../contract/pattern/pattern.ts';
import { List } from '../../values/collections.ts';
import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Steps, Value } from '../../values/java-class.ts';
import { castFail } from '../../values/sam-results.ts';
import { JavaIterator } from '../collections/walk.ts';
import type { TextBuilder } from './builder-classes.ts';
import { counted, expanded, matchesIn, PatternValue, quotedRegex, type Regex, replaceBy, splitBy } from './regex.ts';
import { callWithMatch, matchValue } from './regex-methods.ts';
import { strings } from './string-methods.ts';

/** The state of a search. */
export class Matcher implements Obj {
  readonly javaClass: JavaClass;
  readonly pattern: PatternValue;
  readonly rt: Runtime;
  input: string;
  match: PatternMatch | null = null;
  /** Start of the next search, and of the text that is appended next. */
  at = 0;
  appended = 0;

  constructor(rt: Runtime, pattern: PatternValue, input: string) {
    this.javaClass = rt.class('java.util.regex.Matcher');
    this.pattern = pattern;
    this.rt = rt;
    this.input = input;
  }

  get regex(): Regex {
    return this.pattern.regex;
  }

  find(): boolean {
    this.match =
      this.at > this.input.length ? null : counted(this.rt, () => this.regex.pattern.exec(this.input, this.at));
    if (this.match === null) this.at = this.input.length + 1;
    else this.at = this.match.end > this.match.index ? this.match.end : this.match.end + 1;
    return this.match !== null;
  }

  /** True where the pattern matches the whole text; the groups are those of that match. */
  matches(): boolean {
    const isMatch = counted(this.rt, () => this.regex.pattern.matches(this.input));
    this.match = isMatch ? this.#anchored('\\z') : null;
    this.at = this.input.length + 1;
    return isMatch;
  }

  lookingAt(): boolean {
    this.match = this.#anchored('');
    this.at = this.match?.end ?? this.input.length + 1;
    return this.match !== null;
  }

  #anchored(end: string): PatternMatch | null {
    // A line break ends a comment that the pattern may end with.
    const whole = new PatternValue(
      this.rt,
      `\\A(?:${this.pattern.source}${hasComments(this.pattern)})${end}`,
      this.pattern.flags,
    );
    return counted(this.rt, () => whole.regex.pattern.exec(this.input));
  }

  reset(): void {
    this.at = 0;
    this.appended = 0;
    this.match = null;
  }

  all(): PatternMatch[] {
    return [...matchesIn(this.rt, this.regex, this.input)];
  }

  elements(): Value[] {
    return this.all().map(matchValue);
  }

  /** As the operator `=~` in a condition: the search goes on. */
  truth(): boolean {
    this.reset();
    return this.find();
  }

  text(): string {
    const last = this.match?.groups[0] ?? '';
    return `java.util.regex.Matcher[pattern=${this.pattern.source} region=0,${this.input.length} lastmatch=${last}]`;
  }

  current(problem = 'No match found'): PatternMatch {
    return this.match ?? this.rt.fail('java.lang.IllegalStateException', problem);
  }
}

const hasComments = ({ source, flags: bits }: PatternValue): string =>
  (bits & flags.COMMENTS) !== 0 || /\(\?[a-zA-Z]*x/.test(source) ? '\n' : '';

function group(rt: Runtime, { groups }: PatternMatch, index: number): Value {
  const found = groups[index];
  return found === undefined ? rt.fail('java.lang.IndexOutOfBoundsException', `No group ${index}`) : found;
}

function namedGroup(rt: Runtime, self: Matcher, name: string | null): Value {
  if (name === null) return rt.fail('java.lang.NullPointerException', 'Group name');
  const match = self.current();
  const index = self.regex.names.get(name);
  if (index === undefined) return rt.fail('java.lang.IllegalArgumentException', `No group with name <${name}>`);
  return match.groups[index]!;
}

function matchAt(rt: Runtime, self: Matcher, index: number): Value {
  const found = self.all();
  const match = found[index < 0 ? index + found.length : index];
  if (match === undefined)
    return rt.fail(
      'java.lang.IndexOutOfBoundsException',
      `index is out of range ${found.length === 0 ? 0 : -found.length}..${found.length - 1} (index = ${index})`,
    );
  self.match = match;
  return matchValue(match);
}

/** Start or end of a group; -1 for one that took no part. */
function place(rt: Runtime, match: PatternMatch, index: number, edge: 0 | 1): number {
  return match.slots[2 * index + edge] ?? rt.fail('java.lang.IndexOutOfBoundsException', `No group ${index}`);
}

function namedPlace(rt: Runtime, self: Matcher, name: string | null, edge: 0 | 1): number {
  if (name === null) return rt.fail('java.lang.NullPointerException', 'Group name');
  self.current(NO_PLACE);
  const index = self.regex.names.get(name);
  if (index === undefined) return rt.fail('java.lang.IllegalArgumentException', `No group with name <${name}>`);
  return place(rt, self.current(NO_PLACE), index, edge);
}

const NO_PLACE = 'No match available';

function* replacedBy(rt: Runtime, self: Matcher, replacer: Value, onlyFirst: boolean): Steps<string> {
  if (replacer === null) rt.fail('java.lang.NullPointerException', null);
  self.reset();
  let out = '';
  let end = 0;
  while (self.find()) {
    const match = self.current();
    const made = yield* rt.invoke(replacer, [self]);
    if (made === null) rt.fail('java.lang.NullPointerException', 'replacement');
    if (typeof made !== 'string') castFail(rt, made, 'java.lang.String');
    const template = made;
    const put = self.input.slice(end, match.index) + expanded(rt, template, match, self.regex.names);
    rt.budget.allocate(2 * put.length);
    out += put;
    end = match.end;
    if (onlyFirst) break;
  }
  return out + self.input.slice(end);
}

function edited(rt: Runtime, self: Matcher, template: string, onlyFirst: boolean): string {
  self.reset();
  return replaceBy(rt, self.regex, self.input, (match) => expanded(rt, template, match, self.regex.names), onlyFirst);
}

const appendReplacement: LibraryFunction = (rt: Runtime, self: Matcher, [builder, template]: [TextBuilder, string]) => {
  const match = self.current();
  const put = self.input.slice(self.appended, match.index) + expanded(rt, template, match, self.regex.names);
  rt.budget.allocate(2 * put.length);
  builder.content += put;
  self.appended = match.end;
  return self;
};

const appendTail: LibraryFunction = (rt: Runtime, self: Matcher, [builder]: [TextBuilder]) => {
  const rest = self.input.slice(self.appended);
  rt.budget.allocate(2 * rest.length);
  builder.content += rest;
  return builder;
};

const flags = {
  UNIX_LINES: 1,
  CASE_INSENSITIVE: 2,
  COMMENTS: 4,
  MULTILINE: 8,
  LITERAL: 16,
  DOTALL: 32,
  UNICODE_CASE: 64,
  UNICODE_CHARACTER_CLASS: 256,
};

export const patternClasses: readonly ClassSpec[] = [
  {
    name: 'java.util.regex.Pattern',
    constants: flags,
    statics: {
      // A null pattern of a match operator stands for the word `null`.
      'compile(String)': (rt, _self: Value, [source]: [string | null]) => new PatternValue(rt, source ?? 'null'),
      'compile(String, int)': (rt, _self: Value, [source, bits]: [string, number]) =>
        new PatternValue(rt, source, bits),
      'matches(String, CharSequence)': (rt, _self: Value, [source, text]: [string, Value]) => {
        const { regex } = new PatternValue(rt, source);
        return counted(rt, () => regex.pattern.matches(rt.text(text)));
      },
      'quote(String)': (_rt, _self: Value, [text]: [string]) => quotedRegex(text),
    },
    methods: {
      'matcher(CharSequence)': (rt, self: PatternValue, [text]: [Value]) => new Matcher(rt, self, rt.text(text)),
      'pattern()': (_rt, self: PatternValue) => self.source,
      'flags()': (_rt, self: PatternValue) => self.flags,
      'split(CharSequence)': (rt, self: PatternValue, [text]: [Value]) =>
        strings(rt, splitBy(rt, self.regex, rt.text(text), 0)),
      'split(CharSequence, int)': (rt, self: PatternValue, [text, limit]: [Value, number]) =>
        strings(rt, splitBy(rt, self.regex, rt.text(text), limit)),
      'isCase(Object)': (rt, self: PatternValue, [value]: [Value]) =>
        value !== null && counted(rt, () => self.regex.pattern.matches(rt.text(value))),
    },
  },
  {
    name: 'java.util.regex.Matcher',
    interfaces: ['java.util.regex.MatchResult'],
    statics: {
      'quoteReplacement(String)': (_rt, _self: Value, [text]: [string]) =>
        text.replaceAll(/[\\$]/g, (mark) => `\\${mark}`),
    },
    methods: {
      'find()': (_rt, self: Matcher) => self.find(),
      'find(int)': (rt, self: Matcher, [from]: [number]) => {
        if (from < 0 || from > self.input.length) rt.fail('java.lang.IndexOutOfBoundsException', 'Illegal start index');
        self.reset();
        self.at = from;
        return self.find();
      },
      'matches()': (_rt, self: Matcher) => self.matches(),
      'lookingAt()': (_rt, self: Matcher) => self.lookingAt(),
      'group()': (_rt, self: Matcher) => self.current().groups[0]!,
      'group(int)': (rt, self: Matcher, [index]: [number]) => group(rt, self.current(), index),
      'group(String)': (rt, self: Matcher, [name]: [string]) => namedGroup(rt, self, name),
      'groupCount()': (_rt, self: Matcher) => self.regex.groupCount,
      'hasGroup()': (_rt, self: Matcher) => self.regex.groupCount > 0,
      'start()': (_rt, self: Matcher) => self.current(NO_PLACE).index,
      'end()': (_rt, self: Matcher) => self.current(NO_PLACE).end,
      'start(int)': (rt, self: Matcher, [index]: [number]) => place(rt, self.current(NO_PLACE), index, 0),
      'end(int)': (rt, self: Matcher, [index]: [number]) => place(rt, self.current(NO_PLACE), index, 1),
      'start(String)': (rt, self: Matcher, [name]: [string]) => namedPlace(rt, self, name, 0),
      'end(String)': (rt, self: Matcher, [name]: [string]) => namedPlace(rt, self, name, 1),
      'reset()': (_rt, self: Matcher) => {
        self.reset();
        return self;
      },
      'reset(CharSequence)': (rt, self: Matcher, [text]: [Value]) => {
        self.input = rt.text(text ?? rt.fail('java.lang.NullPointerException', null));
        self.reset();
        return self;
      },
      'pattern()': (_rt, self: Matcher) => self.pattern,
      'replaceAll(String)': (rt, self: Matcher, [template]: [string]) => edited(rt, self, template, false),
      'replaceFirst(String)': (rt, self: Matcher, [template]: [string]) => edited(rt, self, template, true),
      'replaceAll(java.util.function.Function)': (rt, self: Matcher, [replacer]: [Value]) =>
        replacedBy(rt, self, replacer, false),
      'replaceFirst(java.util.function.Function)': (rt, self: Matcher, [replacer]: [Value]) =>
        replacedBy(rt, self, replacer, true),
      'appendReplacement(StringBuffer, String)': appendReplacement,
      'appendReplacement(StringBuilder, String)': appendReplacement,
      'appendTail(StringBuffer)': appendTail,
      'appendTail(StringBuilder)': appendTail,
      'size()': (_rt, self: Matcher) => BigInt(self.all().length),
      'getCount()': (_rt, self: Matcher) => self.all().length,
      'asBoolean()': (_rt, self: Matcher) => self.truth(),
      'getAt(int)': (rt, self: Matcher, [index]: [number]) => matchAt(rt, self, index),
      'getAt(Collection)': (rt, self: Matcher, [indexes]: [Value]) => {
        const found = self.elements();
        return rt.now(rt.operator('getAt', new List(found), indexes));
      },
      'iterator()': (rt, self: Matcher) => {
        const found = self.elements();
        let at = 0;
        return new JavaIterator(rt, { hasNext: () => at < found.length, next: () => found[at++]! });
      },
      'each(Closure)': function* (rt, self: Matcher, [closure]: [Value]): Steps {
        for (const match of self.all()) yield* callWithMatch(rt, closure, match);
        return self;
      },
      'collect(Closure)': function* (rt, self: Matcher, [closure]: [Value]): Steps {
        const out: Value[] = [];
        for (const match of self.all()) out.push(yield* callWithMatch(rt, closure, match));
        return new List(out);
      },
    },
  },
  { name: 'java.util.regex.MatchResult', kind: 'interface' },
  { name: 'java.util.regex.PatternSyntaxException', superclass: 'java.lang.IllegalArgumentException' },
];
