/** Looks at promises in the memory of QuickJS: one that nobody else can see needs no result. */
import type { Pointer } from './quickjs-functions.ts';

/** Bytes in front of parts of an object: how many references it has, how many weak ones, and the state of a promise. */
const object = { references: 0, weakReferences: 16, state: 32 } as const;

/** Bytes in front of parts of the state of a promise. */
const state = { settled: 0, reactions: 4, rejections: 12, hasReactions: 20 } as const;

/** References of a promise that was returned: the value itself, and the two functions that settle it. */
export const RETURNED = 3;

/**
 * True if a promise has so many references, no weak ones, no reactions and no result: whoever has these references is
 * the only one who can find out what becomes of it.
 */
export function isUnseen(words: Uint32Array, promise: Pointer, references: number): boolean {
  if (words[(promise + object.references) >> 2] !== references) return false;
  if (words[(promise + object.weakReferences) >> 2] !== 0) return false;
  const at = words[(promise + object.state) >> 2]!;
  const isEmpty = (list: number) => words[(at + list) >> 2] === at + list;
  return (
    words[(at + state.settled) >> 2] === 0 &&
    words[(at + state.hasReactions) >> 2] === 0 &&
    isEmpty(state.reactions) &&
    isEmpty(state.rejections)
  );
}

/** A list of promises, of which only the first is not seen. Each has its functions, and the list itself. */
export const PROMISES = `(() => {
  const kept = [];
  const made = () => new Promise((...functions) => kept.push(functions));
  const used = made();
  used.then(String);
  const weak = made();
  kept.push(new WeakRef(weak));
  return [made(), used, weak, Promise.resolve(1), kept];
})()`;

/** References of the first promise of the list, while somebody looks at it. */
export const LISTED = 4;
