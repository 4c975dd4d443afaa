import { EMPTY_RANGE, INT_RANGE, NUMBER_RANGE, OBJECT_RANGE } from './core-classes.ts';
import { hashOf, hashOfAll } from './hash.ts';
import type { JavaClass, Obj, Value } from './java-class.ts';
import { KEY_MARK, keyText } from './key-of.ts';
import { textOf } from './text.ts';

/** A range; its elements are made once, under the budget of who makes them. */
export class Range implements Obj {
  /** As written: `5..1` has the larger one first. */
  readonly from: Value;
  readonly to: Value;
  readonly skipsFirst: boolean;
  readonly skipsLast: boolean;
  readonly items: readonly Value[];
  /** Difference of elements, for `by`. */
  readonly step: Value | null;
  /** One end was a text: Groovy has another class for such a range. */
  readonly isMixed: boolean;

  constructor(
    from: Value,
    to: Value,
    items: readonly Value[],
    skips: { first?: boolean; last?: boolean } = {},
    step: Value | null = null,
    isMixed = false,
  ) {
    this.from = from;
    this.to = to;
    this.items = items;
    this.skipsFirst = skips.first ?? false;
    this.skipsLast = skips.last ?? false;
    this.step = step;
    this.isMixed = isMixed;
  }

  get isInclusive(): boolean {
    return !this.skipsLast;
  }

  get javaClass(): JavaClass {
    if (this.step !== null) return NUMBER_RANGE;
    if (this.items.length === 0) return EMPTY_RANGE;
    if (this.isMixed) return OBJECT_RANGE;
    if (typeof this.from === 'number' && typeof this.to === 'number') return INT_RANGE;
    return isNumber(this.from) && isNumber(this.to) ? NUMBER_RANGE : OBJECT_RANGE;
  }

  elements(): Value[] {
    return [...this.items];
  }

  extent(): number {
    return this.items.length;
  }

  text(): string {
    const by = this.step === null ? '' : `.by(${textOf(this.step)})`;
    return `${textOf(this.from)}${this.skipsFirst ? '<' : ''}..${this.skipsLast ? '<' : ''}${textOf(this.to)}${by}`;
  }

  hash(): number {
    if (this.javaClass === INT_RANGE) {
      const [first, last] = [this.items[0] as number, this.items.at(-1) as number];
      const [least, most] = [Math.min(first, last), Math.max(first, last)];
      return (Math.trunc(Math.imul(least + most + 1, least + most) / 2) + most) | 0;
    }
    return hashOfAll(this.items.map(hashOf));
  }

  /** That of a list with the same elements, except for whole numbers, whose hash is another. */
  key(): string {
    if (this.javaClass === INT_RANGE) return `${KEY_MARK}r${this.items[0]}:${this.items.at(-1)}`;
    return `${KEY_MARK}l${this.items.map(keyText).join('')}`;
  }

  truth(): boolean {
    return this.items.length > 0;
  }
}

function isNumber(value: Value): boolean {
  return (
    typeof value === 'number' ||
    typeof value === 'bigint' ||
    (typeof value === 'object' && value !== null && value.javaClass.superclass?.name === 'java.lang.Number')
  );
}
