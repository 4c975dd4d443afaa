import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ClusterApi } from '../../../../controller/cluster/api/api-client.ts';
import { ApiError } from '../../../../controller/cluster/api/api-error.ts';
import { certificateAuthority } from '../../../support/identity/certificates.ts';
import { watchedDirectory } from '../../../support/state/temporary-files.ts';

interface Seen {
  readonly authorization: string | undefined;
  /** Name in the client certificate; null without one. */
  readonly certificate: string | null;
  readonly names: readonly string[];
}

/** An API server that asks for client certificates, and a client with one, with a token and in the name of somebody. */
async function certified(status = 200) {
  const authority = certificateAuthority('cluster');
  const server = authority.issue({ names: ['127.0.0.1'] });
  const own = authority.issue({ client: true, commonName: 'controller' });
  const seen: Seen[] = [];
  const https = createServer(
    { key: server.key, cert: server.chain, ca: authority.certificate, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      const { authorization } = request.headers;
      seen.push({ authorization, certificate: subject?.CN?.toString() ?? null, names: Object.keys(request.headers) });
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"kind":"Status","message":"scripted"}');
    },
  );
  https.listen(0, '127.0.0.1');
  await once(https, 'listening');
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const user = {
    ...{ 'client-certificate-data': base64(own.chain), 'client-key-data': base64(own.key) },
    ...{ as: 'somebody', 'as-groups': ['system:masters'] },
  };
  const cluster = {
    server: `https://127.0.0.1:${(https.address() as AddressInfo).port}`,
    'certificate-authority-data': base64(authority.certificate),
  };
  const path = join(watchedDirectory().path, 'kubeconfig');
  writeFileSync(
    path,
    JSON.stringify({
      clusters: [{ name: 'a', cluster }],
      users: [{ name: 'a', user }],
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      'current-context': 'a',
    }),
  );
  const api = new ClusterApi({ kubeconfig: path });
  onTestFinished(async () => {
    await api.close();
    https.close();
    https.closeAllConnections();
  });
  return { api, seen };
}

describe('a call in the name of somebody else', () => {
  it('shows their token, and neither the certificate nor any other credential of the controller', async () => {
    const { api, seen } = await certified();
    await api.call({ method: 'GET', path: '/own' });
    await api.callAs('theirs', { method: 'GET', path: '/theirs' });
    await api.call({ method: 'GET', path: '/own' });
    expect(seen.map(({ certificate, authorization }) => [certificate, authorization])).toEqual([
      ['controller', undefined],
      [null, 'Bearer theirs'],
      ['controller', undefined],
    ]);
    expect(seen[1]!.names.filter((name) => name.startsWith('impersonate'))).toEqual([]);
  });

  it('is not repeated with the credentials of the controller when it is refused', async () => {
    const { api, seen } = await certified(401);
    const error: unknown = await api.callAs('theirs', { method: 'GET', path: '/' }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ status: 401, message: '401: scripted' });
    expect(error).toBeInstanceOf(ApiError);
    expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer theirs']);
  });
});
