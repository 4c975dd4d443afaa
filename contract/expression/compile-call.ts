import { didYouMean } from '../did-you-mean.ts';
import { compilePattern, type Pattern, PatternBudgetExceeded } from '../pattern/pattern.ts';
import { ValueProblem } from '../problem.ts';
import { spend } from '../work-budget.ts';
import { spendOn } from './bounded-work.ts';
import { integerOf, textsOf } from './coercion.ts';
import type { Compilation } from './compilation.ts';
import type { LanguageFunction, Parameter, Shapes } from './language.ts';
import { type Evaluate, made, type Part } from './part.ts';
import { PatternCache } from './pattern-cache.ts';
import type { CallNode } from './syntax.ts';
import { notTooLong, textOf } from './text.ts';
import { EvaluationError, type Value } from './value.ts';

/** The call of a function. A regular expression that is a literal is compiled here, once. */
export function compileCall(node: CallNode, given: readonly Part[], compilation: Compilation): Part {
  const { language, deprecations } = compilation;
  const { name } = node;
  const refused = language.refusedFunctions.get(name);
  if (refused !== undefined) throw new ValueProblem(refused.code, refused.message, refused.hint);
  const called = language.functions.get(name);
  if (called === undefined) throw unknownFunction(name, language.functions.keys());
  if (called.replacedBy !== undefined) deprecations.set(name, called.replacedBy);
  const run = callRun(name, called, given, compilation);
  return called.impure === true ? { run, constant: false, shape: null, kind: null } : made(run, given);
}

function callRun(name: string, called: LanguageFunction, given: readonly Part[], compilation: Compilation): Evaluate {
  const { shapes } = compilation.language;
  const counted = (value: Value): Value => {
    spendOn(value, called.steps);
    return value;
  };
  switch (called.takes) {
    case 'one': {
      const [only] = exactly(name, given, 1);
      const first = convert(only!, called.first, shapes);
      return (subject, answer) => bounded(called.call(counted(first(subject, answer))));
    }
    case 'two': {
      const [one, other] = exactly(name, given, 2);
      const first = convert(one!, called.first, shapes);
      const second = convert(other!, called.second, shapes);
      return (subject, answer) =>
        bounded(called.call(counted(first(subject, answer)), counted(second(subject, answer))));
    }
    case 'many': {
      const each = given.map((part) => convert(part, called.each, shapes));
      return (subject, answer) => called.call(each.map((run) => run(subject, answer)));
    }
    case 'pattern': {
      const [text, source] = exactly(name, given, 2);
      return patternRun(called, convert(text!, called.first, shapes), source!, compilation);
    }
  }
}

type PatternFunction = Extract<LanguageFunction, { readonly takes: 'pattern' }>;

function patternRun({ call }: PatternFunction, text: Evaluate, source: Part, compilation: Compilation): Evaluate {
  const patternOf = patternOfPart(source, compilation);
  if (typeof patternOf !== 'function') {
    return (subject, answer) => withinBudget(call, text(subject, answer), patternOf);
  }
  return (subject, answer) => withinBudget(call, text(subject, answer), patternOf(subject, answer));
}

/** The pattern that an argument is, or how to get it at run time. */
export function patternOfPart(
  source: Part,
  { patterns, language }: Compilation,
): Pattern | ((subject: unknown, answer: unknown) => Pattern) {
  if (source.constant && typeof source.value === 'string') return compilePattern(source.value, patterns);
  const cache = new PatternCache();
  return (subject, answer) => {
    const value = source.run(subject, answer);
    if (value === null) throw new EvaluationError('the regular expression is null');
    return cache.get(textOf(value, language.shapes));
  };
}

/** Runs a pattern; one that takes too long fails the evaluation. */
export function withinBudget(call: (text: Value, pattern: Pattern) => Value, text: Value, pattern: Pattern): Value {
  if (typeof text === 'string') spend(text.length >> 4);
  try {
    return call(text, pattern);
  } catch (error) {
    // a replacement that is known only now may be none that the pattern can fill in
    if (error instanceof PatternBudgetExceeded || error instanceof ValueProblem) {
      throw new EvaluationError(error.message);
    }
    throw error;
  }
}

/** Calls within calls could double a text again and again. */
function bounded(value: Value): Value {
  if (typeof value === 'string') notTooLong(value.length);
  return value;
}

function convert(part: Part, parameter: Parameter, shapes: Shapes): Evaluate {
  const { run } = part;
  if (parameter === 'any') return run;
  if (parameter === 'integer') return (subject, answer) => integerOf(run(subject, answer));
  if (parameter === 'texts') return (subject, answer) => textsOf(run(subject, answer), shapes);
  return (subject, answer) => {
    const value = run(subject, answer);
    if (typeof value === 'string' || value === null) return value;
    return parameter === 'content' && value instanceof Uint8Array ? value : textOf(value, shapes);
  };
}

function exactly(name: string, given: readonly Part[], count: number): readonly Part[] {
  if (given.length === count) return given;
  const wanted = `${count} argument${count === 1 ? '' : 's'}`;
  throw new ValueProblem('expression', `the function '${name}' takes ${wanted}, not ${given.length}`);
}

function unknownFunction(name: string, known: Iterable<string>): ValueProblem {
  const message = `the function '${name}' does not exist`;
  const [library, local] = name.split(':');
  if (local !== undefined) {
    const hint = `put what follows '?' in parentheses if '${library}' is a value: ? (${library}) : ${local}(…)`;
    return new ValueProblem('expression', message, hint);
  }
  const meant = didYouMean(name, [...known]);
  return new ValueProblem('expression', message, meant === undefined ? undefined : `did you mean '${meant}'?`);
}
