import { useEffect } from 'preact/hooks';
import { isJsonObject, type JsonObject } from '../../contract/document/json-value.ts';
import type { LeftSession, ShownSession } from '../../contract/shown/shown-session.ts';
import { Poll } from '../client/poll.ts';
import { followSignedOut, sendTo } from '../client/rest-client.ts';
import { RestFailure } from '../client/rest-failure.ts';
import { usePoll } from '../client/use-poll.ts';
import { routeStates, serverInfo } from '../client/watched.ts';

const PATH = '/console/session';
const LOGIN_PATH = '/console/openid/login';
const EVERY = 60_000;
/** Name of the lock that the tabs of a browser take turns with, and of the channel between them. */
const TABS = 'gatewarden-session';

let asking: Promise<ShownSession> | null = null;

/** Who is signed in. The token is in a cookie that no script can read. */
const session = new Poll<ShownSession>(askSession, EVERY);

/** State of the session: not known yet, nobody has to sign in, somebody has to, or somebody has. */
export type SessionState =
  | { readonly kind: 'unknown' | 'open' }
  | ({ readonly kind: 'signed-out' } & Pick<ShownSession, 'ways' | 'provider'>)
  | { readonly kind: 'signed-in'; readonly user: string; readonly expires: string | null };

/**
 * Asks who is signed in, and has a token renewed that ends soon. Tabs take turns, and nothing aborts a request: a provider
 * accepts a refresh token once, and the answer has the cookie with the next one.
 */
function askSession(): Promise<ShownSession> {
  const ask = async (): Promise<ShownSession> => {
    const { signal } = new AbortController();
    return (await sendTo('GET', PATH, { signal })) as unknown as ShownSession;
  };
  // Browsers have locks on pages with https only.
  const locks = navigator.locks as LockManager | undefined;
  asking ??= (locks === undefined ? ask() : locks.request(TABS, ask)).finally(() => {
    asking = null;
  });
  return asking;
}

/** A token may have ended while the page was hidden: the answer is true if it was renewed. */
async function renewed(): Promise<boolean> {
  if (session.known.value?.user === null) return false;
  const isRenewed = await askSession().then(
    ({ user }) => user !== null,
    () => false,
  );
  if (!isRenewed) session.refresh();
  return isRenewed;
}

/** Returns the state of the session, which is asked for again when a request is refused. */
export function useSession(): SessionState {
  const { value, failure } = usePoll(session);
  useEffect(() => followSignedOut(renewed), []);
  // Pages say themselves why they have nothing to show.
  return value === null && failure !== null ? { kind: 'open' } : stateOf(value);
}

/** Asks for the session again when another tab signs in or out. @returns a function that ends it */
export function followOtherTabs(): () => void {
  const channel = new BroadcastChannel(TABS);
  channel.addEventListener('message', session.refresh);
  return () => channel.close();
}

/** Lets other tabs ask for the session again. */
export function tellOtherTabs(): void {
  const channel = new BroadcastChannel(TABS);
  channel.postMessage(null);
  channel.close();
}

/** Returns what a session means for the console. */
export function stateOf(value: ShownSession | null): SessionState {
  if (value === null) return { kind: 'unknown' };
  const { ways, provider, user, expires } = value;
  if (user !== null) return { kind: 'signed-in', user, expires };
  return ways.length === 0 ? { kind: 'open' } : { kind: 'signed-out', ways, provider };
}

/** Signs in with a token of the cluster, which is sent once and held nowhere. @throws RestFailure */
export async function signIn(token: string): Promise<void> {
  const body: JsonObject = { token };
  await sendTo('POST', PATH, { signal: new AbortController().signal, body });
  session.refresh();
  routeStates.refresh();
  serverInfo.refresh();
}

/**
 * Begins a sign-in at the OpenID provider, which leads back to this page.
 *
 * @returns the URL of the provider
 * @throws RestFailure
 */
export async function beginSignIn(): Promise<string> {
  const { pathname, search } = window.location;
  const body: JsonObject = { goto: `${pathname}${search}` };
  const answer = await sendTo('POST', LOGIN_PATH, { signal: new AbortController().signal, body });
  const location = isJsonObject(answer) ? answer['location'] : undefined;
  if (typeof location !== 'string') throw new RestFailure('failed', 200, 'The answer has no address.');
  return location;
}

/** Signs out, at the provider too where it is to be, and forgets everything that was shown. @throws RestFailure */
export async function signOut(): Promise<void> {
  const answer = await sendTo('DELETE', PATH, { signal: new AbortController().signal });
  tellOtherTabs();
  const { location } = answer as unknown as LeftSession;
  if (location === null) window.location.reload();
  else window.location.assign(location);
}
