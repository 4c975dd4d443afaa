/** Thread of `npm run bench:crest` that asks queries: in the thread that takes the times they would delay the clock. */
import { parentPort, workerData } from 'node:worker_threads';
import { CrestClient } from '../../test/support/crest/cluster-client.ts';

export interface QueryLoad {
  readonly port: number;
  readonly ca: string;
  readonly token: string;
  /** Queries that are under way at a time. */
  readonly concurrent: number;
  /** Paths that are asked in turn. */
  readonly paths: readonly string[];
}

const { port, ca, token, concurrent, paths } = workerData as QueryLoad;
const client = new CrestClient(port, ca, concurrent);
let [answered, isOver] = [0, false];
parentPort!.once('message', () => {
  isOver = true;
});
const asking = Array.from({ length: concurrent }, async (_, first) => {
  for (let at = first; !isOver; at++) {
    const { status, text } = await client.ask(token, 'GET', paths[at % paths.length]!);
    if (status !== 200) throw new Error(`a query is answered with ${status}: ${text}`);
    answered++;
  }
});
await Promise.all(asking);
await client.close();
parentPort!.postMessage(answered);
