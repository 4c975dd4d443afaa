import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { readCommandLine } from '../../../cli/command-line.ts';
import { proxyCommand } from '../../../cli/commands/proxy.ts';

const required = ['--listen', ':0', '--to', 'http://127.0.0.1:9000'];
const options = {
  connections: 1024,
  limits: {},
  listen: { host: undefined, port: 0 },
  to: { kind: 'tcp', host: '127.0.0.1', port: 9000, basePath: '' },
  units: availableParallelism(),
  'access-log': { to: 'stdout' },
  'access-log-format': 'auto',
  'log-level': 'info',
  'log-format': 'auto',
  admin: { host: '127.0.0.1', port: 9090, orAnyPort: true },
  'trusted-proxies': [],
  'drain-delay': 0,
  'drain-timeout': 30_000,
};

it('needs an address and a backend, and has a default for the rest', () => {
  expect(readCommandLine(proxyCommand, required)).toEqual({ wants: 'run', options, given: {} });
});

it.each([
  [['--units', '3'], { units: 3 }],
  [['--access-log', 'off'], { 'access-log': { to: 'nowhere' } }],
  [['--access-log', 'access.log'], { 'access-log': { to: 'file', path: 'access.log' } }],
  [['--log-level', 'debug'], { 'log-level': 'debug' }],
  [['--access-log-format', 'text'], { 'access-log-format': 'text' }],
  [['--log-format', 'json'], { 'log-format': 'json' }],
  [['--limits', 'requestIds=false'], { limits: { requestIds: false } }],
  [['--admin', 'off'], { admin: undefined }],
  [['--admin', '127.0.0.1:9090'], { admin: { host: '127.0.0.1', port: 9090 } }],
  [['--trusted-proxies', '::1'], { 'trusted-proxies': ['::1'] }],
  [['--drain-delay', '10s'], { 'drain-delay': 10_000 }],
  [['--drain-timeout', '5m'], { 'drain-timeout': 300_000 }],
])('accepts %j', (words, changed) => {
  expect(readCommandLine(proxyCommand, [...required, ...words])).toEqual({
    wants: 'run',
    options: { ...options, ...changed },
    given: {},
  });
});

it.each([
  ['--units', '0'],
  ['--units', '1.5'],
  ['--units', 'all'],
  ['--log-level', 'loud'],
  ['--log-format', 'xml'],
  ['--access-log-format', 'pretty'],
  ['--access-log='],
  ['--admin', 'on'],
  ['--drain-timeout', '597h'],
  ['--drain-delay', '99999999999999h'],
])('refuses %s %s', (...words) => {
  const line = readCommandLine(proxyCommand, [...required, ...words.filter((word) => word !== undefined)]);
  expect(line).toEqual({ wants: 'nothing', problems: [expect.stringContaining(' must be ')] });
});
