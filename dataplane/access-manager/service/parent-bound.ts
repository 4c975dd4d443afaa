import { ParentGone } from '../../engine/backend/own-call.ts';
import type { BackendCall, Exchange } from '../../engine/message/exchange.ts';

/** Waits for work that goes on for others, and rejects with ParentGone when the client of the parent disconnects. */
export function parentBound<T>(work: Promise<T>, parent: Exchange | null): Promise<T> {
  if (parent === null) return work;
  if (parent.over) {
    work.catch(() => {}); // others hear of it
    return Promise.reject(new ParentGone());
  }
  if (parent.call !== null) return work; // a backend's response must not be lost for this
  return new Promise((resolve, reject) => {
    const tie: BackendCall = { response: null, sent: false, cancel: () => reject(new ParentGone()) };
    parent.call = tie;
    const settle = (): void => {
      if (parent.call === tie) parent.call = null;
    };
    work.finally(settle).then(resolve, reject);
  });
}
