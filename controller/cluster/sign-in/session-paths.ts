import type { IncomingMessage } from 'node:http';
import { isJsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { isFromOwnPage } from '../../../contract/own-machine.ts';
import type { ShownSession, SignInWay } from '../../../contract/shown/shown-session.ts';
import { type AdminAnswer, jsonAnswer } from '../../../platform/admin/admin-answer.ts';
import { readBody } from '../../../platform/admin/admin-body.ts';
import { type AdminFilter, BodyTooLong } from '../../../platform/admin/admin-filter.ts';
import { openGuard } from '../../../platform/admin/admin-guard.ts';
import type { AdminPath } from '../../../platform/admin/admin-table.ts';
import { SESSION_PATH } from '../../../platform/admin/console-paths.ts';
import { crestRefusal } from '../../../platform/admin/crest-path.ts';
import { systemClock } from '../../../platform/clock.ts';
import type { CallerGate } from '../crest/caller-gate.ts';
import { bearerToken } from '../identity/reviews.ts';
import { tokenClaims } from '../identity/token-claims.ts';
import type { ConsoleSessions } from './console-sessions.ts';
import type { RequestCredentials } from './request-credentials.ts';

export interface SessionPathsOptions {
  readonly gate: CallerGate;
  readonly sessions: ConsoleSessions;
  readonly credentials: RequestCredentials;
  readonly ways: readonly SignInWay[];
  /** Called when somebody has signed in. It never gets the token. */
  signedIn(user: string): void;
  /** Called when the cluster did not accept a token. @param from address of the client */
  rejected(status: number, from: string): void;
}

/** A token has at most 16 KiB. */
const LONGEST_BODY = 20_480;
const OTHER_PAGE = 'only pages of the console may sign in and out';

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
  return {
    async answer(request, longestBody) {
      const { method = 'GET' } = request;
      if (method === 'GET' || method === 'HEAD') return shownSession(options, request);
      if (!isFromOwnPage(request.headersDistinct)) return crestRefusal(403, OTHER_PAGE);
      if (method === 'POST') return signIn(options, request, longestBody);
      if (method === 'DELETE') return signedOut(options);
      return { ...crestRefusal(405, 'use GET, POST or DELETE'), headers: { allow: 'GET, HEAD, POST, DELETE' } };
    },
  };
}

async function shownSession(options: SessionPathsOptions, request: IncomingMessage): Promise<AdminAnswer> {
  const { gate, credentials, sessions, ways } = options;
  const { token, cookies } = await credentials.of(request);
  const nobody = sessionAnswer({ ways, user: null, expires: null }, cookies);
  if (token === null) return nobody;
  const { refusal, caller } = await gate.judged(token, request.socket.remoteAddress ?? '');
  if (refusal !== null) return refusal.status === 401 ? nobody : crestRefusal(refusal.status, refusal.message);
  const session = sessions.tokenIn(request);
  const end = session?.token === token ? session.until : (tokenClaims(token)?.end ?? null);
  return sessionAnswer({ ways, user: caller.name, expires: end === null ? null : timeOf(end) }, cookies);
}

async function signIn(
  { gate, sessions, ways, signedIn, rejected }: SessionPathsOptions,
  request: IncomingMessage,
  longestBody: number,
): Promise<AdminAnswer> {
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
  if (end !== null && end <= systemClock.wall()) return refused(401, 'the token has expired');
  if (token === null) return refused(401, 'the cluster does not accept the token');
  const { refusal, caller } = await gate.judged(token, from);
  if (refusal !== null) return refused(refusal.status, refusal.message);
  const begun = sessions.begin(token);
  if (begun === null) {
    return crestRefusal(503, 'no session can be made: the session keys cannot be read, or the token is too long');
  }
  signedIn(caller.name);
  return sessionAnswer({ ways, user: caller.name, expires: timeOf(begun.until) }, begun.cookies);
}

function signedOut({ sessions, ways }: SessionPathsOptions): AdminAnswer {
  return sessionAnswer({ ways, user: null, expires: null }, sessions.end());
}

function sessionAnswer(session: ShownSession, cookies: readonly string[]): AdminAnswer {
  const answer = jsonAnswer(200, JSON.stringify(session));
  return cookies.length === 0 ? answer : { ...answer, headers: { 'set-cookie': [...cookies] } };
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
