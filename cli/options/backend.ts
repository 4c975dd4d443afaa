import type { Reading } from '../commands/command.ts';

/** The one backend behind `gatewarden proxy`. `basePath` comes before every forwarded path and has no slash at its end. */
export type Backend =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly basePath: string }
  | { readonly kind: 'unix'; readonly socket: string };

const wanted = 'must be http://HOST:PORT or unix:/PATH';

/** Reads `http://HOST:PORT/BASE` or `unix:/path/to.sock`; no problem repeats the text, which may hold a password. */
export function readBackend(text: string): Reading<Backend> {
  if (text.startsWith('unix:')) {
    const socket = text.slice('unix:'.length);
    return socket.startsWith('/') ? { value: { kind: 'unix', socket } } : { problem: wanted };
  }
  const url = URL.parse(text);
  if (url === null || url.hostname === '') return { problem: wanted };
  if (url.protocol === 'https:') return { problem: 'must be http:, because TLS to backends is not supported yet' };
  if (url.protocol !== 'http:') return { problem: wanted };
  if (url.username !== '' || url.password !== '') return { problem: 'must not carry a user name or password' };
  if (url.search !== '' || url.hash !== '') return { problem: 'must not carry a query or fragment' };
  return {
    value: {
      kind: 'tcp',
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? 80 : Number(url.port),
      basePath: url.pathname.replace(/\/+$/, ''),
    },
  };
}
