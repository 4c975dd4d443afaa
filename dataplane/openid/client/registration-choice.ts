import type { ClientRegistration } from '../../heap/objects/openid-client.ts';
import type { DynamicRegistrations } from '../discovery/dynamic-registrations.ts';
import { SignInFailed } from './sign-in-failed.ts';
import type { SignedIn } from './signed-in.ts';

/** The registrations that users of a client can sign in with. */
export class RegistrationChoice {
  readonly all: readonly ClientRegistration[];
  private readonly names: ReadonlyMap<string, ClientRegistration>;
  private readonly dynamic: DynamicRegistrations | null;

  /** @throws where two have the same name */
  constructor(all: readonly ClientRegistration[], dynamic: DynamicRegistrations | null) {
    this.all = all;
    this.dynamic = dynamic;
    this.names = new Map(all.map((one) => [one.name, one]));
    if (this.names.size === all.length) return;
    throw new Error("two registrations have the same name: give each a 'name' of its own");
  }

  /** The registration that a user signed in or began to sign in with; null where it is another one by now, or here. */
  of({ registration, client }: Pick<SignedIn, 'registration' | 'client'>): ClientRegistration | null {
    const found = this.names.get(registration) ?? this.dynamic?.byName(registration) ?? null;
    return found?.identity === client ? found : null;
  }

  /** The registration of a client with only one. @throws SignInFailed */
  get only(): ClientRegistration {
    return this.chosen(null, null);
  }

  /** The one that a user chose by client id or name, and by the name or the URL of its issuer. @throws SignInFailed */
  chosen(registration: string | null, issuer: string | null): ClientRegistration {
    const found = this.all.filter(
      (one) =>
        (registration === null || one.clientId === registration || one.name === registration) &&
        (issuer === null || one.issuer.name === issuer),
    );
    if (found.length === 1) return found[0]!;
    const what = found.length === 0 ? 'names no registration' : 'does not say which of several registrations to use';
    throw new SignInFailed('sign-in-request', 'invalid_request', `the request ${what}`);
  }
}
