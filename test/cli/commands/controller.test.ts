import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readCommandLine } from '../../../cli/command-line.ts';
import { controllerCommand } from '../../../cli/commands/controller.ts';
import { gatewarden, runProgram } from '../../support/programs/run-program.ts';
import { watchedDirectory } from '../../support/state/temporary-files.ts';

const options = {
  kubeconfig: undefined,
  namespace: undefined,
  base: 'gatewarden',
  'base-secret': 'gatewarden-base',
  'certificates-secret': 'gatewarden-certificates',
  'session-secret': 'gatewarden-sessions',
  'authority-configmap': 'gatewarden-authority',
  lease: 'gatewarden-controller',
  'watch-namespaces': 'all',
  listen: { host: undefined, port: 9443 },
  advertise: undefined,
  'server-names': ['gatewarden-controller', 'localhost', '127.0.0.1'],
  'tls-cert': undefined,
  'tls-key': undefined,
  'tls-ca': undefined,
  'outside-planes': undefined,
  admin: { host: '127.0.0.1', port: 9090 },
  'secure-admin': null,
  'api-rate': 100,
  'route-versions': 20,
  'console-issuer': undefined,
  'console-client-id': undefined,
  'console-client-secret': undefined,
  'console-url': undefined,
  'console-scopes': undefined,
  'console-issuer-ca': undefined,
  'console-issuer-name': undefined,
  'console-sign-out': undefined,
  'admin-socket': undefined,
  webhook: null,
  'webhook-service': undefined,
  'webhook-configuration': 'gatewarden',
  'webhook-owns': 'configuration',
  'failure-policy': 'Ignore',
  'sidecar-settings': undefined,
  'injector-configuration': 'gatewarden',
  identity: undefined,
  system: [],
  'log-level': 'info',
  'log-format': 'auto',
};

it.each<[string[], object]>([
  [[], {}],
  [['--watch-namespaces', 'shop,bank'], { 'watch-namespaces': ['shop', 'bank'] }],
  [['--watch-namespaces', 'team in (a, b)'], { 'watch-namespaces': { labelSelector: 'team in (a, b)' } }],
  [['--watch-namespaces', 'team=shop'], { 'watch-namespaces': { labelSelector: 'team=shop' } }],
  [['--watch-namespaces', '!team'], { 'watch-namespaces': { labelSelector: '!team' } }],
  [['--server-names', 'a,b'], { 'server-names': ['a', 'b'] }],
  [['--admin', 'off'], { admin: null }],
  [['--secure-admin', ':9444'], { 'secure-admin': { host: undefined, port: 9444 } }],
  [['--api-rate', 'off'], { 'api-rate': 0 }],
  [['--api-rate', '250'], { 'api-rate': 250 }],
  [['--route-versions', 'off'], { 'route-versions': 0 }],
  [['--route-versions', '50'], { 'route-versions': 50 }],
  [['--webhook', '[::1]:8443'], { webhook: { host: '::1', port: 8443 } }],
  [['--webhook-service', 'hook:443'], { 'webhook-service': { name: 'hook', port: 443 } }],
  [['--webhook-owns', 'ca-bundle'], { 'webhook-owns': 'ca-bundle' }],
  [['--lease', 'other'], { lease: 'other' }],
  [['--admin-socket', '/run/admin.sock'], { 'admin-socket': '/run/admin.sock' }],
  [['--failure-policy', 'Fail'], { 'failure-policy': 'Fail' }],
  [['--sidecar-settings', 'sidecar.json'], { 'sidecar-settings': 'sidecar.json' }],
  [['--injector-configuration', 'other'], { 'injector-configuration': 'other' }],
  [['--outside-planes', 'planes.json'], { 'outside-planes': 'planes.json' }],
  [['-Da=b'], { system: [['a', 'b']] }],
])('a controller accepts %j', (words, changed) => {
  expect(readCommandLine(controllerCommand, words)).toEqual({
    wants: 'run',
    options: { ...options, ...changed },
    given: {},
  });
});

it.each([
  ['--base', '', 'must not be empty'],
  ['--watch-namespaces', ',', 'must name at least one'],
  ['--server-names', ',', 'must name at least one'],
  ['--listen', '1:2:3', 'must be HOST:PORT'],
  ['--webhook', 'on', 'must be HOST:PORT'],
  ['--api-rate', '0', "must be 1 to 999999, or off, not '0'"],
  ['--route-versions', '0', "must be 1 to 50, or off, not '0'"],
  ['--route-versions', '51', "must be 1 to 50, or off, not '51'"],
  ['--webhook-service', 'hook', 'must be NAME:PORT'],
  ['--webhook-service', 'hook:0', 'must be NAME:PORT'],
  ['--webhook-service', 'hook:70000', 'must be NAME:PORT'],
  ['--webhook-owns', 'all', 'must be configuration or ca-bundle'],
  ['--failure-policy', 'fail', 'must be Ignore or Fail'],
])('a controller rejects %s %j', (option, value, problem) => {
  const line = readCommandLine(controllerCommand, [option, value]);
  expect(line).toEqual({ wants: 'nothing', problems: [expect.stringContaining(`'${option}' ${problem}`)] });
});

it.each([[['--tls-cert', 'a']], [['--tls-cert', 'a', '--tls-key', 'b']], [['--tls-ca', 'c']]])(
  'a controller with %j misses a part of its certificate',
  async (words) => {
    const { code, stderr } = await runProgram(gatewarden, ['controller', ...words]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('--tls-cert, --tls-key and --tls-ca must be given together'),
    ]);
  },
);

it.each([
  [['--kubeconfig', '/no/config'], /no such file or directory, open '\/no\/config'/],
  [[], /this is not a Pod of a cluster, and no kubeconfig is given/],
])('a controller with %j does not start', async (words, expected) => {
  const env = { PATH: process.env['PATH'], HOME: '/no' };
  const { code, stderr } = await runProgram(gatewarden, ['controller', ...words], { env });
  expect([code, stderr]).toEqual([1, expect.stringMatching(expected)]);
});

it('a controller has no sidecars without a webhook', async () => {
  const { code, stderr } = await runProgram(gatewarden, ['controller', '--sidecar-settings', 'sidecar.json']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--sidecar-settings needs --webhook')]);
});

it('a controller tells everything that an OpenID provider of the console misses', async () => {
  const { code, stderr } = await runProgram(gatewarden, ['controller', '--console-issuer', 'https://login.test']);
  const lines = ['--console-client-id', '--console-url', '--secure-admin: the console is served there'];
  expect([code, stderr]).toEqual([
    2,
    lines.map((line) => `gatewarden controller: --console-issuer needs ${line}\n`).join(''),
  ]);
});

it('a controller does not start with settings of sidecars that cannot be used', async () => {
  const { path } = watchedDirectory();
  writeFileSync(`${path}/sidecar.json`, '{"image": "a"}');
  const words = ['controller', '--webhook', ':0', '--sidecar-settings', `${path}/sidecar.json`];
  const { code, stderr } = await runProgram(gatewarden, words);
  expect([code, stderr]).toEqual([1, expect.stringContaining('controllers: is required')]);
});
