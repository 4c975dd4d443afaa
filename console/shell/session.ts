import { useEffect } from 'preact/hooks';
import type { JsonObject } from '../../contract/document/json-value.ts';
import type { ShownSession } from '../../contract/shown/shown-session.ts';
import { Poll } from '../client/poll.ts';
import { followSignedOut, sendTo } from '../client/rest-client.ts';
import { usePoll } from '../client/use-poll.ts';
import { routeStates, serverInfo } from '../client/watched.ts';

const PATH = '/console/session';
const EVERY = 60_000;

/** Who is signed in. The token is in a cookie that no script can read. */
const session = new Poll<ShownSession>(
  async (signal) => (await sendTo('GET', PATH, { signal })) as unknown as ShownSession,
  EVERY,
);

/** State of the session: not known yet, nobody has to sign in, somebody has to, or somebody has. */
export type SessionState =
  | { readonly kind: 'unknown' | 'open' }
  | { readonly kind: 'signed-out'; readonly ways: ShownSession['ways'] }
  | { readonly kind: 'signed-in'; readonly user: string; readonly expires: string | null };

/** Returns the state of the session, which is asked for again when a request is refused. */
export function useSession(): SessionState {
  const { value, failure } = usePoll(session);
  useEffect(
    () =>
      followSignedOut(() => {
        if (session.known.value?.user !== null) session.refresh();
      }),
    [],
  );
  // Pages say themselves why they have nothing to show.
  return value === null && failure !== null ? { kind: 'open' } : stateOf(value);
}

/** Returns what a session means for the console. */
export function stateOf(value: ShownSession | null): SessionState {
  if (value === null) return { kind: 'unknown' };
  const { ways, user, expires } = value;
  if (user !== null) return { kind: 'signed-in', user, expires };
  return ways.length === 0 ? { kind: 'open' } : { kind: 'signed-out', ways };
}

/** Signs in with a token of the cluster, which is sent once and held nowhere. @throws RestFailure */
export async function signIn(token: string): Promise<void> {
  const body: JsonObject = { token };
  await sendTo('POST', PATH, { signal: new AbortController().signal, body });
  session.refresh();
  routeStates.refresh();
  serverInfo.refresh();
}

/** Signs out, and forgets everything that was shown. @throws RestFailure */
export async function signOut(): Promise<void> {
  await sendTo('DELETE', PATH, { signal: new AbortController().signal });
  window.location.reload();
}
