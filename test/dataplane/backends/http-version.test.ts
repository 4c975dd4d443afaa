import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer, type SecureServerOptions } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { ask } from '../../support/answers.ts';
import { certificateAuthority } from '../../support/certificates.ts';
import { startConfigured } from '../../support/configured-gateway.ts';
import { Http2Backend } from '../../support/http2-backend.ts';
import { eachRequest, plainAnswer, ScriptedBackend } from '../../support/scripted-backend.ts';
import { secretFolder } from '../../support/secret-folder.ts';

const authority = certificateAuthority('backends');
const { chain, key } = authority.issue({ names: ['localhost'] });
const client = authority.issue({ commonName: 'gateway', client: true });

/** `tls` of a handler that trusts the backends, and shows a certificate if it is told to. */
function tlsOptions(options: JsonObject = {}, shows = false): JsonObject {
  const directory = secretFolder({ 'authorities.pem': authority.certificate, 'own.pem': client.pem });
  const secretsProvider = {
    type: 'FileSystemSecretStore',
    config: { directory, suffix: '.pem', format: { type: 'PemPropertyFormat' } },
  };
  const trustManager = {
    type: 'SecretsTrustManager',
    config: { verificationSecretId: 'authorities', secretsProvider, checkRevocation: false },
  };
  const keyManager = { type: 'SecretsKeyManager', config: { signingSecretId: 'own', secretsProvider } };
  return { type: 'ClientTlsOptions', config: { ...options, trustManager, ...(shows && { keyManager }) } };
}

/** A gateway whose handler sends everything to a backend with this base URI. */
async function startTowards(baseURI: string, config: JsonObject) {
  const gateway = await startConfigured({ handler: { type: 'ReverseProxyHandler', config, baseURI } });
  onTestFinished(() => gateway.close());
  return { ...gateway, request: () => ask(gateway.port, 'GET / HTTP/1.1\r\nHost: h\r\n') };
}

/** A backend that answers with the version of HTTP that it was spoken to in. */
async function startSecure(
  options: SecureServerOptions = {},
  create: (options: SecureServerOptions) => Server = createSecureServer,
): Promise<{ port: number; connections: () => number }> {
  const sockets = new Set<{ destroy(): void }>();
  let connections = 0;
  const server = create({ cert: chain, key, allowHTTP1: true, ...options });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => response.end(request.httpVersion));
  server.on('secureConnection', (socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

describe('a backend with TLS', () => {
  it.each([
    [{}, true, '2.0'],
    [{ protocolVersion: 'HTTP/2' }, true, '2.0'],
    [{ protocolVersion: 'HTTP/1.1' }, true, '1.1'],
    [{}, false, '1.1'],
    [{ protocolVersion: 'HTTP/1.1' }, false, '1.1'],
  ])('with %j and alpn %j is spoken to in HTTP/%s', async (config, enabled, version) => {
    const { port } = await startSecure();
    const tls = tlsOptions({ alpn: { enabled } });
    const { request } = await startTowards(`https://localhost:${port}`, { ...config, tls });
    expect(await request()).toMatchObject({ status: 200, body: version });
  });

  it('that does not speak HTTP/2 is spoken to in HTTP/1.1, and told of once', async () => {
    const { port } = await startSecure({}, createServer);
    const tls = tlsOptions();
    const towards = `https://localhost:${port}`;
    const { request, logged } = await startTowards(towards, {
      protocolVersion: 'HTTP/2',
      disableReuseConnection: true,
      tls,
    });
    for (let i = 0; i < 3; i++) expect((await request()).body).toBe('1.1');
    const told = logged.filter((line) => JSON.stringify(line).includes('does not speak HTTP/2'));
    expect(told).toEqual([expect.objectContaining({ backend: `localhost:${port}` })]);
  });

  it.each([
    [{}, 3],
    [{ stateTrackingEnabled: true }, 3],
    [{ stateTrackingEnabled: false }, 1],
    [{ disableReuseConnection: true, stateTrackingEnabled: false }, 3],
    [{ disableReuseConnection: true, stateTrackingEnabled: true }, 3],
  ])('that is shown a certificate, with %j, has %i connections for three requests', async (config, connections) => {
    for (const protocolVersion of ['HTTP/2', 'HTTP/1.1']) {
      const backend = await startSecure({ requestCert: true, ca: authority.certificate });
      const tls = tlsOptions({}, true);
      const towards = `https://localhost:${backend.port}`;
      const { request } = await startTowards(towards, { ...config, protocolVersion, tls });
      for (let i = 0; i < 3; i++) expect((await request()).status).toBe(200);
      expect(backend.connections()).toBe(connections);
    }
  });

  it('that is shown no certificate keeps its connections', async () => {
    const backend = await startSecure();
    const tls = tlsOptions();
    const { request } = await startTowards(`https://localhost:${backend.port}`, { stateTrackingEnabled: true, tls });
    for (let i = 0; i < 3; i++) expect((await request()).status).toBe(200);
    expect(backend.connections()).toBe(1);
  });
});

describe('a backend without TLS', () => {
  it.each([
    [{}, false],
    [{ protocolVersion: 'HTTP/1.1' }, false],
    [{ protocolVersion: 'HTTP/2' }, true],
    [{ protocolVersion: 'HTTP/2', http2PriorKnowledge: false }, true],
  ])('with %j is spoken to in HTTP/1.1; asked to upgrade: %j', async (config, asked) => {
    const backend = await ScriptedBackend.start(eachRequest(() => plainAnswer('fine')));
    onTestFinished(() => backend.close());
    const { request, logged } = await startTowards(`http://127.0.0.1:${backend.port}`, config);
    for (let i = 0; i < 2; i++) expect((await request()).body).toBe('fine');
    const upgrades = backend.requests.map(({ headers }) => headers.some(([name]) => name.toLowerCase() === 'upgrade'));
    expect(upgrades).toEqual([asked, false]);
    const told = logged.filter((line) => JSON.stringify(line).includes('does not speak HTTP/2'));
    expect(told).toHaveLength(asked ? 1 : 0);
  });

  it('that is known to speak HTTP/2 is spoken to in it', async () => {
    const backend = await Http2Backend.start((stream) => {
      stream.respond({ ':status': 200 });
      stream.end('in HTTP/2');
    });
    onTestFinished(() => backend.close());
    const { host, port } = backend.destination;
    const config = { protocolVersion: 'HTTP/2', http2PriorKnowledge: true };
    const { request } = await startTowards(`http://${host}:${port}`, config);
    expect((await request()).body).toBe('in HTTP/2');
    expect(backend.requests[0]).toMatchObject({ ':scheme': 'http', ':authority': 'h' });
  });
});
