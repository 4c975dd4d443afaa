import type { Pattern } from '../pattern/pattern.ts';
import { spendOn } from './bounded-work.ts';
import type { Compilation } from './compilation.ts';
import { patternOfPart, withinBudget } from './compile-call.ts';
import type { Shapes } from './language.ts';
import { type Evaluate, made, type Part } from './part.ts';
import { stringMethods } from './string-methods.ts';
import { notTooLong, textOf } from './text.ts';
import { EvaluationError, type Value, valueType } from './value.ts';
import { callShapeMethod, callValueMethod, isValueMethod, noMethod } from './value-methods.ts';

/** The call of a method of a value, of those that expressions may call. A method of null gives null. */
export function compileMethod(base: Part, name: Part, given: readonly Part[], compilation: Compilation): Part {
  const { shapes } = compilation.language;
  const patternFor = patternArgument(name, given, compilation);
  if (typeof name.value === 'string' && !stringMethods.has(name.value) && !isValueMethod(name.value, shapes)) {
    compilation.unknownMethods.add(name.value);
  }
  const run: Evaluate = (subject, answer) => {
    const self = base.run(subject, answer);
    if (self === null) return null;
    const method = name.run(subject, answer);
    if (method === null) throw new EvaluationError('the name of the method is null');
    const values = given.map((part) => part.run(subject, answer));
    const called = textOf(method, shapes);
    if (typeof self !== 'string' && !isTextTo(self, called, shapes)) return callMethod(self, called, values, shapes);
    const text = textOf(self, shapes);
    return callStringMethod(text, called, plainValues(values, shapes), () => patternFor(subject, answer));
  };
  // The methods of host objects may read a clock or change something, so only those of plain values are computed once.
  return base.constant || base.fails === true
    ? made(run, [base, name, ...given])
    : { run, constant: false, shape: null, kind: null };
}

function callMethod(self: Value, name: string, given: readonly Value[], shapes: Shapes): Value {
  if (typeof self !== 'object' || self === null || valueType(self) !== 'Object') {
    if (self instanceof Uint8Array) throw noMethod(name, given.length);
    return callValueMethod(self, name, given, shapes);
  }
  const shape = shapes.get(Object.getPrototypeOf(self));
  if (shape === undefined) throw noMethod(name, given.length);
  return callShapeMethod(self, name, given, shape);
}

/** Whether a method finds a text in an object of the host. */
function isTextTo(self: Value, method: string, shapes: Shapes): boolean {
  if (typeof self !== 'object' || self === null || valueType(self) !== 'Object') return false;
  return shapes.get(Object.getPrototypeOf(self))?.isText === true && stringMethods.has(method);
}

/** Texts know nothing of shapes, so what is given to their methods is text already where it is an object of the host. */
function plainValues(values: readonly Value[], shapes: Shapes): readonly Value[] {
  return values.map((value) => (valueType(value) === 'Object' ? textOf(value, shapes) : value));
}

function callStringMethod(self: string, name: string, given: readonly Value[], patternFor: () => Pattern): Value {
  const method = stringMethods.get(name);
  if (method === undefined || !method.counts.includes(given.length)) throw noMethod(name, given.length);
  spendOn(self);
  for (const value of given) spendOn(value);
  const result =
    method.takesPattern === true
      ? withinBudget((_, pattern) => method.call(self, given, pattern), self, patternFor())
      : method.call(self, given, null);
  if (typeof result === 'string') notTooLong(result.length);
  return result;
}

/** How the first argument becomes a regular expression; a literal one is compiled now. */
function patternArgument(
  name: Part,
  given: readonly Part[],
  compilation: Compilation,
): (subject: unknown, answer: unknown) => Pattern {
  const takesPattern = !name.constant || stringMethods.get(String(name.value))?.takesPattern === true;
  if (!takesPattern || given.length === 0) return noPattern;
  const pattern = patternOfPart(name.constant ? given[0]! : { ...given[0]!, constant: false }, compilation);
  return typeof pattern === 'function' ? pattern : () => pattern;
}

function noPattern(): never {
  throw new EvaluationError('the method takes no regular expression');
}
