import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Certifiers, certifiers, PeerGateway, routeTo } from '../../support/gateways/peer-gateway.ts';
import type { Certified } from '../../support/identity/certificates.ts';
import { curl } from '../../support/programs/curl.ts';
import { INSTALLATION, installPrograms, programPath } from '../../support/programs/debian-program.ts';
import { NginxPeer } from '../../support/programs/nginx-peer.ts';
import { runProgram } from '../../support/programs/run-program.ts';

const who = certifiers();
let nginx: NginxPeer | undefined;
let gateway: PeerGateway | undefined;
let canary: Server | undefined;

beforeAll(() => installPrograms(['nginx', 'h2load', 'curl']), INSTALLATION);

afterEach(async () => {
  await gateway?.stop();
  await nginx?.stop();
  canary?.closeAllConnections();
  canary?.close();
  gateway = nginx = canary = undefined;
});

const LOCATIONS = 'location / { default_type text/plain; return 200 "hello"; }';
/** Requests of one run of the load; it has its own connections. */
const REQUESTS = 1500;

async function start(): Promise<void> {
  const certified = who.backends.issue({ names: ['localhost'], commonName: 'first' });
  nginx = await NginxPeer.start({ certified, locations: LOCATIONS, clients: who.clients.certificate });
  const secure = `https://localhost:${nginx.tls}`;
  gateway = await PeerGateway.start(who, {
    units: 2,
    routes: {
      h2: { to: secure, config: { protocolVersion: 'HTTP/2', stateTrackingEnabled: false } },
      tls1: { to: secure, config: { protocolVersion: 'HTTP/1.1', stateTrackingEnabled: false } },
      h2c: { to: `http://127.0.0.1:${nginx.h2c}`, config: { protocolVersion: 'HTTP/2', http2PriorKnowledge: true } },
      plain: { to: `http://127.0.0.1:${nginx.plain}` },
    },
  });
}

/** Keeps the gateway busy over TLS until `work` is done. @returns what h2load said of each run that was not all well. */
async function loadWhile(path: string, work: () => Promise<void>): Promise<string[]> {
  const complaints: string[] = [];
  let over = false;
  const url = `https://localhost:${gateway!.tls}/${path}/x`;
  const loading = (async () => {
    while (!over) {
      const words = ['-n', `${REQUESTS}`, '-c', '6', '-m', '10', url];
      const { code, stdout, stderr } = await runProgram(programPath('h2load'), words);
      const isWell = stdout.includes(`${REQUESTS} succeeded, 0 failed`) && stdout.includes(`${REQUESTS} 2xx`);
      if (code !== 0 || !isWell) complaints.push(stdout + stderr);
    }
  })();
  await work().finally(() => (over = true));
  await loading;
  return complaints;
}

/** Reloads nginx, and waits until another process serves. @returns what waits until the one before has finished. */
async function reload(): Promise<() => Promise<void>> {
  const before = nginx!.workers();
  nginx!.reload();
  await vi.waitFor(() => expect(nginx!.workers().some((pid) => !before.includes(pid))).toBe(true), 10_000);
  return () => vi.waitFor(() => expect(nginx!.workers().filter((pid) => before.includes(pid))).toEqual([]), 10_000);
}

describe('nginx that is reloaded under load', () => {
  it.each(['h2', 'h2c', 'tls1', 'plain'])('loses no request, by the route %s', async (route) => {
    await start();
    const complaints = await loadWhile(route, async () => {
      for (let i = 0; i < 8; i++) await reload();
    });
    expect(gateway!.warnings()).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

/** The name in the certificate that the gateway shows. */
async function shown(): Promise<unknown> {
  const socket = connect({ port: gateway!.tls, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return subject.CN;
}

describe('keys and certificates that are renewed under load', () => {
  it('loses no request when the certificates for clients are replaced', async () => {
    await start();
    const complaints = await loadWhile('h2', async () => {
      for (const commonName of ['one', 'two', 'three']) {
        const renewed = who.gateway.issue({ names: ['localhost', '127.0.0.1'], commonName });
        gateway!.folder.replace('secrets/default.tls.pem', renewed.pem);
        await vi.waitFor(async () => {
          for (let i = 0; i < 4; i++) expect(await shown()).toBe(commonName);
        }, 20_000);
      }
    });
    expect(gateway!.warnings()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('loses no request when the certificates of CA, backend and gateway are replaced', async () => {
    await start();
    const next = certifiers();
    await startCanary(next);
    const backend = next.backends.issue({ names: ['localhost'] });
    const serve = async (certified: Certified, clients: string): Promise<void> => {
      nginx!.configure({ certified, locations: LOCATIONS, clients });
      const finished = await reload();
      await finished();
    };
    const complaints = await loadWhile('h2', async () => {
      // first both trust what is new, then they show it, then they trust nothing else
      await serve(who.backends.issue({ names: ['localhost'] }), who.clients.certificate + next.clients.certificate);
      gateway!.folder.replace('secrets/backends.pem', who.backends.certificate + next.backends.certificate);
      await untilCanary(/^authority of clients \w+$/);
      gateway!.folder.replace('secrets/self.tls.pem', next.self.pem);
      await untilCanary(new RegExp(fingerprint(next.self)));
      await serve(backend, next.clients.certificate);
      gateway!.folder.replace('secrets/backends.pem', next.backends.certificate);
      expect((await curl(`http://127.0.0.1:${gateway!.plain}/tls1/x`)).body).toBe('hello');
    });
    expect(gateway!.warnings().filter((line) => !line.includes('.canary.'))).toEqual([]); // it is asked before it is trusted
    expect(complaints).toEqual([]);
  });
});

/** Starts a backend that only the new authority certifies, and that says which certificate it was shown. */
async function startCanary(next: Certifiers): Promise<void> {
  const { chain, key } = next.backends.issue({ names: ['localhost'] });
  const options = { cert: chain, key, requestCert: true, rejectUnauthorized: false };
  canary = createServer(options, (request, response) => {
    const { issuer, fingerprint256 } = (request.socket as TLSSocket).getPeerCertificate();
    response.end(`${issuer.CN} ${fingerprint256.replaceAll(':', '')}`);
  }).listen(0, '127.0.0.1');
  await once(canary, 'listening');
  const { port } = canary.address() as AddressInfo;
  const config = { disableReuseConnection: true };
  gateway!.folder.write('config/routes/canary.json', routeTo('canary', { to: `https://localhost:${port}`, config }));
  gateway!.process.signal('SIGHUP');
}

const fingerprint = ({ certificate }: Certified): string =>
  new X509Certificate(certificate).fingerprint256.replaceAll(':', '');

/** Waits until every unit trusts the new authority, and shows what is wanted. */
async function untilCanary(expected: RegExp): Promise<void> {
  await vi.waitFor(
    async () => {
      for (let i = 0; i < 8; i++) {
        expect((await curl(`http://127.0.0.1:${gateway!.plain}/canary`)).body).toMatch(expected);
      }
    },
    { timeout: 20_000, interval: 50 },
  );
}
