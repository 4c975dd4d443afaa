import { usePoll } from '../client/use-poll.ts';
import { routeStates, serverInfo } from '../client/watched.ts';

/** The gateway that the console shows. */
export interface Server {
  /** Null before it is known. */
  readonly version: string | null;
  readonly isReachable: boolean;
}

/** Returns the server. The states of routes are asked for all the time, so that they tell whether it is reachable. */
export function useServer(): Server {
  const info = usePoll(serverInfo);
  const states = usePoll(routeStates);
  const version = info.value?.['version'];
  return {
    version: typeof version === 'string' ? version : null,
    isReachable: states.failure?.kind !== 'unreachable',
  };
}
