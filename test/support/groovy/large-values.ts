import { compileScript } from '../../../dataplane/scripts/groovy/compile/compile-script.ts';
import { groovyClasses } from '../../../dataplane/scripts/groovy/runtime/groovy-classes.ts';
import { runScript } from '../../../dataplane/scripts/groovy/runtime/script-run.ts';
import { ArrayValue, ByteArray, GMap, GSet, List } from '../../../dataplane/scripts/groovy/values/collections.ts';
import { OBJECT, type Value } from '../../../dataplane/scripts/groovy/values/java-class.ts';
import {
  BigDecimal,
  BigInteger,
  Byte,
  Char,
  Double,
  Float,
  Short,
} from '../../../dataplane/scripts/groovy/values/numbers.ts';

type Maker = () => Value | Promise<Value>;

const LONG_TEXT = 'ab ,'.repeat(1_000_000);
const ACCENTS = 'é'.repeat(2_000_000);
const SPACES = ' '.repeat(4_000_000);
const DIGITS = '9'.repeat(100_000);
const BIG = new BigInteger(BigInt('7'.repeat(100_000)));
const DECIMAL = new BigDecimal(BigInt('7'.repeat(100_000)), 50_000);
const BYTES = new Uint8Array(Buffer.from(LONG_TEXT));

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const names = (count: number): string[] => numbers(count).map((at) => `k${at}`);
const list = (): List => new List(numbers(100_000));
const longTexts = (): List => new List(Array.from({ length: 1000 }, () => LONG_TEXT));

/** A list of 2^40 elements that share their parts. */
function nested(): List {
  let inner = new List();
  for (let depth = 0; depth < 40; depth++) inner = new List([inner, inner]);
  return inner;
}

function map(): GMap {
  const made = new GMap();
  for (const name of names(20_000)) made.put(name, name);
  return made;
}

const mapOfNested = (): GMap => {
  const made = new GMap();
  made.put('a', nested());
  return made;
};

/** The value of a script, for classes that need the runtime. */
function scripted(source: string): Maker {
  return async () => runScript(compileScript(source, { classes: groovyClasses() }), LAVISH).result;
}

const LAVISH = { limits: { milliseconds: 60_000, bytes: 4e9, depth: 1000 } };

const text: readonly Maker[] = [() => LONG_TEXT, () => ACCENTS, () => SPACES, () => DIGITS, () => 'a'];
const sequences: readonly Maker[] = [list, nested, longTexts];
const counts: readonly Maker[] = [() => 2_000_000_000, () => 3, () => 100_000];
const array =
  (items: readonly Value[]): Maker =>
  () =>
    new ArrayValue(OBJECT, [...items]);
const lambda = (type: string, closure: string): readonly Maker[] => [scripted(`def f = ${closure} as ${type}; f`)];
const FUNCTION = 'java.util.function.';

/** Values of each class that a script can fill its memory with, by the simple name of the class. */
export const largeValues: Readonly<Record<string, readonly Maker[]>> = {
  String: text,
  CharSequence: [() => LONG_TEXT, scripted("new StringBuilder('ab ,' * 1000000)"), scripted('"${\'ab \' * 1000000}"')],
  GString: [scripted('"${\'ab \' * 1000000}b"')],
  StringBuilder: [scripted("new StringBuilder('ab ,' * 1000000)")],
  StringBuffer: [scripted("new StringBuffer('ab ,' * 1000000)")],
  List: sequences,
  ArrayList: sequences,
  LinkedList: [scripted('new LinkedList((0..100000).toList())')],
  Collection: [...sequences, () => new GSet(numbers(30_000))],
  Iterable: sequences,
  Set: [() => new GSet(numbers(30_000)), scripted('new TreeSet((0..3000).toList())')],
  TreeSet: [scripted('new TreeSet((0..3000).toList())')],
  Map: [map, mapOfNested, scripted("def m = new TreeMap(); for (i in 0..3000) m['k' + i] = i; m")],
  TreeMap: [scripted("def m = new TreeMap(); for (i in 0..3000) m['k' + i] = i; m")],
  BigInteger: [() => BIG, () => new BigInteger(-1n)],
  BigDecimal: [() => DECIMAL, () => new BigDecimal(1n, -100_000), () => new BigDecimal(1n, 100_000)],
  Number: [() => BIG, () => DECIMAL, ...counts, () => new Double(1.5), () => 9223372036854775807n],
  Integer: counts,
  int: counts,
  Long: [() => 9223372036854775807n, () => 5n],
  long: [() => 9223372036854775807n, () => 5n],
  Double: [() => new Double(1e308)],
  double: [() => new Double(1e308)],
  float: [() => new Float(1.5)],
  short: [() => new Short(5)],
  byte: [() => new Byte(5)],
  char: [() => new Char(120)],
  Character: [() => new Char(120)],
  boolean: [() => true],
  Object: [() => LONG_TEXT, list, nested, map, () => BIG],
  'Object[]': [array(numbers(100_000)), array([LONG_TEXT])],
  'String[]': [array(names(1000))],
  'CharSequence[]': [array(names(1000))],
  'byte[]': [() => new ByteArray(BYTES)],
  'int[]': [scripted('(0..100000).toList() as int[]')],
  'char[]': [scripted("('ab ,' * 100000).toCharArray()")],
  'long[]': [scripted('(0..100000).toList() as long[]')],
  'double[]': [scripted('(0..100000).toList() as double[]')],
  Closure: [scripted('def f = { a = null, b = null, c = null -> a }; f'), scripted('def f = { a, b -> a <=> b }; f')],
  Comparator: lambda('Comparator', '{ a, b -> 0 }'),
  Function: lambda(`${FUNCTION}Function`, '{ it }'),
  BiFunction: lambda(`${FUNCTION}BiFunction`, '{ a, b -> a }'),
  Predicate: lambda(`${FUNCTION}Predicate`, '{ true }'),
  Supplier: lambda(`${FUNCTION}Supplier`, "{ 'x' }"),
  Consumer: lambda(`${FUNCTION}Consumer`, '{ }'),
  UnaryOperator: lambda(`${FUNCTION}UnaryOperator`, '{ it }'),
  BinaryOperator: lambda(`${FUNCTION}BinaryOperator`, '{ a, b -> a }'),
  Pattern: [scripted('~/(a|b)*,/'), scripted('~/(.*)(.*)(.*)z/')],
  Matcher: [scripted("(('ab ,' * 500000) =~ /(a|b)*/)")],
  Range: [scripted('(0..100000)'), scripted('(5..<100)')],
  IntRange: [scripted('(0..100000)')],
  Iterator: [scripted('(0..100000).toList().iterator()')],
  Stream: [scripted('(0..100000).toList().stream()')],
  IntStream: [scripted('java.util.stream.IntStream.range(0, 100000)')],
  Locale: [scripted('Locale.ROOT')],
  Charset: [
    scripted('java.nio.charset.StandardCharsets.ISO_8859_1'),
    scripted('java.nio.charset.StandardCharsets.UTF_16'),
  ],
  Random: [scripted('new Random(1)')],
  Date: [scripted('new Date(0)')],
  Calendar: [scripted('Calendar.instance')],
  Instant: [scripted('java.time.Instant.EPOCH')],
  Duration: [scripted('java.time.Duration.ofDays(100000000)')],
  InputStream: [scripted("new ByteArrayInputStream(('ab ,' * 1000000).bytes)")],
  ByteArrayOutputStream: [scripted("def o = new ByteArrayOutputStream(); o.write(('ab ,' * 1000000).bytes); o")],
  Reader: [scripted("new StringReader('ab ,\\n' * 800000)")],
  StringWriter: [scripted("def w = new StringWriter(); w.write('ab ,' * 1000000); w")],
  Class: [scripted('String')],
  JsonSlurper: [scripted('new groovy.json.JsonSlurper()')],
  Encoder: [scripted('Base64.encoder')],
  Decoder: [scripted('Base64.mimeDecoder')],
  MessageDigest: [scripted("java.security.MessageDigest.getInstance('SHA-256')")],
  Throwable: [scripted("new Exception('x' * 1000000)")],
  Form: [scripted("new org.forgerock.http.protocol.Form().fromFormString('a=b&' * 100000)")],
  JsonValue: [scripted('org.forgerock.json.JsonValue.json((0..100000).toList())')],
  MutableUri: [scripted("new org.forgerock.http.MutableUri('http://a/' + 'b' * 100000)")],
  Headers: [scripted('new org.forgerock.http.protocol.Request().headers')],
};
