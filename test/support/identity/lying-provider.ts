import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { sign } from '../../../dataplane/jose/signature.ts';
import { HttpBackend } from '../backends/http-backend.ts';
import { newKey } from './signing-keys.ts';

type Members = Readonly<Record<string, unknown>>;

const KEY = newKey('RS256', 'signing');

/** An OpenID provider that follows the protocol except where a test tells it to lie. */
export class LyingProvider {
  readonly issuer: string;
  /** Paths that were asked for, in order. */
  readonly asked: string[] = [];
  /** Codes that the gateway sent, in order. */
  readonly codes: string[] = [];
  /** Authorization requests as they were sent to it. */
  readonly requests: URLSearchParams[] = [];
  /** Members of its metadata. */
  metadata: (sound: Members) => Members = (sound) => sound;
  /** Parameters of the callback. */
  callback: (sound: URLSearchParams) => URLSearchParams = (sound) => sound;
  /** Claims of ID tokens. */
  claims: (sound: Members) => Members = (sound) => sound;
  /** The ID token of these claims. */
  idToken: (claims: Members) => string = signed;
  /** The answer of the token endpoint. */
  tokens: (sound: Members) => Members = (sound) => sound;
  tokenStatus = 200;
  private readonly nonces = new Map<string, string | null>();

  private constructor(issuer: string) {
    this.issuer = issuer;
  }

  static async start(): Promise<LyingProvider> {
    const backend = await HttpBackend.start((request, response) => provider.serve(request, response));
    const { host, port } = backend.destination;
    const provider = new LyingProvider(`http://${host}:${port}`);
    onTestFinished(() => backend.close());
    return provider;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, this.issuer);
    this.asked.push(`${request.method} ${pathname}`);
    const { issuer } = this;
    switch (pathname) {
      case '/.well-known/openid-configuration':
        return json(response, 200, this.metadata(metadataOf(issuer)));
      case '/jwks':
        return json(response, 200, { keys: [{ ...KEY.other.key.export({ format: 'jwk' }), kid: 'signing' }] });
      case '/authorize':
        return this.authorize(searchParams, response);
      case '/token':
        return this.token(new URLSearchParams(await bodyOf(request)), response);
      default:
        response.writeHead(404).end();
    }
  }

  private authorize(request: URLSearchParams, response: ServerResponse): void {
    this.requests.push(request);
    const code = randomUUID();
    this.nonces.set(code, request.get('nonce'));
    const sound = new URLSearchParams({ code, state: request.get('state')!, iss: this.issuer });
    response.writeHead(302, { Location: `${request.get('redirect_uri')}?${this.callback(sound)}` }).end();
  }

  private token(form: URLSearchParams, response: ServerResponse): void {
    const code = form.get('code')!;
    this.codes.push(code);
    const now = Math.floor(Date.now() / 1000);
    const accessToken = randomUUID();
    const claims = this.claims({
      iss: this.issuer,
      sub: 'ada',
      aud: 'gateway',
      iat: now,
      exp: now + 600,
      at_hash: createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url'),
      nonce: this.nonces.get(code) ?? undefined,
    });
    const sound = { access_token: accessToken, token_type: 'Bearer', expires_in: 600, id_token: this.idToken(claims) };
    json(response, this.tokenStatus, this.tokens(sound));
  }
}

/** A token that is signed as all are. */
export function signed(claims: Members): string {
  return sign({ kid: 'signing' }, JSON.stringify(claims), KEY.own, 'RS256');
}

/** The public key as text, which a careless reader takes for the secret of HS256. */
export const PUBLIC_KEY = KEY.other.key.export({ type: 'spki', format: 'pem' }).toString();

function metadataOf(issuer: string): Members {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    authorization_response_iss_parameter_supported: true,
    id_token_signing_alg_values_supported: ['RS256'],
  };
}

function json(response: ServerResponse, status: number, members: Members): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(members));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
