import { useEffect, useReducer } from 'preact/hooks';
import type { Known, Poll } from './poll.ts';

/** Returns what a poll knows, and renders again when that changes. */
export function usePoll<T>(poll: Poll<T>): Known<T> {
  const [, renderAgain] = useReducer((count: number, _: undefined) => count + 1, 0);
  useEffect(() => poll.follow(() => renderAgain(undefined)), [poll]);
  return poll.known;
}
