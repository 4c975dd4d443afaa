import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 compile a place in the code for up to so many kinds of objects that meet there. Its own limit of 4 is too low for
 * texts: a constant, a slice, a sum and a text from elsewhere are of different kinds, and every `length` and `charCodeAt` of
 * the request path would become a search in a table.
 */
const KINDS = 12;

/** Sets it for all threads, which must have loaded their code: V8 takes no compiled code that was made with other flags. */
export function compileForManyKinds(): void {
  setFlagsFromString(`--max-valid-polymorphic-map-count=${KINDS}`);
}
