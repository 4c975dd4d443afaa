/** `npm run bench:sign-ins`: the processor time of the gateway for a sign-in, from the first redirect to the session. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { scriptOptions } from '../platform/script-options.ts';
import { forwards, gateway, instance, type Json } from './configured-peers.ts';
import { readCpu } from './measure/measure-cpu.ts';
import { stopEverythingAtExit } from './measure/started-process.ts';
import { outFolder } from './paths.ts';
import { type RunningPeer, startPeer } from './peer.ts';
import { sessionManager } from './session-cookies.ts';

const PARALLEL = 16;
const ROUNDS = 5;

/** A provider that signs in whoever comes: the code of a sign-in is its nonce. */
class QuickProvider {
  readonly issuer: string;
  private readonly server: Server;
  private readonly keys = generateKeyPairSync('rsa', { modulusLength: 2048 });

  constructor(server: Server) {
    this.server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (incoming: IncomingMessage, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        response.setHeader('Content-Type', 'application/json');
        response.end(JSON.stringify(this.answer(incoming.url!, Buffer.concat(chunks).toString())));
      });
    });
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private answer(url: string, form: string): object {
    const { issuer } = this;
    if (url === '/jwks') {
      return { keys: [{ ...this.keys.publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }] };
    }
    if (url === '/token') {
      const nonce = new URLSearchParams(form).get('code')!;
      return { access_token: randomBytes(32).toString('hex'), token_type: 'Bearer', id_token: this.idToken(nonce) };
    }
    return {
      issuer,
      ...{ authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` },
      id_token_signing_alg_values_supported: ['RS256'],
    };
  }

  private idToken(nonce: string): string {
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const iat = Math.floor(Date.now() / 1000);
    const claims = { iss: this.issuer, aud: 'bench', sub: 'user-1842', iat, exp: iat + 600, nonce };
    const input = `${part({ alg: 'RS256', kid: 'k' })}.${part(claims)}`;
    return `${input}.${sign('sha256', Buffer.from(input), this.keys.privateKey).toString('base64url')}`;
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });

/** Asks for a page as a browser does. @returns where it is sent, and its new cookies */
async function visit(port: number, path: string, cookie: string): Promise<{ location: string; cookies: string[] }> {
  const headers = { Host: 'shop.example.com', Accept: 'text/html', Cookie: cookie };
  const outgoing = request({ host: '127.0.0.1', port, path, headers, agent }).end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  const { location, 'set-cookie': lines = [] } = response.headers;
  if (location === undefined) throw new Error(`${path} was answered with ${response.statusCode}`);
  return { location, cookies: lines.map((line) => line.split(';', 1)[0]!) };
}

async function signIn(port: number): Promise<void> {
  const begun = await visit(port, '/api/v1/orders/1', 'theme=dark');
  const asked = new URL(begun.location).searchParams;
  const query = new URLSearchParams({ state: asked.get('state')!, code: asked.get('nonce')! });
  const { cookies } = await visit(port, `/api/v1/orders/openid/callback?${query}`, begun.cookies.join('; '));
  if (!cookies.some((line) => line.startsWith('session='))) throw new Error('the callback set no session');
}

async function measure(port: number, pid: number, count: number): Promise<number> {
  const before = readCpu(pid, process.pid);
  let left = count;
  const client = async (): Promise<void> => {
    while (left-- > 0) await signIn(port);
  };
  await Promise.all(Array.from({ length: PARALLEL }, client));
  return (readCpu(pid, process.pid).proxy - before.proxy) / 1000 / count;
}

function route(issuer: string, backend: number): Json {
  const directory = outFolder('sign-ins');
  writeFileSync(join(directory, 'session.key'), randomBytes(32));
  const signsIn = {
    type: 'AuthorizationCodeOAuth2ClientFilter',
    config: {
      clientEndpoint: '/api/v1/orders/openid',
      registrations: [{ type: 'ClientRegistration', config: { issuer, clientId: 'bench', scopes: ['openid'] } }],
      requireHttps: false,
      failureHandler: {
        type: 'StaticResponseHandler',
        config: { status: 403, entity: '${contexts.oauth2Failure.description}' },
      },
    },
  };
  return { ...(forwards('/api/v1/orders/', backend, [signsIn]) as object), session: sessionManager(directory) };
}

const USAGE = `usage: npm run bench:sign-ins -- [COUNT]
Measures the processor time of the gateway for a sign-in at an OpenID provider, with sessions in cookies.
  COUNT  how many sign-ins in each of ${ROUNDS} rounds (1000)
`;
const [count = '1000'] = scriptOptions(USAGE, {}, 1).words;
stopEverythingAtExit();
const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const provider = new QuickProvider(server);
const running: RunningPeer = await startPeer(
  {
    ...{ name: 'gatewarden-sign-in', title: 'Gatewarden', role: 'compared', warmup: 0, needs: [] },
    version: () => 'gatewarden run',
    command: (place) => gateway(place, instance(place.folder, { orders: route(provider.issuer, place.backend) })),
  },
  0,
  9,
);
await measure(running.port, running.pid, Number(count));
const rounds: number[] = [];
for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(running.port, running.pid, Number(count)));
rounds.sort((one, other) => one - other);
const [lowest, median, highest] = [rounds[0]!, rounds[ROUNDS >> 1]!, rounds.at(-1)!];
const range = `${Math.round(lowest)}–${Math.round(highest)}`;
console.log(`a sign-in takes ${Math.round(median)} µs (${range}): ${Math.round(1e6 / median)} a second and core`);
await running.stop();
agent.destroy();
provider.close();
