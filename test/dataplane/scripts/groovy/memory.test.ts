import { expect, it } from 'vitest';
import { evaluate } from '../../../support/groovy/evaluate.ts';

/** Time for everything, so that only the memory ends a script. */
const limits = { milliseconds: 60_000, bytes: 8 * 1024 * 1024, depth: 300 };

const kept = (times: number, value: string): string => `def l = []; ${times}.times { l << ${value} }; l.size()`;
const TEXT = "def s = 'X\\n ' * 300000;";
const RESPONSE = "def r = new org.forgerock.http.protocol.Response(); r.entity = 'x' * 1000000;";

it.each([
  `${TEXT} ${kept(100, 's.toLowerCase()')}`,
  `${TEXT} ${kept(100, 's.toUpperCase()')}`,
  `${TEXT} ${kept(100, 's.stripIndent()')}`,
  `${TEXT} ${kept(100, 's.stripMargin()')}`,
  `def s = 'X\\r' * 500000; ${kept(100, 's.normalize()')}`,
  `${TEXT} ${kept(100, 's.bytes')}`,
  `${TEXT} ${kept(100, "s.getBytes('ISO-8859-1')")}`,
  `def b = ('x' * 1000000).bytes; ${kept(100, 'new String(b)')}`,
  `def b = ('x' * 1000000).bytes; ${kept(100, 'b.clone()')}`,
  `${TEXT} ${kept(100, 'URLDecoder.decode(s)')}`,
  `def b = new StringBuilder('x' * 1000000); ${kept(100, 'new StringBuilder(b).reverse().toString()')}`,
  `${RESPONSE} ${kept(100, 'r.entity.string')}`,
  `${RESPONSE} ${kept(100, 'r.entity.bytes')}`,
  kept(300_000, '{ -> 1 }'),
  kept(200_000, 'new HashMap()'),
  kept(200_000, 'new HashSet()'),
  kept(200_000, '[:]'),
  kept(300_000, 'new Object()'),
  kept(400_000, 'new Date()'),
  kept(100_000, 'UUID.randomUUID()'),
  kept(100_000, '[1].iterator()'),
  kept(100_000, "'abc'.bytes"),
  kept(100_000, "java.security.MessageDigest.getInstance('MD5')"),
  kept(100_000, "java.time.format.DateTimeFormatter.ofPattern('yyyy')"),
  kept(60_000, 'new org.forgerock.http.protocol.Response()'),
  kept(60_000, 'new org.forgerock.http.protocol.Request()'),
  `class A { def x, y, z }; ${kept(200_000, 'new A()')}`,
  "def l = []; 60000.times { try { throw new Exception('x') } catch (e) { l << e } }; l.size()",
  "def e = null; 100000.times { e = new Exception('x', e) }; e.message",
  'def c = { it }.memoize(); 400000.times { c(it) }',
  "def m = [:].withDefault { 'x' }; 400000.times { m[it] }",
])('charges what a script keeps: %s', async (script) => {
  await expect(evaluate(script, limits)).rejects.toThrow('the script exceeded its memory budget');
});
