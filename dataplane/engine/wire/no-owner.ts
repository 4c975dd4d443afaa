import { REFUSED, type WireOwner } from './wire.ts';

/** Owns wires that nothing can arrive on: they have no connection yet, or no more. */
export const NO_OWNER: WireOwner = {
  receive() {},
  ended() {},
  failed() {},
  blocked() {},
  drained() {},
  passes: () => REFUSED,
};
