import { expect, it } from 'vitest';
import { hideUrlPasswords } from '../../../contract/document/url-password.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';

it.each([
  ['http://me:hunter2@host/a', 'http://me:*******@host/a'],
  ['see https://:p@w@h:99999, http://a:b@c', 'see https://:***@h:99999, http://a:*@c'],
  ['http://me@host:80/a:b@c', 'http://me@host:80/a:b@c'],
  ['http://host/?a=b:c@d', 'http://host/?a=b:c@d'],
])('a password in a URL is not shown: %s', (text, shown) => {
  expect(hideUrlPasswords(text)).toBe(shown);
});

it.each([
  [{ type: 'StaticRequestFilter', config: { method: 'GET', uri: 'http://me:hunter2@host/' } }],
  [
    {
      type: 'ClientHandler',
      config: { proxyOptions: { type: 'CustomProxyOptions', config: { uri: 'http://me:hunter2@h:99999' } } },
    },
  ],
  [{ type: 'KeyStoreSecretStore', config: { storePassword: 'hunter2 !', keyEntryPassword: 'hunter2 ?' } }],
])('the problem of %j is reported without its password', (object) => {
  const handler = { type: 'StaticResponseHandler', config: { status: 200 } };
  const problems = checkConfigured({ heap: [{ name: 'it', ...object }], handler });
  expect(problems).not.toEqual([]);
  expect(JSON.stringify(problems)).not.toContain('hunter2');
});
