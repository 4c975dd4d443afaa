import type { Flags, PatternSource } from './pattern-source.ts';

const flagLetters = new Map<string, readonly (keyof Flags)[]>([
  ['i', ['ignoreCase']],
  ['d', ['unixLines']],
  ['m', ['multiline']],
  ['s', ['dotAll']],
  ['u', ['unicodeCase']],
  ['x', ['comments']],
  ['U', ['unicodeClasses', 'unicodeCase']],
]);

/** Takes flags such as `i-s` after `(?` and sets them; true if `)` ended them, false if a `:` did. */
export function eatFlags(source: PatternSource): boolean {
  const flags: { -readonly [flag in keyof Flags]: boolean } = { ...source.flags };
  let turnsOn = true;
  for (;;) {
    if (source.eat(')') || source.eat(':')) break;
    if (turnsOn && source.eat('-')) turnsOn = false;
    else {
      const letter = source.peek();
      const changed = flagLetters.get(letter);
      if (letter === 'c') throw source.problem('the flag c (canonical equivalence) is not supported');
      if (changed === undefined) throw source.problem(`'(?${letter}' is not the start of any group`);
      for (const flag of changed) flags[flag] = turnsOn;
      source.take();
    }
  }
  const isWholeGroup = source.peekRaw(-1) === ')';
  source.flags = flags;
  return isWholeGroup;
}
