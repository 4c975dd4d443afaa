import { ArrayValue } from '../../values/collections.ts';
import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Steps, Value } from '../../values/java-class.ts';
import { chargeText } from '../../values/meter.ts';
import { Char } from '../../values/numbers.ts';
import { bordersOf, type RangeEnds } from '../collections/range-borders.ts';

/** A text that grows: a StringBuilder, a StringBuffer or a StringWriter. */
export class TextBuilder implements Obj {
  readonly javaClass: JavaClass;
  content: string;

  constructor(javaClass: JavaClass, content = '') {
    this.javaClass = javaClass;
    this.content = content;
  }

  text(): string {
    return this.content;
  }

  extent(): number {
    return this.content.length;
  }

  truth(): boolean {
    return this.javaClass.name === 'java.io.StringWriter' || this.content !== '';
  }

  compare(other: Value): number {
    const text = other instanceof TextBuilder ? other.content : String(other);
    return this.content < text ? -1 : this.content > text ? 1 : 0;
  }
}

function append(rt: Runtime, self: TextBuilder, value: Value): TextBuilder {
  const more =
    value instanceof ArrayValue && value.javaClass.component!.name === 'char' ? rt.text(value) : rt.javaText(value);
  rt.budget.allocate(2 * more.length);
  rt.budget.spend(1 + more.length / 64);
  self.content += more;
  return self;
}

/** A part of a text that is appended. */
function partOf(rt: Runtime, text: string, from: number, end: number): string {
  if (from < 0 || from > end || end > text.length)
    rt.fail('java.lang.IndexOutOfBoundsException', `start ${from}, end ${end}, length ${text.length}`);
  return text.slice(from, end);
}

function checkRange(rt: Runtime, self: TextBuilder, from: number, end: number): void {
  if (from < 0 || from > end || end > self.content.length) {
    rt.fail('java.lang.StringIndexOutOfBoundsException', `start ${from}, end ${end}, length ${self.content.length}`);
  }
}

function checkIndex(rt: Runtime, self: TextBuilder, index: number, comma = ','): void {
  if (index < 0 || index >= self.content.length) {
    rt.fail('java.lang.StringIndexOutOfBoundsException', `index ${index}${comma}length ${self.content.length}`);
  }
}

const methods: Readonly<Record<string, LibraryFunction>> = {
  'append(Object)': (rt, self: TextBuilder, [value]: [Value]) => append(rt, self, value),
  'append(CharSequence, int, int)': (rt, self: TextBuilder, [value, from, end]: [Value, number, number]) =>
    append(rt, self, partOf(rt, value === null ? 'null' : rt.text(value), from, end)),
  'leftShift(Object)': (rt, self: TextBuilder, [value]: [Value]) => append(rt, self, rt.text(value)),
  'insert(int, Object)': (rt, self: TextBuilder, [at, value]: [number, Value]) => {
    if (at < 0 || at > self.content.length)
      rt.fail('java.lang.StringIndexOutOfBoundsException', `offset ${at}, length ${self.content.length}`);
    const more = rt.javaText(value);
    rt.budget.allocate(2 * (self.content.length + more.length));
    rt.budget.spend(1 + (self.content.length + more.length) / 64);
    self.content = self.content.slice(0, at) + more + self.content.slice(at);
    return self;
  },
  'reverse()': (rt, self: TextBuilder) => {
    rt.budget.allocate(16 * self.content.length);
    self.content = [...self.content].reverse().join('');
    return self;
  },
  'setLength(int)': (rt, self: TextBuilder, [length]: [number]) => {
    if (length < 0) rt.fail('java.lang.StringIndexOutOfBoundsException', `String index out of range: ${length}`);
    rt.budget.allocate(2 * length);
    self.content = self.content.slice(0, length).padEnd(length, '\0');
  },
  'delete(int, int)': (rt, self: TextBuilder, [from, to]: [number, number]) => {
    const end = Math.min(to, self.content.length);
    checkRange(rt, self, from, end);
    chargeText(self.content.length >> 4);
    self.content = self.content.slice(0, from) + self.content.slice(end);
    return self;
  },
  'putAt(groovy.lang.IntRange, Object)': (rt, self: TextBuilder, [range, value]: [RangeEnds, Value]) => {
    const { from, end } = bordersOf(rt, range, self.content.length);
    checkRange(rt, self, from, Math.min(end, self.content.length));
    const text = rt.text(value);
    rt.budget.allocate(2 * (self.content.length + text.length));
    self.content = self.content.slice(0, from) + text + self.content.slice(end);
  },
  'deleteCharAt(int)': (rt, self: TextBuilder, [at]: [number]) => {
    checkIndex(rt, self, at, ', ');
    chargeText(self.content.length >> 4);
    self.content = self.content.slice(0, at) + self.content.slice(at + 1);
    return self;
  },
  'replace(int, int, String)': (rt, self: TextBuilder, [from, to, text]: [number, number, string]) => {
    const end = Math.min(to, self.content.length);
    checkRange(rt, self, from, end);
    rt.budget.allocate(2 * (self.content.length + text.length));
    self.content = self.content.slice(0, from) + text + self.content.slice(end);
    return self;
  },
  'setCharAt(int, char)': (rt, self: TextBuilder, [at, character]: [number, Char]) => {
    checkIndex(rt, self, at);
    chargeText(self.content.length >> 4);
    self.content = self.content.slice(0, at) + String.fromCharCode(character.code) + self.content.slice(at + 1);
  },
  'charAt(int)': (rt, self: TextBuilder, [at]: [number]) => {
    checkIndex(rt, self, at);
    return new Char(self.content.charCodeAt(at));
  },
};

function builder(name: string): ClassSpec {
  return {
    name,
    interfaces: ['java.lang.CharSequence', 'java.lang.Comparable', 'java.io.Serializable'],
    methods,
    constructors: {
      '()': (rt) => new TextBuilder(rt.class(name)),
      '(int)': (rt, _self: Value, [capacity]: [number]) => {
        if (capacity < 0) rt.fail('java.lang.NegativeArraySizeException', String(capacity));
        return new TextBuilder(rt.class(name));
      },
      '(String)': (rt, _self: Value, [text]: [Value]) =>
        new TextBuilder(
          rt.class(name),
          rt.text(text === null ? rt.fail('java.lang.NullPointerException', null) : text),
        ),
      '(CharSequence)': (rt, _self: Value, [text]: [Value]) =>
        new TextBuilder(
          rt.class(name),
          rt.text(text === null ? rt.fail('java.lang.NullPointerException', null) : text),
        ),
    },
  };
}

function write(rt: Runtime, self: TextBuilder, text: string): void {
  rt.budget.allocate(2 * text.length);
  self.content += text;
}

export const builderClasses: readonly ClassSpec[] = [
  builder('java.lang.StringBuilder'),
  builder('java.lang.StringBuffer'),
  { name: 'java.io.Closeable', kind: 'interface', interfaces: ['java.lang.AutoCloseable'] },
  { name: 'java.lang.AutoCloseable', kind: 'interface', methods: { 'withCloseable(Closure)': withCloseable } },
  { name: 'java.lang.Appendable', kind: 'interface' },
  { name: 'java.io.Writer', kind: 'abstract', interfaces: ['java.lang.Appendable', 'java.io.Closeable'] },
  {
    name: 'java.io.StringWriter',
    superclass: 'java.io.Writer',
    constructors: {
      '()': (rt) => new TextBuilder(rt.class('java.io.StringWriter')),
      '(int)': (rt) => new TextBuilder(rt.class('java.io.StringWriter')),
    },
    methods: {
      'write(String)': (rt, self: TextBuilder, [text]: [string]) => write(rt, self, text),
      'write(String, int, int)': (rt, self: TextBuilder, [text, from, length]: [string, number, number]) =>
        write(rt, self, text.slice(from, from + length)),
      'write(int)': (rt, self: TextBuilder, [code]: [number]) => write(rt, self, String.fromCharCode(code)),
      'append(Object)': (rt, self: TextBuilder, [value]: [Value]) => append(rt, self, value),
      'print(Object)': (rt, self: TextBuilder, [value]: [Value]) => write(rt, self, rt.text(value)),
      'println(Object)': (rt, self: TextBuilder, [value]: [Value]) => write(rt, self, `${rt.text(value)}\n`),
      'println()': (rt, self: TextBuilder) => write(rt, self, '\n'),
      'leftShift(Object)': (rt, self: TextBuilder, [value]: [Value]) => append(rt, self, rt.text(value)),
      'getBuffer()': (rt, self: TextBuilder) => new TextBuilder(rt.class('java.lang.StringBuffer'), self.content),
      'flush()': () => undefined,
      'close()': () => undefined,
    },
  },
];

/** Runs a closure and closes the object afterwards, whatever happens. */
function* withCloseable(rt: Runtime, self: Value, [closure]: [Value]): Steps {
  try {
    return yield* rt.invoke(closure, [self]);
  } finally {
    yield* rt.call(self, 'close', []);
  }
}
