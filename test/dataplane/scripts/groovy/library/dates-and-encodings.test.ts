import { describe, expect, it } from 'vitest';
import { factOf } from '../../../../support/groovy/fact-of.ts';

const facts: readonly (readonly [script: string, result: unknown])[] = [
  ['new Date(0).toString()', 'Thu Jan 01 00:00:00 UTC 1970'],
  ["new Date(0).format(\"yyyy-MM-dd'T'HH:mm:ss'Z'\")", '1970-01-01T00:00:00Z'],
  ["Date.parse('yyyy-MM-dd', '2024-02-29').time", { $long: '1709164800000' }],
  ['new Date(86400000) - new Date(0)', 1],
  ["new java.text.SimpleDateFormat('yyyy/MM/dd').format(new Date(0))", '1970/01/01'],
  ["new java.text.SimpleDateFormat('yyyy-MM-dd').parse('2024-01-02').time", { $long: '1704153600000' }],
  ["new java.text.SimpleDateFormat('yyyy-MM-dd').parse('x')", '!ParseException: Unparseable date: "x"'],
  ['new Date(0) < new Date(1)', true],
  ['new Date(0) == new Date(0)', true],
  ['java.time.LocalDate.of(2024,2,29).plusYears(1).toString()', '2025-02-28'],
  ["java.time.LocalDate.parse('2024-01-31').plusMonths(1)", { $time: 'LocalDate', value: '2024-02-29' }],
  ['java.time.LocalDate.of(2024,1,1).dayOfWeek.toString()', 'MONDAY'],
  ['java.time.LocalDate.of(2024,13,1)', '!DateTimeException: Invalid value for MonthOfYear (valid values 1 - 12): 13'],
  [
    "java.time.LocalDate.parse('2024-13-01')",
    "!DateTimeParseException: Text '2024-13-01' could not be parsed: Invalid value for MonthOfYear (valid values 1 - 12): 13",
  ],
  ["java.time.LocalDate.parse('nope')", "!DateTimeParseException: Text 'nope' could not be parsed at index 0"],
  ['java.time.LocalDateTime.of(2024,1,2,3,4).toString()', '2024-01-02T03:04'],
  [
    "java.time.LocalDateTime.parse('2024-01-02T03:04:05').format(java.time.format.DateTimeFormatter.ofPattern('dd/MM/yyyy HH:mm'))",
    '02/01/2024 03:04',
  ],
  ['java.time.Duration.ofMinutes(90).toString()', 'PT1H30M'],
  ['java.time.Duration.ofSeconds(5).toMillis()', { $long: '5000' }],
  [
    'java.time.Duration.between(java.time.Instant.ofEpochSecond(0), java.time.Instant.ofEpochSecond(60)).toMinutes()',
    { $long: '1' },
  ],
  ["java.time.Instant.parse('2024-01-01T00:00:00Z').epochSecond", { $long: '1704067200' }],
  ['java.time.Instant.ofEpochSecond(0).plusSeconds(5).toString()', '1970-01-01T00:00:05Z'],
  ['java.time.Instant.ofEpochMilli(0).plus(1, java.time.temporal.ChronoUnit.DAYS).toString()', '1970-01-02T00:00:00Z'],
  [
    'java.time.temporal.ChronoUnit.DAYS.between(java.time.LocalDate.of(2024,1,1), java.time.LocalDate.of(2024,1,31))',
    { $long: '30' },
  ],
  ["java.time.ZonedDateTime.parse('2024-01-01T00:00:00+01:00').toInstant().toString()", '2023-12-31T23:00:00Z'],
  [
    "java.time.ZonedDateTime.of(2024,7,1,12,0,0,0,java.time.ZoneId.of('Europe/Berlin')).toString()",
    '2024-07-01T12:00+02:00[Europe/Berlin]',
  ],
  ["java.time.OffsetDateTime.parse('2024-01-01T00:00:00Z').toEpochSecond()", { $long: '1704067200' }],
  ['java.time.LocalTime.of(9,5).toString()', '09:05'],
  ["java.time.Instant.ofEpochSecond(1700000000).atZone(java.time.ZoneId.of('UTC')).year", 2023],
  ['java.time.Period.ofDays(3).toString()', 'P3D'],
  ['java.time.Year.isLeap(2024)', true],
  ['java.time.LocalDate.of(2024,1,1).isBefore(java.time.LocalDate.of(2024,1,2))', true],
  ["UUID.fromString('0cc175b9-c0f1-36a8-b1c3-99e269772661').toString()", '0cc175b9-c0f1-36a8-b1c3-99e269772661'],
  ["UUID.fromString('x')", '!IllegalArgumentException: Invalid UUID string: x'],
  ["new URI('http://h:80/p?q=1#f').query", 'q=1'],
  ["new URI('http://h/p').resolve('q').toString()", 'http://h/q'],
  ["new URI('http://user@h:8080/a%20b?x=%26').path", '/a b'],
  ["new URL('http://h:8080/p?q').port", 8080],
  ["new URL('nope')", '!MalformedURLException: no protocol: nope'],
  ["new URI('http://a b')", '!URISyntaxException: Illegal character in authority at index 7: http://a b'],
  ["new URI('http://h/a b')", '!URISyntaxException: Illegal character in path at index 10: http://h/a b'],
  ["groovy.json.JsonOutput.toJson([a:1,b:'x',c:null,d:[1,2],e:true])", '{"a":1,"b":"x","c":null,"d":[1,2],"e":true}'],
  ["groovy.json.JsonOutput.toJson('é\"\\n')", '"\\u00e9\\"\\n"'],
  ['groovy.json.JsonOutput.toJson(new Date(0))', '"1970-01-01T00:00:00+0000"'],
  ['groovy.json.JsonOutput.toJson([x: "g${1}"])', '{"x":"g1"}'],
  ['new groovy.json.JsonSlurper().parseText(\'[1, 2.5, "x", null, true]\')', [1, { $decimal: '2.5' }, 'x', null, true]],
  ['new groovy.json.JsonSlurper().parseText(\'{"n": 12345678901}\').n', { $long: '12345678901' }],
  ['new groovy.json.JsonBuilder([a:1]).toPrettyString()', '{\n    "a": 1\n}'],
  [
    "java.security.MessageDigest.getInstance('MD5').digest('a'.bytes).encodeHex().toString()",
    '0cc175b9c0f1b6a831c399e269772661',
  ],
  ["java.security.MessageDigest.getInstance('NOPE')", '!NoSuchAlgorithmException: NOPE MessageDigest not available'],
  [
    "def mac = javax.crypto.Mac.getInstance('HmacSHA256'); mac.init(new javax.crypto.spec.SecretKeySpec('k'.bytes,'HmacSHA256')); mac.doFinal('d'.bytes).encodeHex().toString().size()",
    64,
  ],
  ['java.util.concurrent.TimeUnit.MINUTES.toSeconds(2)', { $long: '120' }],
  ['new java.util.concurrent.atomic.AtomicInteger(5).incrementAndGet()', 6],
  ['System.lineSeparator()', '\n'],
  ['Locale.ROOT.toString()', ''],
  ["'abc'.toUpperCase(Locale.ROOT)", 'ABC'],
  ["new StringReader('a\\nb').readLines()", ['a', 'b']],
  ["new ByteArrayOutputStream().with { write('x'.bytes); it.toString() }", 'x'],
  ['Thread.sleep(1)', null],
];

describe('dates, JSON and encodings of Groovy', () => {
  it.each(facts)('%s', async (script, result) => {
    expect(await factOf(script)).toEqual(result);
  });
});
