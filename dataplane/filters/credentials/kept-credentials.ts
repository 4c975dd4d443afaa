import type { Exchange } from '../../engine/message/exchange.ts';
import type { Session } from '../../engine/message/session.ts';

/** Accepted credentials for one application, in a session. */
export class KeptCredentials {
  /** User name and password in base64; null for none. */
  readonly credentials: string | null;
  private readonly session: Session;
  private readonly name: string;

  constructor(session: Session, name: string) {
    const value = session.peek(name);
    this.credentials = typeof value === 'string' ? value : null;
    this.session = session;
    this.name = name;
  }

  /** Whether they may be used for a request. @param user whom the request is of; null where that is not known */
  isOf(user: string | null): boolean {
    if (this.credentials === null) return false;
    if (user === null) return true;
    const text = Buffer.from(this.credentials, 'base64').toString();
    return text.slice(0, text.indexOf(':')) === user;
  }

  keep(credentials: string): void {
    if (credentials !== this.credentials) this.session.set(this.name, credentials);
  }

  forget(): void {
    this.session.delete(this.name);
  }
}

/** The credentials for where a request goes; null where there are no sessions. */
export function keptCredentials({ session, request: { uri } }: Exchange): KeptCredentials | null {
  return session === null ? null : new KeptCredentials(session, `basic-auth:${uri.scheme}:${uri.host}:${uri.port}`);
}
