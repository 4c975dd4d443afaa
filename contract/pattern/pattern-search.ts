import { Alphabet } from './alphabet.ts';
import { Automaton, type Question, type Verdict } from './automaton.ts';
import { BacktrackingMatcher, type Outcome } from './backtracking-matcher.ts';
import type { LiteralShape } from './literal-shape.ts';
import { ParallelMatcher } from './parallel-matcher.ts';
import { runBudget } from './pattern-limits.ts';
import type { Program } from './program.ts';
import { StartFinder } from './start-finder.ts';

/** Runs a program with the matcher that suits the question and the text; matchers are made when first needed. */
export class PatternSearch {
  readonly #program: Program;
  readonly #shape: LiteralShape;
  #alphabet: Alphabet | undefined;
  #starts: StartFinder | undefined;
  #somewhere: Automaton | undefined;
  #whole: Automaton | undefined;
  #backtracking: BacktrackingMatcher | undefined;
  #parallel: ParallelMatcher | undefined;

  constructor(program: Program, shape: LiteralShape) {
    this.#program = program;
    this.#shape = shape;
  }

  /** Instructions run so far by what finds groups. */
  get steps(): number {
    return (this.#backtracking?.steps ?? 0) + (this.#parallel?.steps ?? 0);
  }

  /** Whether there is a match anywhere. */
  isIn(text: string): Outcome {
    if (this.#program.isRegular) {
      const verdict = this.#isAhead(text, 0);
      if (verdict !== 'undecided') return verdict === 'yes' ? 'match' : 'none';
    }
    const slots = this.find(text, 0);
    return typeof slots === 'string' ? slots : 'match';
  }

  /** Whether the whole text is a match. */
  isAll(text: string): Outcome {
    const matcher = this.#backtracker();
    if (!this.#program.isRegular) return matcher.matchWhole(text, runBudget(text.length));
    this.#whole ??= this.#automaton('whole');
    const verdict = this.#whole.run(text, 0);
    if (verdict !== 'undecided') return verdict === 'yes' ? 'match' : 'none';
    if (matcher.canRemember(text, 0)) return matcher.matchWhole(text, null);
    return this.#parallelMatcher().run(text, 0, true) === null ? 'none' : 'match';
  }

  /** The slots of the first match from a place on; they are good until the next search. */
  find(text: string, from: number): Int32Array | 'none' | 'exhausted' {
    const matcher = this.#backtracker();
    const remembers = matcher.canRemember(text, from);
    if (this.#program.isRegular && !remembers) {
      // The automaton is many times faster where there is nothing to be found.
      if (this.#isAhead(text, from) === 'no') return 'none';
      return this.#parallelMatcher().run(text, from) ?? 'none';
    }
    const outcome = matcher.search(text, from, remembers ? null : runBudget(text.length));
    return outcome === 'match' ? matcher.slots : outcome;
  }

  /** Whether a regular program has a match from a place on. */
  #isAhead(text: string, from: number): Verdict {
    const start = this.#startFinder().next(text, from);
    if (start < 0) return 'no';
    this.#somewhere ??= this.#automaton('somewhere');
    return this.#somewhere.run(text, start);
  }

  #letters(): Alphabet {
    this.#alphabet ??= new Alphabet(this.#program);
    return this.#alphabet;
  }

  #startFinder(): StartFinder {
    const { leading, startsAtTextStart } = this.#shape;
    this.#starts ??= new StartFinder(this.#program, this.#letters(), leading, startsAtTextStart);
    return this.#starts;
  }

  #automaton(question: Question): Automaton {
    return new Automaton(this.#program, this.#letters(), question, this.#shape.startsAtTextStart);
  }

  #backtracker(): BacktrackingMatcher {
    this.#backtracking ??= new BacktrackingMatcher(this.#program, this.#letters(), this.#startFinder());
    return this.#backtracking;
  }

  #parallelMatcher(): ParallelMatcher {
    this.#parallel ??= new ParallelMatcher(this.#program, this.#letters(), this.#startFinder());
    return this.#parallel;
  }
}
