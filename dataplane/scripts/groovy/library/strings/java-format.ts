import { isWhole, type NumberValue, toBigInt } from '../../values/conversions.ts';
import { decimalOfDouble, groupedDigits, plainText, setScale } from '../../values/decimal.ts';
import type { Runtime, Value } from '../../values/java-class.ts';
import { BigDecimal, Byte, Char, Double, Float, Short } from '../../values/numbers.ts';
import { decimalOf } from '../numeric.ts';

const specifier = /%(?:(\d+)\$)?([-#+ 0,(<]*)(\d+)?(?:\.(\d+))?([tT])?(.)?/gs;

interface Specifier {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | null;
  readonly conversion: string;
  readonly source: string;
}

/** Writes dates for `%t` conversions; given by the classes of dates. */
export type DateConversion = (rt: Runtime, value: Value, letter: string) => string | null;

/** `String.format`. */
export function javaFormat(rt: Runtime, format: string, args: readonly Value[], dates: DateConversion): string {
  let next = 0;
  let last = -1;
  rt.budget.spend(format.length);
  return format.replace(
    specifier,
    (
      source,
      index: string | undefined,
      flags: string,
      width: string | undefined,
      precision: string | undefined,
      time: string | undefined,
      conversion: string | undefined,
    ) => {
      // Java names the character after the percent sign where it cannot read a specifier.
      if (conversion === undefined || !/[a-zA-Z%]/.test(conversion))
        return rt.fail('java.util.UnknownFormatConversionException', `Conversion = '${source[1] ?? '%'}'`);
      const spec: Specifier = {
        flags: flags.replace('<', ''),
        width: Number(width ?? 0),
        precision: precision === undefined ? null : Number(precision),
        conversion,
        source,
      };
      rt.budget.allocate(2 * (spec.width + (spec.precision ?? 0)));
      if (conversion === 'n') return '\n';
      if (conversion === '%') {
        checkWidth(rt, spec);
        return padded(spec, '%');
      }
      if (!'bBhHsScCdoxXeEfgGaA'.includes(conversion) && time === undefined) {
        return rt.fail('java.util.UnknownFormatConversionException', `Conversion = '${conversion}'`);
      }
      if (time === undefined) checkFlags(rt, spec);
      const twice = [...flags].find((flag, at) => flags.indexOf(flag) !== at);
      if (twice !== undefined) return rt.fail('java.util.DuplicateFormatFlagsException', `Flags = '${twice}'`);
      if (index === '0') return rt.fail('java.util.IllegalFormatException', 'Illegal format argument index = 0');
      const at = flags.includes('<') ? last : index === undefined ? next++ : Number(index) - 1;
      last = at;
      if (at < 0 || at >= args.length)
        return rt.fail('java.util.MissingFormatArgumentException', `Format specifier '${source}'`);
      const value = args[at] ?? null;
      if (time !== undefined) {
        const text = value === null ? 'null' : (dates(rt, value, conversion) ?? mismatch(rt, spec, value));
        return padded(spec, time === 'T' ? text.toUpperCase() : text);
      }
      return converted(rt, spec, value);
    },
  );
}

function checkWidth(rt: Runtime, { flags, width, source }: Specifier): void {
  if ((flags.includes('-') || flags.includes('0')) && width === 0)
    rt.fail('java.util.MissingFormatWidthException', source);
}

/** Rejects flags and precisions that a conversion does not have, as Java does. */
function checkFlags(rt: Runtime, spec: Specifier): void {
  const { flags, precision, conversion } = spec;
  const kind = conversion.toLowerCase();
  const isNumber = 'doxefga'.includes(kind);
  checkWidth(rt, spec);
  const stray = isNumber
    ? ''
    : ([...flags].find((flag) => '+ 0,('.includes(flag) || (flag === '#' && kind !== 's')) ?? '');
  if (stray !== '' || (kind === 's' && flags.includes('#')))
    rt.fail(
      'java.util.FormatFlagsConversionMismatchException',
      `Conversion = ${conversion}, Flags = ${stray === '' ? '#' : stray}`,
    );
  if (flags.includes(',') && 'oxea'.includes(kind))
    rt.fail('java.util.FormatFlagsConversionMismatchException', `Conversion = ${conversion}, Flags = ,`);
  const clash = ['-0', '+ '].find((pair) => [...pair].every((flag) => flags.includes(flag)));
  if (clash !== undefined)
    rt.fail('java.util.IllegalFormatFlagsException', `Flags = '${flags.length === 2 ? clash : flags}'`);
  if (precision !== null && 'doxc'.includes(kind))
    rt.fail('java.util.IllegalFormatPrecisionException', String(precision));
}

function converted(rt: Runtime, spec: Specifier, value: Value): string {
  const { conversion } = spec;
  const isUpper = conversion >= 'A' && conversion <= 'Z';
  const shown = (text: string): string => padded(spec, isUpper ? text.toUpperCase() : text);
  switch (conversion.toLowerCase()) {
    case 's':
      return shown(cut(spec, value === null ? 'null' : rt.javaText(value)));
    case 'b':
      return shown(cut(spec, String(typeof value === 'boolean' ? value : value !== null)));
    case 'h':
      return shown(cut(spec, value === null ? 'null' : (rt.hash(value) >>> 0).toString(16)));
    case 'c':
      return shown(value === null ? 'null' : character(rt, spec, value));
    case 'd':
      return value === null ? padded(spec, 'null') : whole(rt, spec, value);
    case 'x':
    case 'o':
      return shown(value === null ? 'null' : radix(rt, spec, value));
    default:
      return shown(value === null ? 'null' : floating(rt, spec, value));
  }
}

function cut({ precision }: Specifier, text: string): string {
  return precision === null ? text : text.slice(0, precision);
}

function padded({ flags, width }: Specifier, text: string): string {
  return flags.includes('-') ? text.padEnd(width) : text.padStart(width);
}

function mismatch(rt: Runtime, { conversion }: Specifier, value: Value): never {
  return rt.fail('java.util.IllegalFormatConversionException', `${conversion} != ${rt.classOf(value).name}`);
}

function character(rt: Runtime, spec: Specifier, value: Value): string {
  if (value instanceof Char) return String.fromCharCode(value.code);
  if (typeof value === 'number') return String.fromCodePoint(value);
  if (value instanceof Byte || value instanceof Short) return String.fromCodePoint(value.value);
  return mismatch(rt, spec, value);
}

function whole(rt: Runtime, spec: Specifier, value: Value): string {
  if (!isWhole(value)) return mismatch(rt, spec, value);
  const number = toBigInt(value as NumberValue);
  return signed(spec, number < 0n, grouped(spec, (number < 0n ? -number : number).toString()));
}

function grouped({ flags }: Specifier, digits: string): string {
  return flags.includes(',') ? groupedDigits(digits, 3) : digits;
}

/** Sign, parentheses and zeros of a number. */
function signed(spec: Specifier, isNegative: boolean, digits: string): string {
  const { flags, width } = spec;
  const inBrackets = isNegative && flags.includes('(');
  const sign = isNegative ? (inBrackets ? '(' : '-') : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  const end = inBrackets ? ')' : '';
  const zeros = flags.includes('0') ? '0'.repeat(Math.max(0, width - sign.length - digits.length - end.length)) : '';
  return padded(spec, `${sign}${zeros}${digits}${end}`);
}

function radix(rt: Runtime, spec: Specifier, value: Value): string {
  if (!isWhole(value)) return mismatch(rt, spec, value);
  const bits =
    typeof value === 'number'
      ? 32
      : typeof value === 'bigint'
        ? 64
        : value instanceof Byte
          ? 8
          : value instanceof Short
            ? 16
            : 0;
  const number = toBigInt(value as NumberValue);
  const isHex = spec.conversion.toLowerCase() === 'x';
  const unsigned = bits === 0 ? number : BigInt.asUintN(bits, number);
  const digits = unsigned.toString(isHex ? 16 : 8);
  const prefix = spec.flags.includes('#') ? (isHex ? '0x' : '0') : '';
  const zeros = spec.flags.includes('0') ? '0'.repeat(Math.max(0, spec.width - prefix.length - digits.length)) : '';
  return `${prefix}${zeros}${digits}`;
}

function floating(rt: Runtime, spec: Specifier, value: Value): string {
  if (!(value instanceof Double || value instanceof Float || value instanceof BigDecimal))
    return mismatch(rt, spec, value);
  if (!(value instanceof BigDecimal) && !Number.isFinite(value.value)) {
    return signed(
      { ...spec, flags: spec.flags.replace('0', '') },
      value.value < 0,
      Number.isNaN(value.value) ? 'NaN' : 'Infinity',
    );
  }
  const decimal =
    value instanceof BigDecimal ? value : value instanceof Double ? decimalOfDouble(value.value) : decimalOf(value);
  const isNegative = decimal.unscaled < 0n || (!(value instanceof BigDecimal) && Object.is(value.value, -0));
  const size = new BigDecimal(decimal.unscaled < 0n ? -decimal.unscaled : decimal.unscaled, decimal.scale);
  const precision = spec.precision ?? 6;
  const kind = spec.conversion.toLowerCase();
  if (kind === 'f') {
    const [digits = '', fraction] = plainText(setScale(size, precision, 'HALF_UP')!).split('.');
    return signed(spec, isNegative, grouped(spec, digits) + (fraction === undefined ? '' : `.${fraction}`));
  }
  if (kind === 'e') return signed(spec, isNegative, scientific(size, precision));
  if (kind === 'g') return signed(spec, isNegative, general(spec, size, spec.precision === 0 ? 1 : precision));
  return rt.fail('java.lang.UnsupportedOperationException', `the conversion %${spec.conversion} is not available`);
}

function scientific(size: BigDecimal, precision: number): string {
  if (size.unscaled === 0n) return `0${precision > 0 ? `.${'0'.repeat(precision)}` : ''}e+00`;
  const digits = size.unscaled.toString();
  let exponent = digits.length - 1 - size.scale;
  const rounded = setScale(new BigDecimal(size.unscaled, digits.length - 1), precision, 'HALF_UP')!;
  let text = plainText(rounded);
  if (text.startsWith('10')) {
    exponent++;
    text = plainText(setScale(new BigDecimal(1n, 0), precision, 'HALF_UP')!);
  }
  return `${text}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** `%g`: as many digits as the precision says, in the shorter of the two forms. */
function general(spec: Specifier, size: BigDecimal, precision: number): string {
  const rounded = size.unscaled === 0n ? size : roundedTo(size, precision);
  const exponent = rounded.unscaled.toString().length - 1 - rounded.scale;
  if (size.unscaled === 0n) return `0${precision > 1 ? `.${'0'.repeat(precision - 1)}` : ''}`;
  if (exponent < -4 || exponent >= precision) return scientific(size, precision - 1);
  const [digits = '', fraction] = plainText(setScale(rounded, Math.max(0, precision - exponent - 1), 'HALF_UP')!).split(
    '.',
  );
  return grouped(spec, digits) + (fraction === undefined ? '' : `.${fraction}`);
}

function roundedTo(size: BigDecimal, precision: number): BigDecimal {
  const digits = size.unscaled.toString().length;
  return digits <= precision ? size : setScale(size, size.scale - (digits - precision), 'HALF_UP')!;
}
