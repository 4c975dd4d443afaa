import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { compileExpression } from '../../../contract/expression/expression.ts';
import { EvaluationError, type Value } from '../../../contract/expression/value.ts';
import { noReach, type Reach } from '../../../contract/reach.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { evaluated, testLanguage } from '../../support/programs/evaluation.ts';

const files: Readonly<Record<string, Buffer>> = {
  '/conf/text': Buffer.from('grüße', 'utf8'),
  '/conf/latin': Buffer.from('grüße', 'latin1'),
  '/conf/some.properties': Buffer.from('a.b = 1\nc: two\n'),
};
const operator: Reach = { ...noReach, origin: 'operator', readFile: (path) => files[path] ?? null };

const constants = { list: ['a', 'b', 3], map: new Map([['Key', 1]]), nothing: [], bytes: new Uint8Array([1, 2]) };
const value = (source: string): Value => evaluated(`\${${source}}`, { constants, reach: operator });

it.each<[string, Value]>([
  ["array('a', 1, null)", ['a', '1', null]],
  ['array()', []],
  ["bool('TRUE')", true],
  ["bool('yes')", false],
  ['bool(null)', false],
  ["contains('abc', 'b')", true],
  ["contains(list, 'b')", true],
  ["contains(list, 'c')", false],
  ["contains(null, 'b')", false],
  ['contains(list, null)', false],
  ["decodeBase64('aGk=')", 'hi'],
  ["decodeBase64('aGk')", null],
  ["decodeBase64('!')", null],
  ['decodeBase64(null)', null],
  ["encodeBase64('hi')", 'aGk='],
  ['encodeBase64(bytes)', 'AQI='],
  ["encodeBase64url('a>>?')", 'YT4-Pw'],
  ["decodeBase64url('YT4-Pw')", 'a>>?'],
  ["decodeBase64url('YT4-Pw==')", 'a>>?'],
  ["decodeBase64url('a')", null],
  ["decodeBase64url('a+b')", null],
  ["encodeBase64url(digestSha256(''))", '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'],
  ['digestSha256(null)', null],
  ["digestSha256('')[0]", -29],
  ["digestSha256('')['3']", 66],
  ["digestSha256('')[32]", null],
  ["digestSha256('').length", null],
  ["find('/orders/1', '^/orders')", true],
  ["find('/a', '^/orders')", false],
  ["findGroups('k=v', '(.)=(.)|(x)')", ['k=v', 'k', 'v', null]],
  ["findGroups('k', '=')", null],
  ["matches('/orders/1', 'orders')", true],
  ["matchingGroups('ab', 'a(b)')", ['ab', 'b']],
  ["matchesWithRegex('abc', 'b')", false],
  ["matchesWithRegex('abc', '.b.')", true],
  ["split('a,b,,c,,', ',')", ['a', 'b', '', 'c']],
  ["split(null, ',')", null],
  ["keyMatch(map, 'K.*')", 'Key'],
  ["keyMatch(map, 'K')", null],
  ["keyMatch(request.headers, 'x-n.*')", 'x-num'],
  ["keyMatch('text', '.*')", null],
  ["formEncodeParameterNameOrValue('a b&ü~*')", 'a+b%26%C3%BC%7E*'],
  ["formDecodeParameterNameOrValue('a+b%26')", 'a b&'],
  ["urlEncode('a b')", 'a+b'],
  ["urlDecode('%zz')", null],
  ["urlEncodeQueryParameterNameOrValue('a b&c')", 'a%20b%26c'],
  ["urlDecodeQueryParameterNameOrValue('a%20b+')", 'a b+'],
  ["urlEncodePathElement('a/b c@d')", 'a%2Fb%20c@d'],
  ["urlDecodePathElement('a%2Fb')", 'a/b'],
  ["urlEncodeFragment('a/b#c')", 'a/b%23c'],
  ["urlDecodeFragment('%23')", '#'],
  ["urlEncodeUserInfo('a:b@c')", 'a:b%40c'],
  ["urlDecodeUserInfo('%40')", '@'],
  ["indexOf('abc', 'c')", 2],
  ["indexOf('abc', null)", -1],
  ["integer('12')", 12],
  ["integer('-12')", -12],
  ["integer('x')", null],
  ["integer('2147483648')", null],
  ['integer(null)', null],
  ["integerWithRadix('ff', 16)", 255],
  ["integerWithRadix('-80000000', 16)", -2147483648],
  ["integerWithRadix('fg', 16)", null],
  ["join(list, '-')", 'a-b-3'],
  ["join(array('a', null), ',')", 'a,null'],
  ["join(null, ',')", null],
  ['lastElement(list)', 3],
  ['lastElement(nothing)', null],
  ['lastElement(null)', null],
  ["length('abc')", 3],
  ['length(list)', 3],
  ['length(map)', 1],
  ['length(bytes)', 2],
  ['length(null)', 0],
  ['length(5)', 0],
  ['toJson(\'{"a":[1,2.5]}\').a[1]', 2.5],
  ["toJson('{')", null],
  ["escapeJson('a\"b')", 'a\\"b'],
  ["toLowerCase('ABC')", 'abc'],
  ["toUpperCase('abc')", 'ABC'],
  ['toString(list)', '[a, b, 3]'],
  ['toString(null)', null],
  ["trim('  a ')", 'a'],
  ["ipMatch('10.1.2.3', '10.0.0.0/8')", true],
  ["ipMatch('11.1.2.3', '10.0.0.0/8')", false],
  ["ipMatch('10.1.2.3', '10.1.2.3')", true],
  ["ipMatch('10.1.2.3', '0.0.0.0/0')", true],
  ["ipMatch('::ffff:10.1.2.3', '10.0.0.0/8')", true],
  ["ipMatch('2001:db8::1', '2001:db8::/32')", true],
  ["ipMatch('2001:db9::1', '2001:db8::/32')", false],
  ["ipMatch('10.1.2.3', '2001:db8::/32')", false],
  ["ipMatch('10.1.2.300', '10.0.0.0/8')", false],
  ["ipMatch('010.1.2.3', '10.0.0.0/8')", false],
  ["ipMatch(null, '10.0.0.0/8')", false],
  ["read('/conf/text')", 'grüße'],
  ["read('/conf/none')", null],
  ["readWithCharset('/conf/latin', 'ISO-8859-1')", 'grüße'],
  ["readProperties('/conf/some.properties')['a.b']", '1'],
  ["readProperties('/conf/none')", null],
  ["pathToUrl('/conf/a b')", 'file:///conf/a%20b'],
  ["fileToUrl('/conf/x')", 'file:///conf/x'],
])('%s evaluates to %o', (source, expected) => {
  expect(value(source)).toEqual(expected);
});

it.each([
  "find(null, 'a')",
  "find('a', null)",
  "find('a', request.headers['X-Str'][0].concat('('))",
  "matchesWithRegex(request.nope, 'a')",
  "ipMatch('10.0.0.1', '10.0.0.0/33')",
  "ipMatch('10.0.0.1', 'ten')",
  "integerWithRadix('1', 37)",
  "readWithCharset('/conf/text', 'no-such')",
])('%s fails', (source) => {
  expect(() => value(source)).toThrow(EvaluationError);
});

describe('patterns', () => {
  it('may be computed, and then use the linear engine', () => {
    const language = testLanguage({ constants });
    const source = "${find('abc', attributes.pattern)}";
    const { evaluate } = compileExpression(source, language, 'bounded');
    const found = (pattern: string) => evaluate({ attributes: new Map([['pattern', pattern]]) }, null);
    for (let i = 0; i < 100; i++) expect([found(`b{${i}}`), found('^b')]).toEqual([i < 2, false]);
    expect(() => found('(?=b)')).toThrow(EvaluationError);
  });

  it('that take too many steps fail the evaluation', () => {
    const source = `\${find('${'a'.repeat(60)}', '^(?=(a+)+$)(a+)+\\\\1b')}`;
    const { evaluate } = compileExpression(source, testLanguage(), 'bounded');
    expect(() => evaluate(null, null)).toThrow(EvaluationError);
  });
});

describe('functions that reach files', () => {
  it.each(['read', 'readProperties', 'fileToUrl', 'pathToUrl'])('refuse tenants: %s', (name) => {
    expect(() => evaluated(`\${${name}('/conf/text')}`)).toThrow(
      expect.objectContaining({ code: 'not-allowed', message: expect.stringContaining(`'${name}'`) }),
    );
  });

  it('read the file again each time', () => {
    let content = 'one';
    const reach: Reach = { ...operator, readFile: () => Buffer.from(content) };
    const { evaluate } = compileExpression("${read('/x')}", testLanguage({ reach }), 'linear');
    expect(evaluate(null, null)).toBe('one');
    content = 'two';
    expect(evaluate(null, null)).toBe('two');
  });
});

describe('certificates', () => {
  /** Self-signed for CN=test.example, O=Gatewarden; valid until 2126. */
  const pem = `-----BEGIN CERTIFICATE-----
MIIBrzCCAVWgAwIBAgIUW/1yv0h83tEGZjYHUbXq4JJ4+ZwwCgYIKoZIzj0EAwIw
LDEVMBMGA1UEAwwMdGVzdC5leGFtcGxlMRMwEQYDVQQKDApHYXRld2FyZGVuMCAX
DTI2MTExNTA4NDEzMloYDzIxMjYxMDIyMDg0MTMyWjAsMRUwEwYDVQQDDAx0ZXN0
LmV4YW1wbGUxEzARBgNVBAoMCkdhdGV3YXJkZW4wWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASIXOVghkoHHKrF9E9iTWrfcXsa2FxUnq/D57Bs2YekJBvE87Pv3mpN
0LbJMIyHTFHZCDKIRgziYGuRYXNSIVxSo1MwUTAdBgNVHQ4EFgQUf7imVMB3FIwG
lmlq4sWxbXJ9lmIwHwYDVR0jBBgwFoAUf7imVMB3FIwGlmlq4sWxbXJ9lmIwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEA2wRl+1FbokS9N7FTP7b1
mucTCzTLL7NK01fiHVky23MCIDrG/qZfBBHR813Cp15xrl6VbOSMYNcTnK1SpdNx
jZ19
-----END CERTIFICATE-----`;
  const certificate = new X509Certificate(pem);
  const der = certificate.raw.toString('base64');

  it.each([
    ['pemCertificate', pem],
    ['derCertificate', der],
    ['derCertificate', new Uint8Array(certificate.raw)],
  ])('are read by %s', (name, given) => {
    const source = `\${${name}(given).subjectDN} \${${name}(given).subjectX500Principal.name} \${${name}(given).serialNumber}`;
    expect(evaluated(source, { constants: { given } })).toBe(
      `O=Gatewarden, CN=test.example O=Gatewarden,CN=test.example ${BigInt(`0x${certificate.serialNumber}`)}`,
    );
    expect(evaluated(`\${${name}(given).notAfter}`, { constants: { given } })).toBe(
      certificate.validToDate.toISOString(),
    );
    expect(evaluated(`\${encodeBase64(${name}(given).encoded)}`, { constants: { given } })).toBe(der);
  });

  it.each([
    ['subjectDN', 'O=Gatewarden, CN=test.example'],
    ['subjectDN.name', 'O=Gatewarden, CN=test.example'],
    ['issuerDN.name', 'O=Gatewarden, CN=test.example'],
    ['subjectX500Principal', 'O=Gatewarden, CN=test.example'],
    ['subjectX500Principal.name', 'O=Gatewarden,CN=test.example'],
    ['issuerX500Principal.getName()', 'O=Gatewarden,CN=test.example'],
  ])('are named by %s', (path, expected) => {
    const constants = { given: pem };
    expect(evaluated(`\${toString(pemCertificate(given).${path})}`, { constants })).toBe(expected);
    expect(evaluated(`\${pemCertificate(given).${path} == '${expected}'}`, { constants })).toBe(true);
    expect(evaluated(`\${pemCertificate(given).${path}.contains('CN=test')}`, { constants })).toBe(true);
    expect(evaluated(`\${matches(pemCertificate(given).${path}, 'Gatewarden, ?CN=')}`, { constants })).toBe(true);
  });

  it('have names that are valid in a header for any input', () => {
    const { certificate: odd } = certificateAuthority('Zoë Łuk\\C3, 東').issue({ commonName: 'x\u{1f600}\r\n' });
    const named = (path: string) => evaluated(`\${pemCertificate(given).${path}}`, { constants: { given: odd } });
    expect(named('issuerX500Principal.name')).toBe(String.raw`CN=Zo\C3\AB \C5\81uk\\C3\, \E6\9D\B1`);
    expect(named('subjectDN.name')).toBe(String.raw`CN=x\F0\9F\98\80\0D\0A`);
  });

  it('are null for anything else', () => {
    for (const source of [
      "pemCertificate('x')",
      "derCertificate('aGk=')",
      'derCertificate(5)',
      'pemCertificate(null)',
    ]) {
      expect(value(source)).toBe(null);
    }
  });
});
