/** `npm run bench:crest-queries`: measures queries of Common REST from the cache of a controller, without an API server. */
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { readResource } from '../../contract/resources/read-resource.ts';
import { resourceKey } from '../../contract/resources/resource.ts';
import type { ApiRequest } from '../../controller/cluster/api/api-client.ts';
import { CallerGate } from '../../controller/cluster/crest/caller-gate.ts';
import { CrestFront } from '../../controller/cluster/crest/crest-front.ts';
import { closedGuard } from '../../platform/admin/admin-guard.ts';
import { AdminServer } from '../../platform/admin/admin-server.ts';
import { AdminTable } from '../../platform/admin/admin-table.ts';
import { scriptOptions } from '../../platform/script-options.ts';
import { CrestClient } from '../../test/support/crest/cluster-client.ts';
import { noDryRuns } from '../../test/support/crest/no-dry-runs.ts';
import { certificateAuthority } from '../../test/support/identity/certificates.ts';
import { quantile, route, spread } from './propagation.ts';
import { queryPath, timedQuery } from './route-query.ts';

const USAGE = `usage: npm run bench:crest-queries -- [OPTION…]
Measures queries with filter, sort keys and a page over TLS, one after the other and many at once, for some seconds.
  --routes N      how many Routes there are (5000)
  --queries N     how many queries are timed (2000)
  --concurrent N  how many queries are under way at a time, while the longest delay of other work is measured (100)
`;
const { values } = scriptOptions(USAGE, { routes: '5000', queries: '2000', concurrent: '100' });
const size = Number(values.routes);

/** Reviews that admit everybody, as an API server answers them. */
const api = {
  async call({ path }: ApiRequest) {
    const status = path.endsWith('tokenreviews')
      ? { authenticated: true, user: { username: 'bench' } }
      : { allowed: true };
    return { status: 201, body: { status } };
  },
  async callAs(): Promise<never> {
    throw new Error('nothing is written here');
  },
};

function served(): AdminServer {
  const routes = new Map(
    Array.from({ length: size }, (_, at) => {
      const [name, spec] = route(at, 0);
      const metadata = { namespace: 'bench', name, uid: `uid-${at}`, resourceVersion: String(at + 1) };
      const resource = readResource({ kind: 'Route', metadata, spec: spec as JsonObject }).resource!;
      return [resourceKey(resource), resource] as const;
    }),
  );
  const front = new CrestFront({
    ...{ api, info: {}, isListed: () => true, secret: () => 'bench' },
    gate: new CallerGate({ api, rate: 999_999 }),
    planes: async () => [],
    ...{ served: async () => [], verdicts: () => [] },
    judge: { judge: () => null },
    routeSchema: async () => ({ schema: {} }),
    explain: async () => ({}),
    evaluate: () => ({ outcome: 'failed', warnings: [] }),
    live: { published: null },
    dryRuns: noDryRuns,
    source: {
      resources: () => routes,
      resource: (_kind, namespace, name) => routes.get(`${namespace}/${name}`) ?? null,
      isFollowed: () => true,
      chosenNamespaces: [],
      onChange: () => () => undefined,
    },
  });
  const table = new AdminTable(front.paths);
  const { key, chain: cert } = authority.issue({ names: ['127.0.0.1'] });
  const failed = (error: unknown): void => console.error(error);
  return new AdminServer({ table: () => table, guard: closedGuard(''), certificate: { key, cert }, failed });
}

const authority = certificateAuthority('bench');
const server = served();
const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
const client = new CrestClient(port, authority.certificate);

const timed = (at: number): Promise<number> => timedQuery(client, 'bench', queryPath('bench', at));

for (let at = 0; at < 200; at++) await timed(at); // warms up
const times: number[] = [];
const processor: number[] = [];
for (let at = 0; at < Number(values.queries); at++) {
  const usage = process.cpuUsage();
  times.push(await timed(at));
  const { user, system } = process.cpuUsage(usage);
  processor.push((user + system) / 1000);
}
// On a machine that others use, this is nearer to the time on an idle one.
console.log(`         processor time of a query, with its client: ${spread(processor)}`);
const isReached = quantile(times, 0.99) <= 20;
console.log(
  `${isReached ? 'reached' : 'MISSED '}  query of ${size} routes, one at a time: ${spread(times)} (p99 ≤ 20 ms)`,
);

let isOver = false;
let answered = 0;
const asking = Array.from({ length: Number(values.concurrent) }, async (_, first) => {
  for (let at = first; !isOver; at++) {
    await timed(at);
    answered++;
  }
});
const delays: number[] = [];
const begun = performance.now();
while (performance.now() - begun < 5000) {
  const before = performance.now();
  await pause(5);
  delays.push(performance.now() - before - 5);
}
isOver = true;
await Promise.all(asking);
console.log(
  `         ${values.concurrent} at once: ${(answered / 5).toFixed(0)} a second; other work waits ${spread(delays)}`,
);
await client.close();
server.close();
