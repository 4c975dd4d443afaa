import { createHmac } from 'node:crypto';
import { connect } from 'node:http2';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { untilAnswers } from '../../support/clients/answers.ts';
import { randomNumbers } from '../../support/clients/random.ts';
import { RawClient } from '../../support/clients/raw-client.ts';
import { startConfigured } from '../../support/gateways/configured-gateway.ts';
import { secretFolder } from '../../support/identity/secret-folder.ts';
import { tokenPart } from '../../support/identity/token-text.ts';

type Issuer = 'one' | 'two';
interface Sent {
  readonly path: string;
  readonly lines: readonly string[];
}

const KEYS = { one: Buffer.alloc(32, 1), two: Buffer.alloc(32, 2) };

function token(sub: string, scope: string, iss: Issuer = 'one', exp = 4_000_000_000): string {
  const signed = [{ alg: 'HS256' }, { iss, sub, scope, exp }].map(tokenPart).join('.');
  return `${signed}.${tokenPart(createHmac('sha256', KEYS[iss]).update(signed).digest())}`;
}

const alice = `Bearer ${token('alice', 'read')}`;
const bob = `Bearer ${token('bob', 'read write')}`;
const eve = `Bearer ${token('eve', 'read write', 'two')}`;
const past = `Bearer ${token('past', 'read', 'one', 1_000_000_000)}`;

/** Resource servers, which several paths share: a token that one of them knows must not serve the others. */
function servers(directory: string): JsonObject[] {
  const format = { type: 'SecretKeyPropertyFormat', config: { format: 'BASE64', algorithm: 'HmacSHA256' } };
  const secretsProvider = { type: 'FileSystemSecretStore', config: { directory, format } };
  const server = (name: string, issuer: Issuer, more: JsonObject = {}): JsonObject => {
    const config = { issuer, secretsProvider, verificationSecretId: issuer };
    const accessTokenResolver = { type: 'StatelessAccessTokenResolver', config };
    const given = { accessTokenResolver, scopes: ['read'], requireHttps: false, cache: { enabled: true }, ...more };
    return { name, type: 'OAuth2ResourceServerFilter', config: given };
  };
  return [
    server('one', 'one'),
    server('two', 'two'),
    server('write', 'one', { scopes: ['write'] }),
    server('uncached', 'one', { cache: { enabled: false } }),
    server('short', 'one', { cache: { enabled: true, maxTimeout: '1 millisecond' } }),
  ];
}

const header = (config: JsonObject): JsonObject => ({
  type: 'HeaderFilter',
  config: { messageType: 'REQUEST', ...config },
});
const groovy = (line: string): JsonObject => ({
  type: 'ScriptableFilter',
  config: { type: 'application/x-groovy', source: [line, 'next.handle(context, request)'] },
});
const javascript = (line: string): JsonObject => ({
  type: 'ScriptableFilter',
  config: { type: 'application/javascript', source: [line, 'return next()'] },
});
const fixed = (headers: JsonObject): JsonObject => ({
  type: 'StaticRequestFilter',
  config: { method: 'GET', uri: 'http://gw.test/x', headers },
});
const assigned = { target: "${request.headers['Authorization']}", value: `\${array('${bob}')}` };

/** The filters of each path. */
const PATHS: Readonly<Record<string, readonly JsonValue[]>> = {
  plain: ['one'],
  write: ['write'],
  two: ['two'],
  uncached: ['uncached'],
  short: ['short'],
  removed: [header({ remove: ['authorization'] }), 'one'],
  replaced: [header({ remove: ['Authorization'], add: { Authorization: [bob] } }), 'one'],
  added: [header({ add: { AUTHORIZATION: [bob] } }), 'one'],
  'groovy-set': [groovy(`request.headers['Authorization'] = '${bob}'`), 'one'],
  'groovy-added': [groovy(`request.headers.add('authorization', '${bob}')`), 'one'],
  'groovy-removed': [groovy(`request.headers.remove('AUTHORIZATION')`), 'one'],
  'javascript-set': [javascript(`request.headers.set('Authorization', '${bob}')`), 'one'],
  'javascript-added': [javascript(`request.headers.add('authorization', '${bob}')`), 'one'],
  'javascript-removed': [javascript(`request.headers.delete('AUTHORIZATION')`), 'one'],
  assigned: [{ type: 'AssignmentFilter', config: { onRequest: [assigned] } }, 'one'],
  fixed: [fixed({ Authorization: [bob] }), 'one'],
  'fixed-without': [fixed({}), 'one'],
  twice: ['one', header({ remove: ['authorization'] }), 'one'],
  other: ['one', header({ remove: ['Authorization'], add: { Authorization: [eve] } }), 'two'],
  both: ['one', 'two'],
};

const VALUES = [
  ...[alice, alice, alice, bob, eve, past, alice.toLowerCase().slice(0, 7) + alice.slice(7), `${alice}x`],
  ...[` \t${alice}`, `${alice} `, `${alice}\t`, alice.replace(' ', '  '), alice.slice(0, -1), `${alice}, ${bob}`],
  ...['Basic YTpi', '', `${alice}\xa0`],
];
const NAMES = ['Authorization', 'Authorization', 'authorization', 'AUTHORIZATION', 'X-Authorization', 'Author-ization'];
const OTHERS = [[], ['X-Id'], ['X-Id', 'X-More'], ['Connection: Authorization'], ['Connection: keep-alive, x-id']];

/** Each path once with credentials that most requests have, and as often with any. */
function requests(seed: number): Sent[] {
  const random = randomNumbers(seed);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
  const usual = `Authorization: ${alice}`;
  return Object.keys(PATHS).flatMap((path) => {
    const count = pick([0, 1, 1, 2, 2]);
    const credentials = Array.from({ length: count }, () => `${pick(NAMES)}: ${pick(VALUES)}`);
    const others = pick(OTHERS).map((one) => (one.includes(':') ? one : `${one}: ${random(1000)}`));
    const lines = random(3) === 0 ? [...others, ...credentials] : [...credentials, ...others];
    return [
      { path: 'plain', lines: [usual] },
      { path, lines: [usual, ...others] },
      { path: pick(['plain', path]), lines },
    ];
  });
}

async function start(): Promise<number> {
  const files = Object.entries(KEYS).map(([name, key]) => [name, key.toString('base64')]);
  const heap = servers(secretFolder(Object.fromEntries(files)));
  const entity = '${contexts.oauth2.accessToken.info.sub} ${contexts.oauth2.accessToken.token}';
  const headers = { 'Content-Type': ['text/plain'] };
  const handler = { type: 'StaticResponseHandler', config: { status: 200, headers, entity } };
  const bindings = Object.entries(PATHS).map(([path, filters]) => ({
    condition: `\${contexts.router.originalUri.path == '/${path}'}`,
    handler: { type: 'Chain', config: { filters: [...filters], handler } },
  }));
  const gateway = await startConfigured({ heap, handler: { type: 'DispatchHandler', config: { bindings } } });
  onTestFinished(() => gateway.close());
  return gateway.port;
}

/** The answers to requests on one connection, all sent at once or each after the answer to the one before. */
async function overHttp1(port: number, sent: readonly Sent[], areAhead: boolean): Promise<string[]> {
  const client = await RawClient.connect(port);
  for (const [at, { path, lines }] of sent.entries()) {
    client.send(`${[`GET /${path} HTTP/1.1`, 'Host: gw.test', ...lines].join('\r\n')}\r\n\r\n`);
    if (!areAhead) await untilAnswers(client, at + 1);
  }
  const answers = await untilAnswers(client, sent.length);
  client.destroy();
  return answers.map(({ status, body }) => `${status} ${body}`);
}

async function overHttp2(port: number, sent: readonly Sent[], areAhead: boolean): Promise<string[]> {
  const session = connect(`http://127.0.0.1:${port}`);
  const answers: Promise<string>[] = [];
  for (const { path, lines } of sent) {
    const fields = lines.map((line) => /^([^:]*):(.*)$/.exec(line)!).filter(([, name]) => name !== 'Connection');
    // this client sends no name twice
    const named = Object.fromEntries(fields.map(([, name, value]) => [name!.toLowerCase(), value!.trim()]));
    const stream = session.request({ ':path': `/${path}`, ':authority': 'gw.test', ...named });
    const status = new Promise((resolve) => {
      stream.on('response', (head) => resolve(head[':status']));
    });
    answers.push(Promise.all([status, text(stream)]).then((parts) => parts.join(' ')));
    if (!areAhead) await answers.at(-1);
  }
  const all = await Promise.all(answers);
  session.destroy();
  return all;
}

it.each([
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
])('requests on one connection of %s are judged as if each had its own', async (_, send) => {
  const port = await start();
  const alone = new Map<string, string>();
  for (let seed = 1; seed <= 4; seed++) {
    const sent = requests(seed);
    const together = await send(port, sent, seed % 2 === 0);
    for (const [at, one] of sent.entries()) {
      const key = JSON.stringify(one);
      const answer = alone.get(key) ?? (await send(port, [one], false))[0]!;
      alone.set(key, answer);
      expect({ seed, one, answer: together[at] }).toEqual({ seed, one, answer });
    }
  }
  const seen = new Set(
    Array.from(alone, ([key, answer]) => `${JSON.parse(key).path} ${answer.split(' ', 2).join(' ')}`),
  );
  for (const answer of ['plain 200 alice', 'plain 401 ', 'write 403 ', 'twice 401 ', 'both 401 ', 'other 200 eve']) {
    expect(seen).toContain(answer);
  }
  for (const path of ['removed', 'groovy-removed', 'javascript-removed', 'fixed-without']) {
    expect([path, seen.has(`${path} 200 alice`), seen.has(`${path} 401 `)]).toEqual([path, false, true]);
  }
  for (const path of ['replaced', 'groovy-set', 'javascript-set', 'assigned', 'fixed']) {
    expect(seen).toContain(`${path} 200 bob`);
  }
});
