import { expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { hideSecrets } from '../../../contract/hiding/hidden-secrets.ts';
import { hideUrlPasswords } from '../../../contract/hiding/url-password.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';

const database = (jdbcUrl: string): JsonObject => ({
  class: 'JdbcAuditEventHandler',
  config: { name: 'a', topics: ['access'], connectionPool: { jdbcUrl } },
});

const broker = (url: string): JsonObject => ({
  class: 'JmsAuditEventHandler',
  config: {
    name: 'a',
    topics: ['access'],
    jndi: {
      contextProperties: {
        'java.naming.factory.initial': 'org.apache.activemq.jndi.ActiveMQInitialContextFactory',
        'java.naming.provider.url': url,
        'topic.audit': 'audit',
      },
      topicName: 'audit',
    },
  },
});

it.each([
  ['http://me:hunter2@host/a', 'http://me:*******@host/a'],
  ['see https://:p@w@h:99999, http://a:b@c', 'see https://:***@h:99999, http://a:*@c'],
  ['http://me@host:80/a:b@c', 'http://me@host:80/a:b@c'],
  ['http://host/?a=b:c@d', 'http://host/?a=b:c@d'],
  [
    'jdbc:postgresql://db/a?user=gw&password=hunter2&ssl=true',
    'jdbc:postgresql://db/a?user=gw&password=*******&ssl=true',
  ],
  ['failover:(tcp://a:1,tcp://b:1)?jms.password=a,b)c;d', 'failover:(tcp://a:1,tcp://b:1)?jms.password=*******'],
  ['failover:(tcp://a:1?jms.password=ab,tcp://b:1)', 'failover:(tcp://a:1?jms.password=*************'],
  ['{"url":"https://me:p@h/?access_token=t\\"\'x","b":1}', '{"url":"https://me:*@h/?access_token=*****","b":1}'],
  ['https://h/#id_token=a see https://h/;jsessionid=b', 'https://h/#id_token=* see https://h/;jsessionid=*'],
  ['https://h/?pass%77ord=a&sslmode=b', 'https://h/?pass%77ord=*&sslmode=b'],
  ["https://h/?token=${system['t']}&user=a", "https://h/?token=${system['t']}&user=a"],
  ['https://am/?goto=https://h/&state=a&code=b', 'https://am/?goto=https://h/&state=a&code=b'],
  ['https://h/a?b=c=d&e&token', 'https://h/a?b=c=d&e&token'],
  ["${a?token='b'}", "${a?token='b'}"],
])('a password in a URL is not shown: %s', (text, shown) => {
  expect(hideUrlPasswords(text)).toBe(shown);
});

// Encoders of JSON and YAML write these characters in several ways, and a URL may be a parameter of another one.
it.each([
  [String.raw`https:\/\/me:hunter2@h\/a`, String.raw`https:\/\/me:*******@h\/a`],
  [String.raw`https:\u002f\u002Fme:hunter2@h`, String.raw`https:\u002f\u002Fme:*******@h`],
  [String.raw`https:\x2f\x2Fme:hunter2@h`, String.raw`https:\x2f\x2Fme:*******@h`],
  [String.raw`https:\U0000002f\U0000002fme:hunter2@h`, String.raw`https:\U0000002f\U0000002fme:*******@h`],
  [String.raw`https\u003a//me\u003ahunter2\u0040h`, String.raw`https\u003a//me\u003a*******\u0040h`],
  [String.raw`https:\/\/me:p%2Fw@h`, String.raw`https:\/\/me:*****@h`],
  [String.raw`https://me:p\u002fw@h`, 'https://me:********@h'],
  [String.raw`{"a":"https://me:p\"w@h"}`, '{"a":"https://me:****@h"}'],
  ['{"a":"https://me:p\'w@h"}', '{"a":"https://me:***@h"}'],
  [String.raw`{"a":"{\"b\":\"https:\\\/\\\/me:p@h\"}"}`, String.raw`{"a":"{\"b\":\"https:\\\/\\\/me:*@h\"}"}`],
  [String.raw`{"a":"https:\\\\me:p@h"}`, String.raw`{"a":"https:\\\\me:*@h"}`],
  ['"https://me:hun\\\n  ter2@h"', '"https://me:****\n******@h"'],
  ['https:/me:p@h https:///me:p@h https:me:p@h', 'https:/me:*@h https:///me:*@h https:me:*@h'],
  ['https%3A%2F%2Fme%3Ahunter2%40h%2Fa', 'https%3A%2F%2Fme%3A*******%40h%2Fa'],
  ['https%253A%252F%252Fme%253Ap%2540h', 'https%253A%252F%252Fme%253A*%2540h'],
  ['https://am/?goto=https%3a%2f%2fme:p@h%2f&a=b', 'https://am/?goto=https%3a%2f%2fme:*@h%2f&a=b'],
  [String.raw`https://h/?a=b\u0026password\u003dhunter2`, String.raw`https://h/?a=b\u0026password\u003d*******`],
  [String.raw`https:\/\/h\/?pass\u0077ord=p&b=c`, String.raw`https:\/\/h\/?pass\u0077ord=*&b=c`],
  ['https://h/?a=b%26token%3Dt%26c=d', 'https://h/?a=b%26token%3D*%26c=d'],
  ['https://am/?goto=https%3A%2F%2Fh%2F%3Ftoken%3Dt&a=b', 'https://am/?goto=https%3A%2F%2Fh%2F%3Ftoken%3D*&a=b'],
  ['jdbc:postgresql:audit?user=gw&password=hunter2', 'jdbc:postgresql:audit?user=gw&password=*******'],
  ['jdbc:oracle:thin:gw/hunter2@//db:1521/audit', 'jdbc:oracle:thin:gw/*******@//db:1521/audit'],
  ['{"uri":"/cb?token=t&a=b"}', '{"uri":"/cb?token=*&a=b"}'],
  ['uri: /cb?token=t', 'uri: /cb?token=*'],
  ["uri: '/cb?token=it''s'", "uri: '/cb?token=*****'"],
  ["http.send('/cb?token=t' + x, b)", "http.send('/cb?token=*' + x, b)"],
  ["send('https://me:p@h/' + x, 'https://me:' + q + '@h')", "send('https://me:*@h/' + x, 'https://me:' + q + '@h')"],
  ['{"source":"next(`/a?token=t&b=${b}`, \'/c\')"}', '{"source":"next(`/a?token=*&b=${b}`, \'/c\')"}'],
  [
    String.raw`{"source":"send(\"https://h/?token=t\" + x)"}`,
    String.raw`{"source":"send(\"https://h/?token=*\" + x)"}`,
  ],
  [String.raw`{"source":"send(\"/a?token=a\\\"b\" + x)"}`, String.raw`{"source":"send(\"/a?token=******\" + x)"}`],
  [String.raw`{"source":"'/a?token=a\\'b' + c"}`, `{"source":"'/a?token=*****' + c"}`],
])('a password in a URL is not shown, however it is written: %s', (text, shown) => {
  expect(hideUrlPasswords(text)).toBe(shown);
});

it.each([
  String.raw`{"a":"C:\\dir\\b:c@d","b":"\\d+:\\w+@x","c":"\u00e9:\/a"}`,
  'https://h/?a=100%25:b@c',
  "${a['b:c'] == '/d' ? 'e@f' : 'g'}",
  'a:b@c and me: you@h',
  'sha256:abc@def',
  "'/a?token=' + t + '&b=' + b",
  "send('https://h/a?password=' + encode(p), { method: 'POST' })",
  "'https://' + user + ':' + password + '@h/'",
  "'https://me:' + password + '@h/'",
  'send(`/a?token=${t}`, { a: 1 })',
  String.raw`{"source":"send(\"/a?token=\" + t, \"https://h/?token=\" + t, \"https://me:\" + p + \"@h\")"}`,
  '{"source":["def u = \'/a?token=\' + t","next.handle(context, request)"]}',
])('a text without a URL is shown as it is: %s', (text) => {
  expect(hideUrlPasswords(text)).toBe(text);
});

it.each([
  [{ type: 'StaticRequestFilter', config: { method: 'GET', uri: 'http://me:hunter2@host/' } }],
  [
    {
      type: 'ClientHandler',
      config: { proxyOptions: { type: 'CustomProxyOptions', config: { uri: 'http://me:hunter2@h:99999' } } },
    },
  ],
  [{ type: 'AuditService', config: { eventHandlers: [database('jdbc:postgresql://db/a?password=hunter2')] } }],
  [{ type: 'AuditService', config: { eventHandlers: [broker('tcp://mq:61616?jms.password=hunter2&jms.bogus=1')] } }],
  [{ type: 'KeyStoreSecretStore', config: { storePassword: 'hunter2 !', keyEntryPassword: 'hunter2 ?' } }],
])('the problem of %j is reported without its password', (object) => {
  const handler = { type: 'StaticResponseHandler', config: { status: 200 } };
  const problems = checkConfigured({ heap: [{ name: 'it', ...object }], handler });
  expect(problems).not.toEqual([]);
  expect(JSON.stringify(problems)).not.toContain('hunter2');
  expect(hideSecrets(JSON.stringify(object, null, 2))).not.toContain('hunter2');
});

it('a long text is searched in time in proportion to its length', () => {
  const parameters = '&password=x;y?#'.repeat(200_000);
  expect(hideUrlPasswords(`https://h/?a=b${parameters}`)).not.toContain('x');
  expect(hideUrlPasswords(`https://h/${'?'.repeat(1_000_000)}`)).toHaveLength(1_000_010);
  expect(hideUrlPasswords(`${String.raw`https:\/\/h:p`.repeat(200_000)}@h`)).toHaveLength(2_600_002);
  for (const part of ['http:', 'jdbc:', 'a:b@', 'jdbc:a/', 'jdbc:;', 'a:/b:', "'/''", "'/\\'", "'https:u:''"]) {
    expect(hideUrlPasswords(part.repeat(100_000))).toHaveLength(part.length * 100_000);
  }
  expect(hideUrlPasswords('%25'.repeat(100_000))).toHaveLength(300_000);
  expect(hideUrlPasswords('\\'.repeat(300_000))).toHaveLength(300_000);
  expect(hideUrlPasswords(`a:${'/'.repeat(300_000)}`)).toHaveLength(300_002);
});
