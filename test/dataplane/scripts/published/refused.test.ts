import { beforeAll, expect, it } from 'vitest';
import { catalogue } from '../../../../dataplane/catalogue/catalogue.ts';
import { loadAllParts } from '../../../../dataplane/heap/named-parts.ts';
import { checkConfigured } from '../../../support/gateways/configured-gateway.ts';
import { problemsOf } from '../../../support/gateways/filtered-gateway.ts';

beforeAll(() => loadAllParts(catalogue));

const refusal = (source: string): string[] => problemsOf('ScriptableFilter', { type: 'application/x-groovy', source });

// Idioms of published scripts that cannot work here: each has a message before any request.
it.each([
  ['the exchange of OpenIG 3', 'exchange.request.headers.add("a", "b"); next.handle(exchange)', /variable exchange/],
  ['the classes of OpenIG 3', 'import org.forgerock.openig.http.Response\nnew Response()', /openig\.http\.Response/],
  ['the HTTP client of OpenIG 4', 'http.executeAsync(context, request)', /method executeAsync/],
  ['LDAP', "def client = ldap.connect('ds.test', 1389)\nnext.handle(context, request)", /variable ldap/],
  ['LDAP classes', 'import org.forgerock.opendj.ldap.*\nnew LDAPConnectionFactory("h", 1)', /LDAPConnectionFactory/],
  ['a SQL client of its own', 'def client = new SqlClient()', /class SqlClient/],
  ['SQL', 'import groovy.sql.Sql\nSql.newInstance("jdbc:h2:mem:x")', /groovy\.sql\.Sql/],
  ['JNDI', 'import javax.naming.InitialContext\nnew InitialContext()', /InitialContext/],
  ['XML with XmlSlurper', 'new XmlSlurper().parseText(request.entity.string)', /class XmlSlurper/],
  ['XML with a builder', 'import groovy.xml.MarkupBuilder\nnew MarkupBuilder()', /MarkupBuilder/],
  ['a file', "new File('/etc/passwd').text", /class File/],
  ['a connection', "new URL('http://a.test').openConnection()", /method openConnection of java\.net\.URL/],
  ['the text of a URL', "new URL('http://a.test').text", /method getText of java\.net\.URL/],
  ['a socket', "new Socket('redis', 6379)", /class Socket/],
  [
    'a shell with settings',
    'new GroovyShell(new org.codehaus.groovy.control.CompilerConfiguration())',
    /CompilerConfig/,
  ],
  ['grapes', "@Grab('a:b:1')\nimport groovy.json.JsonSlurper\nnull", /@Grab/],
  ['expressions', 'import org.forgerock.openig.el.Expression\nnull', /openig\.el\.Expression/],
  ['secrets', 'import org.forgerock.secrets.Purpose\nnull', /secrets\.Purpose/],
  ['signing', 'import org.forgerock.json.jose.jws.SigningManager\nnull', /SigningManager/],
  ['a chain of filters', 'import org.forgerock.http.handler.Handlers\nnull', /Handlers/],
])('refuses %s when the script is compiled, with its place', (_title, source, message) => {
  const found = refusal(source);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(/^value source: the script, line \d+, column \d+: /);
  expect(found[0]).toMatch(message);
});

it.each([
  ['ScriptableHandler', 'handler', 'return next.handle(context, request)', 'next'],
  ['ScriptableHandler', 'handler', 'def t = token\nnew Response(Status.OK)', 'token'],
])('refuses a variable that a %s does not have', (type, field, source, name) => {
  const document = { [field]: { type, config: { type: 'application/x-groovy', source } } };
  expect(checkConfigured(document).map(({ message }) => message)).toEqual([
    expect.stringContaining(`the variable ${name} is not available`),
  ]);
});

it.each([
  ['an argument has its name', 'next.handle(ldap, request)', { args: { ldap: 1 } }],
  ['the script sets it', 'ldap = 1; def x = ldap; next.handle(context, request)', {}],
  ['the script asks for it', "def x = binding.hasVariable('ldap') ? ldap : 1; next.handle(context, request)", {}],
  ['a method of the script gives it', 'def getLdap() { 1 }\ndef x = ldap; next.handle(context, request)', {}],
  ['an object may have it', '[ldap: 1].with { ldap }; next.handle(context, request)', {}],
])('accepts a variable of OpenIG if %s', (_title, source, more) => {
  expect(problemsOf('ScriptableFilter', { type: 'application/x-groovy', source, ...more })).toEqual([]);
});
