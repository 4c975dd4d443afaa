import { Closure } from './closure.ts';
import { List } from './collections.ts';
import { GSTRING_IMPL } from './core-classes.ts';
import { hashOfText } from './hash.ts';
import type { JavaClass, Obj, Value } from './java-class.ts';
import { KEY_MARK } from './key-of.ts';
import { chargeText, SHORT_TEXT } from './meter.ts';
import { Range } from './range.ts';
import { textOf } from './text.ts';

/** A string with values in it. It is not equal to a String of the same text. */
export class GString implements Obj {
  /** One more than values. */
  readonly strings: readonly string[];
  readonly values: readonly Value[];

  constructor(strings: readonly string[], values: readonly Value[]) {
    this.strings = strings;
    this.values = values;
  }

  get javaClass(): JavaClass {
    return GSTRING_IMPL;
  }

  /** The text now: values that are closures are called each time. */
  text(): string {
    let text = this.strings[0]!;
    for (const [index, value] of this.values.entries()) {
      text += partText(value instanceof Closure ? embedded(value) : shown(value)) + this.strings[index + 1]!;
    }
    if (text.length > SHORT_TEXT) chargeText(text.length);
    return text;
  }

  equals(other: Value): boolean {
    return other instanceof GString && other.text() === this.text();
  }

  hash(): number {
    return (37 + hashOfText(this.text())) | 0;
  }

  key(): string {
    return `${KEY_MARK}g${this.text()}`;
  }

  truth(): boolean {
    return this.text() !== '';
  }
}

/** An object whose `toString()` returns null leaves no text. */
function partText(value: Value): string {
  if (value === null || typeof value !== 'object' || value.textOrNull === undefined) return textOf(value);
  return value.textOrNull() ?? '';
}

/** A range in a string shows its elements, and not its borders. */
function shown(value: Value): Value {
  return value instanceof Range ? new List([...value.items]) : value;
}

/** `${-> x}` shows the value that the closure returns, `${out -> out << x}` the text that it writes. */
function embedded(closure: Closure): Value {
  const { rt, shape } = closure;
  if (shape.types.length === 0) return rt.now(rt.invoke(closure, []));
  if (shape.types.length > 1)
    rt.fail(
      'groovy.lang.GroovyRuntimeException',
      `Trying to evaluate a GString containing a Closure taking ${shape.types.length} parameters`,
    );
  const writer = rt.now(rt.construct(rt.class('java.io.StringWriter'), []));
  rt.now(rt.invoke(closure, [writer]));
  return writer;
}
