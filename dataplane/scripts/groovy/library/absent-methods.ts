/** Methods of Java and Groovy, by class, that are not available here; found by asking Groovy for all of them. */
export const ABSENT_METHODS: Readonly<Record<string, { readonly methods?: string; readonly statics?: string }>> = {
  'org.forgerock.http.Client': { methods: 'executeAsync' },
  'groovy.json.JsonSlurper': {
    methods:
      'getMaxSizeForInMemory getType isCheckDates isChop isLazyChop setCheckDates setChop setLazyChop setMaxSizeForInMemory',
  },
  'groovy.lang.GroovyShell': { methods: 'getClassLoader initializeBinding parseClass resetLoadedClasses' },
  'groovy.lang.Range': {
    methods:
      'getFromInt getInclusive getInclusiveLeft getInclusiveRight getToInt subListBorders withDefault withEagerDefault withLazyDefault',
  },
  'java.io.ByteArrayOutputStream': {
    methods:
      'newObjectOutputStream newPrintWriter newWriter setBytes withObjectOutputStream withPrintWriter withStream withWriter writeBytes writeTo',
  },
  'java.io.InputStream': {
    methods:
      'eachByte filterLine mark markSupported newObjectInputStream readNBytes reset skip skipNBytes splitEachLine transferTo withObjectInputStream withReader withStream',
  },
  'java.io.PrintStream': {
    methods:
      'append checkError close leftShift newObjectOutputStream newPrintWriter newWriter setBytes withCloseable withFormatter withObjectOutputStream withPrintWriter withStream withWriter write writeBytes',
  },
  'java.io.Reader': {
    methods:
      'filterLine mark markSupported readLine ready reset skip splitEachLine transferTo transformChar transformLine withReader',
  },
  'java.io.StringWriter': { methods: 'newPrintWriter withFormatter withPrintWriter withWriter' },
  'java.lang.Boolean': { statics: 'getBoolean' },
  'java.lang.Byte': { statics: 'compareUnsigned decode' },
  'java.lang.Character': {
    statics:
      'codePointBefore codePointCount codePointOf getDirectionality getName highSurrogate isIdentifierIgnorable isJavaLetter isJavaLetterOrDigit isMirrored isSpace isSurrogatePair isUnicodeIdentifierPart isUnicodeIdentifierStart lowSurrogate offsetByCodePoints toCodePoint',
  },
  'java.lang.Double': { methods: 'equalsIgnoreZeroSign' },
  'java.lang.Float': { statics: 'toHexString' },
  'java.lang.Long': { statics: 'getLong' },
  'java.lang.Math': { statics: 'multiplyFull multiplyHigh nextAfter' },
  'java.lang.Short': { statics: 'compareUnsigned decode reverseBytes' },
  'java.lang.StringBuilder': { methods: 'withFormatter' },
  'java.lang.System': { statics: 'currentTimeSeconds mapLibraryName setProperties setSecurityManager' },
  'java.lang.Thread': {
    statics:
      'activeCount allThreads dumpAll dumpStack enumerate getDefaultUncaughtExceptionHandler holdsLock setDefaultUncaughtExceptionHandler',
  },
  'java.lang.Throwable': { methods: 'asString' },
  'java.math.BigInteger': { methods: 'byteValueExact shortValueExact sqrtAndRemainder', statics: 'probablePrime' },
  'java.net.URI': { methods: 'parseServerAuthority' },
  'java.net.URL': {
    methods:
      'eachByte eachLine filterLine getBytes getContent getText newInputStream newReader openConnection openStream readLines sameFile splitEachLine withInputStream withReader',
    statics: 'setURLStreamHandlerFactory',
  },
  'java.nio.charset.Charset': {
    methods: 'aliases canEncode decode encode isRegistered newDecoder newEncoder',
    statics: 'availableCharsets',
  },
  'java.security.MessageDigest': { methods: 'getProvider' },
  'java.text.DecimalFormat': {
    methods:
      'applyLocalizedPattern applyPattern formatToCharacterIterator getCurrency getDecimalFormatSymbols getGroupingSize getMaximumFractionDigits getMaximumIntegerDigits getMinimumFractionDigits getMinimumIntegerDigits getMultiplier getNegativePrefix getNegativeSuffix getPositivePrefix getPositiveSuffix getRoundingMode isDecimalSeparatorAlwaysShown isGroupingUsed isParseBigDecimal isParseIntegerOnly parse parseObject setCurrency setDecimalFormatSymbols setDecimalSeparatorAlwaysShown setGroupingSize setGroupingUsed setMaximumFractionDigits setMaximumIntegerDigits setMinimumFractionDigits setMinimumIntegerDigits setMultiplier setNegativePrefix setNegativeSuffix setParseBigDecimal setParseIntegerOnly setPositivePrefix setPositiveSuffix setRoundingMode toLocalizedPattern toPattern',
  },
  'java.text.SimpleDateFormat': {
    methods:
      'applyLocalizedPattern applyPattern formatToCharacterIterator get2DigitYearStart getCalendar getDateFormatSymbols getNumberFormat isLenient parseObject set2DigitYearStart setCalendar setDateFormatSymbols setNumberFormat toLocalizedPattern',
  },
  'java.time.Clock': {
    methods: 'getZone withZone',
    statics: 'fixed offset system systemDefaultZone systemUTC tick tickMillis tickMinutes tickSeconds',
  },
  'java.time.DayOfWeek': { methods: 'adjustInto getLong isSupported query range' },
  'java.time.Duration': { statics: 'from' },
  'java.time.Instant': { statics: 'from' },
  'java.time.LocalDate': { methods: 'toEpochSecond', statics: 'from' },
  'java.time.LocalDateTime': { methods: 'getDateTimeString', statics: 'from' },
  'java.time.LocalTime': { methods: 'atOffset toEpochSecond', statics: 'from' },
  'java.time.Month': {
    methods: 'adjustInto firstDayOfYear firstMonthOfQuarter getLong isSupported leftShift query range',
  },
  'java.time.OffsetDateTime': {
    methods: 'atZoneSimilarLocal getDateTimeString withOffsetSameLocal',
    statics: 'from timeLineOrder',
  },
  'java.time.Period': {
    methods: 'addTo getChronology getUnits isNonnegative isNonpositive isPositive positive subtractFrom',
    statics: 'from',
  },
  'java.time.YearMonth': {
    methods: 'adjustInto downto getLong isSupported isValidDay leftShift query range rightShift until upto',
  },
  'java.time.ZoneId': {
    methods: 'getDisplayName getFullName getOffset getShortName leftShift normalized toTimeZone',
    statics: 'from getAvailableZoneIds ofOffset',
  },
  'java.time.ZoneOffset': {
    methods:
      'adjustInto getDisplayName getFullName getHours getLong getMinutes getOffset getSeconds getShortName isSupported leftShift normalized query range toTimeZone',
    statics: 'from getAvailableZoneIds ofHoursMinutesSeconds ofOffset',
  },
  'java.time.ZonedDateTime': {
    methods: 'getDateTimeString withLaterOffsetAtOverlap',
    statics: 'from ofLocal ofStrict',
  },
  'java.time.format.DateTimeFormatter': {
    methods:
      'formatTo getChronology getDecimalStyle getLocale getResolverFields getResolverStyle getZone localizedBy parse parseBest parseUnresolved toFormat withChronology withDecimalStyle withLocale withResolverFields withResolverStyle',
    statics: 'ofLocalizedDate ofLocalizedDateTime ofLocalizedTime parsedExcessDays parsedLeapSecond',
  },
  'java.time.temporal.ChronoUnit': {
    methods: 'addTo getDuration isDateBased isDurationEstimated isSupportedBy isTimeBased',
  },
  'java.util.ArrayDeque': { methods: 'getIndices removeElement toSpreadMap' },
  'java.util.Arrays': { statics: 'compareUnsigned parallelSetAll' },
  'java.util.Base64$Decoder': { methods: 'wrap' },
  'java.util.Base64$Encoder': { methods: 'wrap' },
  'java.util.Calendar': {
    methods:
      'getCalendarType getDisplayName getDisplayNames getGreatestMinimum getGregorianChange getLeastMaximum getMinimalDaysInFirstWeek getWeekYear getWeeksInWeekYear getZoneId getZoneOffset isLeapYear isLenient isSet isWeekDateSupported setGregorianChange setMinimalDaysInFirstWeek setWeekDate toDayOfWeek toLocalDateTime toLocalTime toMonth toMonthDay toOffsetDateTime toOffsetTime toYear toYearMonth toZonedDateTime',
    statics: 'getAvailableCalendarTypes getAvailableLocales',
  },
  'java.util.Collections': {
    statics:
      'asLifoQueue checkedCollection checkedMap checkedNavigableMap checkedNavigableSet checkedQueue checkedSet checkedSortedMap checkedSortedSet emptyEnumeration emptyListIterator emptyNavigableMap emptyNavigableSet emptySortedMap emptySortedSet synchronizedNavigableMap synchronizedNavigableSet synchronizedSortedMap synchronizedSortedSet unmodifiableNavigableMap unmodifiableNavigableSet',
  },
  'java.util.Date': {
    methods: 'getZoneId getZoneOffset toMonthDay toOffsetTime toYearMonth',
    statics: 'parseToStringDate',
  },
  'java.util.Iterator': {
    methods: 'buffered chop drop dropRight dropWhile init reverse sort tail take takeWhile toSet toUnique unique',
  },
  'java.util.LinkedList': { methods: 'withDefault withEagerDefault withLazyDefault' },
  'java.util.List': { methods: 'withDefault withEagerDefault withLazyDefault' },
  'java.util.Locale': {
    methods:
      'getCountry getDisplayCountry getDisplayLanguage getDisplayName getDisplayScript getDisplayVariant getExtension getExtensionKeys getISO3Country getISO3Language getScript getUnicodeLocaleAttributes getUnicodeLocaleKeys getUnicodeLocaleType getVariant hasExtensions stripExtensions toLanguageTag',
    statics:
      'filter filterTags forLanguageTag getAvailableLocales getISOCountries getISOLanguages lookup lookupTag setDefault',
  },
  'java.util.Map': { methods: 'toSpreadMap' },
  'java.util.Objects': { statics: 'checkFromIndexSize' },
  'java.util.Optional': { methods: 'mapToDouble mapToInt mapToLong orOptional' },
  'java.util.Properties': { methods: 'list loadFromXML propertyNames save storeToXML toSpreadMap' },
  'java.util.Random': { methods: 'doubles longs' },
  'java.util.Set': { methods: 'getIndices removeElement toSpreadMap' },
  'java.util.TimeZone': {
    methods:
      'getDSTSavings getDisplayName getOffset hasSameRules inDaylightTime observesDaylightTime setID setRawOffset toZoneOffset useDaylightTime',
    statics: 'getAvailableIDs setDefault',
  },
  'java.util.TreeMap': { methods: 'toSpreadMap' },
  'java.util.TreeSet': { methods: 'getIndices removeElement reverseEach toSpreadMap' },
  'java.util.Vector': { methods: 'capacity copyInto elements setSize withDefault withEagerDefault withLazyDefault' },
  'java.util.concurrent.ConcurrentHashMap': {
    methods:
      'forEachEntry forEachKey forEachValue reduceEntries reduceEntriesToDouble reduceEntriesToInt reduceEntriesToLong reduceKeys reduceKeysToDouble reduceKeysToInt reduceKeysToLong reduceToDouble reduceToInt reduceToLong reduceValues reduceValuesToDouble reduceValuesToInt reduceValuesToLong searchEntries searchKeys searchValues toSpreadMap',
  },
  'java.util.concurrent.TimeUnit': { methods: 'timedJoin timedWait toChronoUnit', statics: 'of' },
  'java.util.concurrent.atomic.AtomicInteger': {
    methods:
      'compareAndExchange compareAndExchangeAcquire compareAndExchangeRelease getAcquire getOpaque getPlain lazySet setOpaque setPlain setRelease weakCompareAndSet weakCompareAndSetAcquire weakCompareAndSetPlain weakCompareAndSetRelease weakCompareAndSetVolatile',
  },
  'java.util.concurrent.atomic.AtomicLong': {
    methods:
      'compareAndExchange compareAndExchangeAcquire compareAndExchangeRelease getAcquire getOpaque getPlain lazySet setOpaque setPlain setRelease weakCompareAndSet weakCompareAndSetAcquire weakCompareAndSetPlain weakCompareAndSetRelease weakCompareAndSetVolatile',
  },
  'java.util.concurrent.atomic.AtomicReference': {
    methods:
      'accumulateAndGet compareAndExchange compareAndExchangeAcquire compareAndExchangeRelease getAcquire getAndAccumulate getOpaque getPlain lazySet setOpaque setPlain setRelease weakCompareAndSet weakCompareAndSetAcquire weakCompareAndSetPlain weakCompareAndSetRelease weakCompareAndSetVolatile',
  },
  'java.util.regex.Matcher': {
    methods: 'hasAnchoringBounds hasTransparentBounds setIndex useAnchoringBounds useTransparentBounds',
    statics: 'getLastMatcher',
  },
  'javax.crypto.Mac': { methods: 'getAlgorithm getMacLength getProvider reset' },
};
