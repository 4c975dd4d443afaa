import { NO_SESSION, Session } from '../../../dataplane/engine/message/session.ts';
import { HeldSessions } from '../../../dataplane/sessions/held-sessions.ts';
import { SessionCookie } from '../../../dataplane/sessions/session-cookie.ts';
import { SessionMemory } from '../../../dataplane/sessions/session-memory.ts';
import { SessionTable } from '../../../dataplane/sessions/session-table.ts';

export interface HeldKeeper {
  readonly sessions: HeldSessions;
  readonly table: SessionTable;
  /** Saves a new session with these values. @returns its id */
  begin(values: Readonly<Record<string, string>>): string;
  /** The session that a request with this id has, opened at once. */
  open(id: string): Session;
  /** Saves it. @returns the id that the client has afterwards: null for none, undefined when no cookie is set */
  save(session: Session): string | null | undefined;
  /** The values that a request with this id finds. */
  read(id: string): Readonly<Record<string, unknown>>;
}

/** Sessions in memory without a gateway around them. */
export function heldKeeper(limits = { sessions: 100, bytes: 64 << 10 }): HeldKeeper {
  const buffer = new SharedArrayBuffer(SessionMemory.bytes(limits));
  const table = new SessionTable(buffer, limits, { idle: 60_000, absolute: 60_000 });
  const rule = { name: 's', path: '/', httpOnly: true, secure: false, sameSite: 'LAX' } as const;
  const sessions = new HeldSessions(() => table, new SessionCookie(rule), '');
  const save = (session: Session): string | null | undefined => {
    const [line] = sessions.save(session);
    if (line === undefined) return undefined;
    return line.includes('Max-Age=0') ? null : /^s=([^;]*)/.exec(line)![1]!;
  };
  const open = (id: string): Session => {
    const session = new Session(sessions, [[id]], NO_SESSION);
    session.names();
    return session;
  };
  return {
    sessions,
    table,
    open,
    save,
    begin(values) {
      const session = new Session(sessions, null, NO_SESSION);
      for (const [name, value] of Object.entries(values)) session.set(name, value);
      return save(session)!;
    },
    read(id) {
      const session = open(id);
      return Object.fromEntries(session.names().map((name) => [name, session.get(name)]));
    },
  };
}
