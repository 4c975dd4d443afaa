import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { dryRun } from '../../../dataplane/dry-run/dry-run.ts';
import { dryRunRule, dryRunTypes } from '../../../dataplane/dry-run/dry-run-rules.ts';
import { loadAllParts } from '../../../dataplane/heap/named-parts.ts';
import { type ConfiguredGateway, startConfigured } from '../../support/gateways/configured-gateway.ts';

let gateway: ConfiguredGateway | null;
let server: Server;
let calls: number;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatewarden-dry-run-'));
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  for (const id of ['client.key', 'as.key', 'issuer.keys', 'jwt.signing', 'jwt.verification']) {
    writeFileSync(join(folder, `${id}.pem`), key.export({ type: 'pkcs8', format: 'pem' }));
  }
  writeFileSync(join(folder, 'activity.key'), randomBytes(32).toString('base64'));
  writeFileSync(join(folder, 'users.csv'), 'user,password\nalice,one\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(async () => {
  gateway = null;
  calls = 0;
  server = createServer((socket) => {
    calls++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  await loadAllParts(catalogue);
});
afterEach(async () => {
  await gateway?.close();
  await new Promise((resolve) => server.close(resolve));
});

const kinds = new Map(catalogue.definitions.map(({ type, kind }) => [type, kind]));
const examples = dryRunTypes.flatMap((type) => {
  const { examples: all = [] } = catalogue.definitions.find((one) => one.type === type)!;
  return all.map(({ title, config }): [type: string, title: string, config: JsonValue] => [
    type,
    title,
    JSON.parse(JSON.stringify(config ?? {})) as JsonValue,
  ]);
});

/** The example with all servers at one address. */
function local(config: JsonValue): JsonValue {
  const { port } = server.address() as { port: number };
  const text = JSON.stringify(config)
    .replace(/\b(?:https?|wss?):\/\/[^/"'$\s?]+/g, `http://127.0.0.1:${port}`)
    .replace(/\/etc\/gatewarden(?:\/secrets|\/keys)?(?=["/])/g, folder)
    .replaceAll('${openig.instanceDirectory}/html', folder);
  return JSON.parse(text) as JsonValue;
}

const HANDLER: JsonObject = { type: 'StaticResponseHandler', config: { status: 200 } };
const resourceServer = (accessTokenResolver: JsonObject): JsonObject => ({
  type: 'OAuth2ResourceServerFilter',
  config: { scopes: ['a'], requireHttps: false, accessTokenResolver },
});

/** A document whose requests come to the object; null for one that takes no part in requests by itself. */
function around(object: JsonObject): JsonObject | null {
  const kind = kinds.get(String(object['type']));
  const chain = (filter: JsonObject): JsonObject => ({
    type: 'Chain',
    config: { filters: [filter], handler: HANDLER },
  });
  if (kind === 'filter') return chain(object);
  if (kind === 'handler') return object;
  if (kind === 'accessTokenResolver') return chain(resourceServer(object));
  if (kind === 'throttlingPolicy') {
    return chain({ type: 'ThrottlingFilter', config: { requestGroupingPolicy: 'all', throttlingRatePolicy: object } });
  }
  return null;
}

describe('a dry run with the example of each type that has a rule', () => {
  it.each(examples)('%s: %s', async (type, _, config) => {
    const handler = around({ name: 'example', type, config: local(config) });
    if (handler === null) return;
    gateway = await startConfigured(
      { heap: [{ name: '_router', type: 'Router' }], handler: '_router' },
      { routes: { orders: { baseURI: 'http://127.0.0.1:1', handler } } },
    );
    const [counted, observed, logged] = [gateway.counted.length, gateway.observed.length, gateway.logged.length];
    const before = calls;
    const token = 'Bearer eyJhbGciOiJub25lIn0.e30.x';
    const request = { method: 'POST', uri: '/orders?a=1', headers: { Authorization: token }, entity: { a: 1 } };
    const { steps } = await dryRun(gateway.configuration.served!, request, 0);
    expect(calls - before).toBe(0);
    expect([gateway.counted.length, gateway.observed.length, gateway.logged.length]).toEqual([
      counted,
      observed,
      logged,
    ]);
    expect(gateway.audited.json).toEqual([]);
    if (dryRunRule(type) !== 'runs' && ['filter', 'handler'].includes(kinds.get(type)!)) {
      expect(steps.find((step) => step.type === type)?.outcome).toBe('assumed');
    }
  });

  it('covers every filter, handler and resolver', () => {
    const taking = dryRunTypes.filter((type) => around({ type }) !== null);
    expect(taking.filter((type) => !examples.some(([one]) => one === type))).toEqual([]);
  });
});
