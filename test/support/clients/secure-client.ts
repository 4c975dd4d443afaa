import { type ConnectionOptions, connect, type PeerCertificate, type TLSSocket } from 'node:tls';

/** What Node's own TLS client found out. */
export interface SecureAnswer {
  /** The first line of the answer, empty when there was none. */
  readonly status: string;
  readonly text: string;
  readonly isResumed: boolean;
  readonly protocol: string | null;
  readonly cipher: string;
  readonly alpn: string | false | null;
  readonly certificate: PeerCertificate;
  /** The sessions that the server gave. */
  readonly sessions: readonly Buffer[];
}

/** What Node's own client can be told. */
export type SecureClientOptions = ConnectionOptions & { readonly allowHalfOpen?: boolean };

/** Sends one request over TLS and reads until the server closes. @throws when there is no connection or no answer. */
export async function askSecurely(port: number, options: SecureClientOptions = {}, fields = ''): Promise<SecureAnswer> {
  const sessions: Buffer[] = [];
  const socket = await secureSocket(port, options, (session) => sessions.push(session));
  const facts = {
    isResumed: socket.isSessionReused(),
    protocol: socket.getProtocol(),
    cipher: socket.getCipher().standardName,
    alpn: socket.alpnProtocol,
    certificate: socket.getPeerCertificate(),
  };
  socket.write(`GET / HTTP/1.1\r\nHost: gateway.test\r\n${fields}Connection: close\r\n\r\n`);
  const text = await untilEnd(socket);
  if (text === '') throw new Error('the server closed the connection without an answer');
  return { ...facts, text, status: text.split('\r\n', 1)[0]!, sessions };
}

/** A connection after its handshake. @throws when there is none. */
export function secureSocket(
  port: number,
  options: SecureClientOptions = {},
  onSession: (session: Buffer) => void = () => {},
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'gateway.test', ...options });
    socket.on('session', onSession);
    socket.once('error', reject);
    socket.once('secureConnect', () => resolve(socket));
  });
}

function untilEnd(socket: TLSSocket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
    });
    socket.once('error', reject);
    socket.once('end', () => socket.end());
    socket.once('close', () => resolve(text));
  });
}
