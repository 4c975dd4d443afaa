import type { Next } from '../../../dataplane/engine/message/exchange.ts';
import { textResponse } from '../../../dataplane/engine/message/response.ts';

/** A handler that answers when the test says so. */
export function heldHandler(): { handler: () => Next; release: () => void } {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { handler: () => () => released.then(() => textResponse(200, 'at last')), release };
}
