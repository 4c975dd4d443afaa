import { type ClassSpec, JavaClass, type LibraryFunction, type Runtime, type Value } from '../values/java-class.ts';
import { ABSENT_GATEWAY_METHODS, ABSENT_GATEWAY_SIGNATURES } from './absent-gateway.ts';
import { ABSENT_METHODS } from './absent-methods.ts';
import { ABSENT_SIGNATURES } from './absent-signatures.ts';

/** Names of methods that a class has in Java or Groovy, apart by spaces. Those that are implemented are left out below. */
interface KnownMethods {
  readonly methods?: string;
  readonly statics?: string;
  /** Other classes whose tables implement methods of this one. */
  readonly within?: readonly string[];
}

const ITERABLE_METHODS =
  'bufferedIterator chop collectEntries collectMany collectNested combinations count countBy disjoint drop dropRight ' +
  'dropWhile each eachCombination eachPermutation eachWithIndex findIndexValues first flatten grep groupBy ' +
  'indexed init inits inject intersect join last max min minus multiply plus size sort split ' +
  'spliterator subsequences sum tail tails take takeRight takeWhile toList toSet toSorted toUnique transpose ' +
  'unique withIndex execute asUnmodifiable shuffle shuffled swap ' +
  'parallelStream trimToSize ensureCapacity ' +
  'listIterator replaceAll permutations';

const known: Readonly<Record<string, KnownMethods>> = {
  'java.lang.CharSequence': {
    within: ['java.lang.String', 'java.lang.Object'],
    methods:
      'chars codePointBefore codePointCount codePoints describeConstable getChars indent offsetByCodePoints regionMatches ' +
      'resolveConstantDesc stripIndent transform translateEscapes denormalize eachLine expandLine splitEachLine unexpand ' +
      'unexpandLine execute contentEquals',
  },
  'java.lang.String': { statics: 'copyValueOf' },
  'java.util.List': {
    within: ['java.lang.Iterable', 'java.util.Collection', 'java.lang.Object'],
    methods: ITERABLE_METHODS,
  },
  'java.util.Set': {
    within: ['java.lang.Iterable', 'java.util.Collection', 'java.lang.Object'],
    methods: ITERABLE_METHODS,
  },
  'java.util.Map': {
    within: ['java.lang.Object'],
    methods:
      'collectMany countBy dropWhile findResults groupEntriesBy inject intersect eachPermutation ' +
      'descendingKeySet navigableKeySet pollFirstEntry pollLastEntry subMap headMap tailMap each reduce search ' +
      'mappingCount newKeySet keys elements stringPropertyNames load store leftShift stream',
  },
  'java.lang.Class': {
    methods:
      'getMethods getDeclaredMethods getMethod getDeclaredMethod getFields getDeclaredFields getField getDeclaredField ' +
      'getConstructors getDeclaredConstructors getConstructor getDeclaredConstructor getAnnotations getAnnotation ' +
      'getModifiers getClassLoader getResource getResourceAsStream getProtectionDomain getGenericSuperclass getTypeParameters mixin ' +
      'isAnonymousClass isMemberClass isLocalClass isSynthetic isAnnotation isRecord isSealed getEnclosingClass getDeclaringClass ' +
      'toGenericString descriptorString arrayType getNestHost getNestMembers getRecordComponents getSigners getModule',
  },
  'java.lang.StackTraceElement': { methods: 'getLineNumber getClassName getMethodName getFileName' },
  'java.lang.Object': {
    methods: 'dump getMetaPropertyValues use addShutdownHook notify notifyAll wait metaClass setMetaClass',
  },
  'java.lang.Number': { methods: 'toShort toByte toHexString bitCount power or and xor hypot' },
  'java.lang.Integer': {
    statics:
      'highestOneBit lowestOneBit numberOfLeadingZeros numberOfTrailingZeros rotateLeft rotateRight reverseBytes parseUnsignedInt toUnsignedString toUnsignedLong divideUnsigned remainderUnsigned compareUnsigned getInteger',
  },
  'java.lang.Long': {
    statics:
      'decode highestOneBit lowestOneBit numberOfLeadingZeros numberOfTrailingZeros rotateLeft rotateRight parseUnsignedLong toUnsignedString hashCode reverse compareUnsigned',
  },
  'java.lang.Double': {
    statics: 'toHexString doubleToLongBits longBitsToDouble hashCode sum max min',
    methods: 'isNaN',
  },
  'java.lang.Math': {
    statics:
      'acos asin sinh cosh tanh log1p expm1 fma ulp nextUp nextDown scalb getExponent negateExact incrementExact decrementExact absExact floorMod signum copySign IEEEremainder cbrt',
  },
  'java.lang.Character': {
    statics:
      'isSpaceChar isJavaIdentifierStart isJavaIdentifierPart isDefined isISOControl isSurrogate codePointAt charCount getType forDigit isTitleCase toTitleCase reverseBytes compare hashCode isHighSurrogate isLowSurrogate ',
  },
  'java.lang.System': {
    statics:
      'exit gc arraycopy setProperty clearProperty getProperties console inheritedChannel load loadLibrary runFinalization setOut setErr setIn getLogger getSecurityManager',
  },
  'java.lang.Thread': { statics: 'currentThread start startDaemon yield interrupted getAllStackTraces onSpinWait' },
  'java.math.BigDecimal': {
    methods:
      'sqrt remainder divideToIntegralValue divideAndRemainder plus round ulp precision scaleByPowerOfTen toEngineeringString byteValueExact shortValueExact toBigIntegerExact',
  },
  'java.math.BigInteger': {
    methods:
      'sqrt not modInverse isProbablePrime nextProbablePrime divideAndRemainder setBit clearBit flipBit bitCount toByteArray andNot lcm',
  },
  'java.util.Date': {
    methods:
      'toLocalDate toLocalDateTime toZonedDateTime toOffsetDateTime toLocalTime toYear toMonth toDayOfWeek copyWith updated set getDateString getTimeString getDateTimeString upto downto getTimezoneOffset toGMTString toLocaleString setHours setMinutes setSeconds setDate setMonth setYear toTimestamp ',
    statics: 'UTC ',
  },
  'java.util.Collections': {
    statics:
      'binarySearch rotate fill copy enumeration list newSetFromMap replaceAll indexOfSubList lastIndexOfSubList synchronizedSet synchronizedCollection unmodifiableSortedMap unmodifiableSortedSet emptyIterator checkedList',
  },
  'java.util.Arrays': {
    statics: 'setAll parallelSort deepEquals deepHashCode mismatch compare parallelPrefix spliterator',
  },
  'java.util.Objects': { statics: 'checkIndex requireNonNullElseGet deepEquals checkFromToIndex' },
  'java.util.regex.Matcher': {
    methods: 'results toMatchResult region regionStart regionEnd usePattern hitEnd requireEnd matchesPartially',
  },
  'java.util.regex.Pattern': { methods: 'asPredicate asMatchPredicate splitAsStream' },
  'java.util.stream.Stream': {
    methods: 'flatMapToInt flatMapToLong flatMapToDouble mapMultiToInt mapMultiToLong mapMultiToDouble spliterator',
    statics: 'builder',
  },
  'java.util.stream.IntStream': { methods: 'collect mapMulti spliterator', statics: 'concat builder' },
  'java.util.stream.LongStream': { methods: 'collect mapMulti spliterator', statics: 'concat builder' },
  'java.util.stream.DoubleStream': { methods: 'collect mapMulti spliterator', statics: 'concat builder' },
  'java.util.stream.Collectors': { statics: 'toConcurrentMap groupingByConcurrent' },
  'java.time.temporal.Temporal': {
    methods:
      'with query range get getLong isSupported adjustInto getChronology upto downto toDate toCalendar rightShift leftShift datesUntil atDate getEra withFixedOffsetZone withZoneSameLocal withEarlierOffsetAtOverlap toOffsetTime getDayOfYear withDayOfYear until clearTime',
  },
  'java.time.Duration': {
    methods: 'with withNanos withSeconds toNanosPart toMillisPart toDaysPart getUnits truncatedTo addTo subtractFrom',
  },
  'java.time.DayOfWeek': { methods: 'plus minus getDisplayName next previous', statics: 'from' },
  'java.time.Month': { methods: 'plus minus getDisplayName next previous length minLength maxLength', statics: 'from' },
  'java.util.Calendar': {
    methods:
      'roll clear getActualMaximum getActualMinimum getMinimum getMaximum setLenient getFirstDayOfWeek setFirstDayOfWeek upto downto toInstant clearTime copyWith updated',
  },
  'java.util.UUID': { methods: 'timestamp variant clockSequence node' },
  'java.lang.StringBuilder': {
    methods: 'capacity chars codePointAt compareTo ensureCapacity trimToSize appendCodePoint getChars subSequence',
  },
  'groovy.json.JsonBuilder': { methods: 'call writeTo' },
  'groovy.json.JsonOutput': { statics: 'unescaped' },
};

function namesIn(specs: readonly ClassSpec[], classes: readonly string[], part: 'methods' | 'statics'): Set<string> {
  return new Set(
    specs
      .filter(({ name }) => classes.includes(name))
      .flatMap((spec) => Object.keys(spec[part] ?? {}).map((signature) => signature.slice(0, signature.indexOf('(')))),
  );
}

function refusing(type: string, name: string): LibraryFunction {
  const refuse = (rt: Runtime, self: Value): never => {
    const shown = self === null || self instanceof JavaClass ? type : rt.classOf(self).name;
    return rt.fail('java.lang.UnsupportedOperationException', `the method ${name} of ${shown} is not available`);
  };
  // The compiler refuses calls of such a method where it knows the class.
  return Object.assign(refuse, { isAbsent: true });
}

function refusals(type: string, words: string, implemented: ReadonlySet<string>): Record<string, LibraryFunction> {
  const missing = words.split(' ').filter((word) => word !== '' && !implemented.has(word));
  return Object.fromEntries(
    missing.flatMap((word): [string, LibraryFunction][] => {
      const code = refusing(type, word);
      const getter: [string, LibraryFunction][] = /^(?:get|is)[A-Z]/.test(word) ? [[`${word}()`, code]] : [];
      return [[`${word}(Object...)`, code], ...getter];
    }),
  );
}

/**
 * Methods that Groovy or Java have and that are not available here. Calling one says so; without them a script would
 * learn that the method does not exist, and could take a branch that it does not take elsewhere.
 */
export function absentClasses(tables: readonly ClassSpec[]): ClassSpec[] {
  const all: [string, KnownMethods][] = [
    ...Object.entries(known),
    ...Object.entries(ABSENT_METHODS),
    ...Object.entries(ABSENT_GATEWAY_METHODS),
  ];
  const names: ClassSpec[] = all.map(([name, { methods = '', statics = '', within = [] }]) => ({
    name,
    methods: refusals(name, methods, namesIn(tables, [name, ...within], 'methods')),
    statics: refusals(name, statics, namesIn(tables, [name], 'statics')),
  }));
  return [...names, ...absentSignatures()];
}

/** Overloads that are missing beside others of the same name. */
function absentSignatures(): ClassSpec[] {
  return Object.entries({ ...ABSENT_SIGNATURES, ...ABSENT_GATEWAY_SIGNATURES }).map(([name, signatures]) => {
    const all = signatures.split(' ');
    const isCall = (each: string): boolean => each.includes('(');
    const code = (each: string): LibraryFunction => {
      const shown = each.startsWith('(') ? `new ${name}${each}` : `${name}.${each.replace(':', '')}`;
      return (rt: Runtime) => refuse(rt, shown);
    };
    const table = (chosen: readonly string[]): Record<string, LibraryFunction> =>
      Object.fromEntries(chosen.map((each) => [each.replace(':', ''), code(each)]));
    return {
      name,
      methods: table(all.filter((each) => isCall(each) && !/^[:(]/.test(each))),
      statics: table(all.filter((each) => each.startsWith(':'))),
      constructors: table(all.filter((each) => each.startsWith('('))),
      constants: Object.fromEntries(
        all
          .filter((each) => !isCall(each))
          .map((each) => [each, (rt: Runtime): Value => refuse(rt, `the constant ${each} of ${name}`)]),
      ),
    };
  });
}

function refuse(rt: Runtime, subject: string): never {
  return rt.fail('java.lang.UnsupportedOperationException', `${subject} is not available`);
}
