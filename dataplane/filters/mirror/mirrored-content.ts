import { type HeldTotal, heldContent } from '../../engine/message/held-content.ts';

/** Part of the memory for buffered content that copies may have besides it. */
const SHARE = 0.25;

/** Memory for copies of requests. Requests themselves need none of it, so that none fails because of copies. */
export const mirroredContent: HeldTotal = {
  bytes: 0,
  get limit() {
    return heldContent.limit * SHARE;
  },
};
