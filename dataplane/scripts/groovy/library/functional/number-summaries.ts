import { toBigInt, toDouble } from '../../values/conversions.ts';
import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Value } from '../../values/java-class.ts';
import { Double } from '../../values/numbers.ts';

export type NumberKind = 'int' | 'long' | 'double';

export const PREFIX = { int: 'Int', long: 'Long', double: 'Double' } as const;

/** Java's sum of doubles, which carries the lost low bits along. */
export function sumOfDoubles(numbers: Iterable<number>): number {
  let [sum, lost, simple] = [0, 0, 0];
  for (const number of numbers) {
    const next = number - lost;
    const total = sum + next;
    lost = total - sum - next;
    sum = total;
    simple += number;
  }
  const result = sum - lost;
  return Number.isNaN(result) && !Number.isFinite(simple) ? simple : result;
}

/** Count, sum, least and greatest of numbers. */
export class NumberSummary implements Obj {
  readonly rt: Runtime;
  readonly kind: NumberKind;
  readonly javaClass: JavaClass;
  readonly numbers: readonly Value[];

  constructor(rt: Runtime, kind: NumberKind, numbers: readonly Value[]) {
    this.rt = rt;
    this.kind = kind;
    this.javaClass = rt.class(`java.util.${PREFIX[kind]}SummaryStatistics`);
    this.numbers = numbers;
  }

  sum(): Value {
    return this.kind === 'double'
      ? new Double(sumOfDoubles(this.numbers.map(toDouble)))
      : BigInt.asIntN(
          64,
          this.numbers.reduce((sum: bigint, number) => sum + toBigInt(number), 0n),
        );
  }

  average(): Double {
    return new Double(this.numbers.length === 0 ? 0 : toDouble(this.sum()) / this.numbers.length);
  }

  extreme(sign: 1 | -1): Value {
    const empty: Value =
      this.kind === 'double'
        ? new Double(-sign * Number.POSITIVE_INFINITY)
        : this.kind === 'int'
          ? sign === 1
            ? -2147483648
            : 2147483647
          : sign === 1
            ? -(2n ** 63n)
            : 2n ** 63n - 1n;
    return this.numbers.reduce((best, number) => (sign * this.rt.compare(number, best) > 0 ? number : best), empty);
  }

  text(): string {
    const shown = (value: Value): string =>
      value instanceof Double ? value.value.toFixed(6) : String(value as number | bigint);
    return `${this.javaClass.simpleName}{count=${this.numbers.length}, sum=${shown(this.sum())}, min=${shown(this.extreme(-1))}, average=${shown(this.average())}, max=${shown(this.extreme(1))}}`;
  }
}

const methods: Readonly<Record<string, LibraryFunction>> = {
  'getCount()': (_rt, self: NumberSummary) => BigInt(self.numbers.length),
  'getSum()': (_rt, self: NumberSummary) => self.sum(),
  'getMin()': (_rt, self: NumberSummary) => self.extreme(-1),
  'getMax()': (_rt, self: NumberSummary) => self.extreme(1),
  'getAverage()': (_rt, self: NumberSummary) => self.average(),
};

export const numberSummaryClasses: readonly ClassSpec[] = (['Int', 'Long', 'Double'] as const).map(
  (prefix): ClassSpec => ({ name: `java.util.${prefix}SummaryStatistics`, methods }),
);
