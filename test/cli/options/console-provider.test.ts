import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../../cli/command-line.ts';
import { controllerCommand } from '../../../cli/commands/controller.ts';
import { consoleProvider, type GivenProvider } from '../../../cli/options/console-provider.ts';
import { watchedDirectory } from '../../support/state/temporary-files.ts';

const NONE: GivenProvider = {
  'console-issuer': undefined,
  'console-client-id': undefined,
  'console-client-secret': undefined,
  'console-url': undefined,
  'console-scopes': undefined,
  'console-issuer-ca': undefined,
  'console-issuer-name': undefined,
  'console-sign-out': undefined,
  'secure-admin': { port: 9091 },
  'api-rate': 100,
};
const LEAST: GivenProvider = {
  ...NONE,
  'console-issuer': 'https://login.example.com/realm',
  'console-client-id': 'console',
  'console-url': 'https://console.example.com',
};

function fileWith(text: string, name = 'secret'): string {
  const path = join(watchedDirectory().path, name);
  writeFileSync(path, text);
  return path;
}

const problemsOf = (given: GivenProvider): readonly string[] => {
  const read = consoleProvider(given);
  return 'problems' in read ? read.problems : [];
};

describe('the OpenID provider of the console', () => {
  it('is none without options', () => {
    expect(consoleProvider({ ...NONE, 'secure-admin': null, 'api-rate': 0 })).toEqual({ provider: null });
  });

  it('needs an issuer, a client id and an address', () => {
    expect(consoleProvider(LEAST)).toEqual({
      provider: {
        issuer: 'https://login.example.com/realm',
        clientId: 'console',
        clientSecret: null,
        scopes: ['openid', 'email'],
        origin: 'https://console.example.com',
        ca: null,
        name: 'login.example.com',
        signOut: 'console',
      },
    });
  });

  it('takes all options', () => {
    const secret = fileWith('hidden');
    const ca = fileWith('-----BEGIN CERTIFICATE-----\n', 'ca.crt');
    const given: GivenProvider = {
      ...LEAST,
      ...{ 'console-client-secret': secret, 'console-scopes': ['openid', 'groups'], 'console-issuer-ca': ca },
      ...{ 'console-issuer-name': 'Example', 'console-sign-out': 'provider' },
    };
    expect(consoleProvider(given)).toMatchObject({
      provider: { clientSecret: secret, scopes: ['openid', 'groups'], ca, name: 'Example', signOut: 'provider' },
    });
  });

  it.each<[string, Partial<GivenProvider>, RegExp]>([
    ['no issuer', { 'console-issuer': undefined }, /^--console-client-id, --console-url need --console-issuer$/],
    ['no client id', { 'console-client-id': undefined }, /^--console-issuer needs --console-client-id$/],
    ['no address', { 'console-url': undefined }, /^--console-issuer needs --console-url$/],
    ['no secured port', { 'secure-admin': null }, /needs --secure-admin/],
    ['no Common REST', { 'api-rate': 0 }, /--api-rate must not be off/],
    ['a missing secret', { 'console-client-secret': '/no/secret' }, /--console-client-secret: .*no such file/],
    ['a secret in a folder of odd files', { 'console-client-secret': '/tmp/a b' }, /the name of the file/],
    ['missing CA certificates', { 'console-issuer-ca': '/no/ca.crt' }, /--console-issuer-ca: .*no such file/],
  ])('is rejected with %s', (_, changed, expected) => {
    expect(problemsOf({ ...LEAST, ...changed })).toEqual([expect.stringMatching(expected)]);
  });

  it.each([
    ['an empty secret', '', 'is empty'],
    ['a secret with a line break', 'hidden\n', 'ends with a line break'],
  ])('is rejected with %s, which no message quotes', (_, text, expected) => {
    const [problem = '', ...others] = problemsOf({ ...LEAST, 'console-client-secret': fileWith(text) });
    expect([problem, others]).toEqual([expect.stringContaining(expected), []]);
    expect(problem).not.toContain('hidden');
  });

  it('is rejected with a file that contains no certificate', () => {
    const problems = problemsOf({ ...LEAST, 'console-issuer-ca': fileWith('x', 'ca.crt') });
    expect(problems).toEqual([expect.stringContaining('contains no certificate in PEM')]);
  });

  it('is rejected with all problems at once', () => {
    const given = { ...NONE, 'console-client-secret': '/no/secret', 'secure-admin': null, 'api-rate': 0 };
    expect(problemsOf(given)).toHaveLength(4);
  });
});

describe('an option of the console', () => {
  it.each([
    ['--console-issuer', 'login.example.com', 'must be an https URL'],
    ['--console-issuer', 'http://login.example.com', 'must be an https URL'],
    ['--console-issuer', 'https://a:b@login.example.com', 'must not contain credentials'],
    ['--console-issuer', 'https://login.example.com/?a=b', 'must not contain a query'],
    ['--console-issuer', 'https://login.example.com/#a', 'must not contain a query'],
    ['--console-issuer', 'https://login.example.com/${env.HOME}', 'must not contain ${'],
    ['--console-client-id', '', 'must not be empty'],
    ['--console-client-id', '&{secret}', 'must not contain ${ or &{'],
    ['--console-client-id', 'a\nb', 'must not contain control characters'],
    ['--console-url', 'console.example.com', 'must be an https URL'],
    ['--console-url', 'http://console.example.com', 'must be an https URL'],
    ['--console-url', 'https://a@console.example.com', 'must not contain credentials'],
    ['--console-url', 'https://console.example.com/console/', 'must have a scheme, a host and a port only'],
    ['--console-url', 'https://console.example.com:443', 'must have a scheme, a host and a port only'],
    ['--console-scopes', 'email', "must contain 'openid'"],
    ['--console-scopes', 'openid,a b', "must be scopes with commas between; 'a b' is none"],
    ['--console-sign-out', 'all', 'must be console or provider'],
  ])('rejects %s %j', (option, value, problem) => {
    const line = readCommandLine(controllerCommand, [option, value]);
    expect(line).toEqual({ wants: 'nothing', problems: [expect.stringContaining(`'${option}' ${problem}`)] });
  });

  it.each([
    ['--console-url', 'https://console.example.com/', { 'console-url': 'https://console.example.com' }],
    ['--console-url', 'https://[::1]:9091', { 'console-url': 'https://[::1]:9091' }],
    ['--console-issuer', 'https://login.example.com/', { 'console-issuer': 'https://login.example.com/' }],
    ['--console-scopes', 'openid,groups', { 'console-scopes': ['openid', 'groups'] }],
  ])('accepts %s %j', (option, value, expected) => {
    const line = readCommandLine(controllerCommand, [option, value]);
    expect(line).toMatchObject({ wants: 'run', options: expected });
  });
});
