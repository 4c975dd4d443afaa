import { describe, expect, it } from 'vitest';
import { hideSecrets } from '../../../contract/hiding/hidden-secrets.ts';

describe('secrets in a document are not shown', () => {
  it.each([
    ['{"password": "hunter2", "user": "me"}', '{"password": "*******", "user": "me"}'],
    ['{"secrets": {"a.b": "c2VjcmV0", "n": 1234}, "x": "y"}', '{"secrets": {"a.b": "********", "n": ****}, "x": "y"}'],
    [
      '{"secrets": {"a": ["b"], "c": {"$base64:encode": "d"}, "e": "f"}}',
      '{"secrets": {"a": ["*"], "c": {"$base64:encode": "*"}, "e": "*"}}',
    ],
    [
      '{"secrets": {"stores": [{"type": "Store"}], "a": "b"}}',
      '{"secrets": {"stores": [{"type": "Store"}], "a": "*"}}',
    ],
    ['{"password" /* old */ : "hunter2"}', '{"password" /* old */ : "*******"}'],
    ['{"secrets": {"stores": ["keystore.p12"], "a": "b"}}', '{"secrets": {"stores": ["keystore.p12"], "a": "*"}}'],
    [
      '{"storePassword": "keystore.p12", "keyEntryPassword": "a b"}',
      '{"storePassword": "keystore.p12", "keyEntryPassword": "***"}',
    ],
    ['{"clientSecret": "s\\"t",}', '{"clientSecret": "****",}'],
    ['{"password": "open ended', '{"password": "**********'],
    ['{"secrets": {"a": "b"', '{"secrets": {"a": "*"'],
    ['// it begins\n{"secrets":\n{"a" :\n"b"}}', '// it begins\n{"secrets":\n{"a" :\n"*"}}'],
    ['{"password": "&{agent.password}"}', '{"password": "&{agent.password}"}'],
    ['{"passwordSecretId": "agent", "secretsProvider": "s"}', '{"passwordSecretId": "agent", "secretsProvider": "s"}'],
    ['{"password": "\u{1f511}k", "a": "b"}', '{"password": "**", "a": "b"}'],
    ['{"pass\\u0077ord": "hunter2"}', '{"pass\\u0077ord": "*******"}'],
    ['{"passwordSecretId": "hunter 2", "a": "b c"}', '{"passwordSecretId": "********", "a": "b c"}'],
    ['{"secretId": "${agent.id}"}', '{"secretId": "${agent.id}"}'],
    ['{"add": {"X-Api-Key": ["k"], "access_token": "t"}}', '{"add": {"X-Api-Key": ["*"], "access_token": "*"}}'],
    ['{"add": {"Authorization": ["Basic eDp5"]}}', '{"add": {"Authorization": ["**********"]}}'],
    ['{"url": "https://me:p@ss@host/a", "a": "b:c@d"}', '{"url": "https://me:****@host/a", "a": "b:c@d"}'],
    ['{"uri": "http://host/secret", "a": "secrets"}', '{"uri": "http://host/secret", "a": "secrets"}'],
  ])('of JSON: %s', (text, shown) => {
    expect(hideSecrets(text)).toBe(shown);
  });

  it.each([
    ['password: hunter2\nuser: me', 'password: *******\nuser: me'],
    ['a:\n  secrets:\n    b.c: d\n    e: |\n      f\n  g: h', 'a:\n  secrets:\n    b.c: *\n    e: *\n      *\n  g: h'],
    ['- password: "x y"\n  user: me', '- password: "***"\n  user: me'],
    ['"secrets": { a: b }\nc: d', '"secrets": ********\nc: d'],
    ['secretsProvider: s', 'secretsProvider: s'],
    [
      'secrets:\n  stores:\n    - config:\n        file: keystore.p12\n        password: |\n          p\n  a: b\nc: d',
      'secrets:\n  stores:\n    - config:\n        file: keystore.p12\n        password: *\n          *\n  a: *\nc: d',
    ],
    [
      'secrets:\n  - name: keys\n    items: [{ key: keystore.p12 }]\n  - name: more\nc: d',
      'secrets:\n  - name: keys\n    items: [{ key: keystore.p12 }]\n  - name: more\nc: d',
    ],
    ['storePassword: keystore.p12', 'storePassword: keystore.p12'],
    ['- {user: me, password: hunter2}\n- a', '- {user: me, password: ********\n- a'],
    ['config: {secrets: {\n  a: b\n}}\nc: d', 'config: {secrets: *\n  a: *\n}}\nc: d'],
    ['config: {file: f, "storePassword" : "x, y", b: c}', 'config: {file: f, "storePassword" : "************'],
    [
      'a: [{passwordSecretId: agent}, {url: "http://u:p@h/"}]',
      'a: [{passwordSecretId: agent}, {url: "http://u:*@h/"}]',
    ],
    [
      'passwordSecretId: hunter 2\nstorePasswordSecretId: agent',
      'passwordSecretId: ********\nstorePasswordSecretId: agent',
    ],
  ])('of YAML: %s', (text, shown) => {
    expect(hideSecrets(text)).toBe(shown);
  });

  const long = 'x'.repeat(9_000_000);
  it.each([
    ['a text', `{"a": "${long}", "password": "hunter2"}`, `{"a": "${long}", "password": "*******"}`],
    ['a secret', `{"password": "${long}", "a": 1}`, `{"password": "${'*'.repeat(long.length)}", "a": 1}`],
    ['a key', `{"${long}password": "hunter2"}`, `{"${long}password": "*******"}`],
    ['a word', `{"password": ${long}}`, `{"password": ${'*'.repeat(long.length)}}`],
    ['a comment', `{/*${long}*/"password": "hunter2"}`, `{/*${long}*/"password": "*******"}`],
    ['a user of a URL', `{"a": "http://${long}:p@h"}`, `{"a": "http://${long}:*@h"}`],
    ['a password of a URL', `{"a": "http://u:${long}@h"}`, `{"a": "http://u:${'*'.repeat(long.length)}@h"}`],
    ['a host of a URL', `{"a": "http://u:${long}"}`, `{"a": "http://u:${long}"}`],
    ['a text of YAML', `a: ${long}\npassword: hunter2`, `a: ${long}\npassword: *******`],
    ['a secret of YAML', `password: ${long}\na: b`, `password: ${'*'.repeat(long.length)}\na: b`],
    ['a key of YAML', `${long}password: hunter2`, `${long}password: *******`],
    ['a line of YAML', `a: {b: ${long}, password: p}`, `a: {b: ${long}, password: **`],
    ['the blanks of a line of YAML', `a${' '.repeat(100_000)}"b`, `a${' '.repeat(100_000)}"b`],
  ])('in a document with nine million characters in %s', (_, text, shown) => {
    expect(hideSecrets(text) === shown).toBe(true);
  });

  it('of a document with a million brackets', () => {
    const open = '['.repeat(1_000_000);
    expect(hideSecrets(`${open}{"password": "hunter2"`)).toBe(`${open}{"password": "*******"`);
  });
});
