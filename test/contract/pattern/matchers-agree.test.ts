import { describe, expect, it } from 'vitest';
import { Alphabet } from '../../../contract/pattern/alphabet.ts';
import { Automaton } from '../../../contract/pattern/automaton.ts';
import { BacktrackingMatcher } from '../../../contract/pattern/backtracking-matcher.ts';
import { compileProgram } from '../../../contract/pattern/compile-program.ts';
import { literalShape } from '../../../contract/pattern/literal-shape.ts';
import { ParallelMatcher } from '../../../contract/pattern/parallel-matcher.ts';
import { compilePattern } from '../../../contract/pattern/pattern.ts';
import { readPattern } from '../../../contract/pattern/read-pattern.ts';
import { StartFinder } from '../../../contract/pattern/start-finder.ts';
import { randomNumbers } from '../../support/clients/random.ts';

const atoms = ['a', 'b', 'c', 'ab', '.', '[ab]', '[^a]', '\\w', '(?i:A)', '[a-c&&[^b]]', '\\n', 'é', '😀', '\\R', ''];
const places = ['^', '$', '\\b', '\\B', '\\z', '\\Z', '(?m:^)', '(?m:$)', '(?d:$)', '(?md:^)', '(?U:\\b)'];
const quantifiers = ['*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,2}?', '{2,}'];
const characters = ['a', 'b', 'c', 'A', '\n', '\r', 'x', '1', 'é', '😀', '\u0301', '\u2028'];

/** A pattern without anything beyond regular languages, nested up to a depth. */
function randomPattern(random: (below: number) => number, depth: number): string {
  const pick = (from: readonly string[]) => from[random(from.length)]!;
  const atom = () => {
    const kind = random(depth > 0 ? 8 : 4);
    if (kind === 0) return pick(places);
    if (kind < 4) return `(?:${pick(atoms)})`;
    return `${kind < 7 ? '(' : '(?:'}${randomPattern(random, depth - 1)})`;
  };
  const sequence = () =>
    Array.from({ length: 1 + random(3) }, () => {
      const part = atom();
      return places.includes(part) || random(2) === 0 ? part : part + pick(quantifiers);
    }).join('');
  return Array.from({ length: 1 + random(2) }, sequence).join('|');
}

function randomText(random: (below: number) => number): string {
  return Array.from({ length: random(9) }, () => characters[random(characters.length)]!).join('');
}

/** What every matcher says, asked separately. */
function verdicts(source: string, text: string) {
  const read = readPattern(source);
  const program = compileProgram(read, 10_000);
  const { startsAtTextStart } = literalShape(read.tree);
  const alphabet = new Alphabet(program);
  const starts = new StartFinder(program, alphabet, '', startsAtTextStart);
  const parallel = new ParallelMatcher(program, alphabet, starts);
  const backtracking = new BacktrackingMatcher(program, alphabet, starts);
  const slotsOf = (budget: number | null) => {
    const outcome = backtracking.search(text, 0, budget);
    return outcome === 'match' ? Array.from(backtracking.slots) : outcome;
  };
  const found = parallel.run(text, 0);
  return {
    parallel: found === null ? 'none' : Array.from(found),
    remembering: slotsOf(null),
    plain: slotsOf(20_000),
    somewhere: new Automaton(program, alphabet, 'somewhere', startsAtTextStart).run(text, 0),
    whole: new Automaton(program, alphabet, 'whole', startsAtTextStart).run(text, 0),
    parallelWhole: parallel.run(text, 0, true) !== null,
    rememberingWhole: backtracking.matchWhole(text, null) === 'match',
  };
}

describe('matchers', () => {
  it.each([1, 2, 3, 4])('agree on random patterns and texts (seed %i)', (seed) => {
    const random = randomNumbers(seed);
    let decided = 0;
    let foundSome = 0;
    for (let round = 0; round < 400; round++) {
      const source = randomPattern(random, 2);
      for (let i = 0; i < 3; i++) {
        const text = randomText(random);
        const said = verdicts(source, text);
        const at = `${source} on ${JSON.stringify(text)}`;
        expect(said.remembering, at).toEqual(said.parallel);
        // A pattern that takes too long without memory has nothing to be compared with.
        if (said.plain !== 'exhausted') expect(said.plain, at).toEqual(said.parallel);
        expect(said.rememberingWhole, at).toBe(said.parallelWhole);
        if (said.somewhere !== 'undecided') {
          decided++;
          expect(said.somewhere, at).toBe(said.parallel === 'none' ? 'no' : 'yes');
        }
        if (said.whole !== 'undecided') expect(said.whole, at).toBe(said.parallelWhole ? 'yes' : 'no');
        const pattern = compilePattern(source, 'linear');
        expect(pattern.test(text), at).toBe(said.parallel !== 'none');
        expect(pattern.matches(text), at).toBe(said.parallelWhole);
        if (said.parallel !== 'none') foundSome++;
      }
    }
    expect(decided).toBeGreaterThan(800);
    expect(foundSome).toBeGreaterThan(400);
  });

  it('agree on a text too long to remember', () => {
    const pattern = compilePattern('(\\w+)@(\\w+)\\.org', 'linear');
    const text = `${'lorem ipsum '.repeat(20_000)}joe@example.org${' dolor'.repeat(1_000)}`;
    expect(pattern.exec(text)?.groups).toEqual(['joe@example.org', 'joe', 'example']);
    expect(pattern.exec(text)?.index).toBe(240_000);
    expect(pattern.exec(text, 240_001)?.groups[1]).toBe('oe');
    expect(pattern.exec(text, 240_005)).toBeNull();
  });
});
