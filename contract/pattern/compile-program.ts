import { ValueProblem } from '../problem.ts';
import type { CodePoints } from './code-points.ts';
import { foldAscii, foldCase } from './letter-case.ts';
import { op, type Program, type Reference } from './program.ts';
import type { ReadPattern } from './read-pattern.ts';
import { type Extent, extentOf, type Look, type Repeat, type Tree } from './syntax-tree.ts';
import { assertions } from './text-assertion.ts';

/** One set for all programs without assertions: there are thousands. */
const NO_ASSERTIONS: ReadonlySet<number> = new Set();

const folds = { exact: (codePoint: number) => codePoint, ascii: foldAscii, unicode: foldCase };

/** Compiles what was read; a program longer than `maxLength` is refused. */
export function compileProgram(pattern: ReadPattern, maxLength: number): Program {
  return new ProgramWriter(pattern, maxLength).write(pattern.tree);
}

/**
 * Writes instructions from the end to the start: each part is told where to go on.
 *
 * Java leaves a loop when one turn of it took no character. Which way a thread went through the body of such a loop
 * therefore has to be seen from where it is, or threads at one instruction could not be told apart and merged. So each
 * part is given two places to go on: `still` where nothing was taken since the turn began, and `moved` where something
 * was. Outside of such loops both are the same.
 */
class ProgramWriter {
  readonly #maxLength: number;
  readonly #hasReferences: boolean;
  readonly #groupSlots: number;
  readonly #extents = new Map<Tree, Extent>();
  readonly #setNumbers = new Map<string, number>();
  readonly #sets: CodePoints[] = [];
  readonly #references: Reference[] = [];
  readonly #assertions = new Set<number>();
  readonly #ops: number[] = [];
  readonly #x: number[] = [];
  readonly #y: number[] = [];
  readonly #z: number[] = [];
  #registers = 0;
  #work = 0;

  constructor(pattern: ReadPattern, maxLength: number) {
    this.#maxLength = maxLength;
    this.#groupSlots = 2 * (pattern.groupCount + 1);
    this.#hasReferences = hasReference(pattern.tree);
  }

  write(tree: Tree): Program {
    const end = this.#emit(op.save, this.#emit(op.match), 1);
    const start = this.#emit(op.save, this.#part(tree, end, end), 0);
    return {
      start,
      ops: Uint8Array.from(this.#ops),
      x: Int32Array.from(this.#x),
      y: Int32Array.from(this.#y),
      z: Int32Array.from(this.#z),
      length: this.#ops.length,
      sets: this.#sets,
      references: this.#references,
      groupSlots: this.#groupSlots,
      slots: this.#groupSlots + (this.#hasReferences ? this.#groupSlots / 2 : 0),
      registers: this.#registers,
      isRegular: this.#ops.every((code) => code < op.reference),
      assertions: this.#assertions.size === 0 ? NO_ASSERTIONS : this.#assertions,
    };
  }

  #emit(code: number, x = 0, y = 0, z = 0): number {
    if (this.#ops.length >= this.#maxLength) throw this.#tooLarge();
    this.#ops.push(code);
    this.#x.push(x);
    this.#y.push(y);
    this.#z.push(z);
    return this.#ops.length - 1;
  }

  #tooLarge(): ValueProblem {
    return new ValueProblem(
      'pattern',
      `a regular expression becomes more than ${this.#maxLength} steps when its repeats are written out`,
      'use smaller counts or fewer nested repeats',
    );
  }

  #part(tree: Tree, still: number, moved: number): number {
    // Parts that emit nothing, such as a million times nothing, must come to an end as well.
    if (++this.#work > 10 * this.#maxLength) throw this.#tooLarge();
    switch (tree.kind) {
      case 'empty':
        return still;
      case 'set':
        return this.#emit(op.set, moved, this.#setNumber(tree.set));
      case 'sequence':
        return this.#sequence(tree.items, still, moved);
      case 'choice':
        return tree.items
          .map((item) => this.#part(item, still, moved))
          .reduceRight((rest, item) => this.#emit(op.split, item, rest));
      case 'repeat':
        return this.#repeat(tree, still, moved);
      case 'group':
        return this.#group(tree.index, tree.body, still, moved);
      case 'assertion': {
        const number = assertions.indexOf(tree.assertion);
        this.#assertions.add(number);
        return this.#emit(op.assert, still, number);
      }
      case 'look':
        return this.#look(tree, still);
      case 'atomic': {
        const register = this.#registers++;
        const [ended, endedMoved] = this.#twice(still, moved, (next) => this.#emit(op.commit, next, register));
        return this.#emit(op.atomic, this.#part(tree.body, ended, endedMoved), register);
      }
      case 'reference':
        this.#references.push({ group: tree.group, fold: folds[tree.caseRule] });
        return this.#emit(op.reference, moved, still, this.#references.length - 1);
    }
  }

  #setNumber(set: CodePoints): number {
    const key = set.join();
    let number = this.#setNumbers.get(key);
    if (number === undefined) {
      number = this.#sets.push(set) - 1;
      this.#setNumbers.set(key, number);
    }
    return number;
  }

  /** The same instruction before both places to go on, or once if they are one. */
  #twice(still: number, moved: number, write: (next: number) => number): [still: number, moved: number] {
    const first = write(still);
    return [first, still === moved ? first : write(moved)];
  }

  #sequence(items: readonly Tree[], still: number, moved: number): number {
    const firstThatMoves = items.findIndex((item) => extentOf(item, this.#extents).least > 0);
    const firstThatMay = items.findIndex((item) => extentOf(item, this.#extents).most > 0);
    for (let i = items.length - 1; i >= 0; i--) {
      const isReachedStill = firstThatMoves < 0 || i <= firstThatMoves;
      const isReachedMoved = firstThatMay >= 0 && i > firstThatMay;
      const item = items[i]!;
      const next = still === moved || !isReachedStill ? undefined : this.#part(item, still, moved);
      if (isReachedMoved || next === undefined) moved = this.#part(item, moved, moved);
      still = next ?? moved;
    }
    return still;
  }

  #group(index: number, body: Tree, still: number, moved: number): number {
    const slot = 2 * index;
    // A reference to a group inside of that group means its last turn, so a turn that is under way is kept apart.
    const open = this.#hasReferences ? this.#groupSlots + index : slot;
    const [closed, closedMoved] = this.#twice(still, moved, (next) => {
      const save = this.#emit(op.save, next, slot + 1);
      return this.#hasReferences ? this.#emit(op.copy, save, slot, open) : save;
    });
    return this.#emit(op.save, this.#part(body, closed, closedMoved), open);
  }

  #look({ direction, negative, body }: Look, next: number): number {
    const register = this.#registers++;
    const end = negative ? this.#emit(op.negativeLookEnd, 0, register) : this.#emit(op.lookEnd, next, register);
    let inside: number;
    if (direction === 'ahead') inside = this.#part(body, end, end);
    else {
      const { least, most } = extentOf(body, this.#extents);
      const arrived = this.#emit(op.behindEnd, end, register);
      inside = this.#emit(op.behind, this.#part(body, arrived, arrived), least, most);
    }
    return negative ? this.#emit(op.negativeLook, inside, register, next) : this.#emit(op.look, inside, register);
  }

  #repeat({ body, min, max, greedy }: Repeat, still: number, moved: number): number {
    if (max === 0) return still;
    const takesNone = extentOf(body, this.#extents).least === 0;
    /** One turn; where it takes nothing, it leaves the loop for `exit`. */
    const turn = (exit: number, next: number) => this.#part(body, takesNone ? exit : next, next);
    const choose = (inside: number, exit: number) =>
      greedy ? this.#emit(op.split, inside, exit) : this.#emit(op.split, exit, inside);

    const isOnce = max === 1;
    if (isOnce) return min === 1 ? turn(still, moved) : choose(turn(still, moved), still);
    let rest = moved;
    let mandatory = min;
    if (max === Number.POSITIVE_INFINITY) {
      const loop = this.#emit(op.split);
      const inside = turn(moved, loop);
      this.#x[loop] = greedy ? inside : moved;
      this.#y[loop] = greedy ? moved : inside;
      // The turns inside a loop leave it for `moved`, so they can be shared only where the first one would as well.
      const sharesFirst = !takesNone || still === moved;
      if (min === 0) return still === moved ? loop : choose(sharesFirst ? inside : turn(still, loop), still);
      if (sharesFirst) {
        rest = inside;
        mandatory--;
      } else rest = loop;
    } else {
      const firstIsOptional = min === 0;
      for (let turns = max - min; turns > (firstIsOptional ? 1 : 0); turns--) rest = choose(turn(moved, rest), moved);
      if (firstIsOptional) return choose(turn(still, rest), still);
    }
    for (; mandatory > 1; mandatory--) rest = turn(moved, rest);
    return mandatory === 1 ? turn(still, rest) : rest;
  }
}

function hasReference(tree: Tree): boolean {
  if (tree.kind === 'reference') return true;
  if ('items' in tree) return tree.items.some(hasReference);
  return 'body' in tree && hasReference(tree.body);
}
