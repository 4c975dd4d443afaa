import { useEffect, useMemo, useReducer } from 'preact/hooks';
import { Poll } from '../../client/poll.ts';
import { RestFailure } from '../../client/rest-failure.ts';
import { type EditedRoute, loadRoute, type ServedRoute } from './edited-route.ts';

/** How often the gateway is asked whether somebody else has changed the route, in milliseconds. */
const EVERY = 4000;

/** Renders again when a route or its draft changes, and follows the version that the gateway has. */
export function useEdited(route: EditedRoute): void {
  const [, renderAgain] = useReducer((count: number, _: undefined) => count + 1, 0);
  useEffect(() => route.subscribe(() => renderAgain(undefined)), [route]);
  const path = route.base?.path ?? null;
  const poll = useMemo(() => (path === null ? null : new Poll((signal) => nowServed(path, signal), EVERY)), [path]);
  useEffect(
    () =>
      poll?.follow(() => {
        const { value, failure } = poll.known;
        if (value !== null && failure === null) route.seen(value.served);
      }),
    [poll, route],
  );
}

/** Returns the version that the gateway has; a route that is gone has none. */
async function nowServed(path: string, signal: AbortSignal): Promise<{ readonly served: ServedRoute | null }> {
  try {
    return { served: await loadRoute(path, signal) };
  } catch (error) {
    if (error instanceof RestFailure && error.kind === 'missing') return { served: null };
    throw error;
  }
}
