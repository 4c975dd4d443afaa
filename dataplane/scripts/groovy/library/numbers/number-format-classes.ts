import { isNumber, LONG_MAX, LONG_MIN } from '../../values/conversions.ts';
import type { Rounding } from '../../values/decimal.ts';
import type { ClassSpec, LibraryFunction, Runtime, Value } from '../../values/java-class.ts';
import { Double } from '../../values/numbers.ts';
import { Plain } from '../encoding/encoding-classes.ts';
import { checkLocale } from '../strings/locales.ts';
import type { EnumConstant } from './big-classes.ts';
import { formatNumber } from './number-formatting.ts';
import { type NumberPattern, NumberPatternError, readNumberPattern } from './number-pattern.ts';

type DecimalFormat = Plain<NumberPattern>;

const DECIMAL_FORMAT = 'java.text.DecimalFormat';

function made(rt: Runtime, source: string): DecimalFormat {
  try {
    return new Plain(rt, DECIMAL_FORMAT, readNumberPattern(source));
  } catch (error) {
    if (error instanceof NumberPatternError) return rt.fail('java.lang.IllegalArgumentException', error.message);
    throw error;
  }
}

function format(rt: Runtime, { state }: DecimalFormat, value: Value): string {
  if (!isNumber(value)) return rt.fail('java.lang.IllegalArgumentException', 'Cannot format given Object as a Number');
  rt.budget.spend(10);
  return (
    formatNumber(state, value) ??
    rt.fail(
      'java.lang.ArithmeticException',
      'Rounding needed with the rounding mode being set to RoundingMode.UNNECESSARY',
    )
  );
}

/** Reads as much of a text as is a number. */
function parse(rt: Runtime, { state }: DecimalFormat, text: string): Value {
  rt.budget.spend(10 + text.length);
  const digits = state.grouping > 0 ? '[0-9,]*' : '[0-9]*';
  const number = new RegExp(`^(${digits})(\\.[0-9]*)?(E-?[0-9]+)?`);
  const read = (prefix: string, suffix: string): number | null => {
    if (!text.startsWith(prefix)) return null;
    const match = number.exec(text.slice(prefix.length));
    if (match === null || !/\d/.test(match[0])) return null;
    const rest = text.slice(prefix.length + match[0].length);
    return rest.startsWith(suffix) ? Number(match[0].replaceAll(',', '')) : null;
  };
  const positive = read(state.prefix, state.suffix);
  const negative = positive === null ? read(state.negativePrefix, state.negativeSuffix) : null;
  if (positive === null && negative === null)
    return rt.fail('java.text.ParseException', `Unparseable number: "${text}"`);
  const value = (positive ?? -negative!) / state.multiplier;
  const isLong = Number.isInteger(value) && !Object.is(value, -0) && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (isLong) return BigInt(value);
  if (Number.isInteger(value) && BigInt(value) >= LONG_MIN && BigInt(value) <= LONG_MAX)
    return rt.fail('java.lang.UnsupportedOperationException', `parsing the number ${text} is not available`);
  return new Double(value);
}

type Limit = 'minFraction' | 'maxFraction' | 'minWhole' | 'maxWhole';

const limits: readonly (readonly [string, Limit, Limit, boolean])[] = [
  ['MinimumFractionDigits', 'minFraction', 'maxFraction', true],
  ['MaximumFractionDigits', 'maxFraction', 'minFraction', false],
  ['MinimumIntegerDigits', 'minWhole', 'maxWhole', true],
  ['MaximumIntegerDigits', 'maxWhole', 'minWhole', false],
];

/** The other limit gives way. */
const limitMethods = Object.fromEntries(
  limits.flatMap(([name, own, other, isLeast]): [string, LibraryFunction][] => [
    [`get${name}()`, (_rt, self: DecimalFormat) => self.state[own]],
    [
      `set${name}(int)`,
      (_rt, { state }: DecimalFormat, [value]: [number]) => {
        state[own] = Math.max(0, value);
        state[other] = isLeast ? Math.max(state[own], state[other]) : Math.min(state[own], state[other]);
      },
    ],
  ]),
);

const affixMethods = Object.fromEntries(
  (
    [
      ['PositivePrefix', 'prefix'],
      ['PositiveSuffix', 'suffix'],
      ['NegativePrefix', 'negativePrefix'],
      ['NegativeSuffix', 'negativeSuffix'],
    ] as const
  ).flatMap(([name, part]): [string, LibraryFunction][] => [
    [`get${name}()`, (_rt, self: DecimalFormat) => self.state[part]],
    [`set${name}(String)`, (_rt, self: DecimalFormat, [text]: [string]) => void (self.state[part] = text)],
  ]),
);

const instances: readonly (readonly [string, string])[] = [
  ['getInstance', '#,##0.###'],
  ['getNumberInstance', '#,##0.###'],
  ['getIntegerInstance', '#,##0'],
  ['getPercentInstance', '#,##0%'],
  ['getCurrencyInstance', '\u00a4#,##0.00'],
];

function inLocale(rt: Runtime, locale: Value, pattern: string): DecimalFormat {
  checkLocale(rt, locale);
  if (pattern.startsWith('\u00a4') && rt.text(locale) !== 'en_US')
    rt.fail(
      'java.lang.UnsupportedOperationException',
      `the currency of the locale ${rt.text(locale)} is not available`,
    );
  return made(rt, pattern);
}

export const numberFormatClasses: readonly ClassSpec[] = [
  {
    name: 'java.text.NumberFormat',
    kind: 'abstract',
    statics: Object.fromEntries(
      instances.flatMap(([name, pattern]): [string, LibraryFunction][] => [
        [`${name}()`, (rt) => made(rt, pattern)],
        [`${name}(Locale)`, (rt, _self: Value, [locale]: [Value]) => inLocale(rt, locale, pattern)],
      ]),
    ),
  },
  {
    name: 'java.text.DecimalFormatSymbols',
    constructors: {
      '()': (rt) => new Plain(rt, 'java.text.DecimalFormatSymbols', null),
      '(Locale)': (rt, _self: Value, [locale]: [Value]) => {
        checkLocale(rt, locale);
        return new Plain(rt, 'java.text.DecimalFormatSymbols', null);
      },
    },
    statics: {
      'getInstance()': (rt) => new Plain(rt, 'java.text.DecimalFormatSymbols', null),
      'getInstance(Locale)': (rt, _self: Value, [locale]: [Value]) => {
        checkLocale(rt, locale);
        return new Plain(rt, 'java.text.DecimalFormatSymbols', null);
      },
    },
  },
  {
    name: DECIMAL_FORMAT,
    superclass: 'java.text.NumberFormat',
    constructors: {
      '()': (rt) => made(rt, '#,##0.###'),
      '(String)': (rt, _self: Value, [source]: [string]) => made(rt, source),
      '(String, java.text.DecimalFormatSymbols)': (rt, _self: Value, [source]: [string]) => made(rt, source),
    },
    methods: {
      'format(Object)': (rt, self: DecimalFormat, [value]: [Value]) => format(rt, self, value),
      'parse(String)': (rt, self: DecimalFormat, [text]: [string]) => parse(rt, self, text),
      ...limitMethods,
      ...affixMethods,
      'applyPattern(String)': (rt, self: DecimalFormat, [source]: [string]) =>
        void Object.assign(self.state, made(rt, source).state, { rounding: self.state.rounding }),
      'getRoundingMode()': (rt, self: DecimalFormat) =>
        rt.now(rt.callStatic(rt.class('java.math.RoundingMode'), 'valueOf', [self.state.rounding])),
      'setRoundingMode(java.math.RoundingMode)': (_rt, self: DecimalFormat, [mode]: [EnumConstant]) =>
        void (self.state.rounding = mode.name as Rounding),
      'isGroupingUsed()': (_rt, self: DecimalFormat) => self.state.grouping > 0,
      'setGroupingUsed(boolean)': (_rt, { state }: DecimalFormat, [isUsed]: [boolean]) =>
        void (state.grouping = isUsed ? state.grouping || 3 : 0),
      'getGroupingSize()': (_rt, self: DecimalFormat) => self.state.grouping,
      'setGroupingSize(int)': (_rt, self: DecimalFormat, [size]: [number]) => void (self.state.grouping = size),
      'getMultiplier()': (_rt, self: DecimalFormat) => self.state.multiplier,
      'setMultiplier(int)': (_rt, self: DecimalFormat, [times]: [number]) => void (self.state.multiplier = times),
      'isDecimalSeparatorAlwaysShown()': (_rt, self: DecimalFormat) => self.state.alwaysShowsPoint,
      'setDecimalSeparatorAlwaysShown(boolean)': (_rt, self: DecimalFormat, [isShown]: [boolean]) =>
        void (self.state.alwaysShowsPoint = isShown),
    },
  },
];
