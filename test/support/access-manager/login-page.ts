import { type AmAnswer, type AmCall, cookieOf, escaped } from './am-call.ts';
import type { AmIdentities } from './am-identities.ts';
import type { HeldSession, HeldSessions } from './am-sessions.ts';

export interface LoginPageParts {
  readonly url: string;
  readonly cookieName: string;
  readonly identities: AmIdentities;
  readonly sessions: HeldSessions;
}

const HTML = { 'Content-Type': 'text/html;charset=UTF-8' };

/**
 * Serves the login page: a form for a user name and a password that leads back to `goto`. Whoever has a session already
 * is sent back at once, unless an advice asks for more.
 */
export function serveLogin(call: AmCall, { url, cookieName, identities, sessions }: LoginPageParts): AmAnswer {
  const realm = call.query.get('realm') ?? '/';
  const advices = call.query.get('authIndexType') === 'composite_advice' ? advicesIn(call.query) : [];
  const present = sessions.find(cookieOf(call, cookieName));
  const goto = call.query.get('goto') ?? `${url}/console`;
  if (call.method !== 'POST') {
    return present !== null && advices.length === 0 ? redirect(goto) : form(call, '');
  }
  const fields = new URLSearchParams(call.body);
  const username = fields.get('username') ?? '';
  const user = identities.user(username, fields.get('password') ?? '');
  if (user === null) return { ...form(call, 'Authentication Failed'), status: 401 };
  const session = present?.username === username ? present : sessions.create(username, { realm, kind: user });
  const cookie = `${cookieName}=${session.tokenId}; Path=/`;
  const back = satisfied(goto, advices, session);
  return { status: 302, headers: { Location: back, 'Set-Cookie': cookie } };
}

type Advice = readonly [name: string, value: string];

/** Advices of `<Advices><AttributeValuePair><Attribute name="…"/><Value>…</Value></AttributeValuePair></Advices>`. */
function advicesIn(query: URLSearchParams): Advice[] {
  const pairs = (query.get('authIndexValue') ?? '').matchAll(
    /<Attribute name="([^"]+)"\s*\/>((?:\s*<Value>[^<]*<\/Value>)+)/g,
  );
  return [...pairs].flatMap(([, name, values]) =>
    [...values!.matchAll(/<Value>([^<]*)<\/Value>/g)].map(([, value]): Advice => [name!, value!]),
  );
}

/** Grants what the advices ask for; where a user returns to after a transaction names it. */
function satisfied(goto: string, advices: readonly Advice[], session: HeldSession): string {
  let back = goto;
  for (const [name, value] of advices) {
    if (name === 'AuthLevelConditionAdvice') session.authLevel = Math.max(session.authLevel, Number(value));
    if (name === 'TransactionConditionAdvice')
      back += `${back.includes('?') ? '&' : '?'}_txid=${encodeURIComponent(value)}`;
  }
  return back;
}

function redirect(location: string): AmAnswer {
  return { status: 302, headers: { Location: location } };
}

function form({ url }: AmCall, remark: string): AmAnswer {
  const body = `<!doctype html><title>Sign in</title><p>${escaped(remark)}</p>
<form method="post" action="${escaped(url)}">
<label>User name <input name="username" id="username"></label>
<label>Password <input name="password" id="password" type="password"></label>
<button id="login">Log in</button></form>`;
  return { status: 200, headers: HTML, body };
}
