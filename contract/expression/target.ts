import { ValueProblem } from '../problem.ts';
import { beginWork, endWork, WorkExceeded } from '../work-budget.ts';
import { propertyOf, writeMember } from './access.ts';
import type { Compilation } from './compilation.ts';
import { compileNode } from './compile.ts';
import type { Language } from './language.ts';
import { parseExpression } from './parse.ts';
import type { SyntaxNode } from './syntax.ts';
import { EvaluationError, type Value } from './value.ts';

/** A place that values are assigned to. */
export interface Target {
  /** As written. */
  readonly source: string;
  /** The place can be read but not written, so that assignments have no effect: whoever wrote it should know. */
  readonly readOnly: boolean;
  /** @throws EvaluationError when there is no such place in this exchange, or the value does not fit it. */
  assign(subject: unknown, answer: unknown, value: Value): void;
}

/** Compiles a single `${…}` that names a place, such as `${attributes.user}`. @throws ValueProblem */
export function compileTarget(source: string, language: Language): Target {
  const node = parseExpression(source);
  const compilation: Compilation = {
    language,
    patterns: 'linear',
    roots: new Set(),
    unknownRoots: new Set(),
    unknownMethods: new Set(),
    deprecations: new Map(),
    remarks: new Map(),
  };
  if (node.kind !== 'access') throw notAPlace(source);
  const start = startOf(node);
  if (start === null) throw notAPlace(source);
  if (language.constants.has(start) && !language.roots.has(start)) {
    throw new ValueProblem('expression', `'${start}' is a configuration property, which cannot be assigned to`);
  }
  const base = compileNode(node.base, compilation);
  const key = compileNode(node.key, compilation);
  const { shapes } = language;
  const property = base.shape === null || typeof key.value !== 'string' ? undefined : propertyOf(base.shape, key.value);
  const writable = property === null ? base.shape?.entries?.set : property?.set;
  const isDeclared = property !== undefined;
  return {
    source,
    readOnly: compilation.unknownRoots.has(start) || (isDeclared && writable === undefined),
    assign(subject, answer, value) {
      const outer = beginWork();
      try {
        const object = base.run(subject, answer);
        // what a shape does not let write stays as it is, also where the object itself could be written
        if (isDeclared && writable === undefined && object !== null) return;
        writeMember(object, key.run(subject, answer), value, shapes);
      } catch (error) {
        if (error instanceof TypeError || error instanceof RangeError || error instanceof WorkExceeded) {
          throw new EvaluationError(error.message);
        }
        throw error;
      } finally {
        endWork(outer);
      }
    },
  };
}

function startOf(node: SyntaxNode): string | null {
  let at = node;
  while (at.kind === 'access') at = at.base;
  return at.kind === 'root' ? at.name : null;
}

function notAPlace(source: string): ValueProblem {
  return new ValueProblem(
    'expression',
    `'${source}' is not a place that can be assigned to`,
    'name one entry or property in a single ${…}, such as ${attributes.name}',
  );
}
