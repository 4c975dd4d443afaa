import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Backend } from '../../../dataplane/engine/backend/backend.ts';
import type { ConnectResult } from '../../../dataplane/engine/wire/connect.ts';
import { clientTls } from '../../../dataplane/tls/client-credentials.ts';
import { wrapInTls } from '../../../dataplane/tls/native-tls.ts';
import { tlsRules } from '../../../dataplane/tls/options/tls-rules.ts';
import { tlsConnect } from '../../../dataplane/tls/tls-connect.ts';
import { TlsWire } from '../../../dataplane/tls/tls-wire.ts';
import { UnreadyOwner } from '../../../dataplane/tls/unready-owner.ts';
import { startTlsBackend } from '../../support/backends/tls-backend.ts';
import { RawClient } from '../../support/clients/raw-client.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { changingTrust } from '../../support/identity/changing-tls-secrets.ts';

const ca = certificateAuthority('the authority');
const { chain: cert, key } = ca.issue({ names: ['backend.test'] });

function trustingTls() {
  return clientTls({
    keyManagers: [],
    trustManagers: [changingTrust({ certificates: [ca.certificate] }).manager],
    rules: tlsRules({}),
    alpn: true,
    checksNames: true,
    log: pino({ level: 'silent' }),
    onClose: onTestFinished,
  });
}

/** A gateway before a backend that answers without a length, and then does what `leave` says with its connection. */
async function answerWithoutLength(content: Buffer, leave: (secure: TLSSocket, under: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer({ cert, key }, (secure) => {
    secure.on('error', () => {});
    secure.once('data', () => {
      secure.write('HTTP/1.1 200 OK\r\n\r\n');
      secure.write(content, () => leave(secure, sockets[0]!));
    });
  });
  server.prependListener('connection', (socket: Socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const failures: string[] = [];
  const backend = new Backend({
    destination: { host: '127.0.0.1', port },
    connect: tlsConnect(trustingTls(), 'backend.test', ['http/1.1']),
    failed: (refusal) => failures.push(refusal),
  });
  const gateway = await startGateway({ handler: () => backend.handle });
  const client = await RawClient.connect(gateway.port);
  onTestFinished(async () => {
    client.destroy();
    await gateway.close();
    backend.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  client.send('GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
  return { failures, text: await client.untilClosed() };
}

describe('content that ends with its connection, over TLS', () => {
  const short = Buffer.from('all of it');
  const long = Buffer.alloc(3_000_000, 'x');

  it.each([
    ['short', short],
    ['long', long],
  ])('is complete if the backend marks its end: %s', async (_name, content) => {
    const { failures, text } = await answerWithoutLength(content, (secure) => secure.end());
    expect(text.endsWith('\r\n0\r\n\r\n')).toBe(true);
    expect(failures).toEqual([]);
  });

  it.each([
    ['short', short],
    ['long', long],
  ])('is cut if only the connection ends: %s', async (_name, content) => {
    const { failures, text } = await answerWithoutLength(content, (_secure, under) => under.end());
    expect(text.endsWith('\r\n0\r\n\r\n')).toBe(false);
    expect(failures).toEqual(['backend-cut']);
  });
});

describe('a session with a backend that was refused', () => {
  it('is not resumed, because names would not be verified', async () => {
    expect(wrapInTls()).not.toBeNull();
    const wrong = ca.issue({ names: ['other.test'] });
    const { port } = await startTlsBackend({ cert: wrong.chain, key: wrong.key });
    const open = tlsConnect(trustingTls(), 'backend.test', ['http/1.1']);
    const attempt = async (): Promise<[ConnectResult, TlsWire]> => {
      const { promise, resolve } = Promise.withResolvers<ConnectResult>();
      const wire = open({ host: '127.0.0.1', port }, new UnreadyOwner(() => {}), resolve);
      const result = await promise;
      wire.destroy();
      if (!(wire instanceof TlsWire)) throw new Error('another wire');
      return [result, wire];
    };
    const refused = { refusal: 'backend-tls', reason: expect.stringMatching(/is not valid for 'backend\.test'/) };
    const [first, wire] = await attempt();
    expect(first).toEqual(refused);
    // a hostile backend can send its ticket with the end of the handshake, so that it is read after the judgement
    wire.party.resumable(await sessionWith(port));
    expect((await attempt())[0]).toEqual(refused);
  });
});

/** What a connection that does not look at names could resume. */
async function sessionWith(port: number): Promise<Buffer> {
  const anyName = tlsConnect({ ...trustingTls(), checksNames: false }, 'backend.test', ['http/1.1']);
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const wire = anyName({ host: '127.0.0.1', port }, new UnreadyOwner(() => {}), () => {});
  if (!(wire instanceof TlsWire)) throw new Error('another wire');
  wire.party.resumable = resolve;
  const session = await promise;
  wire.destroy();
  return session;
}
