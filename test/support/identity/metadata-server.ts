import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { HttpBackend } from '../backends/http-backend.ts';

/** Answers a request; `url` is that of the server, without a path. */
export type ScriptedAnswer = (response: ServerResponse, url: string) => void;

export interface MetadataServer {
  readonly url: string;
  /** Paths that were asked for, in order. */
  readonly asked: string[];
  /** Answers by path; every other path is a 404. */
  readonly answers: Map<string, ScriptedAnswer>;
}

export const OPENID_PATH = '/.well-known/openid-configuration';
export const OAUTH_PATH = '/.well-known/oauth-authorization-server';

/** A server that publishes what the test tells it to, until the end of the test. */
export async function startMetadataServer(
  answers: Readonly<Record<string, ScriptedAnswer>> = {},
): Promise<MetadataServer> {
  const asked: string[] = [];
  const byPath = new Map(Object.entries(answers));
  const backend = await HttpBackend.start((request, response) => {
    asked.push(request.url!);
    const answer = byPath.get(request.url!);
    if (answer === undefined) response.writeHead(404).end('nothing here');
    else answer(response, url);
  });
  onTestFinished(() => backend.close());
  const { host, port } = backend.destination;
  const url = `http://${host}:${port}`;
  return { url, asked, answers: byPath };
}

/** Metadata of the server itself; `path` follows its URL in the issuer. */
export function metadata(members: Readonly<Record<string, unknown>> = {}, path = ''): ScriptedAnswer {
  return (response, url) => {
    const whole = { issuer: `${url}${path}`, jwks_uri: `${url}/jwks`, token_endpoint: `${url}/token`, ...members };
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(whole));
  };
}
