import type { IncomingMessage } from 'node:http';
import { isJsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { isFromOwnPage } from '../../../contract/own-machine.ts';
import { SIGN_IN_PROBLEM, type SignInProblem } from '../../../contract/shown/sign-in-problem.ts';
import { type AdminAnswer, jsonAnswer } from '../../../platform/admin/admin-answer.ts';
import { readBody } from '../../../platform/admin/admin-body.ts';
import { type AdminFilter, BodyTooLong } from '../../../platform/admin/admin-filter.ts';
import { openGuard } from '../../../platform/admin/admin-guard.ts';
import type { AdminPath } from '../../../platform/admin/admin-table.ts';
import { CallRate } from '../../../platform/admin/call-rate.ts';
import { OPENID_PATH, SESSION_PATH } from '../../../platform/admin/console-paths.ts';
import { crestRefusal } from '../../../platform/admin/crest-path.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { CallerGate } from '../crest/caller-gate.ts';
import type { ConsoleSessions } from './console-sessions.ts';
import type { OpenidSignIn } from './openid-sign-in.ts';
import { OTHER_PAGE, withCookies } from './session-paths.ts';

export interface OpenidPathsOptions {
  readonly gate: CallerGate;
  readonly sessions: ConsoleSessions;
  readonly openid: OpenidSignIn;
  readonly clock?: Clock;
  /** Called when somebody has signed in. It never gets a token. */
  signedIn(user: string): void;
  /** Called when a sign-in failed. @param from address of the client */
  failed(problem: SignInProblem, reason: string, from: string): void;
}

const ROOT = '/console/';
/** Longest address of a page that a sign-in leads back to: a cookie has to hold it. */
const LONGEST_GOTO = 2048;
const LONGEST_BODY = 8192;
/** Sign-ins that a client without a credential may begin and finish: each costs a call to the provider. */
const RATE = { each: { most: 60, perMillisecond: 0.01 }, all: { most: 200, perMillisecond: 0.05 } };
const UNTRUSTED =
  'the cluster does not accept the ID token: its API server must trust this issuer and this client id, and find a user ' +
  'name in the token';

/**
 * Paths of a sign-in at an OpenID provider: `login` answers a page of the console with the URL to go to, and `callback`
 * is where the provider sends the browser back to.
 */
export function openidPaths(options: OpenidPathsOptions): AdminPath[] {
  const rate = new CallRate({ ...RATE, ...(options.clock && { clock: options.clock }) });
  const answer = (): never => {
    throw new Error('sign-ins are answered by their filter');
  };
  const parts = { guard: openGuard, refused: crestRefusal, answer };
  const login = loginFilter(options, rate);
  const callback = callbackFilter(options, rate);
  return [
    { ...parts, method: 'POST', path: `${OPENID_PATH}/login`, filter: login, longestBody: LONGEST_BODY },
    { ...parts, method: 'GET', path: `${OPENID_PATH}/callback`, filter: callback },
  ];
}

function loginFilter({ openid, failed }: OpenidPathsOptions, rate: CallRate): AdminFilter {
  const { host } = new URL(openid.origin);
  return {
    async answer(request, longestBody) {
      if (request.method !== 'POST') return wrongMethod('POST');
      if (!isFromOwnPage(request.headersDistinct)) return crestRefusal(403, OTHER_PAGE);
      if (request.headers.host?.toLowerCase() !== host) {
        return crestRefusal(409, `open ${openid.origin}${ROOT} to sign in with ${openid.name}`);
      }
      const from = request.socket.remoteAddress ?? '';
      if (!rate.take(from)) return crestRefusal(429, 'too many sign-ins, retry in a moment');
      const body = await readBody(request, longestBody);
      if (body === null) throw new BodyTooLong();
      const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
      const goto = isJson ? pageIn(body, openid.origin) : null;
      if (goto === null) return crestRefusal(400, 'send {"goto": "/console/…"} as application/json');
      const begun = await openid.begin(request, goto);
      if ('location' in begun) {
        return withCookies(jsonAnswer(200, JSON.stringify({ location: begun.location })), begun.cookies);
      }
      failed(begun.problem, begun.reason, from);
      return crestRefusal(
        503,
        `${openid.name} cannot be asked to sign you in; the log of the controller has the reason`,
      );
    },
  };
}

function callbackFilter(options: OpenidPathsOptions, rate: CallRate): AdminFilter {
  return {
    async answer(request) {
      // Of a HEAD nobody sees the answer, and the code would be used up.
      if (request.method !== 'GET') return wrongMethod('GET');
      if (!rate.take(request.socket.remoteAddress ?? '')) return ledTo(ROOT, [], 'busy');
      return finished(options, request);
    },
  };
}

async function finished(options: OpenidPathsOptions, request: IncomingMessage): Promise<AdminAnswer> {
  const { gate, sessions, openid, signedIn, failed } = options;
  const from = request.socket.remoteAddress ?? '';
  const { outcome, goto, cookies } = await openid.finish(request);
  const page = goto ?? ROOT;
  const failure = (problem: SignInProblem, reason: string): AdminAnswer => {
    failed(problem, reason, from);
    return ledTo(page, cookies, problem);
  };
  if ('problem' in outcome) return failure(outcome.problem, outcome.reason);
  const { idToken, grant } = outcome;
  const { refusal, caller } = await gate.judged(idToken, from);
  if (refusal !== null) {
    return refusal.status === 401 ? failure('untrusted', UNTRUSTED) : failure('unavailable', refusal.message);
  }
  // Without its grant the session of a long token ends with the token.
  const begun = sessions.begin(idToken, grant) ?? sessions.begin(idToken);
  if (begun === null) return failure('too-long', 'the ID token does not fit into cookies');
  signedIn(caller.name);
  return ledTo(page, [...cookies, ...begun.cookies], null);
}

/** Leads the browser to a page of the console. The page itself needs no cookie, and its scripts send the new one. */
function ledTo(page: string, cookies: readonly string[], problem: SignInProblem | null): AdminAnswer {
  const parameter = problem === null ? '' : `${page.includes('?') ? '&' : '?'}${SIGN_IN_PROBLEM}=${problem}`;
  const headers = { location: `${page}${parameter}`, 'referrer-policy': 'no-referrer' };
  return withCookies({ status: 303, type: '', body: '', headers }, cookies);
}

/** Returns the page of the console that a request names, as path and query; null for anything else. */
function pageIn(body: Buffer, origin: string): string | null {
  let given: JsonValue;
  try {
    given = JSON.parse(body.toString('utf8')) as JsonValue;
  } catch {
    return null;
  }
  const goto = isJsonObject(given) ? given['goto'] : null;
  const url = typeof goto === 'string' ? URL.parse(goto, origin) : null;
  if (url === null || url.origin !== origin || !url.pathname.startsWith(ROOT)) return null;
  if (url.pathname.startsWith(`${OPENID_PATH}/`) || url.pathname === SESSION_PATH) return null;
  url.searchParams.delete(SIGN_IN_PROBLEM);
  const whole = `${url.pathname}${url.search}`;
  return whole.length <= LONGEST_GOTO ? whole : ROOT;
}

function wrongMethod(method: string): AdminAnswer {
  return { ...crestRefusal(405, `use ${method}`), headers: { allow: method } };
}
