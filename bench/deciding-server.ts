import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from './configured-peers.ts';

/** Enough of an access manager to allow GET for every resource, in this process. */
export async function startDecidingServer(): Promise<{ readonly port: number }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request.url!, Buffer.concat(chunks).toString(), response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port };
}

/** A PolicyEnforcementFilter with cached decisions about the session in the header `X-Session`, or of a filter before. */
export function policyFilter(port: number, ssoTokenSubject = "${request.headers['X-Session'][0]}"): Json {
  return {
    type: 'PolicyEnforcementFilter',
    config: {
      amService: amService(port),
      ssoTokenSubject,
      cache: { enabled: true, defaultTimeout: '1 hour' },
    },
  };
}

/** A SingleSignOnFilter with cached sessions, which come in the cookie `COOKIE`. */
export function signOnFilter(port: number): Json {
  const sessionCache = { enabled: true, maximumTimeToCache: '1 hour' };
  return { type: 'SingleSignOnFilter', config: { amService: amService(port, { sessionCache }) } };
}

/** Name of the cookie with session tokens. */
export const COOKIE = 'iPlanetDirectoryPro';

function amService(port: number, more: Readonly<Record<string, Json>> = {}): Json {
  return {
    type: 'AmService',
    config: {
      url: `http://127.0.0.1:${port}/openam`,
      agent: { username: 'gateway', passwordSecretId: 'agent.password' },
      secretsProvider: {
        type: 'Base64EncodedSecretStore',
        config: { secrets: { 'agent.password': Buffer.from('a password').toString('base64') } },
      },
      notifications: { enabled: false },
      ...more,
    },
  };
}

function answer(url: string, body: string, response: ServerResponse): void {
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(answerTo(url, body)));
}

function answerTo(url: string, body: string): object {
  if (url.includes('/authenticate')) return { tokenId: 'agent', successUrl: '/', realm: '/' };
  if (url.includes('/sessions')) return sessionInfo();
  if (!url.includes('/policies')) return { cookieName: COOKIE, version: '7.5.0' };
  const [resource] = (JSON.parse(body) as { resources: string[] }).resources;
  return [{ resource, actions: { GET: true, POST: false }, attributes: { role: ['gold'] }, advices: {} }];
}

function sessionInfo(): object {
  const later = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
  return {
    ...{ username: 'demo', universalId: 'id=demo,ou=user,dc=openam', realm: '/', sessionHandle: 'shandle:1' },
    ...{ latestAccessTime: later(0), maxIdleExpirationTime: later(1), maxSessionExpirationTime: later(2) },
  };
}
