import type { Connect } from '../wire/connect.ts';

/** The same connections, to backends that are known to speak HTTP/2 although nothing was agreed on. */
export function priorKnowledge(connect: Connect): Connect {
  return (to, owner, done) => connect(to, owner, (result) => done(result === 'http/1.1' ? 'h2' : result));
}
