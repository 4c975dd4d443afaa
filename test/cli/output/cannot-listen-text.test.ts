import { expect, it } from 'vitest';
import { cannotListenText } from '../../../cli/output/cannot-listen-text.ts';
import { CannotListen } from '../../../dataplane/supervisor/cannot-listen.ts';

it.each<[number, ConstructorParameters<typeof CannotListen>, string]>([
  [
    1,
    [0, { host: undefined, port: 80 }, 'EADDRINUSE'],
    'port 80, the traffic address, is in use: another program listens there; choose another one with --port',
  ],
  [
    2,
    [1, { host: undefined, port: 80 }, 'EADDRINUSE'],
    'port 80, connectors[1], is in use: another program listens there; choose another one with --port',
  ],
  [
    1,
    [1, { host: undefined, port: 443 }, 'EACCES'],
    'port 443, the TLS address, is not permitted: ports below 1024 are for privileged users; choose another one with --tls-port',
  ],
  [
    2,
    ['admin', { host: '::1', port: 81 }, 'listen EADDRINUSE: address already in use ::1:81'],
    '[::1]:81, the admin address, is in use: another program listens there; choose another one with --admin',
  ],
  [
    1,
    [0, { host: 'a.test', port: 80 }, 'getaddrinfo ENOTFOUND a.test'],
    'a.test:80, the traffic address, is not the name of a host; choose another one with --host',
  ],
  [
    2,
    [0, { host: '127.0.0.1', port: 80 }, 'out of luck'],
    '127.0.0.1:80, connectors[0], cannot be served: out of luck',
  ],
  [
    1,
    [0, { host: '127.0.0.1', port: 80 }, 'block 1 (ENCRYPTED PRIVATE KEY) is encrypted'],
    '127.0.0.1:80, the traffic address, cannot be served: block 1 (ENCRYPTED PRIVATE KEY) is encrypted',
  ],
  [
    1,
    [0, { host: '127.0.0.1', port: 80 }, 'listen ENOBUFS 127.0.0.1:80'],
    '127.0.0.1:80, the traffic address, cannot be listened on: ENOBUFS',
  ],
])('of %i connectors, %j', (connectors, given, text) => {
  expect(cannotListenText(new CannotListen(...given), { host: 'host', port: 'port', connectors })).toBe(text);
});
