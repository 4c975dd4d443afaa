/** Decimal digits of floating numbers as Java 17 chooses them: mostly the shortest ones, but not always. */

interface Digits {
  /** Without a point, and without zeros at the end. */
  readonly digits: string;
  /** Power of ten of the first digit. */
  readonly exponent: number;
}

/** Up to so many digits the shortest text is always that of Java. */
const SURELY_SHORTEST = 15;

const view = new DataView(new ArrayBuffer(8));

/** Bits of powers of five that Java computes with. */
const bitsOfPowerOf5 = (power: number): number =>
  power < 27 ? (power === 0 ? 0 : (5n ** BigInt(power)).toString(2).length) : power * 3;

/** Java's `Double.toString`. */
export function doubleText(value: number): string {
  return floatingText(value, (isPlain) => {
    const shortest = String(Math.abs(value));
    if (isPlain && shortest.length <= SURELY_SHORTEST + 1) return plainDigits(shortest);
    view.setFloat64(0, value);
    const bits = view.getBigUint64(0);
    return javaDigits(Number((bits >> 52n) & 0x7ffn), bits & 0xfffffffffffffn, 1023, 52);
  });
}

/** Java's `Float.toString`. */
export function floatText(value: number): string {
  return floatingText(value, () => {
    view.setFloat32(0, value);
    const bits = view.getUint32(0);
    return javaDigits((bits >>> 23) & 0xff, BigInt(bits & 0x7fffff), 127, 23);
  });
}

function floatingText(value: number, exactly: (isPlain: boolean) => Digits): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const size = Math.abs(value);
  const isPlain = size >= 1e-3 && size < 1e7;
  if (isPlain && Number.isInteger(value)) return `${value}.0`;
  const { digits, exponent } = exactly(isPlain);
  const sign = value < 0 ? '-' : '';
  if (!isPlain) return `${sign}${digits[0]}.${digits.slice(1) || '0'}E${exponent}`;
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const padded = digits.padEnd(exponent + 1, '0');
  return `${sign}${padded.slice(0, exponent + 1)}.${padded.slice(exponent + 1) || '0'}`;
}

/** Digits of a text with a point. */
function plainDigits(text: string): Digits {
  const [whole = '', part = ''] = text.split('.');
  if (whole !== '0') return stripped(whole + part, whole.length - 1);
  const leading = /^0*/.exec(part)![0].length;
  return stripped(part.slice(leading), -leading - 1);
}

/** Normalises the bits of a number, and finds its digits. */
function javaDigits(rawExponent: number, rawFraction: bigint, bias: number, shift: number): Digits {
  let fraction = rawFraction;
  let exponent = rawExponent;
  let significant = shift + 1;
  if (exponent === 0) {
    significant = fraction.toString(2).length;
    fraction <<= BigInt(shift + 1 - significant);
    exponent = significant - shift;
  } else fraction |= 1n << BigInt(shift);
  return digitsOf(exponent - bias, fraction << BigInt(52 - shift), significant);
}

/**
 * @param binary exponent of two of the first bit
 * @param normal the bits, of which the first is bit 52
 * @param significant number of bits that the type has for this number
 */
function digitsOf(binary: number, normal: bigint, significant: number): Digits {
  let fraction = normal;
  let zeros = 0;
  while ((fraction & 1n) === 0n) {
    fraction >>= 1n;
    zeros++;
  }
  const length = 53 - zeros;
  const tiny = Math.max(0, length - binary - 1);
  if (tiny === 0 && binary <= 62) return wholeDigits(binary, normal, significant);

  const leading = 1 + Number(normal & 0xfffffffffffffn) / 2 ** 52;
  let power = Math.floor((leading - 1.5) * 0.289529654 + 0.176091259 + binary * 0.301029995663981);
  const b5 = Math.max(0, -power);
  const s5 = Math.max(0, power);
  let b2 = b5 + tiny + binary;
  let s2 = s5 + tiny;
  let m2 = b2 - significant;
  b2 -= length - 1;
  const common = Math.min(b2, s2);
  b2 -= common;
  s2 -= common;
  m2 -= common;
  if (length === 1) m2 -= 1;
  if (m2 < 0) {
    b2 -= m2;
    s2 -= m2;
    m2 = 0;
  }
  // Java compares the upper bound otherwise once its numbers do not fit into 64 bits.
  const isLarge = length + b2 + bitsOfPowerOf5(b5) >= 64 || s2 + 1 + bitsOfPowerOf5(s5 + 1) >= 64;
  const divisor = (5n ** BigInt(s5)) << BigInt(s2);
  const whole = divisor * 10n;
  let rest = (fraction * 5n ** BigInt(b5)) << BigInt(b2);
  let margin = (5n ** BigInt(b5)) << BigInt(m2);
  let digits = '';
  let [isLow, isHigh] = [false, false];
  const next = (): number => {
    const digit = Number(rest / divisor);
    rest = (rest % divisor) * 10n;
    margin *= 10n;
    isLow = rest < margin;
    isHigh = isLarge ? rest + margin >= whole : rest + margin > whole;
    return digit;
  };
  const first = next();
  if (first === 0 && !isHigh) power--;
  else digits = String(first);
  if (power < -3 || power >= 8) [isLow, isHigh] = [false, false];
  while (!isLow && !isHigh) digits += next();
  const difference = rest * 2n - whole;
  const isUp = isHigh && (!isLow || difference > 0n || (difference === 0n && Number(digits.at(-1)) % 2 === 1));
  return stripped(isUp ? roundedUp(digits) : digits, isUp && /^9+$/.test(digits) ? power + 1 : power);
}

/** Integers that fit into a long. */
function wholeDigits(binary: number, normal: bigint, significant: number): Digits {
  const value = binary >= 52 ? normal << BigInt(binary - 52) : normal >> BigInt(52 - binary);
  const doubtful = binary > significant ? Math.floor((binary - significant - 1) * Math.log10(2)) : 0;
  const unit = 10n ** BigInt(doubtful);
  const kept = value / unit + (doubtful > 0 && value % unit >= unit / 2n ? 1n : 0n);
  const digits = kept.toString();
  return stripped(digits, digits.length - 1 + doubtful);
}

function roundedUp(digits: string): string {
  return /^9+$/.test(digits) ? `1${'0'.repeat(digits.length - 1)}` : (BigInt(digits) + 1n).toString();
}

function stripped(digits: string, exponent: number): Digits {
  return { digits: digits.replace(/0+$/, '') || '0', exponent };
}
