import type { IncomingMessage } from 'node:http';
import { isJsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { isFromOwnPage } from '../../../contract/own-machine.ts';
import type { LeftSession, ShownSession } from '../../../contract/shown/shown-session.ts';
import { type AdminAnswer, jsonAnswer } from '../../../platform/admin/admin-answer.ts';
import { readBody } from '../../../platform/admin/admin-body.ts';
import { type AdminFilter, BodyTooLong } from '../../../platform/admin/admin-filter.ts';
import { openGuard } from '../../../platform/admin/admin-guard.ts';
import type { AdminPath } from '../../../platform/admin/admin-table.ts';
import { SESSION_PATH } from '../../../platform/admin/console-paths.ts';
import { crestRefusal } from '../../../platform/admin/crest-path.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import type { CallerGate } from '../crest/caller-gate.ts';
import { bearerToken } from '../identity/reviews.ts';
import { tokenClaims } from '../identity/token-claims.ts';
import type { ConsoleSessions } from './console-sessions.ts';
import type { OpenidSignIn } from './openid-sign-in.ts';
import { bearerCredentials } from './request-credentials.ts';
import { type CurrentSession, SessionRenewal } from './session-renewal.ts';

export interface SessionPathsOptions {
  readonly gate: CallerGate;
  readonly sessions: ConsoleSessions;
  /** Null where people sign in with tokens only. */
  readonly openid: OpenidSignIn | null;
  readonly clock?: Clock;
  /** Called when somebody has signed in. It never gets the token. */
  signedIn(user: string): void;
  /** Called when the cluster did not accept a token. @param from address of the client */
  rejected(status: number, from: string): void;
}

/** A token has at most 16 KiB. */
const LONGEST_BODY = 20_480;
/** Refusal of requests of other pages. */
export const OTHER_PAGE = 'only pages of the console may sign in and out';

/**
 * Paths of the session of the console: who is signed in, signing in with a token, and signing out. The token is sent once
 * and comes back in a sealed cookie only.
 */
export function sessionPaths(options: SessionPathsOptions): AdminPath[] {
  const filter = sessionFilter(options);
  const parts = { path: SESSION_PATH, guard: openGuard, filter, refused: crestRefusal, longestBody: LONGEST_BODY };
  const answer = (): never => {
    throw new Error('the session is answered by its filter');
  };
  return (['GET', 'POST', 'DELETE'] as const).map((method) => ({ ...parts, method, answer }));
}

/** Answers everything itself, because it looks at the request as the browser sent it. */
function sessionFilter(options: SessionPathsOptions): AdminFilter {
  const renewal = new SessionRenewal(options.sessions, options.openid, options.clock);
  return {
    async answer(request, longestBody) {
      const { method = 'GET' } = request;
      if (method === 'GET' || method === 'HEAD') return shownSession(options, renewal, request);
      if (!isFromOwnPage(request.headersDistinct)) return crestRefusal(403, OTHER_PAGE);
      if (method === 'POST') return signIn(options, request, longestBody);
      if (method === 'DELETE') return signOut(options, request);
      return { ...crestRefusal(405, 'use GET, POST or DELETE'), headers: { allow: 'GET, HEAD, POST, DELETE' } };
    },
  };
}

async function shownSession(
  options: SessionPathsOptions,
  renewal: SessionRenewal,
  request: IncomingMessage,
): Promise<AdminAnswer> {
  const { gate } = options;
  const hasHeader = request.headersDistinct['authorization'] !== undefined;
  const current = hasHeader ? headerSession(request) : await renewal.current(request);
  if (current === 'unavailable')
    return crestRefusal(503, 'the OpenID provider does not renew the session, retry later');
  const { session, cookies } = current;
  const nobody = sessionAnswer(shown(options, null, null), cookies);
  if (session === null) return nobody;
  const { refusal, caller } = await gate.judged(session.token, request.socket.remoteAddress ?? '');
  if (refusal === null) return sessionAnswer(shown(options, caller.name, session.end), cookies);
  // A refresh token may be used up: the browser gets the new one, whatever the cluster says.
  return refusal.status === 401 ? nobody : withCookies(crestRefusal(refusal.status, refusal.message), cookies);
}

/** The token of a header belongs to no session. */
function headerSession(request: IncomingMessage): CurrentSession {
  const token = bearerCredentials.of(request);
  if (token === null) return { session: null, cookies: [] };
  return { session: { token, end: tokenClaims(token)?.end ?? Number.POSITIVE_INFINITY }, cookies: [] };
}

async function signIn(
  options: SessionPathsOptions,
  request: IncomingMessage,
  longestBody: number,
): Promise<AdminAnswer> {
  const { gate, sessions, signedIn, rejected, clock = systemClock } = options;
  const body = await readBody(request, longestBody);
  if (body === null) throw new BodyTooLong();
  const given = /^application\/json\b/i.test(request.headers['content-type'] ?? '') ? tokenOf(body) : null;
  if (given === null) return crestRefusal(400, 'send {"token": "…"} as application/json');
  const token = bearerToken(`Bearer ${given}`);
  const end = token === null ? null : (tokenClaims(token)?.end ?? null);
  const from = request.socket.remoteAddress ?? '';
  const refused = (status: number, message: string): AdminAnswer => {
    rejected(status, from);
    return crestRefusal(status, message);
  };
  if (end !== null && end <= clock.wall()) return refused(401, 'the token has expired');
  if (token === null) return refused(401, 'the cluster does not accept the token');
  const { refusal, caller } = await gate.judged(token, from);
  if (refusal !== null) return refused(refusal.status, refusal.message);
  const begun = sessions.begin(token);
  if (begun === null) {
    return crestRefusal(503, 'no session can be made: the session keys cannot be read, or the token is too long');
  }
  signedIn(caller.name);
  return sessionAnswer(shown(options, caller.name, begun.end), begun.cookies);
}

async function signOut(options: SessionPathsOptions, request: IncomingMessage): Promise<AdminAnswer> {
  const { sessions, openid } = options;
  const grant = sessions.sessionIn(request)?.grant ?? null;
  const location = grant === null || openid === null ? null : await openid.end(grant);
  const left: LeftSession = { ...shown(options, null, null), location };
  return withCookies(jsonAnswer(200, JSON.stringify(left)), sessions.end());
}

function shown({ openid }: SessionPathsOptions, user: string | null, end: number | null): ShownSession {
  return {
    ways: openid === null ? ['token'] : ['openid', 'token'],
    provider: openid?.name ?? null,
    user,
    expires: end === null ? null : timeOf(end),
  };
}

function sessionAnswer(session: ShownSession, cookies: readonly string[]): AdminAnswer {
  return withCookies(jsonAnswer(200, JSON.stringify(session)), cookies);
}

/** Returns an answer with `Set-Cookie` lines. */
export function withCookies(answer: AdminAnswer, cookies: readonly string[]): AdminAnswer {
  if (cookies.length === 0) return answer;
  return { ...answer, headers: { ...answer.headers, 'set-cookie': [...cookies] } };
}

/** People paste tokens with the end of a line. */
function tokenOf(body: Buffer): string | null {
  try {
    const value = JSON.parse(body.toString('utf8')) as JsonValue;
    return isJsonObject(value) && typeof value['token'] === 'string' ? value['token'].trim() : null;
  } catch {
    return null;
  }
}

/** Null for a time beyond those that dates have: issuers write such ends for tokens without one. */
function timeOf(milliseconds: number): string | null {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
