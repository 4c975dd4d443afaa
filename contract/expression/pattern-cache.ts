import { compilePattern, type Pattern } from '../pattern/pattern.ts';
import { ValueProblem } from '../problem.ts';
import { spend } from '../work-budget.ts';
import { EvaluationError } from './value.ts';

const MOST_PATTERNS = 32;
/** What compiling costs for each character of a pattern. */
const COMPILE_STEPS = 1000;

/** Patterns that are known only at run time, the ones used last. All run in linear time: nobody reviewed them. */
export class PatternCache {
  private readonly patterns = new Map<string, Pattern>();

  /** @throws EvaluationError when the text is not a pattern. */
  get(source: string): Pattern {
    const known = this.patterns.get(source);
    if (known !== undefined) return known;
    spend(COMPILE_STEPS * (1 + source.length));
    const made = compileDynamic(source);
    if (this.patterns.size >= MOST_PATTERNS) this.patterns.delete(this.patterns.keys().next().value!);
    this.patterns.set(source, made);
    return made;
  }
}

function compileDynamic(source: string): Pattern {
  try {
    return compilePattern(source, 'linear');
  } catch (error) {
    if (!(error instanceof ValueProblem)) throw error;
    throw new EvaluationError(`not a regular expression: ${error.message}`);
  }
}
