import { errorText } from '../../../platform/error-text.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import { isForm } from '../../engine/message/form-content.ts';
import { Response } from '../../engine/message/response.ts';
import type { Parts } from '../../heap/definition.ts';
import { type Denials, denials } from '../../heap/objects/denials.ts';
import type { ClientRegistration } from '../../heap/objects/openid-client.ts';
import { SeenProofs } from '../../oauth2/seen-proofs.ts';
import { type LogoutToken, readLogoutToken } from './logout-token.ts';
import { endByProvider } from './session-end.ts';
import type { SessionLifetime } from './session-lifetime.ts';

const MOST_CONTENT = 128 << 10;

/** Ends sessions when their provider says so (OpenID Connect Back-Channel Logout 1.0). */
export class BackChannelLogout {
  private readonly lifetime: SessionLifetime;
  private readonly registrations: () => readonly ClientRegistration[];
  private readonly denied: Denials<'logout-token' | 'not-judged-now'>;
  private readonly parts: Parts;
  private used: SeenProofs | null = null;

  constructor(lifetime: SessionLifetime, registrations: () => readonly ClientRegistration[], parts: Parts) {
    this.lifetime = lifetime;
    this.registrations = registrations;
    this.denied = denials(parts, ['logout-token', 'not-judged-now']);
    this.parts = parts;
  }

  /** Answers a POST with a logout token. */
  async handle(exchange: Exchange): Promise<Response> {
    const { request } = exchange;
    const tokens = isForm(request) ? (await request.entity.form(MOST_CONTENT)).getAll('logout_token') : [];
    if (tokens.length !== 1) return this.refused(exchange, "the request is no form with one 'logout_token'");
    const read = await this.read(tokens[0]!).catch((error: unknown) => new Error(errorText(error)));
    if (typeof read === 'string') return this.refused(exchange, read);
    if (read instanceof Error) {
      this.parts.log.warn({ reason: read.message }, 'could not verify a logout token; the session goes on');
      return unstored(this.denied.answer(exchange, 'not-judged-now', undefined, read.message));
    }
    const { token, registration } = read;
    const now = Date.now();
    const sighting = this.seen().add(token.id, Math.floor(now / 1000), Math.ceil(token.usableUntil / 1000));
    if (sighting !== 'new') return this.refused(exchange, 'the logout token was used before');
    endByProvider(this.lifetime.ended, this.lifetime.audience(registration.clientId), token, now);
    return unstored(new Response(200));
  }

  /** The token and the registration that it is for; a text says what is wrong with it. */
  private async read(
    text: string,
  ): Promise<string | { readonly token: LogoutToken; readonly registration: ClientRegistration }> {
    let fault = 'there is no registration for it';
    let failure: unknown = null;
    for (const registration of this.registrations()) {
      try {
        const token = await readLogoutToken(text, registration, Date.now());
        if (typeof token !== 'string') return { token, registration };
        fault = token;
      } catch (error) {
        failure = error; // it may be for another registration
      }
    }
    if (failure !== null) throw failure;
    return fault;
  }

  private refused(exchange: Exchange, reason: string): Response {
    const answer = this.denied.answer(exchange, 'logout-token', undefined, reason);
    answer.headers.append('Content-Type', 'application/json');
    answer.entity.set(JSON.stringify({ error: 'invalid_request', error_description: reason }));
    return unstored(answer);
  }

  /** Taken with the first logout token: most gateways get none. */
  private seen(): SeenProofs {
    if (this.used !== null) return this.used;
    const { plane, realm, onClose } = this.parts;
    const memory = plane.sharedMemory(`logout tokens ${realm}`, SeenProofs.bytes);
    onClose(() => memory.release());
    this.used = new SeenProofs(memory.buffer);
    return this.used;
  }
}

function unstored(response: Response): Response {
  response.headers.set('Cache-Control', 'no-store');
  return response;
}
