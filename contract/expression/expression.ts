import type { PatternPolicy } from '../pattern/pattern.ts';
import { beginWork, endWork } from '../work-budget.ts';
import { bounded } from './bounded-work.ts';
import type { Compilation, ExpressionRemark } from './compilation.ts';
import { compileNode } from './compile.ts';
import type { Language } from './language.ts';
import { parseExpression } from './parse.ts';
import type { Part } from './part.ts';
import type { StaticKind } from './static-kind.ts';
import type { SyntaxNode } from './syntax.ts';
import { touchedPaths, touchesPath } from './touched-paths.ts';
import type { Value } from './value.ts';

/** A function that a newer one replaced, and that newer one. */
export interface Deprecation {
  readonly name: string;
  readonly replacement: string;
}

/** An expression, compiled once and evaluated for each exchange. */
export interface CompiledExpression {
  /** As written. */
  readonly source: string;
  readonly node: SyntaxNode;
  /** There is nothing to evaluate in it: its value is its text. */
  readonly literal: boolean;
  /** The names it begins an access with. */
  readonly roots: ReadonlySet<string>;
  /** Those of them that nothing is known by, so that they are always null: probably misspelt. */
  readonly unknownRoots: readonly string[];
  /** Methods it calls that no value has. */
  readonly unknownMethods: readonly string[];
  /** Functions it calls that have been replaced. */
  readonly deprecations: readonly Deprecation[];
  /** What it reads or compares in vain. */
  readonly remarks: readonly ExpressionRemark[];
  /** The kind of every value it gives that is not null, where that is known. */
  readonly kind: StaticKind | null;
  /** The value that it gives for every exchange, null where it always fails; undefined where that is not known. */
  readonly constant: Value | undefined;
  /** Whether it may read what a path such as `request.entity` leads to, or something of it. */
  touches(path: string): boolean;
  /** The value for an exchange and its response, if there is one yet. @throws EvaluationError */
  evaluate(subject: unknown, answer: unknown): Value;
}

/**
 * Compiles text with `${…}` in it; patterns in it are held to `patterns`.
 * @throws ValueProblem that says what is wrong with it.
 */
export function compileExpression(source: string, language: Language, patterns: PatternPolicy): CompiledExpression {
  const node = parseExpression(source);
  const compilation: Compilation = {
    language,
    patterns,
    roots: new Set(),
    unknownRoots: new Set(),
    unknownMethods: new Set(),
    deprecations: new Map(),
    remarks: new Map(),
  };
  const part = compiledWithin(node, compilation);
  const touched = touchedPaths(node);
  return {
    source,
    node,
    literal: !/(?<!\\)[$#]\{/.test(source),
    roots: compilation.roots,
    unknownRoots: listOf(compilation.unknownRoots),
    unknownMethods: listOf(compilation.unknownMethods),
    deprecations: listOf([...compilation.deprecations].map(([name, replacement]) => ({ name, replacement }))),
    remarks: listOf(compilation.remarks.values()),
    kind: part.kind,
    constant: part.constant || part.fails === true ? (part.value ?? null) : undefined,
    touches: (path) => touchesPath(touched, path),
    evaluate: bounded(part.run),
  };
}

/** One list for everything that most expressions have nothing of: there are thousands. */
const NOTHING: readonly never[] = [];

function listOf<T>(items: Iterable<T>): readonly T[] {
  const list = [...items];
  return list.length === 0 ? NOTHING : list;
}

/** What is computed once and for all is computed here, and all of it may take the work of one evaluation. */
function compiledWithin(node: SyntaxNode, compilation: Compilation): Part {
  const outer = beginWork();
  try {
    return compileNode(node, compilation);
  } finally {
    endWork(outer);
  }
}
