import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { startTlsBackend } from '../../support/backends/tls-backend.ts';
import { ask } from '../../support/clients/answers.ts';
import { startConfigured } from '../../support/gateways/configured-gateway.ts';
import { type Certified, certificateAuthority } from '../../support/identity/certificates.ts';
import { secretFolder } from '../../support/identity/secret-folder.ts';

const ca = certificateAuthority('backends');
const good = ca.issue({ names: ['localhost'] });

const pemStore = (directory: string): JsonObject => ({
  type: 'FileSystemSecretStore',
  config: { directory, suffix: '.pem', format: { type: 'PemPropertyFormat' } },
});
const trusts = (directory: string): JsonObject => ({
  type: 'SecretsTrustManager',
  config: { verificationSecretId: 'authorities', secretsProvider: pemStore(directory), checkRevocation: false },
});
const shows = (directory: string): JsonObject => ({
  type: 'SecretsKeyManager',
  config: { signingSecretId: 'own', secretsProvider: pemStore(directory) },
});
const backendOptions = ({ chain, key }: Certified) => ({ cert: chain, key });

/** A gateway whose handler sends everything to a backend with this base URI. */
async function startTowards(baseURI: string, config: JsonObject, type = 'ReverseProxyHandler') {
  const gateway = await startConfigured({ handler: { type, config, baseURI } });
  onTestFinished(() => gateway.close());
  return { ...gateway, request: () => ask(gateway.port, 'GET / HTTP/1.1\r\nHost: h\r\n') };
}

describe('a handler with an https backend', () => {
  it('needs only a URI if the platform trusts the backend, and logs why it does not', async () => {
    const { port } = await startTlsBackend(backendOptions(good));
    const { request, logged } = await startTowards(`https://localhost:${port}`, {});
    expect((await request()).status).toBe(502);
    await vi.waitFor(() =>
      expect(logged).toContainEqual(
        expect.objectContaining({ refusal: 'backend-tls', reason: expect.stringMatching(/its issuer is not trusted/) }),
      ),
    );
  });

  it('trusts the CA certificates of its tls options', async () => {
    const directory = secretFolder({ 'authorities.pem': ca.certificate });
    const { port } = await startTlsBackend(backendOptions(good));
    const tls = { type: 'ClientTlsOptions', config: { trustManager: trusts(directory) } };
    const { request } = await startTowards(`https://localhost:${port}`, { tls });
    expect((await request()).status).toBe(200);
  });

  it('propagates the failure where it is a ClientHandler', async () => {
    const { port } = await startTlsBackend(backendOptions(good));
    const { request } = await startTowards(`https://localhost:${port}`, {}, 'ClientHandler');
    expect((await request()).status).toBe(500);
  });

  it.each<[string, JsonObject, number]>([
    ['STRICT by default', {}, 502],
    ['STRICT', { hostnameVerifier: 'STRICT' }, 502],
    ['ALLOW_ALL', { hostnameVerifier: 'ALLOW_ALL' }, 200],
  ])('verifies names with its own deprecated hostnameVerifier: %s', async (_name, verifier, status) => {
    const directory = secretFolder({ 'authorities.pem': ca.certificate });
    const { port } = await startTlsBackend(backendOptions(ca.issue({ names: ['other.test'] })));
    const tls = { type: 'ClientTlsOptions', config: { trustManager: trusts(directory) } };
    const { request } = await startTowards(`https://localhost:${port}`, { tls, ...verifier });
    expect((await request()).status).toBe(status);
  });

  it('can be configured with its deprecated fields alone', async () => {
    const client = ca.issue({ commonName: 'gateway', client: true });
    const directory = secretFolder({ 'authorities.pem': ca.certificate, 'own.pem': client.pem });
    const { port, server, connections } = await startTlsBackend({
      ...backendOptions(good),
      requestCert: true,
      ca: ca.certificate,
    });
    const spoken: unknown[] = [];
    server.on('secureConnection', (socket) => spoken.push(socket.getProtocol(), socket.getCipher().standardName));
    const { request } = await startTowards(`https://localhost:${port}`, {
      keyManager: shows(directory),
      trustManager: [trusts(directory)],
      sslEnabledProtocols: ['TLSv1.2'],
      sslCipherSuites: ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256'],
      sslContextAlgorithm: 'TLS',
    });
    expect((await request()).status).toBe(200);
    expect(connections[0]!.peer).toBe('gateway');
    expect(spoken).toEqual(['TLSv1.2', 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256']);
  });

  it.each([
    [{}, 2],
    [{ stateTrackingEnabled: false }, 1],
  ])('uses connections with a client certificate according to %j', async (more, expected) => {
    const client = ca.issue({ commonName: 'gateway', client: true });
    const directory = secretFolder({ 'authorities.pem': ca.certificate, 'own.pem': client.pem });
    const { port, connections } = await startTlsBackend({
      ...backendOptions(good),
      requestCert: true,
      ca: ca.certificate,
    });
    const config = { keyManager: shows(directory), trustManager: trusts(directory) };
    const { request } = await startTowards(`https://localhost:${port}`, {
      tls: { type: 'ClientTlsOptions', config },
      ...more,
    });
    await request();
    expect((await request()).status).toBe(200);
    expect(connections).toHaveLength(expected);
  });
});

describe('a change on disk', () => {
  it('counts for new connections: authorities, and the certificate that is shown', async () => {
    const client = (name: string) => ca.issue({ commonName: name, client: true }).pem;
    const stranger = certificateAuthority('stranger');
    const directory = secretFolder({ 'authorities.pem': stranger.certificate, 'own.pem': client('before') });
    const replace = (name: string, content: string): void => {
      writeFileSync(join(directory, `${name}.new`), content);
      renameSync(join(directory, `${name}.new`), join(directory, name));
    };
    const backend = await startTlsBackend({ ...backendOptions(good), requestCert: true, ca: ca.certificate });
    const config = { keyManager: shows(directory), trustManager: trusts(directory) };
    const { request, logged } = await startTowards(`https://localhost:${backend.port}`, {
      tls: { type: 'ClientTlsOptions', config },
    });
    expect((await request()).status).toBe(502);
    replace('authorities.pem', ca.certificate);
    await vi.waitFor(async () => expect((await request()).status).toBe(200), 10_000);
    replace('own.pem', client('after'));
    await vi.waitFor(async () => {
      expect((await request()).status).toBe(200);
      expect(backend.connections.at(-1)!.peer).toBe('after');
    }, 10_000);
    expect(JSON.stringify(logged)).not.toMatch(/PRIVATE KEY/);
  });
});

describe('nginx', () => {
  it('is a backend over TLS with HTTP/1.1 and HTTP/2', async () => {
    const directory = secretFolder({
      'authorities.pem': ca.certificate,
      'nginx.pem': good.chain,
      'nginx.key': good.key,
    });
    const port = await freePort();
    const conf = join(directory, 'nginx.conf');
    writeFileSync(
      conf,
      `daemon off; master_process off; pid ${directory}/pid; error_log stderr;
      events {}
      http { access_log off; server {
        listen 127.0.0.1:${port} ssl http2;
        ssl_certificate ${directory}/nginx.pem; ssl_certificate_key ${directory}/nginx.key;
        location / { return 200 "$server_protocol $ssl_server_name"; }
      } }`,
    );
    const nginx = spawn('/usr/sbin/nginx', ['-p', directory, '-e', 'stderr', '-c', conf], { stdio: 'ignore' });
    const ended = once(nginx, 'exit');
    onTestFinished(async () => {
      nginx.kill();
      await ended;
    });
    const tls = { type: 'ClientTlsOptions', config: { trustManager: trusts(directory) } };
    const one = await startTowards(`https://localhost:${port}`, { tls, protocolVersion: 'HTTP/1.1' });
    await vi.waitFor(async () => expect((await one.request()).body).toBe('HTTP/1.1 localhost'), 10_000);
    const two = await startTowards(`https://localhost:${port}`, { tls });
    expect((await two.request()).body).toBe('HTTP/2.0 localhost');
  });
});

/** A port that was free a moment ago: nginx cannot be asked which one it got. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
