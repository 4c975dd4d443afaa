import { sign } from '../../../dataplane/jose/signature.ts';
import { newKey } from '../identity/signing-keys.ts';
import { type AmAnswer, type AmCall, amError, cookieOf, escaped } from './am-call.ts';
import type { HeldSession, HeldSessions } from './am-sessions.ts';

type Members = Readonly<Record<string, unknown>>;

export interface AmOauth2Parts {
  readonly url: string;
  readonly cookieName: string;
  readonly sessions: HeldSessions;
}

const KEY_ID = 'am-signing';
const KEY = newKey('RS256', KEY_ID);

/** OAuth 2.0 of the access manager: introspection, and the ID tokens of cross-domain single sign-on. */
export class AmOauth2 {
  /** Answers of introspection by token; others are inactive. */
  readonly tokens = new Map<string, Members>();
  /** Clients that may introspect, with their secrets; null lets everyone. */
  clients: ReadonlyMap<string, string> | null = null;
  /** Claims of ID tokens, for tests that want them wrong. */
  claims: (sound: Members) => Members = (sound) => sound;
  /** The ID token of these claims. */
  idToken: (claims: Members) => string = (claims) => this.signed(claims);
  private readonly parts: AmOauth2Parts;

  constructor(parts: AmOauth2Parts) {
    this.parts = parts;
  }

  /** A token that is signed as all are. */
  signed(claims: Members): string {
    return sign({ kid: KEY_ID, typ: 'JWT' }, JSON.stringify(claims), KEY.own, 'RS256');
  }

  issuer(realm: string): string {
    return `${this.parts.url}/oauth2${realm === '/' ? '' : realm}`;
  }

  serve(call: AmCall): AmAnswer {
    switch (call.path) {
      case '/oauth2/introspect':
        return this.introspect(call);
      case '/oauth2/connect/jwk_uri':
        return {
          status: 200,
          body: { keys: [{ ...KEY.other.key.export({ format: 'jwk' }), kid: KEY_ID, use: 'sig', alg: 'RS256' }] },
        };
      case '/oauth2/authorize':
        return this.authorize(call);
      default:
        return amError(404, 'Not Found');
    }
  }

  private introspect(call: AmCall): AmAnswer {
    const { clients } = this;
    if (clients !== null) {
      const [, basic] = /^Basic (.+)$/i.exec(call.headers.authorization ?? '') ?? [];
      const [id = '', secret] = Buffer.from(basic ?? '', 'base64')
        .toString()
        .split(':')
        .map(decodeURIComponent);
      if (secret === undefined || clients.get(id) !== secret) {
        return { status: 401, body: { error: 'invalid_client', error_description: 'Client authentication failed' } };
      }
    }
    const token = new URLSearchParams(call.body).get('token') ?? call.query.get('token') ?? '';
    const known = this.tokens.get(token);
    return { status: 200, body: known === undefined ? { active: false } : { active: true, ...known } };
  }

  /** Sends users without a session to the login page, others back with an ID token whose subject is their session. */
  private authorize(call: AmCall): AmAnswer {
    const { url, cookieName, sessions } = this.parts;
    const session = sessions.find(cookieOf(call, cookieName));
    const { query } = call;
    if (query.get('response_type') !== 'id_token') return amError(400, 'unsupported_response_type');
    if (session === null) {
      const goto = new URLSearchParams({ goto: `${new URL(url).origin}${call.url}`, realm: call.realm! });
      return { status: 302, headers: { Location: `${url}/?${goto}` } };
    }
    const idToken = this.idToken(this.claims(this.claimsOf(session, call)));
    const fields = { id_token: idToken, ...(query.has('state') && { state: query.get('state')! }) };
    return formPost(query.get('redirect_uri')!, fields);
  }

  private claimsOf(session: HeldSession, { query, realm }: AmCall): Members {
    const now = Math.floor(Date.now() / 1000);
    return {
      iss: this.issuer(realm!),
      sub: session.tokenId,
      subname: session.username,
      aud: query.get('client_id'),
      azp: query.get('client_id'),
      nonce: query.get('nonce') ?? undefined,
      realm: session.realm,
      tokenType: 'JWTToken',
      iat: now,
      exp: now + 600,
    };
  }
}

function formPost(action: string, fields: Readonly<Record<string, string>>): AmAnswer {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`,
  );
  const body = `<!doctype html><title>Submit this form</title><body onload="document.forms[0].submit()">
<form method="post" action="${escaped(action)}">${inputs.join('')}</form>`;
  return { status: 200, headers: { 'Content-Type': 'text/html;charset=UTF-8' }, body };
}
