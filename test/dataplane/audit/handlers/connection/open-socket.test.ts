import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSocket, type SocketTarget } from '../../../../../dataplane/audit/handlers/connection/open-socket.ts';
import type { PortableTls } from '../../../../../dataplane/heap/objects/tls.ts';
import { type ClientTlsParts, clientTls } from '../../../../../dataplane/tls/client-credentials.ts';
import { tlsRules } from '../../../../../dataplane/tls/options/tls-rules.ts';
import { platformTls } from '../../../../../dataplane/tls/portable-tls.ts';
import { certificateAuthority } from '../../../../support/identity/certificates.ts';
import { changingKeys, changingTrust } from '../../../../support/identity/changing-tls-secrets.ts';

const ca = certificateAuthority('the authority');
const local = ca.issue({ names: ['localhost'] });
const trusted = () => changingTrust({ certificates: [ca.certificate] }).manager;

/** TLS settings as the writer thread gets them. */
async function portable(parts: Partial<ClientTlsParts> = {}): Promise<PortableTls> {
  const tls = clientTls({
    keyManagers: [],
    trustManagers: [trusted()],
    rules: tlsRules({}),
    alpn: true,
    checksNames: true,
    log: pino({ level: 'silent' }),
    onClose: onTestFinished,
    ...parts,
  });
  return structuredClone(await tls.portable());
}

async function listen(server: Server): Promise<number> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => open.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

const startTls = (options: TlsOptions = { cert: local.chain, key: local.key }) =>
  listen(createServer(options, (socket: TLSSocket) => socket.on('error', () => undefined).pipe(socket)));

async function open(target: Partial<SocketTarget> & { readonly port: number }): Promise<Socket> {
  const socket = await openSocket({ host: 'localhost', tls: null, timeout: 20_000, mayReach: () => true, ...target });
  onTestFinished(() => void socket.destroy());
  return socket;
}

async function echoed(socket: Socket): Promise<string> {
  socket.write('hello');
  const [piece] = (await once(socket, 'data')) as [Buffer];
  return piece.toString();
}

describe('openSocket', () => {
  it('connects by name over TCP', async () => {
    const port = await listen(createTcpServer((socket) => void socket.pipe(socket)));
    expect(await echoed(await open({ port }))).toBe('hello');
  });

  it('connects over TLS to a server with a trusted certificate', async () => {
    expect(await echoed(await open({ port: await startTls(), tls: await portable() }))).toBe('hello');
  });

  it('shows its client certificate', async () => {
    const port = await startTls({
      cert: local.chain,
      key: local.key,
      ca: ca.certificate,
      requestCert: true,
      rejectUnauthorized: true,
    });
    const keys = changingKeys(ca.issue({ commonName: 'audit', client: true }));
    expect(await echoed(await open({ port, tls: await portable({ keyManagers: [keys.manager] }) }))).toBe('hello');
  });

  it('rejects a certificate of an issuer that is not trusted', async () => {
    const opening = open({ port: await startTls(), tls: platformTls() });
    await expect(opening).rejects.toThrow(/the certificate is rejected: its issuer is not trusted/);
  });

  it('rejects a certificate for another host', async () => {
    const other = ca.issue({ names: ['other.test'] });
    const port = await startTls({ cert: other.chain, key: other.key });
    await expect(open({ port, tls: await portable() })).rejects.toThrow(
      /not valid for 'localhost': it is for other.test/,
    );
    expect(await echoed(await open({ port, tls: await portable({ checksNames: false }) }))).toBe('hello');
  });

  it('accepts any certificate where the trust manager trusts all', async () => {
    const trust = changingTrust({ everything: true });
    const tls = await portable({ trustManagers: [trust.manager] });
    expect(await echoed(await open({ port: await startTls(), tls }))).toBe('hello');
  });

  it('says that a server does not speak TLS', async () => {
    const port = await listen(createTcpServer((socket) => void socket.end('220 hello\r\n')));
    await expect(open({ port, tls: await portable() })).rejects.toThrow(/does not speak TLS on this port/);
  });

  it('applies the egress rule to the addresses behind a name', async () => {
    const asked: string[] = [];
    const port = await listen(createTcpServer());
    const mayReach = (address: string) => {
      asked.push(address);
      return false;
    };
    await expect(open({ port, mayReach })).rejects.toThrow(`localhost:${port} is not allowed (egress rule)`);
    expect(asked).toContain('127.0.0.1');
  });

  it('applies the egress rule to a numeric address', async () => {
    const port = await listen(createTcpServer());
    const opening = open({ host: '127.0.0.1', port, mayReach: () => false });
    await expect(opening).rejects.toThrow('is not allowed (egress rule)');
  });

  it('gives up a server that does not finish the handshake', async () => {
    const port = await listen(createTcpServer());
    await expect(open({ port, tls: await portable(), timeout: 50 })).rejects.toThrow('took longer than 50 ms');
  });

  it('names the place when nobody listens', async () => {
    const server = createTcpServer();
    const port = await listen(server);
    server.close();
    await once(server, 'close');
    await expect(open({ port })).rejects.toThrow(`connecting to localhost:${port} failed`);
  });
});
