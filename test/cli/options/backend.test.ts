import { expect, it } from 'vitest';
import { readBackend } from '../../../cli/options/backend.ts';

it.each([
  ['http://127.0.0.1:9000', { kind: 'tcp', host: '127.0.0.1', port: 9000, basePath: '' }],
  ['http://app', { kind: 'tcp', host: 'app', port: 80, basePath: '' }],
  ['http://[::1]:9000/base/', { kind: 'tcp', host: '::1', port: 9000, basePath: '/base' }],
  ['unix:/run/app.sock', { kind: 'unix', socket: '/run/app.sock' }],
])('reads %s', (text, value) => {
  expect(readBackend(text)).toEqual({ value });
});

it.each([
  '',
  'localhost:80',
  'ftp://a',
  'http://',
  'https://a',
  'http://a/?q',
  'http://a/#f',
  'unix:app.sock',
  '/run/a',
])('refuses %j', (text) => {
  expect(readBackend(text)).toEqual({ problem: expect.any(String) });
});

it('does not repeat a password', () => {
  expect(readBackend('http://kim:secret@a/')).toEqual({ problem: 'must not carry a user name or password' });
});
