/** `npm run bench:routes`: heap of the routes of a gateway unit, beyond their documents. */
import { writeHeapSnapshot } from 'node:v8';
import { pino } from 'pino';
import type { JsonObject } from '../contract/document/json-value.ts';
import { noReach } from '../contract/reach.ts';
import { unitCatalogue } from '../dataplane/catalogue/unit-catalogue.ts';
import { loadNamedParts } from '../dataplane/heap/named-parts.ts';
import { Configuration } from '../dataplane/routes/configuration.ts';
import { noFigures } from '../dataplane/routes/route-figures.ts';
import type { PlacedRoute } from '../dataplane/unit/placed-update.ts';
import { scriptOptions } from '../platform/script-options.ts';

const USAGE = `usage: npm run bench:routes -- [OPTION…]
Builds routes of three filters as a gateway unit does, and prints the heap of each beyond its document.
  --routes N      how many (5000)
  --snapshots DIR writes heap snapshots with the documents and with the routes into this folder
`;
const { values } = scriptOptions(USAGE, { routes: '5000', snapshots: '' });
const TENANT = 'bench';
const count = Number(values.routes);

/** Three filters, of which each has something to do. */
function document(at: number): JsonObject {
  const filters = [
    { type: 'ConditionEnforcementFilter', config: { condition: `\${request.headers['X-Tenant'][0] != 'none${at}'}` } },
    { type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-Bench': [`${at}`] } } },
    { type: 'UriPathRewriteFilter', config: { mappings: { [`/r${at}`]: `/service/${at}` } } },
  ];
  return {
    condition: `\${find(request.uri.path, '^/r${at}/')}`,
    baseURI: `http://backend-${at}.example.com:8080`,
    handler: { type: 'Chain', config: { filters, handler: 'ReverseProxyHandler' } },
  };
}

function routes(from: number, to: number): PlacedRoute[] {
  return Array.from({ length: to - from }, (_, i) => {
    const id = `r${from + i}`;
    // as they arrive: each with texts of its own
    const own = JSON.parse(JSON.stringify(document(from + i))) as JsonObject;
    return { router: 'gateway._router', id, name: id, document: own, hash: id, slot: -1, tenant: TENANT };
  });
}

function heap(name: string): number {
  for (let i = 0; i < 4; i++) global.gc?.();
  if (values.snapshots !== '') writeHeapSnapshot(`${values.snapshots}/${name}.heapsnapshot`);
  return process.memoryUsage().heapUsed;
}

async function measure(): Promise<void> {
  const configuration = new Configuration({
    catalogue: unitCatalogue,
    reach: { ...noReach, origin: 'operator' },
    log: pino({ level: 'silent' }),
    figures: () => noFigures,
    observe() {},
    mayReach: () => true,
  });
  const apply = (revision: string, set: readonly PlacedRoute[], isFirst: boolean): void => {
    const document = { heap: [{ name: '_router', type: 'Router' }] };
    const trust = { tenants: [{ name: TENANT, hosts: ['*'] }], egress: [], sharedObjects: [] };
    const base = { document, trust, hash: 'base' };
    const problems = configuration.apply({
      ...{ revision, base: isFirst ? base : null, set, remove: [], defaultSlots: {} },
    });
    if (problems.length > 0) throw new Error(JSON.stringify(problems[0]));
  };
  const first = routes(0, 100); // what all routes share is made with them
  await loadNamedParts(unitCatalogue, first);
  apply('1', first, true);
  const empty = heap('empty');
  const set = routes(100, 100 + count);
  const documents = heap('documents');
  apply('2', set, false);
  const built = heap('routes');
  const each = (bytes: number): string => `${(bytes / count / 1000).toFixed(1)} KB`;
  console.log(`document: ${each(documents - empty)}; route beyond it: ${each(built - documents)} (≤ 20 KB)`);
  configuration.close();
}

await measure();
process.exit(0);
