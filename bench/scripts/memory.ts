/** `node --expose-gc bench/scripts/memory.ts LANGUAGE COUNT`: the memory of routes with a script each, as JSON. */
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { pino } from 'pino';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { noReach } from '../../contract/reach.ts';
import { catalogue } from '../../dataplane/catalogue/catalogue.ts';
import { Listener } from '../../dataplane/engine/client/listener.ts';
import { loadAllParts } from '../../dataplane/heap/named-parts.ts';
import { Configuration } from '../../dataplane/routes/configuration.ts';
import { noFigures } from '../../dataplane/routes/route-figures.ts';
import { scriptOptions } from '../../platform/script-options.ts';
import { LANGUAGES, type Language, ownFilter } from './objects.ts';

/** Bytes of each route. */
export interface RouteMemory {
  /** Heap of V8 with all routes loaded. */
  readonly heap: number;
  /** The same once every route has answered a request. */
  readonly heapUsed: number;
  /** Resident memory once every route has answered a request: it also has the memory of QuickJS. */
  readonly resident: number;
}

interface Reading {
  readonly heap: number;
  readonly resident: number;
}

function reading(): Reading {
  global.gc?.();
  global.gc?.();
  const kilobytes = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))![1]);
  return { heap: process.memoryUsage().heapUsed, resident: kilobytes * 1024 };
}

function routeWith(language: Language | 'none', at: number): JsonObject {
  const handler = { type: 'StaticResponseHandler', config: { status: 200 } };
  const filters = [ownFilter(language, at)];
  return {
    condition: `\${request.uri.path == '/${at}'}`,
    handler: { type: 'Chain', config: { filters, handler } },
  };
}

function loaded(language: Language | 'none', count: number): Configuration {
  const configuration = new Configuration({
    catalogue,
    reach: { ...noReach, origin: 'operator' },
    log: pino({ level: 'silent' }),
    figures: () => noFigures,
    observe() {},
    mayReach: () => true,
  });
  const base = { document: { heap: [{ name: '_router', type: 'Router' }] }, hash: 'base' };
  const set = Array.from({ length: count }, (_, at) => {
    const name = String(at).padStart(6, '0');
    const document = routeWith(language, at);
    return { router: 'gateway._router', id: name, name, document, hash: name, slot: -1 };
  });
  const problems = configuration.apply({ revision: '1', base, set, remove: [], defaultSlots: {} });
  if (problems.length > 0) throw new Error(JSON.stringify(problems[0]));
  return configuration;
}

/** Sends one request to each route. */
async function useAll(configuration: Configuration, count: number): Promise<void> {
  const listener = new Listener({ port: 0, host: '127.0.0.1', reusePort: false, handler: configuration.handle });
  const { port } = await listener.listen();
  for (let at = 0; at < count; at++) {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const asking = request({ port, host: '127.0.0.1', path: `/${at}`, agent: false }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      });
      asking.on('error', reject).end();
    });
    if (status !== 200) throw new Error(`route ${at} answered with ${status}`);
  }
  await listener.drain(0);
}

async function measure(language: Language | 'none', count: number): Promise<RouteMemory> {
  await loadAllParts(catalogue);
  // The first scripts make the tables of the library, and the first requests what all connections share.
  const first = loaded(language, 10);
  await useAll(first, 10);
  first.close();
  const before = reading();
  const configuration = loaded(language, count);
  const ready = reading();
  await useAll(configuration, count);
  const after = reading();
  configuration.close();
  return {
    heap: (ready.heap - before.heap) / count,
    heapUsed: (after.heap - before.heap) / count,
    resident: (after.resident - before.resident) / count,
  };
}

const USAGE = `usage: node --expose-gc bench/scripts/memory.ts LANGUAGE COUNT
Prints the memory of each of COUNT routes as JSON.
  LANGUAGE  ${Object.keys(LANGUAGES).join(', ')}, or none for a filter of the gateway
`;
const [language = 'none', count = '1000'] = scriptOptions(USAGE, {}, 2).words;
process.stdout.write(`${JSON.stringify(await measure(language as Language | 'none', Number(count)))}\n`);
process.exit(0);
