/** Overloads of common methods of Java that all have parameters, as messages list them. */
const OVERLOADS: Readonly<Record<string, readonly string[]>> = {
  'java.lang.String#substring': [
    'public java.lang.String java.lang.String#substring(int)',
    'public java.lang.String java.lang.String#substring(int, int)',
  ],
  'java.lang.String#indexOf': [
    'public int java.lang.String#indexOf(int)',
    'public int java.lang.String#indexOf(java.lang.String)',
    'public int java.lang.String#indexOf(int, int)',
    'public int java.lang.String#indexOf(java.lang.String, int)',
  ],
  'java.lang.String#replace': [
    'public java.lang.String java.lang.String#replace(char, char)',
    'public java.lang.String java.lang.String#replace(java.lang.CharSequence, java.lang.CharSequence)',
    'public java.lang.String java.lang.CharSequence#replace(java.util.Map)',
    'public java.lang.String java.lang.CharSequence#replace(int, java.util.Map)',
  ],
  'java.lang.String#startsWith': [
    'public boolean java.lang.String#startsWith(java.lang.String)',
    'public boolean java.lang.String#startsWith(java.lang.String, int)',
  ],
  'java.util.List#add': [
    'public abstract boolean java.util.List#add(java.lang.Object)',
    'public abstract void java.util.List#add(int, java.lang.Object)',
  ],
  'java.util.List#remove': [
    'public abstract boolean java.util.List#remove(java.lang.Object)',
    'public abstract java.lang.Object java.util.List#remove(int)',
  ],
  'java.util.Map#get': [
    'public abstract java.lang.Object java.util.Map#get(java.lang.Object)',
    'public java.lang.Object java.util.Map#get(java.lang.Object, java.lang.Object)',
  ],
  'java.lang.Number#plus': [
    'public java.lang.Number java.lang.Number#plus(java.lang.Character)',
    'public java.lang.String java.lang.Number#plus(java.lang.String)',
    'public java.lang.Number java.lang.Number#plus(java.lang.Number)',
  ],
  'java.lang.Math#abs': [
    'public static double java.lang.Math#abs(double)',
    'public static float java.lang.Math#abs(float)',
    'public static int java.lang.Math#abs(int)',
    'public static long java.lang.Math#abs(long)',
  ],
  'java.lang.Math#max': [
    'public static double java.lang.Math#max(double, double)',
    'public static float java.lang.Math#max(float, float)',
    'public static int java.lang.Math#max(int, int)',
    'public static long java.lang.Math#max(long, long)',
  ],
  'java.lang.Integer#parseInt': [
    'public static int java.lang.Integer#parseInt(java.lang.String)',
    'public static int java.lang.Integer#parseInt(java.lang.String, int)',
    'public static int java.lang.Integer#parseInt(java.lang.CharSequence, int, int, int)',
  ],
  'java.lang.Integer#valueOf': [
    'public static java.lang.Integer java.lang.Integer#valueOf(int)',
    'public static java.lang.Integer java.lang.Integer#valueOf(java.lang.String)',
    'public static java.lang.Integer java.lang.Integer#valueOf(java.lang.String, int)',
  ],
  'java.lang.String#format': [
    'public static transient java.lang.String java.lang.String#format(java.lang.String, [Ljava.lang.Object;)',
    'public static transient java.lang.String java.lang.String#format(java.util.Locale, java.lang.String, [Ljava.lang.Object;)',
  ],
  'java.util.List#findIndexOf': [
    'public int java.lang.Iterable#findIndexOf(groovy.lang.Closure)',
    'public int java.lang.Iterable#findIndexOf(int, groovy.lang.Closure)',
  ],
  'java.util.List#collectMany': [
    'public java.util.Collection java.lang.Iterable#collectMany(java.util.Collection, groovy.lang.Closure)',
    'public java.util.List java.lang.Iterable#collectMany(groovy.lang.Closure)',
  ],
  'java.util.List#count': [
    'public java.lang.Number java.lang.Iterable#count(groovy.lang.Closure)',
    'public java.lang.Number java.lang.Iterable#count(java.lang.Object)',
    'public java.lang.Number java.lang.Iterable#count(java.lang.Number, groovy.lang.Closure)',
  ],
  'java.util.List#inject': [
    'public java.lang.Object java.util.Collection#inject(groovy.lang.Closure)',
    'public java.lang.Object java.util.Collection#inject(java.lang.Object, groovy.lang.Closure)',
  ],
  'java.util.List#plus': [
    'public java.util.List java.util.List#plus(java.lang.Iterable)',
    'public java.util.List java.util.List#plus(java.lang.Object)',
    'public java.util.List java.util.List#plus(java.util.Collection)',
    'public java.util.List java.util.List#plus(int, [Ljava.lang.Object;)',
    'public java.util.List java.util.List#plus(int, java.lang.Iterable)',
    'public java.util.List java.util.List#plus(int, java.util.List)',
  ],
  'java.util.List#minus': [
    'public java.util.List java.util.List#minus(java.lang.Iterable)',
    'public java.util.List java.util.List#minus(java.lang.Object)',
    'public java.util.List java.util.List#minus(java.util.Collection)',
    'public java.util.Collection java.lang.Iterable#minus(java.lang.Iterable, groovy.lang.Closure)',
    'public java.util.Collection java.lang.Iterable#minus(java.lang.Iterable, java.util.Comparator)',
  ],
  'java.util.List#collate': [
    'public java.util.List java.lang.Iterable#collate(int)',
    'public java.util.List java.lang.Iterable#collate(int, boolean)',
    'public java.util.List java.lang.Iterable#collate(int, int)',
    'public java.util.List java.lang.Iterable#collate(int, int, boolean)',
  ],
  'java.util.List#intersect': [
    'public java.util.List java.util.List#intersect(java.lang.Iterable)',
    'public java.util.List java.util.List#intersect(java.lang.Iterable, java.util.Comparator)',
    'public java.util.Collection java.util.Collection#intersect(java.util.Collection)',
    'public java.util.Collection java.util.Collection#intersect(java.util.Collection, java.util.Comparator)',
    'public java.util.Collection java.lang.Iterable#intersect(java.lang.Iterable, groovy.lang.Closure)',
  ],
  'java.util.List#getAt': [
    'public java.util.List java.util.Collection#getAt(java.lang.String)',
    'public java.lang.Object java.util.List#getAt(int)',
    'public java.lang.Object java.util.List#getAt(java.lang.Number)',
    'public java.util.List java.util.List#getAt(groovy.lang.EmptyRange)',
    'public java.util.List java.util.List#getAt(groovy.lang.Range)',
    'public java.util.List java.util.List#getAt(java.util.Collection)',
  ],
  'java.util.Map#remove': [
    'public boolean java.util.Map#remove(java.lang.Object, java.lang.Object)',
    'public abstract java.lang.Object java.util.Map#remove(java.lang.Object)',
  ],
  'java.util.Map#putAll': [
    'public abstract void java.util.Map#putAll(java.util.Map)',
    'public java.util.Map java.util.Map#putAll(java.util.Collection)',
  ],
  'java.util.Map#collectEntries': [
    'public java.util.Map java.util.Map#collectEntries(groovy.lang.Closure)',
    'public java.util.Map java.util.Map#collectEntries(java.util.Map, groovy.lang.Closure)',
  ],
  'java.util.Map#count': [
    'public java.lang.Number java.util.Map#count(groovy.lang.Closure)',
    'public java.lang.Number java.util.Map#count(java.lang.Number, groovy.lang.Closure)',
  ],
  'java.util.Map#inject': [
    'public java.lang.Object java.lang.Object#inject(groovy.lang.Closure)',
    'public java.lang.Object java.util.Map#inject(java.lang.Object, groovy.lang.Closure)',
  ],
  'java.util.Map#plus': [
    'public java.lang.String java.util.Map#plus(groovy.lang.GString)',
    'public java.lang.String java.util.Map#plus(java.lang.String)',
    'public java.util.Map java.util.Map#plus(java.util.Collection)',
    'public java.util.Map java.util.Map#plus(java.util.Map)',
  ],
  'java.util.Map#withDefault': [
    'public java.util.Map java.util.Map#withDefault(groovy.lang.Closure)',
    'public java.util.Map java.util.Map#withDefault(boolean, boolean, groovy.lang.Closure)',
  ],
  'java.lang.String#replaceAll': [
    'public java.lang.String java.lang.String#replaceAll(java.lang.String, java.lang.String)',
    'public java.lang.String java.lang.CharSequence#replaceAll(java.lang.CharSequence, groovy.lang.Closure)',
    'public java.lang.String java.lang.CharSequence#replaceAll(java.lang.CharSequence, java.lang.CharSequence)',
    'public java.lang.String java.lang.CharSequence#replaceAll(java.util.regex.Pattern, groovy.lang.Closure)',
    'public java.lang.String java.lang.CharSequence#replaceAll(java.util.regex.Pattern, java.lang.CharSequence)',
  ],
  'java.lang.String#replaceFirst': [
    'public java.lang.String java.lang.String#replaceFirst(java.lang.String, java.lang.String)',
    'public java.lang.String java.lang.CharSequence#replaceFirst(java.lang.CharSequence, groovy.lang.Closure)',
    'public java.lang.String java.lang.CharSequence#replaceFirst(java.lang.CharSequence, java.lang.CharSequence)',
    'public java.lang.String java.lang.CharSequence#replaceFirst(java.util.regex.Pattern, groovy.lang.Closure)',
    'public java.lang.String java.lang.CharSequence#replaceFirst(java.util.regex.Pattern, java.lang.CharSequence)',
  ],
  'java.lang.String#padLeft': [
    'public java.lang.String java.lang.CharSequence#padLeft(java.lang.Number)',
    'public java.lang.String java.lang.CharSequence#padLeft(java.lang.Number, java.lang.CharSequence)',
  ],
  'java.lang.String#padRight': [
    'public java.lang.String java.lang.CharSequence#padRight(java.lang.Number)',
    'public java.lang.String java.lang.CharSequence#padRight(java.lang.Number, java.lang.CharSequence)',
  ],
  'java.lang.String#center': [
    'public java.lang.String java.lang.CharSequence#center(java.lang.Number)',
    'public java.lang.String java.lang.CharSequence#center(java.lang.Number, java.lang.CharSequence)',
  ],
  'java.lang.String#matches': [
    'public boolean java.lang.String#matches(java.lang.String)',
    'public boolean java.lang.CharSequence#matches(java.util.regex.Pattern)',
  ],
  'java.lang.String#compareTo': [
    'public abstract int java.lang.Comparable#compareTo(java.lang.Object)',
    'public int java.lang.String#compareTo(java.lang.String)',
  ],
  'java.lang.String#eachLine': [
    'public java.lang.Object java.lang.CharSequence#eachLine(groovy.lang.Closure)',
    'public java.lang.Object java.lang.CharSequence#eachLine(int, groovy.lang.Closure)',
  ],
  'java.lang.String#plus': [
    'public java.lang.String java.lang.String#plus(java.lang.CharSequence)',
    'public java.lang.String java.lang.CharSequence#plus(java.lang.Object)',
  ],
  'java.lang.String#minus': [
    'public java.lang.String java.lang.CharSequence#minus(java.lang.Object)',
    'public java.lang.String java.lang.CharSequence#minus(java.util.regex.Pattern)',
  ],
  'java.lang.String#lastIndexOf': [
    'public int java.lang.String#lastIndexOf(int)',
    'public int java.lang.String#lastIndexOf(java.lang.String)',
    'public int java.lang.String#lastIndexOf(int, int)',
    'public int java.lang.String#lastIndexOf(java.lang.String, int)',
  ],
  'java.lang.String#getAt': [
    'public java.lang.Object java.lang.Object#getAt(java.lang.String)',
    'public java.lang.String java.lang.String#getAt(groovy.lang.IntRange)',
    'public java.lang.String java.lang.String#getAt(groovy.lang.Range)',
    'public java.lang.String java.lang.String#getAt(int)',
    'public java.lang.String java.lang.CharSequence#getAt(groovy.lang.EmptyRange)',
    'public java.lang.String java.lang.CharSequence#getAt(java.util.Collection)',
  ],
  'java.lang.Integer#minus': [
    'public java.lang.Number java.lang.Number#minus(java.lang.Character)',
    'public java.lang.Number java.lang.Number#minus(java.lang.Number)',
  ],
  'java.lang.Integer#multiply': [
    'public java.lang.Number java.lang.Number#multiply(java.lang.Character)',
    'public java.lang.Number java.lang.Number#multiply(java.lang.Number)',
  ],
  'java.lang.Integer#div': [
    'public java.lang.Number java.lang.Number#div(java.lang.Character)',
    'public java.lang.Number java.lang.Number#div(java.lang.Number)',
  ],
  'java.lang.Integer#power': [
    'public java.lang.Number java.lang.Number#power(java.lang.Number)',
    'public java.lang.Number java.lang.Integer#power(java.lang.Integer)',
  ],
  'java.lang.Integer#compareTo': [
    'public abstract int java.lang.Comparable#compareTo(java.lang.Object)',
    'public int java.lang.Number#compareTo(java.lang.Character)',
    'public int java.lang.Number#compareTo(java.lang.Number)',
    'public int java.lang.Integer#compareTo(java.lang.Integer)',
  ],
  'java.lang.Integer#intdiv': [
    'public java.lang.Number java.lang.Number#intdiv(java.lang.Character)',
    'public java.lang.Number java.lang.Number#intdiv(java.lang.Number)',
  ],
  'java.math.BigDecimal#setScale': [
    'public java.math.BigDecimal java.math.BigDecimal#setScale(int)',
    'public java.math.BigDecimal java.math.BigDecimal#setScale(int, int)',
    'public java.math.BigDecimal java.math.BigDecimal#setScale(int, java.math.RoundingMode)',
  ],
  'java.math.BigDecimal#add': [
    'public java.math.BigDecimal java.math.BigDecimal#add(java.math.BigDecimal)',
    'public java.math.BigDecimal java.math.BigDecimal#add(java.math.BigDecimal, java.math.MathContext)',
  ],
  'java.math.BigDecimal#divide': [
    'public java.math.BigDecimal java.math.BigDecimal#divide(java.math.BigDecimal)',
    'public java.math.BigDecimal java.math.BigDecimal#divide(java.math.BigDecimal, int)',
    'public java.math.BigDecimal java.math.BigDecimal#divide(java.math.BigDecimal, java.math.MathContext)',
    'public java.math.BigDecimal java.math.BigDecimal#divide(java.math.BigDecimal, java.math.RoundingMode)',
    'public java.math.BigDecimal java.math.BigDecimal#divide(java.math.BigDecimal, int, int)',
    'public java.math.BigDecimal java.math.BigDecimal#divide(java.math.BigDecimal, int, java.math.RoundingMode)',
  ],
  'java.lang.Math#min': [
    'public static double java.lang.Math#min(double, double)',
    'public static float java.lang.Math#min(float, float)',
    'public static int java.lang.Math#min(int, int)',
    'public static long java.lang.Math#min(long, long)',
  ],
  'java.lang.Math#round': [
    'public static int java.lang.Math#round(float)',
    'public static long java.lang.Math#round(double)',
  ],
  'java.lang.Long#parseLong': [
    'public static long java.lang.Long#parseLong(java.lang.String)',
    'public static long java.lang.Long#parseLong(java.lang.String, int)',
    'public static long java.lang.Long#parseLong(java.lang.CharSequence, int, int, int)',
  ],
  'java.lang.Long#valueOf': [
    'public static java.lang.Long java.lang.Long#valueOf(java.lang.String)',
    'public static java.lang.Long java.lang.Long#valueOf(long)',
    'public static java.lang.Long java.lang.Long#valueOf(java.lang.String, int)',
  ],
  'java.lang.Boolean#valueOf': [
    'public static java.lang.Boolean java.lang.Boolean#valueOf(boolean)',
    'public static java.lang.Boolean java.lang.Boolean#valueOf(java.lang.String)',
  ],
  'java.lang.String#join': [
    'public static transient java.lang.String java.lang.String#join(java.lang.CharSequence, [Ljava.lang.CharSequence;)',
    'public static java.lang.String java.lang.String#join(java.lang.CharSequence, java.lang.Iterable)',
  ],
  'java.net.URLEncoder#encode': [
    'public static java.lang.String java.net.URLEncoder#encode(java.lang.String)',
    'public static java.lang.String java.net.URLEncoder#encode(java.lang.String, java.lang.String)',
    'public static java.lang.String java.net.URLEncoder#encode(java.lang.String, java.nio.charset.Charset)',
  ],
  'java.net.URLDecoder#decode': [
    'public static java.lang.String java.net.URLDecoder#decode(java.lang.String)',
    'public static java.lang.String java.net.URLDecoder#decode(java.lang.String, java.lang.String)',
    'public static java.lang.String java.net.URLDecoder#decode(java.lang.String, java.nio.charset.Charset)',
  ],
  'java.util.Collections#sort': [
    'public static void java.util.Collections#sort(java.util.List)',
    'public static void java.util.Collections#sort(java.util.List, java.util.Comparator)',
  ],
  'java.util.Collections#max': [
    'public static java.lang.Object java.util.Collections#max(java.util.Collection)',
    'public static java.lang.Object java.util.Collections#max(java.util.Collection, java.util.Comparator)',
  ],
  'java.util.Objects#requireNonNull': [
    'public static java.lang.Object java.util.Objects#requireNonNull(java.lang.Object)',
    'public static java.lang.Object java.util.Objects#requireNonNull(java.lang.Object, java.lang.String)',
    'public static java.lang.Object java.util.Objects#requireNonNull(java.lang.Object, java.util.function.Supplier)',
  ],
  'java.lang.System#getProperty': [
    'public static java.lang.String java.lang.System#getProperty(java.lang.String)',
    'public static java.lang.String java.lang.System#getProperty(java.lang.String, java.lang.String)',
  ],
  'java.lang.Thread#sleep': [
    'public static void java.lang.Object#sleep(long)',
    'public static void java.lang.Object#sleep(long, groovy.lang.Closure)',
  ],
  'java.lang.Class#forName': [
    'public static java.lang.Class java.lang.Class#forName(java.lang.String)',
    'public static java.lang.Class java.lang.Class#forName(java.lang.Module, java.lang.String)',
    'public static java.lang.Class java.lang.Class#forName(java.lang.String, boolean, java.lang.ClassLoader)',
  ],
  'java.time.LocalDate#of': [
    'public static java.time.LocalDate java.time.LocalDate#of(int, int, int)',
    'public static java.time.LocalDate java.time.LocalDate#of(int, java.time.Month, int)',
  ],
  'java.time.LocalDate#parse': [
    'public static java.time.LocalDate java.time.LocalDate#parse(java.lang.CharSequence)',
    'public static java.time.LocalDate java.time.LocalDate#parse(java.lang.CharSequence, java.time.format.DateTimeFormatter)',
    'public static java.time.LocalDate java.time.LocalDate#parse(java.lang.CharSequence, java.lang.String)',
  ],
  'java.time.Duration#ofSeconds': [
    'public static java.time.Duration java.time.Duration#ofSeconds(long)',
    'public static java.time.Duration java.time.Duration#ofSeconds(long, long)',
  ],
  'java.net.URI#<init>': [
    'public java.net.URI#<init>(java.lang.String, java.lang.String, java.lang.String, java.lang.String, java.lang.String)',
    'public java.net.URI#<init>(java.lang.String, java.lang.String, java.lang.String, java.lang.String)',
    'public java.net.URI#<init>(java.lang.String, java.lang.String, java.lang.String)',
    'public java.net.URI#<init>(java.lang.String)',
    'public java.net.URI#<init>(java.lang.String, java.lang.String, java.lang.String, int, java.lang.String, java.lang.String, java.lang.String)',
  ],
  'java.net.URL#<init>': [
    'public java.net.URL#<init>(java.net.URL, java.lang.String, java.net.URLStreamHandler)',
    'public java.net.URL#<init>(java.net.URL, java.lang.String)',
    'public java.net.URL#<init>(java.lang.String)',
    'public java.net.URL#<init>(java.lang.String, java.lang.String, int, java.lang.String)',
    'public java.net.URL#<init>(java.lang.String, java.lang.String, java.lang.String)',
    'public java.net.URL#<init>(java.lang.String, java.lang.String, int, java.lang.String, java.net.URLStreamHandler)',
  ],
  'java.lang.Integer#<init>': [
    'public java.lang.Integer#<init>(java.lang.String)',
    'public java.lang.Integer#<init>(int)',
  ],
  'java.lang.Long#<init>': ['public java.lang.Long#<init>(java.lang.String)', 'public java.lang.Long#<init>(long)'],
  'java.lang.Boolean#<init>': [
    'public java.lang.Boolean#<init>(boolean)',
    'public java.lang.Boolean#<init>(java.lang.String)',
  ],
  'java.lang.Double#<init>': [
    'public java.lang.Double#<init>(double)',
    'public java.lang.Double#<init>(java.lang.String)',
  ],
  'java.util.StringTokenizer#<init>': [
    'public java.util.StringTokenizer#<init>(java.lang.String, java.lang.String)',
    'public java.util.StringTokenizer#<init>(java.lang.String, java.lang.String, boolean)',
    'public java.util.StringTokenizer#<init>(java.lang.String)',
  ],
  'groovy.json.JsonOutput#prettyPrint': [
    'public static java.lang.String groovy.json.JsonOutput#prettyPrint(java.lang.String)',
    'public static java.lang.String groovy.json.JsonOutput#prettyPrint(java.lang.String, boolean)',
  ],
  'java.time.DateTimeException#<init>': [
    'public java.time.DateTimeException#<init>(java.lang.String)',
    'public java.time.DateTimeException#<init>(java.lang.String, java.lang.Throwable)',
  ],
};

interface Named {
  readonly name: string;
}

/** The overloads of a method of the library that a call without arguments cannot choose from; null if they are not known. */
export function listedOverloads(types: Iterable<Named>, method: string): readonly string[] | null {
  for (const { name } of types) {
    const found = OVERLOADS[`${name}#${method}`];
    if (found !== undefined) return found;
  }
  return null;
}
