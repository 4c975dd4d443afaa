import { expect, it } from 'vitest';
import { cannotListenText } from '../../cli/cannot-listen-text.ts';
import { CannotListen } from '../../dataplane/cannot-listen.ts';

const options = { host: 'host', port: 'port' };

it.each<[ConstructorParameters<typeof CannotListen>, string]>([
  [
    ['traffic', { host: undefined, port: 80 }, 'EADDRINUSE'],
    'port 80, the traffic address, is taken: another program listens there; choose another one with --port',
  ],
  [
    ['admin', { host: '::1', port: 81 }, 'listen EADDRINUSE: address already in use ::1:81'],
    '[::1]:81, the admin address, is taken: another program listens there; choose another one with --admin',
  ],
  [
    ['traffic', { host: 'a.test', port: 80 }, 'getaddrinfo ENOTFOUND a.test'],
    'a.test:80, the traffic address, is not the name of a host; choose another one with --host',
  ],
  [
    ['traffic', { host: '127.0.0.1', port: 80 }, 'out of luck'],
    '127.0.0.1:80, the traffic address, cannot be listened on: out of luck; choose another one with --port',
  ],
])('%j', (given, text) => {
  expect(cannotListenText(new CannotListen(...given), options)).toBe(text);
});
