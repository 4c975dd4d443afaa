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

/** A PolicyEnforcementFilter with cached decisions about the session in the header `X-Session`. */
export function policyFilter(port: number): Json {
  return {
    type: 'PolicyEnforcementFilter',
    config: {
      amService: {
        type: 'AmService',
        config: {
          url: `http://127.0.0.1:${port}/openam`,
          agent: { username: 'gateway', passwordSecretId: 'agent.password' },
          secretsProvider: {
            type: 'Base64EncodedSecretStore',
            config: { secrets: { 'agent.password': Buffer.from('a password').toString('base64') } },
          },
          notifications: { enabled: false },
        },
      },
      ssoTokenSubject: "${request.headers['X-Session'][0]}",
      cache: { enabled: true, defaultTimeout: '1 hour' },
    },
  };
}

function answer(url: string, body: string, response: ServerResponse): void {
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(answerTo(url, body)));
}

function answerTo(url: string, body: string): object {
  if (url.includes('/authenticate')) return { tokenId: 'agent', successUrl: '/', realm: '/' };
  if (!url.includes('/policies')) return { cookieName: 'iPlanetDirectoryPro', version: '7.5.0' };
  const [resource] = (JSON.parse(body) as { resources: string[] }).resources;
  return [{ resource, actions: { GET: true, POST: false }, attributes: { role: ['gold'] }, advices: {} }];
}
