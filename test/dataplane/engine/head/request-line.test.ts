import { expect, it } from 'vitest';
import { askedFor } from '../../../../dataplane/engine/head/request-line.ts';

it.each([
  ['GET /a/%2e%2e/b?token=x HTTP/1.1\r\nHost: h\r\n', 'GET', '/a/%2e%2e/b'],
  ['POST http://other/x HTTP/1.1\r\n', 'POST', 'http://other/x'],
  ['nonsense secret-line\r\n\r\n', '', ''],
  ['GET /secret', '', ''],
  ['GET /a"b\\c\x00\xffd HTTP/1.1', 'GET', '/a?b?c??d'],
  ['GET /#frag HTTP/1.1', 'GET', '/'],
  ['GET http://ada:s3cr3t@h/x HTTP/1.1', 'GET', 'http://h/x'],
  ['GET http://ada:s3/cr3t@h/x HTTP/1.1', 'GET', 'http://h/x'],
  ['GET http://ada:s3?cr3t@h/x HTTP/1.1', 'GET', 'http://'],
  ['GET HTTPS://s3cr3t@[::1]:8/x HTTP/1.1', 'GET', 'HTTPS://[::1]:8/x'],
  ['GET //ada:s3cr3t@h/x HTTP/1.1', 'GET', '//h/x'],
  ['CONNECT ada:s3cr3t@h:443 HTTP/1.1', 'CONNECT', 'h:443'],
  ['CONNECT h:443 HTTP/1.1', 'CONNECT', 'h:443'],
  ['GET /users/@ada HTTP/1.1', 'GET', '/users/@ada'],
  [`GET http://ada:${'s'.repeat(2000)}@h/ HTTP/1.1`, 'GET', 'http://'],
  ['\x16\x03\x01\x02', '', ''],
  ['G(T / HTTP/1.1', '', ''],
  ['GET', '', ''],
  ['', '', ''],
  [`GET /${'x'.repeat(2000)} HTTP/1.1`, 'GET', `/${'x'.repeat(507)}`],
])('the method and path of %j are logged without secrets', (text, method, path) => {
  const bytes = Buffer.from(text, 'latin1');
  expect(askedFor(bytes, 0, bytes.length)).toEqual({ method, path });
});
