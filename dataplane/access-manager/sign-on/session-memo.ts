import type { Headers } from '../../engine/head/headers.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { AmSession, AmSessions } from '../../heap/objects/am-service.ts';

/** Bytes of the longest Cookie header that is remembered. */
const LONGEST_LINE = 4096;

/** A cached session that came on a connection. */
export interface SessionMemo {
  session: AmSession;
  token: string;
  cookieName: string;
  /** The Cookie header; null until the connection has brought the session twice in a row. */
  bytes: Buffer | null;
}

/**
 * Remembers for each connection the session that came last: most connections bring one, and comparing bytes costs less
 * than finding a cookie and looking its session up. The cache says whether a session may still be used.
 */
export class SessionMemos {
  private readonly sessions: AmSessions;
  private readonly memos = new WeakMap<object, SessionMemo>();

  constructor(sessions: AmSessions) {
    this.sessions = sessions;
  }

  /** The session that a line with cookies names, if it is the one that came last and is still cached. */
  find(exchange: Exchange, headers: Headers, line: number, cookieName: string): SessionMemo | null {
    const memo = this.memos.get(exchange.origin.facts);
    if (memo === undefined || memo.bytes === null || memo.cookieName !== cookieName) return null;
    return headers.holdsAt(line, memo.bytes) && this.sessions.isCurrent(memo.session) ? memo : null;
  }

  /** The line names a session that is cached. */
  remember(exchange: Exchange, line: number, session: AmSession, token: string, cookieName: string): void {
    const { facts } = exchange.origin;
    const memo = this.memos.get(facts);
    if (memo === undefined) this.memos.set(facts, { session, token, cookieName, bytes: null });
    else if (memo.session !== session || memo.cookieName !== cookieName) {
      memo.session = session;
      memo.token = token;
      memo.cookieName = cookieName;
      memo.bytes = null;
    } else {
      const value = exchange.request.headers.valueAt(line);
      if (value.length <= LONGEST_LINE) memo.bytes = Buffer.from(value, 'latin1');
    }
  }
}
