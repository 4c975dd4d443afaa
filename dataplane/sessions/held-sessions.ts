import { type JsonObject, type JsonValue, jsonObjectIn } from '../../contract/document/json-value.ts';
import { type PresentedCookies, type Session, type StoredSession, withChanges } from '../engine/message/session.ts';
import { SessionFault } from '../engine/message/session-fault.ts';
import { type DirectCipher, directCipher } from '../jose/direct-cipher.ts';
import type { SavingKeeper } from './managed-sessions.ts';
import { onlySession } from './only-session.ts';
import { SealedContents } from './sealed-contents.ts';
import type { SessionCookie } from './session-cookie.ts';
import type { Saved, SessionTable } from './session-table.ts';

/** Longest content of one session, in bytes. */
const MOST_CONTENT = 256 << 10;
/** Encrypts contents beside the sessions. */
const METHOD = 'A256GCM';

/**
 * Keeps sessions in memory that all units share; cookies hold their ids. Changes of parallel requests to different
 * values are all kept. A session that one request ended is not brought back by another.
 */
export class HeldSessions implements SavingKeeper {
  readonly sealer: SealedContents;
  private readonly table: () => SessionTable;
  private readonly cookie: SessionCookie;

  /** @param table asked for when the first session is looked for: most gateways need none */
  constructor(table: () => SessionTable, cookie: SessionCookie, realm: string) {
    this.table = table;
    this.cookie = cookie;
    let made: readonly DirectCipher[] | null = null;
    const ciphers = (): readonly DirectCipher[] => {
      made ??= [directCipher(METHOD, this.table().sealingKey)!];
      return made;
    };
    this.sealer = new SealedContents({ realm, cookieName: cookie.name, method: METHOD, ciphers });
  }

  ready(): null {
    return null;
  }

  open(presented: PresentedCookies): StoredSession | null {
    return onlySession(presented[0], (id) => this.find(id));
  }

  save(session: Session): readonly string[] {
    const { stored, presented } = session;
    const changes = session.changes();
    if (changes.size === 0 && !session.isAnother) return stored === null ? this.removals(presented) : [];
    if (stored === null || session.startsEmpty) return this.create(session, changes);
    return this.update(stored, changes, session);
  }

  /** A presented id is never taken over: who set it may know it. */
  private create(session: Session, changes: ReadonlyMap<string, JsonValue | undefined>): readonly string[] {
    const { stored, presented } = session;
    const content = withChanges({}, changes);
    const isEmpty = Object.keys(content).length === 0;
    if (!isEmpty && !this.table().create(session.id, textOf(content))) throw full();
    if (stored !== null) this.table().remove(stored.id);
    return isEmpty ? this.removals(presented) : this.cookie.lines(session.id, 0, null);
  }

  /**
   * Builds on the values that are stored now. Where another exchange ended or renewed the session meanwhile, nothing is
   * saved and no cookie is set: an ended session does not live on under another id.
   */
  private update(
    stored: StoredSession,
    changes: ReadonlyMap<string, JsonValue | undefined>,
    session: Session,
  ): readonly string[] {
    const table = this.table();
    let current: StoredSession | null = stored;
    while (current !== null) {
      const { version } = current;
      const content = withChanges(current.content, changes);
      const isEmpty = Object.keys(content).length === 0;
      const saved: Saved = isEmpty
        ? table.remove(stored.id, version)
        : session.isAnother
          ? table.renew(stored.id, version, session.id, textOf(content))
          : table.replace(stored.id, version, textOf(content));
      if (saved === 'full') throw full();
      if (saved !== 'changed') {
        if (isEmpty) return this.removals(session.presented);
        return saved === 'saved' && session.isAnother ? this.cookie.lines(session.id, 0, null) : [];
      }
      current = this.find(stored.id);
    }
    return [];
  }

  private removals(presented: PresentedCookies | null): string[] {
    return presented === null || presented[0]?.length === 0 ? [] : [this.cookie.removal(0)];
  }

  private find(id: string): StoredSession | null {
    if (!/^[\w-]{32}$/.test(id)) return null;
    const held = this.table().find(id);
    const content = held === null ? null : jsonObjectIn(held.text); // a thread may have ended while it wrote
    return held === null || content === null ? null : { id, content, beganAt: held.beganAt, version: held.version };
  }
}

function textOf(content: JsonObject): string {
  const text = JSON.stringify(content);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MOST_CONTENT) return text;
  const message = `the session takes ${bytes} bytes, and at most ${MOST_CONTENT} can be saved`;
  throw new SessionFault('session-too-large', message);
}

function full(): SessionFault {
  return new SessionFault(
    'sessions-full',
    'there is no room for another session: see maximumSessions and maximumBytes',
  );
}
