/**
 * Overloads and constants of Java and Groovy, by class, that are not available here; found by asking Groovy for all of them.
 * A static method begins with a colon, a constructor has no name, and a constant has no parentheses.
 */
export const ABSENT_SIGNATURES: Readonly<Record<string, string>> = {
  'groovy.json.DefaultJsonGenerator': 'isExcludingFieldsNamed(String) isExcludingValues(Object)',
  'groovy.lang.GroovyShell':
    '(Binding,Object) (Object,Binding) (Object,Binding,Object) evaluate(Reader,String) parse(Reader,String)',
  'groovy.json.JsonBuilder': '(Object,groovy.json.JsonGenerator)',
  'groovy.json.JsonGenerator$Options':
    'dateFormat(String,Locale) excludeFieldsByType(Class...) excludeFieldsByType(Iterable) timezone(String)',
  'groovy.json.JsonOutput': ':prettyPrint(String,boolean)',
  'groovy.json.JsonOutput$JsonUnescaped': 'getText()',
  'groovy.json.JsonSlurper':
    'parse(Map,URL) parse(Map,URL,String) parse(URL) parse(URL,Map) parse(URL,Map,String) parse(URL,String)',
  'groovy.json.JsonSlurperClassic':
    'parse(Map,URL) parse(Map,URL,String) parse(URL) parse(URL,Map) parse(URL,Map,String) parse(URL,String)',
  'groovy.json.StreamingJsonBuilder': '(Writer,Object,groovy.json.JsonGenerator)',
  'groovy.lang.MapWithDefault':
    'collectMany(Collection,Closure) count(Number,Closure) toSorted(Comparator) :newInstance(Map,Closure) :newInstance(Map,boolean,boolean,Closure)',
  'groovy.lang.Range':
    'count(Number,Closure) intersect(Collection,Comparator) intersect(Iterable,Closure) intersect(Iterable,Comparator) minus(Iterable,Closure) minus(Iterable,Comparator) shuffle(Random) shuffled(Random)',
  'groovy.lang.Tuple':
    'count(Number,Closure) intersect(Collection,Comparator) intersect(Iterable,Closure) intersect(Iterable,Comparator) minus(Iterable,Closure) minus(Iterable,Comparator) shuffle(Random) shuffled(Random)',
  'groovy.lang.Tuple1': 'getFirst()',
  'groovy.lang.Tuple2': '(Tuple2)',
  'groovy.lang.Tuple3': 'getFirst() getSecond() getThird() (Tuple3)',
  'groovy.lang.Tuple4': 'getFirst() getFourth() getSecond() getThird() (Tuple4)',
  'groovy.lang.Tuple5': 'getFifth() getFirst() getFourth() getSecond() getThird() (Tuple5)',
  'groovy.lang.Tuple6': 'getFifth() getFirst() getFourth() getSecond() getSixth() getThird() (Tuple6)',
  'groovy.lang.Tuple7': 'getFifth() getFirst() getFourth() getSecond() getSeventh() getSixth() getThird() (Tuple7)',
  'groovy.lang.Tuple8':
    'getEighth() getFifth() getFirst() getFourth() getSecond() getSeventh() getSixth() getThird() (Tuple8)',
  'groovy.util.MapEntry': 'setKey(Object)',
  'java.io.BufferedReader': 'lines() (Reader,int)',
  'java.io.ByteArrayInputStream': '(byte[],int,int)',
  'java.io.InputStream':
    'eachLine(String,Closure) eachLine(String,int,Closure) eachLine(int,Closure) newReader(String) read(byte...) read(byte[],int,int) readLines(String) :nullInputStream()',
  'java.io.InputStreamReader': 'getEncoding()',
  'java.io.OutputStream': ':nullOutputStream()',
  'java.io.PrintStream': 'printf(Locale,String,Object...) :nullOutputStream()',
  'java.io.Reader': 'eachLine(int,Closure) read(char...) read(char[],int,int) :nullReader()',
  'java.io.Writer': 'append(CharSequence,int,int) write(Writable) write(char...) write(char[],int,int) :nullWriter()',
  'java.lang.Byte': ':valueOf(String,int)',
  'java.lang.Character':
    ':codePointAt(char[],int) :codePointAt(char[],int,int) :digit(int,int) :getNumericValue(int) :toChars(int,char[],int) COMBINING_SPACING_MARK CONNECTOR_PUNCTUATION CONTROL CURRENCY_SYMBOL DASH_PUNCTUATION DECIMAL_DIGIT_NUMBER DIRECTIONALITY_ARABIC_NUMBER DIRECTIONALITY_BOUNDARY_NEUTRAL DIRECTIONALITY_COMMON_NUMBER_SEPARATOR DIRECTIONALITY_EUROPEAN_NUMBER DIRECTIONALITY_EUROPEAN_NUMBER_SEPARATOR DIRECTIONALITY_EUROPEAN_NUMBER_TERMINATOR DIRECTIONALITY_FIRST_STRONG_ISOLATE DIRECTIONALITY_LEFT_TO_RIGHT DIRECTIONALITY_LEFT_TO_RIGHT_EMBEDDING DIRECTIONALITY_LEFT_TO_RIGHT_ISOLATE DIRECTIONALITY_LEFT_TO_RIGHT_OVERRIDE DIRECTIONALITY_NONSPACING_MARK DIRECTIONALITY_OTHER_NEUTRALS DIRECTIONALITY_PARAGRAPH_SEPARATOR DIRECTIONALITY_POP_DIRECTIONAL_FORMAT DIRECTIONALITY_POP_DIRECTIONAL_ISOLATE DIRECTIONALITY_RIGHT_TO_LEFT DIRECTIONALITY_RIGHT_TO_LEFT_ARABIC DIRECTIONALITY_RIGHT_TO_LEFT_EMBEDDING DIRECTIONALITY_RIGHT_TO_LEFT_ISOLATE DIRECTIONALITY_RIGHT_TO_LEFT_OVERRIDE DIRECTIONALITY_SEGMENT_SEPARATOR DIRECTIONALITY_UNDEFINED DIRECTIONALITY_WHITESPACE ENCLOSING_MARK END_PUNCTUATION FINAL_QUOTE_PUNCTUATION FORMAT INITIAL_QUOTE_PUNCTUATION LETTER_NUMBER LINE_SEPARATOR LOWERCASE_LETTER MATH_SYMBOL MAX_HIGH_SURROGATE MAX_LOW_SURROGATE MAX_SURROGATE MIN_HIGH_SURROGATE MIN_LOW_SURROGATE MIN_SUPPLEMENTARY_CODE_POINT MIN_SURROGATE MODIFIER_LETTER MODIFIER_SYMBOL NON_SPACING_MARK OTHER_LETTER OTHER_NUMBER OTHER_PUNCTUATION OTHER_SYMBOL PARAGRAPH_SEPARATOR PRIVATE_USE SPACE_SEPARATOR START_PUNCTUATION SURROGATE TITLECASE_LETTER UNASSIGNED UPPERCASE_LETTER',
  'java.lang.Float': 'equalsIgnoreZeroSign(Object) (double) MAX_EXPONENT MIN_EXPONENT',
  'java.lang.Integer':
    ':parseInt(CharSequence,int,int,int) :parseUnsignedInt(CharSequence,int,int,int) :parseUnsignedInt(String,int)',
  'java.lang.Long':
    ':parseLong(CharSequence,int,int,int) :parseUnsignedLong(CharSequence,int,int,int) :parseUnsignedLong(String,int) :valueOf(String,int)',
  'java.lang.Short': ':valueOf(String,int)',
  'java.lang.String':
    'collectReplacements(List) getBytes(int,int,byte[],int) getChars(int,int,char[],int) isAtLeast(String) lastIndexOf(int,int) replace(int,Map) splitEachLine(java.util.regex.Pattern,Closure) stripIndent(boolean) stripMargin(char) takeBetween(CharSequence,CharSequence,int) takeBetween(CharSequence,int) :copyValueOf(char[],int,int) :valueOf(char[],int,int) (byte[],int) (byte[],int,int,int)',
  'java.lang.StringBuffer':
    'append(char[],int,int) appendCodePoint(int) capacity() ensureCapacity(int) getChars(int,int,char[],int) insert(int,CharSequence,int,int) insert(int,char[],int,int) putAt(EmptyRange,Object) replace(int,Map) splitEachLine(java.util.regex.Pattern,Closure) stripIndent(boolean) stripMargin(char) takeBetween(CharSequence,CharSequence,int) takeBetween(CharSequence,int) trimToSize() withFormatter(Closure) withFormatter(Locale,Closure)',
  'java.lang.StringBuilder':
    'append(char[],int,int) insert(int,CharSequence,int,int) insert(int,char[],int,int) putAt(EmptyRange,Object) replace(int,Map) splitEachLine(java.util.regex.Pattern,Closure) stripIndent(boolean) stripMargin(char) takeBetween(CharSequence,CharSequence,int) takeBetween(CharSequence,int)',
  'java.lang.System': 'in',
  'java.math.BigDecimal':
    'abs(java.math.MathContext) divide(java.math.BigDecimal,int) divideAndRemainder(java.math.BigDecimal,java.math.MathContext) divideToIntegralValue(java.math.BigDecimal,java.math.MathContext) isAtLeast(String) isAtLeast(java.math.BigDecimal) plus() pow(int,java.math.MathContext) remainder(java.math.BigDecimal,java.math.MathContext) (char[]) (char[],int,int) (char[],int,int,java.math.MathContext) (char[],java.math.MathContext) (java.math.BigInteger,int,java.math.MathContext) (java.math.BigInteger,java.math.MathContext)',
  'java.math.BigInteger': '(byte[],int,int) (int,Random) (int,byte[],int,int) (int,int,Random)',
  'java.math.MathContext': '(String)',
  'java.net.URISyntaxException': 'getIndex() getInput() getReason()',
  'java.nio.charset.Charset': 'contains(java.nio.charset.Charset) displayName(Locale)',
  'java.nio.charset.UnsupportedCharsetException': 'getCharsetName()',
  'java.security.MessageDigest': 'digest(byte[],int,int) :getInstance(String,String)',
  'java.security.SecureRandom':
    'getAlgorithm() getParameters() getProvider() reseed() setSeed(byte...) :getInstance(String) :getInstance(String,String) :getInstanceStrong() :getSeed(int) (byte[])',
  'java.sql.Timestamp': 'getNanos() setNanos(int) :valueOf(java.time.LocalDateTime) (int,int,int,int,int,int,int)',
  'java.text.DateFormat':
    'format(Object) :getAvailableLocales() :getDateInstance() :getDateInstance(int) :getDateInstance(int,Locale) :getDateTimeInstance() :getDateTimeInstance(int,int) :getDateTimeInstance(int,int,Locale) :getInstance() :getTimeInstance() :getTimeInstance(int) :getTimeInstance(int,Locale) AM_PM_FIELD DATE_FIELD DAY_OF_WEEK_FIELD DAY_OF_WEEK_IN_MONTH_FIELD DAY_OF_YEAR_FIELD DEFAULT ERA_FIELD FULL HOUR0_FIELD HOUR1_FIELD HOUR_OF_DAY0_FIELD HOUR_OF_DAY1_FIELD LONG MEDIUM MILLISECOND_FIELD MINUTE_FIELD MONTH_FIELD SECOND_FIELD SHORT TIMEZONE_FIELD WEEK_OF_MONTH_FIELD WEEK_OF_YEAR_FIELD YEAR_FIELD',
  'java.text.DecimalFormat': ':getAvailableLocales() :getCompactNumberInstance() FRACTION_FIELD INTEGER_FIELD',
  'java.text.ParseException': 'getErrorOffset()',
  'java.text.SimpleDateFormat': '()',
  'java.time.DayOfWeek': 'getAt(Iterable)',
  'java.time.Duration': 'dividedBy(java.time.Duration)',
  'java.time.Instant': ':now(java.time.Clock) MAX MIN',
  'java.time.LocalDate':
    'atTime(int,int,int,int) :now(java.time.Clock) :of(int,java.time.Month,int) :parse(CharSequence,String)',
  'java.time.LocalDateTime':
    ':now(java.time.Clock) :of(int,java.time.Month,int,int,int) :of(int,java.time.Month,int,int,int,int) :of(int,java.time.Month,int,int,int,int,int) :parse(CharSequence,String) MAX MIN',
  'java.time.LocalTime': ':now(java.time.Clock) :parse(CharSequence,String)',
  'java.time.Month': 'getAt(Iterable)',
  'java.time.MonthDay':
    'adjustInto(java.time.temporal.Temporal) format(java.time.format.DateTimeFormatter) getAt(Iterable) leftShift(int) leftShift(java.time.Year) with(java.time.Month) withDayOfMonth(int) withMonth(int) :now(java.time.Clock) :now(java.time.ZoneId) :of(java.time.Month,int) :parse(CharSequence,String) :parse(CharSequence,java.time.format.DateTimeFormatter)',
  'java.time.OffsetDateTime': ':now(java.time.Clock) :parse(CharSequence,String) MAX MIN',
  'java.time.Period':
    'minus(long) next() plus(long) previous() :between(java.time.Year,java.time.Year) :between(java.time.YearMonth,java.time.YearMonth)',
  'java.time.Year':
    'adjustInto(java.time.temporal.Temporal) atMonth(java.time.Month) atMonthDay(java.time.MonthDay) downto(java.time.temporal.Temporal,Closure) getAt(Iterable) getEra() getYearOfEra() isValidMonthDay(java.time.MonthDay) leftShift(java.time.Month) leftShift(java.time.MonthDay) minus(long) plus(long) rightShift(java.time.Year) rightShift(java.time.temporal.Temporal) upto(java.time.temporal.Temporal,Closure) with(java.time.temporal.TemporalAdjuster) :now(java.time.Clock) :now(java.time.ZoneId) :parse(CharSequence,String) :parse(CharSequence,java.time.format.DateTimeFormatter) MAX_VALUE MIN_VALUE',
  'java.time.YearMonth':
    'getAt(Iterable) with(java.time.temporal.TemporalAdjuster) :now(java.time.Clock) :now(java.time.ZoneId) :of(int,java.time.Month) :parse(CharSequence,String) :parse(CharSequence,java.time.format.DateTimeFormatter)',
  'java.time.ZoneId': ':of(String,Map) SHORT_IDS',
  'java.time.ZoneOffset': 'getAt(Iterable) MAX MIN',
  'java.time.ZonedDateTime':
    ':now(java.time.Clock) :ofInstant(java.time.LocalDateTime,java.time.ZoneOffset,java.time.ZoneId) :parse(CharSequence,String)',
  'java.time.format.DateTimeParseException': 'getErrorIndex() getParsedString()',
  'java.time.format.TextStyle': 'asNormal() asStandalone() isStandalone()',
  'java.time.temporal.ChronoField':
    'adjustInto(java.time.temporal.Temporal,long) checkValidIntValue(long) checkValidValue(long) getBaseUnit() getDisplayName(Locale) getRangeUnit() isDateBased() isTimeBased() range() ALIGNED_DAY_OF_WEEK_IN_MONTH ALIGNED_DAY_OF_WEEK_IN_YEAR ALIGNED_WEEK_OF_MONTH ALIGNED_WEEK_OF_YEAR CLOCK_HOUR_OF_AMPM CLOCK_HOUR_OF_DAY ERA HOUR_OF_AMPM MICRO_OF_DAY MICRO_OF_SECOND PROLEPTIC_MONTH YEAR_OF_ERA',
  'java.time.temporal.ChronoUnit': 'CENTURIES DECADES ERAS FOREVER MILLENNIA',
  'java.time.temporal.Temporal': 'getAt(Iterable)',
  'java.time.temporal.TemporalAdjusters':
    ':dayOfWeekInMonth(int,java.time.DayOfWeek) :firstInMonth(java.time.DayOfWeek) :lastInMonth(java.time.DayOfWeek) :ofDateAdjuster(java.util.function.UnaryOperator)',
  'java.time.zone.ZoneRules':
    'getDaylightSavings(java.time.Instant) getOffset(java.time.LocalDateTime) getStandardOffset(java.time.Instant) getTransition(java.time.LocalDateTime) getTransitionRules() getTransitions() getValidOffsets(java.time.LocalDateTime) isDaylightSavings(java.time.Instant) isFixedOffset() isValidOffset(java.time.LocalDateTime,java.time.ZoneOffset) nextTransition(java.time.Instant) previousTransition(java.time.Instant) :of(java.time.ZoneOffset) :of(java.time.ZoneOffset,java.time.ZoneOffset,List,List,List)',
  'java.util.AbstractMap$SimpleEntry': '(java.util.Map$Entry)',
  'java.util.AbstractMap$SimpleImmutableEntry': '(java.util.Map$Entry)',
  'java.util.ArrayDeque':
    'addAll(Iterable) addAll(Iterator) addAll(Object...) bufferedIterator() count(Number,Closure) intersect(Collection,Comparator) intersect(Iterable,Closure) intersect(Iterable,Comparator) minus(Iterable,Closure) minus(Iterable,Comparator) retainAll(Object...) sort(boolean,Closure) sort(boolean,Comparator) spliterator() unique(Closure) unique(Comparator) unique(boolean) unique(boolean,Closure) unique(boolean,Comparator)',
  'java.util.ArrayList':
    'count(Number,Closure) intersect(Collection,Comparator) intersect(Iterable,Closure) intersect(Iterable,Comparator) minus(Iterable,Closure) minus(Iterable,Comparator) shuffle(Random) shuffled(Random)',
  'java.util.Arrays':
    ':binarySearch(Object[],Object,Comparator) :binarySearch(Object[],int,int,Object) :binarySearch(Object[],int,int,Object,Comparator) :binarySearch(byte[],int,int,byte) :binarySearch(char[],int,int,char) :binarySearch(double[],int,int,double) :binarySearch(float[],int,int,float) :binarySearch(int[],int,int,int) :binarySearch(long[],int,int,long) :binarySearch(short[],int,int,short) :copyOf(Object[],int,Class) :copyOfRange(Object[],int,int,Class) :fill(Object[],int,int,Object) :fill(boolean[],int,int,boolean) :fill(byte[],int,int,byte) :fill(char[],int,int,char) :fill(double[],int,int,double) :fill(float[],int,int,float) :fill(int[],int,int,int) :fill(long[],int,int,long) :fill(short[],int,int,short) :sort(Object[],int,int) :sort(Object[],int,int,Comparator) :sort(byte[],int,int) :sort(char[],int,int) :sort(double[],int,int) :sort(float[],int,int) :sort(int[],int,int) :sort(long[],int,int) :sort(short[],int,int)',
  'java.util.Base64$Decoder': 'decode(byte[],byte...)',
  'java.util.Base64$Encoder': 'encode(byte[],byte...)',
  'java.util.Calendar':
    'getAt(Collection) minus(Calendar) next() previous() putAt(int,int) set(Map) set(int,int,int,int,int) :getInstance(Locale) :getInstance(TimeZone,Locale) ALL_STYLES AM AM_PM DAY_OF_WEEK_IN_MONTH DST_OFFSET ERA FIELD_COUNT LONG LONG_FORMAT LONG_STANDALONE NARROW_FORMAT NARROW_STANDALONE PM SHORT SHORT_FORMAT SHORT_STANDALONE UNDECIMBER WEEK_OF_MONTH WEEK_OF_YEAR ZONE_OFFSET',
  'java.util.Date': 'getAt(Collection) putAt(int,int) :parse(String)',
  'java.util.Enumeration': 'toSet()',
  'java.util.FormatFlagsConversionMismatchException': 'getConversion() getFlags()',
  'java.util.GregorianCalendar':
    ':from(java.time.ZonedDateTime) (Locale) (TimeZone) (TimeZone,Locale) (int,int,int,int,int) (int,int,int,int,int,int) AD BC',
  'java.util.HashMap': 'collectMany(Collection,Closure) count(Number,Closure) toSorted(Comparator)',
  'java.util.HashSet': '(int,float)',
  'java.util.Hashtable': 'collectMany(Collection,Closure) contains(Object) count(Number,Closure) toSorted(Comparator)',
  'java.util.IllegalFormatConversionException': 'getArgumentClass() getConversion()',
  'java.util.IllegalFormatFlagsException': 'getFlags()',
  'java.util.IllegalFormatPrecisionException': 'getPrecision()',
  'java.util.Iterator': 'count(Number,Closure) getAt(int)',
  'java.util.LinkedHashSet': '(int,float)',
  'java.util.LinkedList':
    'count(Number,Closure) intersect(Collection,Comparator) intersect(Iterable,Closure) intersect(Iterable,Comparator) minus(Iterable,Closure) minus(Iterable,Comparator) shuffle(Random) shuffled(Random)',
  'java.util.Locale':
    '(String,String,String) CANADA_FRENCH PRC PRIVATE_USE_EXTENSION SIMPLIFIED_CHINESE TAIWAN TRADITIONAL_CHINESE UNICODE_LOCALE_EXTENSION',
  'java.util.MissingFormatArgumentException': 'getFormatSpecifier()',
  'java.util.MissingFormatWidthException': 'getFormatSpecifier()',
  'java.util.Objects': ':requireNonNull(Object,java.util.function.Supplier)',
  'java.util.Optional': 'filter(Class)',
  'java.util.PriorityQueue':
    'addAll(Iterable) addAll(Iterator) addAll(Object...) bufferedIterator() comparator() count(Number,Closure) getIndices() intersect(Collection,Comparator) intersect(Iterable,Closure) intersect(Iterable,Comparator) minus(Iterable,Closure) minus(Iterable,Comparator) removeElement(Object) retainAll(Object...) sort(boolean,Closure) sort(boolean,Comparator) spliterator() toSpreadMap() unique(Closure) unique(Comparator) unique(boolean) unique(boolean,Closure) unique(boolean,Comparator)',
  'java.util.Random': 'ints() ints(int,int)',
  'java.util.Set':
    'addAll(Iterable) addAll(Iterator) count(Number,Closure) intersect(Collection,Comparator) intersect(Iterable,Closure) intersect(Iterable,Comparator) minus(Iterable,Closure) minus(Iterable,Comparator) retainAll(Object...) sort(boolean,Closure) sort(boolean,Comparator) unique(Closure) unique(Comparator) unique(boolean) unique(boolean,Closure) unique(boolean,Comparator)',
  'java.util.StringJoiner': 'merge(StringJoiner)',
  'java.util.StringTokenizer': 'nextToken(String) toSet()',
  'java.util.TimeZone': ':getTimeZone(java.time.ZoneId) LONG SHORT',
  'java.util.TreeMap': 'collectMany(Collection,Closure) count(Number,Closure) toSorted(Comparator)',
  'java.util.UnknownFormatConversionException': 'getConversion()',
  'java.util.Vector':
    'count(Number,Closure) indexOf(Object,int) intersect(Collection,Comparator) intersect(Iterable,Closure) intersect(Iterable,Comparator) lastIndexOf(Object,int) minus(Iterable,Closure) minus(Iterable,Comparator) shuffle(Random) shuffled(Random) (int,int)',
  'java.util.WeakHashMap': 'collectMany(Collection,Closure) count(Number,Closure) toSorted(Comparator)',
  'java.util.concurrent.ConcurrentHashMap':
    'contains(Object) forEach(long,java.util.function.BiConsumer) forEach(long,java.util.function.BiFunction,java.util.function.Consumer) keySet(Object) :newKeySet() :newKeySet(int) (int,float,int)',
  'java.util.concurrent.ConcurrentMap': 'collectMany(Collection,Closure) count(Number,Closure) toSorted(Comparator)',
  'java.util.concurrent.CopyOnWriteArrayList':
    'addAllAbsent(Collection) addIfAbsent(Object) count(Number,Closure) indexOf(Object,int) intersect(Collection,Comparator) intersect(Iterable,Closure) intersect(Iterable,Comparator) lastIndexOf(Object,int) minus(Iterable,Closure) minus(Iterable,Comparator) shuffle(Random) shuffled(Random) (Object[])',
  'java.util.concurrent.ThreadLocalRandom':
    'nextDouble(double) nextDouble(double,double) nextFloat(float) nextFloat(float,float) nextLong(long) nextLong(long,long)',
  'java.util.concurrent.TimeUnit': 'convert(java.time.Duration)',
  'java.util.concurrent.atomic.AtomicBoolean':
    'compareAndExchange(boolean,boolean) compareAndExchangeAcquire(boolean,boolean) compareAndExchangeRelease(boolean,boolean) getAcquire() getOpaque() getPlain() lazySet(boolean) setOpaque(boolean) setPlain(boolean) setRelease(boolean) weakCompareAndSet(boolean,boolean) weakCompareAndSetAcquire(boolean,boolean) weakCompareAndSetPlain(boolean,boolean) weakCompareAndSetRelease(boolean,boolean) weakCompareAndSetVolatile(boolean,boolean)',
  'java.util.regex.Pattern': 'CANON_EQ',
  'java.util.regex.PatternSyntaxException': 'getDescription() getIndex() getPattern()',
  'java.util.stream.Collectors':
    ':toUnmodifiableMap(java.util.function.Function,java.util.function.Function,java.util.function.BinaryOperator)',
  'java.util.stream.Stream': 'plus(Collection) plus(Iterable) plus(java.util.stream.Stream)',
  'javax.crypto.Mac': 'doFinal(byte[],int) :getInstance(String,String)',
  'javax.crypto.spec.SecretKeySpec': '(byte[],int,int,String)',
};
