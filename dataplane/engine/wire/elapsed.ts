import type { Exchange } from '../message/exchange.ts';
import { timeNow } from './clock.ts';

/**
 * Milliseconds since the request head was complete. The engine's clock stands still within a turn, which is good enough
 * for what waited for a backend; what the gateway answers by itself is often done within one turn, so that the real
 * clock is asked.
 */
export function elapsed({ startedAt, call }: Exchange): number {
  return (call === null ? performance.now() : timeNow()) - startedAt;
}
