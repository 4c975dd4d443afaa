import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { type AllSinks, type SunkEvent, startAllSinks } from '../../support/audit/all-sinks.ts';
import { GatewayProcess } from '../../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';

let folder: InstanceFolder | undefined;
let gateway: GatewayProcess | undefined;

afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  folder?.[Symbol.dispose]();
});

const PATIENCE = { timeout: 60_000, interval: 50 };

async function start(config: JsonObject = {}, units = 1): Promise<AllSinks> {
  const sinks = await startAllSinks();
  const auditService = { type: 'AuditService', config: { config, eventHandlers: sinks.eventHandlers } };
  folder = new InstanceFolder({
    'config/config.json': {
      heap: [{ name: '_router', type: 'Router', config: {} }],
      auditService,
      handler: '_router',
    },
    'config/routes/shop.json': {
      condition: "${find(request.uri.path, '^/shop')}",
      handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'bought' } },
    },
    'config/routes/closed.json': {
      condition: "${find(request.uri.path, '^/closed')}",
      handler: {
        type: 'Chain',
        config: {
          filters: [{ type: 'ConditionEnforcementFilter', config: { condition: '${false}' } }],
          handler: { type: 'StaticResponseHandler', config: { status: 200 } },
        },
      },
    },
  } as never);
  gateway = await GatewayProcess.run(folder.path, ['--units', `${units}`]);
  return sinks;
}

/** Sends bytes on a connection of their own, and waits for its end. */
function send(head: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(gateway!.port, '127.0.0.1', () => socket.end(Buffer.from(head, 'latin1')));
    socket.on('close', () => resolve());
    socket.on('error', () => {});
    socket.resume();
  });
}

/** The accounts of each handler, by its name. */
async function accounts(): Promise<Record<string, Record<string, number>>> {
  const { text } = await gateway!.admin('/metrics');
  const found: Record<string, Record<string, number>> = {};
  for (const [, name, labels, value] of text.matchAll(/^gw_audit_(\w+?)(?:_total)?\{(.*)\} (\d+)$/gm)) {
    const handler = /handler="([^"]*)"/.exec(labels!)![1]!;
    found[handler] ??= {};
    found[handler][name!] = (found[handler][name!] ?? 0) + Number(value);
  }
  return found;
}

const HANDLERS = ['csv', 'jms', 'json', 'search', 'splunk', 'stdout', 'syslog'];
const delivered = (count: number): Record<string, Record<string, number>> =>
  Object.fromEntries(HANDLERS.map((name) => [name, { emitted: count, delivered: count, waiting: 0, dropped: 0 }]));

/** Waits until every event is delivered; destinations that confirm nothing may read the last ones a moment later. */
async function untilDelivered(sinks: AllSinks, count: number): Promise<void> {
  await expect.poll(accounts, PATIENCE).toEqual(delivered(count));
  const read = (): number[] => [sinks.json(gateway!.stdout)['stdout']!.length, sinks.messages().length];
  await expect.poll(read, PATIENCE).toEqual([count, count]);
}

const transactionsOf = (events: readonly SunkEvent[]): string[] =>
  events.map(({ transactionId }) => transactionId).sort();

it('delivers the same 200 requests to every destination at once, and its accounts agree with each of them', async () => {
  const sinks = await start({}, 2);
  for (let n = 0; n < 50; n++) {
    await (await fetch(`http://127.0.0.1:${gateway!.port}/shop/${n}`)).text();
    await (await fetch(`http://127.0.0.1:${gateway!.port}/closed/${n}`)).text();
    await (await fetch(`http://127.0.0.1:${gateway!.port}/nowhere/${n}`)).text();
    await send(`GET /shop/${n} HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`);
  }
  await untilDelivered(sinks, 200);
  const all = sinks.json(gateway!.stdout);
  const transactions = transactionsOf(all['json']!);
  expect(new Set(transactions).size).toBe(200);
  for (const name of Object.keys(all)) expect(transactionsOf(all[name]!), name).toEqual(transactions);
  const [names, ...rows] = sinks.rows();
  const place = names!.indexOf('transactionId');
  expect(rows.map((row) => row[place]).sort()).toEqual(transactions);
  const messages = sinks.messages().map((text) => /transactionId="([^"]*)"/.exec(text)?.[1]);
  expect(messages.sort()).toEqual(transactions);
  const statuses = new Map<unknown, number>();
  for (const { response } of all['json']!) {
    const { statusCode } = response as { statusCode: string };
    statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
  }
  expect(Object.fromEntries(statuses as Map<string, number>)).toEqual({ 200: 50, 400: 50, 403: 50, 404: 50 });
});

/** Values that try to end a value, a line, a record or a request of some destination. */
const HOSTILE: readonly (readonly [string, string])[] = [
  ['line breaks', 'a\r\n{"_id":"x","transactionId":"forged","_service":"main","_topic":"access"}\n'],
  ['line separators', 'a\u2028{}\u2029\u0085\u000b\u000c'],
  ['a terminal', '\u001b[2J\u001b]0;x\u0007\u009b31m\u202e\u200b'],
  ['NUL and DEL', 'a\u0000b\u007f'],
  ['quotes of JSON', '"}],"_id":"x"}'],
  ['quotes of CSV', '","x","forged"'],
  ['a formula', '=HYPERLINK("http://evil.test","x")'],
  ['a formula that adds', "+1+cmd|'/C calc'!A0"],
  ['a formula that subtracts', '-1-1'],
  ['a formula of a function', '@SUM(1)'],
  ['a formula behind a tab', '\t=1+1'],
  ['structured data', 'x"] <0>1 - - - - - [fake@1 a="b'],
  ['a frame of syslog', '\n99 <0>1 - - - - - - x'],
  ['a bulk action', '\n{"delete":{"_index":"audit","_id":"1"}}\n'],
  ['an event of Splunk', '"}}\n{"event":{"forged":true},"index":"main"}'],
  ['SQL', "'; DROP TABLE audit; --"],
  ['names of the language', '__proto__'],
  ['XML', ']]></x><!--'],
  ['a long text', 'x'.repeat(3000)],
];

it('lets no value of a client leave its place in any destination', async () => {
  const sinks = await start({ filterPolicies: { field: { includeIf: ['/access/http/request/queryParameters'] } } });
  for (const [, value] of HOSTILE) {
    const query = `q=${encodeURIComponent(value)}&${encodeURIComponent(value.slice(0, 500))}=1`;
    const plain = value.replaceAll(/\p{Cc}/gu, ' '); // as far as the gateway lets a head through
    const visible = Buffer.from(plain, 'utf8').toString('latin1');
    const headers = `Host: gw.test\r\nUser-Agent: ${visible}\r\nX-Request-Id: ${visible.slice(0, 200)}\r\n`;
    await send(
      `GET /shop/${encodeURIComponent(plain.slice(0, 1000).replaceAll('/', ''))}?${query} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`,
    );
  }
  await send(
    'GET /shop?q=%ff%fe%ed%a0%80 HTTP/1.1\r\nHost: gw.test\r\nUser-Agent: \xff\xfe\xed\xa0\x80\r\nConnection: close\r\n\r\n',
  );
  const count = HOSTILE.length + 1;
  await untilDelivered(sinks, count);

  const all = sinks.json(gateway!.stdout);
  const values = (name: string): unknown[] =>
    all[name]!.map(({ http }) => {
      const { queryParameters } = (http as { request: { queryParameters: Record<string, string[]> } }).request;
      return queryParameters['q']?.[0];
    });
  for (const name of Object.keys(all)) {
    expect(values(name).slice(0, -1), name).toEqual(HOSTILE.map(([, value]) => value));
    expect(JSON.stringify(all[name]!.map(({ forged, transactionId }) => [forged, transactionId])), name).not.toContain(
      'forged',
    );
  }
  const seen = gateway!.stdout.replaceAll('\n', '');
  expect(seen).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);

  const rows = sinks.rows();
  expect(new Set(rows.map(({ length }) => length)).size).toBe(1);
  expect(rows).toHaveLength(count + 1);
  expect(sinks.lines().join('')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(rows.flat().filter((value) => /^[\s\p{Cc}]*[=+@-]/u.test(value))).toEqual([]);

  const messages = sinks.messages();
  expect(messages).toHaveLength(count);
  for (const message of messages) {
    expect(message).toMatch(/^<\d+>1 \S+ \S+ \S+ \S+ \S+ \[access\.\S+@\d+ /);
    expect(message).not.toMatch(/\p{Cc}/u);
    expect(message.replaceAll(/\\./g, '').match(/\]/g)).toHaveLength(1);
  }
});

it('delivers the event of a request that is as large as a client can make it, within bounds', async () => {
  const sinks = await start({
    filterPolicies: {
      field: { includeIf: ['headers', 'queryParameters', 'cookies'].map((name) => `/access/http/request/${name}`) },
    },
  });
  const wide = Buffer.from('\u0085'.repeat(140), 'utf8').toString('latin1');
  const headers = Array.from({ length: 80 }, (_, at) => `X-Header-${at}: ${wide}`).join('\r\n');
  const query = Array.from({ length: 500 }, (_, at) => `${at}=%7f%00`).join('&');
  await send(`GET /shop?${query} HTTP/1.1\r\nHost: gw.test\r\n${headers}\r\nConnection: close\r\n\r\n`);
  await send('GET /shop HTTP/1.1\r\nHost: gw.test\r\nConnection: close\r\n\r\n');
  await untilDelivered(sinks, 2);
  const sizes = sinks.json(gateway!.stdout)['json']!.map((event) => JSON.stringify(event).length);
  expect(Math.max(...sizes)).toBeLessThan(256 << 10);
});
