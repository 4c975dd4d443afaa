import { errorText } from '../../../platform/error-text.ts';
import type { Exchange, Next } from '../../engine/message/exchange.ts';
import type { ClientRegistration } from '../../heap/objects/openid-client.ts';
import { SignInFailed, unreachable } from '../client/sign-in-failed.ts';
import { readDiscoveryInput } from './discovery-input.ts';
import type { DynamicRegistrations } from './dynamic-registrations.ts';
import { foundIssuer } from './found-issuer.ts';

/** Finds the registration for what a user typed in. */
export class UserIssuers {
  private readonly registrations: readonly ClientRegistration[];
  private readonly dynamic: DynamicRegistrations | null;
  private readonly handler: Next;

  constructor(registrations: readonly ClientRegistration[], dynamic: DynamicRegistrations | null, handler: Next) {
    this.registrations = registrations;
    this.dynamic = dynamic;
    this.handler = handler;
  }

  /**
   * The registration whose issuer supports the domain of the input; otherwise one at the issuer that the input leads to,
   * where the gateway may register itself. Rejects with SignInFailed.
   */
  async find(text: string, exchange: Exchange): Promise<ClientRegistration> {
    const input = readDiscoveryInput(text);
    if (input === null) throw wrong("'discovery' is no user@domain, no domain and no URL");
    const supporting = this.registrations.find(({ issuer }) => issuer.supports(input.domain));
    if (supporting !== undefined) return supporting;
    const { dynamic } = this;
    if (dynamic === null) throw wrong('no registration is for users of this domain');
    dynamic.demandHttps(input.origin);
    try {
      return await dynamic.register(await foundIssuer(input, this.handler, exchange), exchange);
    } catch (error) {
      if (error instanceof SignInFailed) throw error;
      throw unreachable(errorText(error));
    }
  }
}

function wrong(message: string): SignInFailed {
  return new SignInFailed('sign-in-request', 'invalid_request', message);
}
