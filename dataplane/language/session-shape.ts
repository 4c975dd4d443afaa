import type { Shape } from '../../contract/expression/language.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import type { Session } from '../engine/message/session.ts';

/** A map of JSON values. It cannot be printed as a whole: sessions hold tokens. */
export const sessionShape: Shape<Session> = {
  name: '{…}',
  properties: {},
  entries: {
    get: (session, name) => session.get(name),
    set: (session, name, value) => session.set(name, value),
    keys: (session) => session.names(),
  },
};

/** The session of an exchange as one of its contexts. */
export class SessionContext {
  readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }
}

/** The values are its property `session`, as in OpenIG, and its entries. */
export const sessionContextShape: Shape<SessionContext> = {
  name: 'session',
  properties: { session: { get: ({ session }) => session, shape: sessionShape } },
  entries: {
    get: ({ session }, name) => session.get(name),
    set: ({ session }, name, value) => session.set(name, value),
    keys: ({ session }) => session.names(),
  },
};

/** The context of an exchange that has a session; null otherwise. */
export function sessionContext({ session }: Exchange): SessionContext | null {
  return session === null ? null : new SessionContext(session);
}
